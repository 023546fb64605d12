import { createCollector } from '../../../controller/lifecycle/collector.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const noInstancePolling: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:no-instance-polling',
    summary: 'relies on messages and the cloud controller alone to detect that an instance has ended',
    makeParts: (context) => {
      const right = createCollector(context);
      return {
        ...createParts(context),
        // The planted bug: it never checks whether the instances of claims still exist.
        collector: { collectInstances: () => right.collectInstances(), collectClaims: () => Promise.resolve() },
      };
    },
  }),
  resembles: 'claims that stayed, with their Nodes, after AWS had terminated the instances (karpenter#1392)',
  caughtBy: { scenario: 'disruption/ghost-node', check: 'no-orphaned-nodes', code: 'orphaned-node', object: 'nodes/*', seeds: 'every' },
};
