import { createParts } from '../../../controller/parts.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { withPodsAsSeen } from './as-seen.ts';

/** The planted bug: where a pod prefers something as well, its first alternative is given up before the preference. */
function withoutFirstTerm(pod: Pod): Pod {
  const { affinity } = pod.spec;
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: wishes = [] } =
    affinity?.nodeAffinity ?? {};
  const nodeSelectorTerms = required?.nodeSelectorTerms?.slice(1) ?? [];
  if (wishes.length === 0 || nodeSelectorTerms.length === 0) return pod;
  const rest = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity: rest } } };
}

export const termsBeforePreferences: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:terms-before-preferences',
    summary: 'gives up the first alternative of a required node affinity for a preference that cannot be met: the pod never runs',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withPodsAsSeen(right.simulator, withoutFirstTerm) };
    },
  }),
  resembles: 'a preference kept pods from being served at all (karpenter#1265)',
  caughtBy: {
    scenario: 'scheduling/preference-beside-alternatives',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
