import type { Container, Pod, PodSpec, PodTemplate } from '../model/kube.ts';
import { formatQuantity, parseQuantity } from '../model/quantity.ts';
import { usedOf } from '../world/kube/rules/quotas.ts';
import type { ApiObject } from '../world/kube/resource.ts';
import type { Quota } from '../world/kube/rules/quotas.ts';
import type { UserWorkload } from './workloads.ts';

const PODS = { id: 'pods', group: '', plural: 'pods' };

/** A template with the requests and limits that its containers have once a pod is admitted: LimitRanges set missing ones. */
export function withAmounts(template: PodTemplate, { containers, initContainers = [] }: PodSpec): PodTemplate {
  const filled = (own: readonly Container[], admitted: readonly Container[]): Container[] =>
    own.map((container, index) => ({ ...container, ...(admitted[index]?.resources && { resources: admitted[index].resources }) }));
  const { spec } = template;
  return {
    ...template,
    spec: {
      ...spec,
      containers: filled(spec.containers, containers),
      ...(spec.initContainers && { initContainers: filled(spec.initContainers, initContainers) }),
    },
  };
}

/**
 * Why a quota does not allow all pods of a workload and of those beside it; undefined if it does, or is not about these pods. What
 * updates need for a while is not counted.
 */
export function quotaProblem(quota: Quota, workload: UserWorkload, beside: readonly UserWorkload[]): string | undefined {
  const { hard = {} } = quota.spec ?? {};
  const usedBy = (all: readonly UserWorkload[]) => usedOf(quota, [[PODS, all.flatMap(podsOf) as unknown as ApiObject[]]], 0);
  const [own, together] = [usedBy([workload]), usedBy(beside)];
  const nanosOf = (amount: string | undefined): bigint => parseQuantity(amount ?? '0').nanos;
  const over = Object.keys(hard).filter((name) => nanosOf(own[name]) > 0n && nanosOf(together[name]) > nanosOf(hard[name]));
  if (over.length === 0) return undefined;
  const shown = (amounts: Readonly<Record<string, string>>): string =>
    over.map((name) => `${name}=${formatQuantity(parseQuantity(amounts[name] ?? '0'))}`).join(', ');
  return `the ResourceQuota ${quota.metadata.name} of its namespace allows ${shown(hard)}, and the pods there need ${shown(together)}`;
}

function podsOf({ template, replicas, namespace }: UserWorkload): Pod[] {
  return Array.from({ length: replicas }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name: `pod-${index}`, namespace },
    spec: template.spec,
  }));
}
