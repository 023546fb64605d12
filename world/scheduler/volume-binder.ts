import { SELECTED_NODE } from '../../model/storage.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../model/storage.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClusterPort } from '../ports.ts';
import type { ObjectCache } from './object-cache.ts';
import { isBound } from './volumes.ts';
import type { VolumePlan } from './volumes.ts';

/** How often the scheduler checks whether claims are bound, and for how long (`bindTimeoutSeconds`). */
const BINDING = { periodMs: 1_000, timeoutMs: 600_000 } as const;

/** Applies the plan to the cache as if it were done, for later decisions. */
export function assumeVolumes({ bindings, provisions }: VolumePlan, nodeName: string, objects: ObjectCache): void {
  for (const { claim, volume } of bindings) objects.set('persistentvolumes', boundTo(volume, claim));
  for (const claim of provisions) objects.set('persistentvolumeclaims', withNode(claim, nodeName));
}

/**
 * Requests what a pod's claims need on its node (`BindPodVolumes`): existing volumes are reserved for them, others are left to
 * a provisioner.
 * @returns whether all claims were bound in time
 */
export async function bindVolumes(
  { bindings, provisions }: VolumePlan,
  nodeName: string,
  { port, clock, objects, signal }: { port: ClusterPort; clock: Clock; objects: ObjectCache; signal: AbortSignal },
): Promise<boolean> {
  for (const { claim, volume } of bindings) {
    await port.patch({ resource: 'persistentvolumes', name: volume.metadata.name ?? '' }, { spec: { claimRef: refTo(claim) } });
  }
  for (const claim of provisions) {
    const { namespace = 'default', name = '' } = claim.metadata;
    await port.patch({ resource: 'persistentvolumeclaims', namespace, name }, { metadata: { annotations: { [SELECTED_NODE]: nodeName } } });
  }
  const claims = [...bindings.map(({ claim }) => claim), ...provisions];
  const deadlineMs = clock.nowMs() + BINDING.timeoutMs;
  while (clock.nowMs() < deadlineMs) {
    await clock.sleep(BINDING.periodMs, signal);
    const now = claims.map(({ metadata }) => objects.claim(metadata.namespace ?? 'default', metadata.name ?? ''));
    if (now.some((claim) => claim === undefined)) return false;
    if (now.every((claim) => claim !== undefined && isBound(claim))) return true;
  }
  return false;
}

export function refTo({ metadata: { namespace, name, uid } }: PersistentVolumeClaim): NonNullable<PersistentVolume['spec']['claimRef']> {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
}

function boundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  return { ...volume, spec: { ...volume.spec, claimRef: refTo(claim) } };
}

function withNode(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: nodeName };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}
