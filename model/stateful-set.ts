import type { StatefulSet } from './kube.ts';

/** The ordinals of a StatefulSet's pods. */
export function ordinalsOf({ replicas = 1, ordinals }: Pick<StatefulSet['spec'], 'replicas' | 'ordinals'>): readonly number[] {
  const start = ordinals?.start ?? 0;
  return Array.from({ length: replicas }, (_, index) => start + index);
}

/** The name of the claim that an ordinal's pod gets from a template (`getPersistentVolumeClaimName`). */
export function claimNameOf(template: string, setName: string, ordinal: number): string {
  return `${template}-${setName}-${ordinal}`;
}
