import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node } from '../../model/kube.ts';
import { SELECTED_NODE } from '../../model/storage.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../model/storage.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { refTo } from './volume-binder.ts';
import { isBound } from './volumes.ts';

/** From a change to its result: creating a volume takes an EBS driver some seconds. */
export const VOLUME_DELAYS = { reconcile: { minMs: 500, maxMs: 3_000 } } as const;

/** The driver whose volumes the {@link VolumeProvisioner} creates. */
const EBS_DRIVER = 'ebs.csi.aws.com';

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** On volumes that a provisioner created, with its name. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

interface Provisioning {
  readonly port: ClusterPort;
  readonly random: Random;
}

/** Whether a class is served by anybody. */
export function hasProvisioner({ provisioner }: StorageClass): boolean {
  return provisioner !== NO_PROVISIONER;
}

/**
 * Creates a volume for a claim, if it is time: in the zone of the node that the scheduler selected, or for an Immediate class in some
 * zone that it allows and that has nodes.
 * @param options.serves of which classes volumes are created
 * @returns undefined if the class is missing, is not served, or waits for a node
 */
export async function provisionVolume(
  claim: PersistentVolumeClaim,
  { port, random, serves }: Provisioning & { readonly serves: (storageClass: StorageClass) => boolean },
): Promise<PersistentVolume | undefined> {
  const { metadata, spec } = claim;
  const found = await port.get<StorageClass>({ resource: 'storageclasses', name: spec.storageClassName ?? '' });
  if (found === undefined || !serves(found)) return undefined;
  const selected = metadata.annotations?.[SELECTED_NODE];
  if (found.volumeBindingMode === 'WaitForFirstConsumer' && selected === undefined) return undefined;
  const zone = selected === undefined ? await someZone(found, { port, random }) : await zoneOf(selected, port);
  const name = `pvc-${metadata.uid ?? ''}`;
  const { provisioner } = found;
  const matchExpressions = [{ key: LABEL.zone, operator: 'In' as const, values: [zone ?? ''] }];
  return port.create<PersistentVolume>('persistentvolumes', {
    metadata: { name, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      accessModes: spec.accessModes ?? [],
      capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
      claimRef: refTo(claim),
      csi: { driver: provisioner, volumeHandle: `vol-${random.hex(17)}` },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: spec.storageClassName ?? '',
      volumeMode: spec.volumeMode ?? 'Filesystem',
      ...defined({ nodeAffinity: zone === undefined ? undefined : { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
    },
  });
}

async function zoneOf(nodeName: string, port: ClusterPort): Promise<string | undefined> {
  const node = await port.get<Node>({ resource: 'nodes', name: nodeName });
  if (node === undefined) throw new ClusterError(404, 'NotFound', `nodes "${nodeName}" not found`);
  return node.metadata.labels?.[LABEL.zone];
}

/** A zone that the class allows and that has nodes. */
async function someZone({ allowedTopologies = [] }: StorageClass, { port, random }: Provisioning): Promise<string | undefined> {
  const allowed = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.flatMap(({ key, values }) => (key === LABEL.zone ? values : [])),
  );
  const zones = (await port.list<Node>('nodes')).flatMap(({ metadata }) => metadata.labels?.[LABEL.zone] ?? []);
  const usable = [...new Set(zones)].filter((zone) => allowed.length === 0 || allowed.includes(zone)).sort();
  if (usable.length > 0) return random.pick(usable);
  return allowed[0];
}

/**
 * The provisioner of the EBS driver beside a real volume controller, which binds what it creates: volumes for claims, and none any
 * more when their claims are gone. No volume is attached, as simulated kubelets need none.
 */
export class VolumeProvisioner implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #random: Random;

  /** @param options.port of the principal `workloads` */
  constructor({ port, clock, random }: Provisioning & { readonly clock: Clock }) {
    this.#port = port;
    this.#clock = clock;
    this.#random = random;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    const queue = (owner: string, reconcile: (key: string) => Promise<void>): WorkQueue =>
      new WorkQueue({ tasks, random: this.#random.fork(owner), delay: VOLUME_DELAYS.reconcile, reconcile });
    const claims = queue('claims', (key) => this.#provision(key));
    const volumes = queue('volumes', (key) => this.#reclaim(key));
    this.#port.watch<PersistentVolumeClaim>('persistentvolumeclaims', tasks.signal, ({ object: { metadata } }) => {
      claims.add(`${metadata.namespace}/${metadata.name}`);
    });
    this.#port.watch<PersistentVolume>('persistentvolumes', tasks.signal, ({ object: { metadata } }) => {
      volumes.add(metadata.name ?? '');
    });
    await tasks.done();
  }

  async #provision(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const claim = await this.#port.get<PersistentVolumeClaim>({ resource: 'persistentvolumeclaims', namespace, name });
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined || isBound(claim)) return;
    const volumes = await this.#port.list<PersistentVolume>('persistentvolumes');
    if (claim.spec.volumeName !== undefined || volumes.some(({ spec }) => spec.claimRef?.uid === claim.metadata.uid)) return;
    await provisionVolume(claim, { port: this.#port, random: this.#random, serves: ({ provisioner }) => provisioner === EBS_DRIVER });
  }

  /** Deletes a volume that it created and whose claim is gone, as the volume controller has noticed. */
  async #reclaim(name: string): Promise<void> {
    const ref = { resource: 'persistentvolumes', name };
    const volume = await this.#port.get<PersistentVolume>(ref);
    if (volume === undefined || volume.metadata.deletionTimestamp !== undefined) return;
    const isOwn = volume.metadata.annotations?.[PROVISIONED_BY] === EBS_DRIVER;
    if (!isOwn || volume.status?.phase !== 'Released' || volume.spec.persistentVolumeReclaimPolicy !== 'Delete') return;
    await this.#port.delete(ref);
  }
}
