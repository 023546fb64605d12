import { createParts } from '../../../controller/parts.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { withPodsAsSeen, withoutContradicted } from './as-seen.ts';

/** The planted bug: a preference for another value than the pod requires leaves none, which is taken for a label that its node must not have. */
function joined(pod: Pod): Pod {
  const wishes = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const expressions = wishes.flatMap(({ preference }) => preference.matchExpressions ?? []);
  return withoutContradicted(pod, expressions);
}

export const contradictoryWishes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:contradictory-wishes',
    summary: 'takes a preference that contradicts what a pod requires for a wish for nodes without the label, where the pod never runs',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withPodsAsSeen(right.simulator, joined) };
    },
  }),
  resembles: 'a preference kept pods from being served at all (karpenter#1265)',
  caughtBy: {
    scenario: 'scheduling/contradictory-preference',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
