import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node, Pod } from '../../model/kube.ts';
import { BIND_COMPLETED, SELECTED_NODE } from '../../model/storage.ts';
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

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
const DYNAMIC = 'pv.kubernetes.io/provisioned-by';

/**
 * The PersistentVolume controller, the provisioners of all storage classes and the protection of claims in use, reduced to
 * what a cluster needs: a claim is bound to the volume reserved for it; otherwise one is created, in the zone of the node that
 * the scheduler selected, or for an Immediate class in some zone. Claims of classes without a provisioner are bound only by
 * the scheduler's choice; a deleted claim's provisioned volume is deleted too.
 */
export class VolumeController implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #random: Random;

  /** @param options.port of the principal `workloads` */
  constructor({ port, clock, random }: { readonly port: ClusterPort; readonly clock: Clock; readonly random: Random }) {
    this.#port = port;
    this.#clock = clock;
    this.#random = random;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    const queue: WorkQueue = new WorkQueue({
      tasks,
      random: this.#random.fork('delays'),
      delay: VOLUME_DELAYS.reconcile,
      reconcile: (key) => this.#reconcile(key, queue),
    });
    this.#port.watch<PersistentVolumeClaim>('persistentvolumeclaims', tasks.signal, ({ object: { metadata } }) => {
      queue.add(`${metadata.namespace}/${metadata.name}`);
    });
    this.#port.watch<PersistentVolume>('persistentvolumes', tasks.signal, ({ object: { spec } }) => {
      if (spec.claimRef !== undefined) queue.add(`${spec.claimRef.namespace}/${spec.claimRef.name}`);
    });
    await tasks.done();
  }

  async #reconcile(key: string, queue: WorkQueue): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const claim = await this.#port.get<PersistentVolumeClaim>({ resource: 'persistentvolumeclaims', namespace, name });
    const volumes = await this.#port.list<PersistentVolume>('persistentvolumes');
    await this.#reclaim(
      volumes.filter(({ spec }) => spec.claimRef?.namespace === namespace && spec.claimRef.name === name),
      claim,
    );
    if (claim === undefined) return;
    if (claim.metadata.deletionTimestamp !== undefined) {
      if (await this.#isUsed(claim)) queue.retry(key);
      else await this.#unprotect(claim);
      return;
    }
    if (isBound(claim)) return;
    const kept = volumes.find(({ metadata, spec }) => metadata.name === claim.spec.volumeName || spec.claimRef?.uid === claim.metadata.uid);
    const volume = kept ?? (await this.#provision(claim));
    if (volume !== undefined) await this.#bind(claim, volume);
  }

  /** Reclaims volumes whose claim is gone. */
  async #reclaim(volumes: readonly PersistentVolume[], claim: PersistentVolumeClaim | undefined): Promise<void> {
    for (const { metadata, spec, status } of volumes) {
      const ref = { resource: 'persistentvolumes', name: metadata.name ?? '' };
      if (spec.claimRef?.uid === undefined || spec.claimRef.uid === claim?.metadata.uid) continue;
      if (metadata.annotations?.[DYNAMIC] === undefined || spec.persistentVolumeReclaimPolicy !== 'Delete') {
        if (status?.phase !== 'Released') await this.#port.patch(ref, { status: { phase: 'Released' } }, 'status');
        continue;
      }
      await this.#port.patch(ref, { metadata: { finalizers: null } });
      await this.#port.delete(ref);
    }
  }

  async #isUsed({ metadata: { namespace = '', name } }: PersistentVolumeClaim): Promise<boolean> {
    const pods = await this.#port.list<Pod>('pods', { namespace });
    return pods.some(({ spec, status }) => {
      const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
      return !ended && spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name) === true;
    });
  }

  async #unprotect({ metadata: { namespace, name = '', finalizers = [] } }: PersistentVolumeClaim): Promise<void> {
    const others = finalizers.filter((one) => one !== CLAIM_PROTECTION);
    if (others.length === finalizers.length) return;
    await this.#port.patch({ resource: 'persistentvolumeclaims', namespace, name }, { metadata: { finalizers: others } });
  }

  /** Creates a volume for a claim, if it is time. */
  async #provision(claim: PersistentVolumeClaim): Promise<PersistentVolume | undefined> {
    const { metadata, spec } = claim;
    const found = await this.#port.get<StorageClass>({ resource: 'storageclasses', name: spec.storageClassName ?? '' });
    if (found === undefined || found.provisioner === NO_PROVISIONER) return undefined;
    const selected = metadata.annotations?.[SELECTED_NODE];
    if (found.volumeBindingMode === 'WaitForFirstConsumer' && selected === undefined) return undefined;
    const zone = selected === undefined ? await this.#someZone(found) : await this.#zoneOf(selected);
    const name = `pvc-${metadata.uid ?? ''}`;
    const { provisioner } = found;
    const matchExpressions = [{ key: LABEL.zone, operator: 'In' as const, values: [zone ?? ''] }];
    return this.#port.create<PersistentVolume>('persistentvolumes', {
      metadata: { name, annotations: { [DYNAMIC]: provisioner } },
      spec: {
        accessModes: spec.accessModes ?? [],
        capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
        claimRef: refTo(claim),
        csi: { driver: provisioner, volumeHandle: `vol-${this.#random.hex(17)}` },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: spec.storageClassName ?? '',
        volumeMode: spec.volumeMode ?? 'Filesystem',
        ...defined({ nodeAffinity: zone === undefined ? undefined : { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
      },
    });
  }

  async #zoneOf(nodeName: string): Promise<string | undefined> {
    const node = await this.#port.get<Node>({ resource: 'nodes', name: nodeName });
    if (node === undefined) throw new ClusterError(404, 'NotFound', `nodes "${nodeName}" not found`);
    return node.metadata.labels?.[LABEL.zone];
  }

  /** A zone that the class allows and that has nodes. */
  async #someZone({ allowedTopologies = [] }: StorageClass): Promise<string | undefined> {
    const allowed = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.flatMap(({ key, values }) => (key === LABEL.zone ? values : [])),
    );
    const zones = (await this.#port.list<Node>('nodes')).flatMap(({ metadata }) => metadata.labels?.[LABEL.zone] ?? []);
    const usable = [...new Set(zones)].filter((zone) => allowed.length === 0 || allowed.includes(zone)).sort();
    if (usable.length > 0) return this.#random.pick(usable);
    return allowed[0];
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { namespace, name = '' } = claim.metadata;
    const volumeName = volume.metadata.name ?? '';
    const at = { resource: 'persistentvolumes', name: volumeName };
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) await this.#port.patch(at, { spec: { claimRef: refTo(claim) } });
    await this.#port.patch(at, { status: { phase: 'Bound' } }, 'status');
    const ref = { resource: 'persistentvolumeclaims', namespace, name };
    await this.#port.patch(ref, { metadata: { annotations: { [BIND_COMPLETED]: 'yes' } }, spec: { volumeName } });
    const { accessModes = [], capacity = {} } = volume.spec;
    await this.#port.patch(ref, { status: { phase: 'Bound', accessModes, capacity } }, 'status');
  }
}
