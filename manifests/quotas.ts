import type { Container, Pod, PodSpec, PodTemplate } from '../model/kube.ts';
import { formatQuantity, parseQuantity } from '../model/quantity.ts';
import type { Quantity } from '../model/quantity.ts';
import { usedOf } from '../world/kube/rules/quotas.ts';
import type { ApiObject } from '../world/kube/resource.ts';
import type { Quota } from '../world/kube/rules/quotas.ts';
import type { UserWorkload } from './workloads.ts';

const PODS = { id: 'pods' };

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
  const nanosOf = (amount: string | undefined): bigint => parseQuantity(amount ?? '0').nanos;
  const needs = (all: readonly UserWorkload[]): ReadonlyMap<string, Quantity> => {
    const sums = new Map<string, Quantity>();
    for (const one of all) {
      for (const [name, amount] of Object.entries(usedOf(quota, [[PODS, [podOf(one) as unknown as ApiObject]]], 0))) {
        const { nanos, format } = parseQuantity(amount);
        sums.set(name, { nanos: (sums.get(name)?.nanos ?? 0n) + nanos * BigInt(one.replicas), format });
      }
    }
    return sums;
  };
  const [own, together] = [needs([workload]), needs(beside)];
  const over = Object.keys(hard).filter(
    (name) => (own.get(name)?.nanos ?? 0n) > 0n && (together.get(name)?.nanos ?? 0n) > nanosOf(hard[name]),
  );
  if (over.length === 0) return undefined;
  const shown = (amountOf: (name: string) => Quantity | undefined): string =>
    over.map((name) => `${name}=${formatQuantity(amountOf(name) ?? parseQuantity('0'))}`).join(', ');
  const allowed = shown((name) => parseQuantity(hard[name] ?? '0'));
  return `the ResourceQuota ${quota.metadata.name} of its namespace allows ${allowed}, and the pods there need ${shown((name) => together.get(name))}`;
}

function podOf({ template, namespace }: UserWorkload): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name: 'pod', namespace }, spec: template.spec };
}
