import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { NodeSelectorRequirement, Pod } from '../../../model/kube.ts';

/** Plans like another one that sees each pod as the function makes it. */
export function withPodsAsSeen(right: Simulator, see: (pod: Pod) => Pod): Simulator {
  return {
    simulate: (input) => {
      const asTheyCame = new Map(input.pods.map((pod) => [pod.metadata.uid, pod]));
      const original = (pod: Pod): Pod => asTheyCame.get(pod.metadata.uid) ?? pod;
      const plan = right.simulate({ ...input, pods: input.pods.map(see) });
      return {
        launches: plan.launches.map((launch) => ({ ...launch, pods: launch.pods.map(original) })),
        nominations: new Map([...plan.nominations].map(([node, pods]) => [node, pods.map(original)])),
        refusals: plan.refusals.map((refusal) => ({ ...refusal, pod: original(refusal.pod) })),
      };
    },
  };
}

/** What all terms of a pod's required node affinity ask for. */
export function requiredExpressions({ spec }: Pod): readonly NodeSelectorRequirement[] {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
}

/** The pod as if its node must not have those labels whose value in its node selector one of these expressions excludes. */
export function withoutContradicted(pod: Pod, expressions: readonly NodeSelectorRequirement[]): Pod {
  const { nodeSelector = {}, affinity } = pod.spec;
  const keys = Object.entries(nodeSelector).flatMap(([key, value]) =>
    expressions.some((one) => one.key === key && one.operator === 'In' && one.values?.includes(value) === false) ? [key] : [],
  );
  if (keys.length === 0) return pod;
  const nodeAffinity = affinity?.nodeAffinity;
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const absent = keys.map((key): NodeSelectorRequirement => ({ key, operator: 'DoesNotExist' }));
  const nodeSelectorTerms = terms.map(({ matchExpressions = [], ...rest }) => ({
    ...rest,
    matchExpressions: [...matchExpressions.filter(({ key }) => !keys.includes(key)), ...absent],
  }));
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const left = Object.fromEntries(Object.entries(nodeSelector).filter(([key]) => !keys.includes(key)));
  return { ...pod, spec: { ...pod.spec, nodeSelector: left, affinity: { ...affinity, nodeAffinity: { ...nodeAffinity, ...required } } } };
}
