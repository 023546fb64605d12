import { uidOf } from '../../../controller/api.ts';
import { vetoOf } from '../../../controller/disruption/candidates.ts';
import type { Veto } from '../../../controller/disruption/candidates.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { isDisrupted } from '../../../controller/lifecycle/registrar.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: once a node was found free to go while it is tainted, nobody looks again. */
function onlyOnce(right: Veto): Veto {
  const decided = new Set<string>();
  return (node, pods) => {
    if (decided.has(uidOf(node))) return undefined;
    const why = right(node, pods);
    if (why === undefined && isDisrupted(node)) decided.add(uidOf(node));
    return why;
  };
}

export const lateOptOutsIgnored: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:late-opt-outs-ignored',
    summary: 'removes a node as planned once its replacement is ready, although a user has marked it as do-not-disrupt since',
    makeParts: (context) => {
      const right = createParts(context);
      return {
        ...right,
        disruption: createDisruption(context, right, { veto: onlyOnce(vetoOf) }),
      };
    },
  }),
  resembles:
    'a node was deleted with a pod that had opted out, minutes after the decision had been committed (kubernetes-sigs/karpenter#3111)',
  caughtBy: {
    scenario: 'consolidation/kept-meanwhile',
    check: 'opt-outs',
    code: 'opted-out-node-disturbed',
    object: 'nodes/*',
    seeds: 'every',
  },
};
