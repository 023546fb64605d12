import { z } from 'zod';
import type { UserObject, WorkloadKind, WorkloadSpec } from '../harness/scenario.ts';
import { storageClass, volumeClaim, volumeIn } from '../harness/volumes.ts';
import { ZONES } from '../model/instance-catalogue.ts';
import { LABEL } from '../model/kube.ts';
import type { NodeSelectorRequirement } from '../model/kube.ts';

/**
 * The volume that the pods of a workload need. A volume that is created is each pod's own in a StatefulSet; any other volume is
 * shared by all pods of its workload.
 */
export const volumeSchema = z.discriminatedUnion('is', [
  /** It is in this zone already, or in several at once. */
  z.strictObject({ is: z.literal('existing'), zone: z.string(), otherZones: z.array(z.string()).min(1).exactOptional() }),
  /** It is created where the first pod that needs it runs; `zones` are those of its class, by default all. */
  z.strictObject({ is: z.literal('created-with-pod'), zones: z.array(z.string()).min(1).exactOptional() }),
  /** It is created at once, in one of the zones, whatever its pods need. */
  z.strictObject({ is: z.literal('created-at-once'), zones: z.array(z.string()).min(1).exactOptional() }),
  /** Its class does not exist, so that it never will. */
  z.strictObject({ is: z.literal('of-missing-class') }),
]);
export type VolumeData = Readonly<z.infer<typeof volumeSchema>>;

/** What decides which claims there are. */
interface Claimant {
  readonly name: string;
  readonly kind?: WorkloadKind;
  readonly volume?: VolumeData;
}

const VOLUME = 'data';

/** The zones that a volume names. */
export function namedZones(volume: VolumeData): readonly string[] {
  if (volume.is === 'existing') return [volume.zone, ...(volume.otherZones ?? [])];
  return volume.is === 'of-missing-class' ? [] : (volume.zones ?? []);
}

/** The zones of which it gets one, wherever its pods can run; undefined if that depends on where they run, or if none is chosen any more. */
export function possibleZones(volume: VolumeData): readonly string[] | undefined {
  return volume.is === 'created-at-once' ? (volume.zones ?? ZONES) : undefined;
}

/** What its class, or itself, requires of a node. */
export function zonesRequired(volume: VolumeData): readonly NodeSelectorRequirement[] {
  const zones = namedZones(volume);
  return zones.length === 0 ? [] : [inZones(...zones)];
}

export function inZones(...zones: readonly string[]): NodeSelectorRequirement {
  return { key: LABEL.zone, operator: 'In', values: [...zones] };
}

/** Whether all pods of the workload need the same volume. */
export function isShared({ kind, volume }: Claimant): boolean {
  return volume !== undefined && !hasOwnClaims(kind, volume);
}

function hasOwnClaims(kind: WorkloadKind | undefined, { is }: VolumeData): boolean {
  return kind === 'StatefulSet' && is !== 'existing';
}

/** Objects that a user creates before the workload. */
export function volumeObjects({ name, kind, volume }: Claimant): UserObject[] {
  if (volume === undefined) return [];
  if (volume.is === 'existing') return volumeIn(namedZones(volume), name);
  const claims = hasOwnClaims(kind, volume) ? [] : [claimOf(name)];
  if (volume.is === 'of-missing-class') return claims;
  return [storageClass(name, namedZones(volume), volume.is === 'created-at-once' ? 'Immediate' : 'WaitForFirstConsumer'), ...claims];
}

/** How its pods use it. */
export function volumeFields({ name, kind, volume }: Claimant): Pick<WorkloadSpec, 'volumes' | 'claimTemplates'> {
  if (volume === undefined) return {};
  if (!hasOwnClaims(kind, volume)) return { volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName: name } }] };
  const { metadata: _metadata, ...claim } = claimOf(name).object;
  return { claimTemplates: [{ ...claim, metadata: { name: VOLUME } }] };
}

/** Of the class with its name. */
function claimOf(name: string): ReturnType<typeof volumeClaim> {
  return volumeClaim(name, { storageClassName: name });
}
