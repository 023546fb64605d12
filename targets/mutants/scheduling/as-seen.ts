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

/** The keys of a pod's node selector whose value one of these expressions excludes. */
export function contradicted({ spec: { nodeSelector = {} } }: Pod, expressions: readonly NodeSelectorRequirement[]): readonly string[] {
  return Object.entries(nodeSelector).flatMap(([key, value]) =>
    expressions.some((one) => one.key === key && one.operator === 'In' && one.values?.includes(value) === false) ? [key] : [],
  );
}

/** The pod as if its node must not have these labels, whatever it asks for. */
export function withoutLabels(pod: Pod, keys: readonly string[]): Pod {
  if (keys.length === 0) return pod;
  const { nodeSelector = {}, affinity } = pod.spec;
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
