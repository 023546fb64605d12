import type { Pod } from '../../model/kube.ts';
import { BIND_COMPLETED } from '../../model/storage.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../model/storage.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { refTo } from './volume-binder.ts';
import { PROVISIONED_BY, VOLUME_DELAYS, hasProvisioner, provisionVolume } from './volume-provisioner.ts';
import { isBound } from './volumes.ts';

const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

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
    const free = new WorkQueue({
      tasks,
      random: this.#random.fork('free volumes'),
      delay: VOLUME_DELAYS.reconcile,
      reconcile: (name) => this.#reconcileFree(name),
    });
    this.#port.watch<PersistentVolume>('persistentvolumes', tasks.signal, ({ object: { metadata, spec, status } }) => {
      if (spec.claimRef !== undefined) queue.add(`${spec.claimRef.namespace}/${spec.claimRef.name}`);
      const isFree = spec.claimRef === undefined && status?.phase !== 'Available';
      if (isFree || metadata.deletionTimestamp !== undefined) free.add(metadata.name ?? '');
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
    const volume = kept ?? (await provisionVolume(claim, { port: this.#port, random: this.#random, serves: hasProvisioner }));
    if (volume !== undefined) await this.#bind(claim, volume);
  }

  /** Any claim may have a volume that belongs to none, and nothing protects one that is not bound. */
  async #reconcileFree(name: string): Promise<void> {
    const ref = { resource: 'persistentvolumes', name };
    const volume = await this.#port.get<PersistentVolume>(ref);
    if (volume === undefined) return;
    const { metadata, spec, status } = volume;
    if (metadata.deletionTimestamp === undefined) {
      if (spec.claimRef === undefined) await this.#port.patch(ref, { status: { phase: 'Available' } }, 'status');
      return;
    }
    const { finalizers = [] } = metadata;
    const others = finalizers.filter((one) => one !== VOLUME_PROTECTION);
    if (status?.phase !== 'Bound' && others.length < finalizers.length) await this.#port.patch(ref, { metadata: { finalizers: others } });
  }

  /** Reclaims volumes whose claim is gone. */
  async #reclaim(volumes: readonly PersistentVolume[], claim: PersistentVolumeClaim | undefined): Promise<void> {
    for (const { metadata, spec, status } of volumes) {
      const ref = { resource: 'persistentvolumes', name: metadata.name ?? '' };
      if (spec.claimRef?.uid === undefined || spec.claimRef.uid === claim?.metadata.uid) continue;
      if (metadata.annotations?.[PROVISIONED_BY] === undefined || spec.persistentVolumeReclaimPolicy !== 'Delete') {
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
