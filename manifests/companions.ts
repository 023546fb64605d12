import type { BudgetSpec, UserObject } from '../harness/scenario.ts';
import type { IntOrPercent, PodDisruptionBudget } from '../model/kube.ts';
import { matchesSelector } from '../model/selector.ts';
import { isBuiltIn } from './admission.ts';
import type { Manifest } from './documents.ts';
import { COMPANIONS, typeOf } from './kinds.ts';
import type { UserWorkload } from './workloads.ts';

/** Objects that are applied with the workloads, in order; for a budget, with the workloads that it protects. */
export function companionsOf(manifests: readonly Manifest[], workloads: readonly UserWorkload[]): UserObject[] {
  return manifests.flatMap((manifest) => {
    const resource = COMPANIONS[typeOf(manifest)];
    const { object, kind } = manifest;
    if (resource === undefined || isBuiltIn(manifest)) return [];
    if (kind !== 'PodDisruptionBudget') return [{ resource, object }];
    return [{ resource, object, protects: protectedBy(object as PodDisruptionBudget, workloads) }];
  });
}

function protectedBy(budget: PodDisruptionBudget, workloads: readonly UserWorkload[]): UserObject['protects'] {
  const { selector, minAvailable, maxUnavailable } = budget.spec;
  return workloads
    .filter(({ namespace, kind, template }) => {
      return kind !== 'DaemonSet' && namespace === budget.metadata.namespace && matchesSelector(selector, template.metadata?.labels);
    })
    .map(({ name, replicas }) => ({ workload: name, budget: budgetOf(minAvailable, maxUnavailable, replicas) }));
}

/** Percentages are rounded up, as in the disruption controller. Without either field, the API's default is `minAvailable: 1`. */
function budgetOf(minAvailable: IntOrPercent | undefined, maxUnavailable: IntOrPercent | undefined, replicas: number): BudgetSpec {
  const podsOf = (value: IntOrPercent): number =>
    typeof value === 'number' ? value : Math.ceil((replicas * Number.parseInt(value, 10)) / 100);
  if (maxUnavailable !== undefined) return { maxUnavailable: podsOf(maxUnavailable) };
  return { minAvailable: podsOf(minAvailable ?? 1) };
}
