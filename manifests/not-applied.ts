import type { Admitted } from './admission.ts';
import type { Manifest } from './documents.ts';
import { COMPANIONS, NODE_CLASS, NODE_POOL, POD_AUTOSCALER, UNAPPLIED, isWorkload, typeOf } from './kinds.ts';

/** Notes on objects that are not applied: one by one if pods depend on them, all others by kind. */
export function describeNotApplied({ taken, definitions, foreign }: Admitted): string[] {
  const unneeded = [...taken.filter((manifest) => !isUsed(manifest)), ...definitions];
  const [named, others] = split(unneeded);
  const [namedForeign, othersForeign] = split(foreign);
  return [
    ...[...named, ...namedForeign].map((manifest) => `${manifest.where}: not applied: ${UNAPPLIED[typeOf(manifest)] ?? ''}`),
    ...(others.length === 0 ? [] : [`not applied, since no pod needs them here: ${countKinds(others)}`]),
    ...(othersForeign.length === 0 ? [] : [`not applied, since this world does not serve their kinds: ${countKinds(othersForeign)}`]),
  ];
}

function isUsed(manifest: Manifest): boolean {
  const type = typeOf(manifest);
  return type in COMPANIONS || type === POD_AUTOSCALER || isWorkload(manifest) || type === NODE_POOL || type === NODE_CLASS;
}

/** Those with their own reason, and the rest. */
function split(manifests: readonly Manifest[]): [Manifest[], Manifest[]] {
  const hasReason = (manifest: Manifest): boolean => typeOf(manifest) in UNAPPLIED;
  return [manifests.filter(hasReason), manifests.filter((manifest) => !hasReason(manifest))];
}

/** `1 Service, 2 ConfigMap` */
function countKinds(manifests: readonly Manifest[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of manifests) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
