import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { isTerminal } from '../../../controller/provisioning/pods.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const finishedPodsKeepNodes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:finished-pods-keep-nodes',
    summary: 'treats a node as in use while finished pods are left on it',
    makeParts: (context) => {
      const { nominations, state } = context;
      const right = createParts(context);
      // The planted bug: any pod keeps its node, even one that has finished.
      const has = (node: string): boolean => nominations.has(node) || [...state.podsOn(node)].some(isTerminal);
      return { ...right, emptiness: createEmptiness({ ...context, nominations: { ...nominations, has } }, right.disruption) };
    },
  }),
  resembles: 'nodes did not count as empty while completed pods of Jobs were left there (karpenter-provider-aws#946)',
  caughtBy: { scenario: 'provisioning/finished-job', check: 'scale-in', code: 'not-ended', object: 'instance/*', seeds: 'every' },
};
