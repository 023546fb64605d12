import type { PodSpec } from '../../model/kube.ts';

/** The preferences of an affinity that are left. */
type Affinity = NonNullable<PodSpec['affinity']>;

/**
 * The specs that are tried for a pod, one after the other: first with all preferences, finally only with requirements. Preferences
 * are dropped one by one, in Karpenter's order: affinity to pods, anti-affinity to pods, affinity to nodes (each heaviest first),
 * soft spread, and finally PreferNoSchedule taints.
 * Source: Karpenter, `pkg/controllers/provisioning/scheduling/preferences.go`, v1.8.
 * @param softTaints whether any pool has a PreferNoSchedule taint
 */
export function* relaxations(spec: PodSpec, softTaints: boolean): Generator<PodSpec, void, undefined> {
  let current = spec;
  for (;;) {
    yield current;
    const next = relax(current);
    if (next === undefined) break;
    current = next;
  }
  if (softTaints) yield { ...current, tolerations: [...(current.tolerations ?? []), { operator: 'Exists', effect: 'PreferNoSchedule' }] };
}

function relax(spec: PodSpec): PodSpec | undefined {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const withAffinity = (change: Affinity): PodSpec => ({ ...spec, affinity: { ...spec.affinity, ...change } });
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (near.length > 0) return withAffinity({ podAffinity: { ...podAffinity, ...preferring(withoutHeaviest(near)) } });
  const apart = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (apart.length > 0) return withAffinity({ podAntiAffinity: { ...podAntiAffinity, ...preferring(withoutHeaviest(apart)) } });
  const nodes = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (nodes.length > 0) return withAffinity({ nodeAffinity: { ...nodeAffinity, ...preferring(withoutHeaviest(nodes)) } });
  const spreads = spec.topologySpreadConstraints ?? [];
  const soft = spreads.findIndex(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (soft >= 0) return { ...spec, topologySpreadConstraints: spreads.filter((_, index) => index !== soft) };
  return undefined;
}

function preferring<T>(terms: T[]): { preferredDuringSchedulingIgnoredDuringExecution: T[] } {
  return { preferredDuringSchedulingIgnoredDuringExecution: terms };
}

/** The preferred term with the highest weight; the first of equals. */
export function heaviest<T extends { weight: number }>(terms: readonly T[] | undefined): T | undefined {
  return terms?.reduce<T | undefined>((best, term) => (best === undefined || term.weight > best.weight ? term : best), undefined);
}

function withoutHeaviest<T extends { weight: number }>(terms: readonly T[]): T[] {
  const gone = heaviest(terms);
  return terms.filter((term) => term !== gone);
}
