import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import type { Drainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { LABEL } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import { askingOnce } from './asked-once.ts';
import type { Mutant } from '../mutant.ts';

export const singleEvictionAttempt: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:single-eviction-attempt',
    summary: 'evicts the pods of interrupted spot nodes only once: a pod whose eviction is refused stays until the instance ends',
    makeParts: (context) => {
      const right = createDrainer(context);
      // The planted bug: it assumes that two minutes are too short for a second try.
      const hurried = askingOnce(context, 429);
      const drain: Drainer['drain'] = (node, endMs, aheadMs) => {
        const isSpot = node.metadata.labels?.[LABEL.capacityType] === 'spot';
        return (isSpot ? hurried : right).drain(node, endMs, aheadMs);
      };
      return { ...createParts(context), terminator: createTerminator(context, { cordon: (node) => right.cordon(node), drain }) };
    },
  }),
  resembles: 'refused evictions were retried too few times, and budgets were violated (gardener/machine-controller-manager#370)',
  caughtBy: {
    scenario: 'interruption/one-warning',
    check: 'interruption-handled',
    code: 'pod-not-asked-to-leave',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
