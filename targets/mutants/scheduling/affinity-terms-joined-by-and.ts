import { createParts } from '../../../controller/parts.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { withPodsAsSeen } from './as-seen.ts';

/** The planted bug: all terms of a pod's required node affinity are combined into one. */
function joined(pod: Pod): Pod {
  const { affinity } = pod.spec;
  const nodeAffinity = affinity?.nodeAffinity;
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length < 2) return pod;
  const one = {
    matchExpressions: terms.flatMap(({ matchExpressions = [] }) => matchExpressions),
    matchFields: terms.flatMap(({ matchFields = [] }) => matchFields),
  };
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [one] } };
  return { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity: { ...nodeAffinity, ...required } } } };
}

export const affinityTermsJoinedByAnd: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:affinity-terms-joined-by-and',
    summary: 'requires all terms of a required node affinity to match, although one is enough',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withPodsAsSeen(right.simulator, joined) };
    },
  }),
  resembles: 'an unsatisfiable term of a node affinity kept pods from nodes that another term allowed (karpenter#2230)',
  caughtBy: {
    scenario: 'scheduling/node-affinity-operators',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*-4-*',
    seeds: 'every',
  },
};
