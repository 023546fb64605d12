import type { Pod, ReplicaSet } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { EventRecorder } from '../events.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { isActive, isReady, rankForDeletion } from './workloads-ranking.ts';

/** From a change of a ReplicaSet or its pods to the controller's look at it. */
export const WORKLOAD_REACTION = { minMs: 2, maxMs: 40 } as const;
/** `BurstReplicas`: most pods that one look creates or deletes. */
const BURST = 500;

interface WorkloadsOptions {
  /** Of the principal `workloads`. */
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The ReplicaSet controller: keeps the number of pods. A pod that is being deleted counts no more, so it is replaced at
 * once. Pods are known by owner reference: orphans that match the selector are not adopted, and pods that stop matching
 * are not released. It reads its pods from the store, so it never acts on a stale count.
 */
export class Workloads implements WorldPart {
  readonly #options: WorkloadsOptions;
  readonly #events: EventRecorder;

  constructor(options: WorkloadsOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: 'replicaset-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new WorkQueue({
      tasks,
      random: random.fork('queue'),
      delay: WORKLOAD_REACTION,
      reconcile: (key) => this.#reconcile(key),
    });
    port.watch<ReplicaSet>('replicasets', tasks.signal, ({ object: { metadata } }) => {
      queue.add(`${metadata.namespace}/${metadata.name}`);
    });
    port.watch<Pod>('pods', tasks.signal, ({ object: { metadata } }) => {
      const owner = metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'ReplicaSet');
      if (owner !== undefined) queue.add(`${metadata.namespace}/${owner.name}`);
    });
    await tasks.done();
  }

  async #reconcile(key: string): Promise<void> {
    const { port } = this.#options;
    const [namespace = '', name = ''] = key.split('/');
    const replicaSet = await port.get<ReplicaSet>({ resource: 'replicasets', namespace, name });
    // What a deleted one leaves behind is the garbage collector's.
    if (replicaSet === undefined || replicaSet.metadata.deletionTimestamp !== undefined) return;
    const pods = (await port.list<Pod>('pods', { namespace })).filter((pod) => isOwned(pod, replicaSet) && isActive(pod));
    const surplus = pods.length - (replicaSet.spec.replicas ?? 1);
    if (surplus < 0) await this.#create(replicaSet, Math.min(-surplus, BURST));
    if (surplus > 0) await this.#delete(replicaSet, rankForDeletion(pods).slice(0, Math.min(surplus, BURST)));
    await this.#updateStatus(replicaSet, pods);
  }

  /** In batches of 1, 2, 4, ..., so that a refusal stops after one request and not after all. */
  async #create(replicaSet: ReplicaSet, count: number): Promise<void> {
    let left = count;
    for (let batch = 1; left > 0; batch *= 2) {
      const size = Math.min(batch, left);
      await Promise.all(Array.from({ length: size }, () => this.#createPod(replicaSet)));
      left -= size;
    }
  }

  async #createPod(replicaSet: ReplicaSet): Promise<void> {
    const { name = '', namespace = 'default', uid = '' } = replicaSet.metadata;
    const { labels, annotations, finalizers } = replicaSet.spec.template.metadata ?? {};
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true, blockOwnerDeletion: true };
    const pod: Pod = {
      metadata: {
        generateName: `${name}-`,
        namespace,
        ownerReferences: [owner],
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        ...(finalizers === undefined ? {} : { finalizers }),
      },
      spec: replicaSet.spec.template.spec,
    };
    try {
      await this.#options.port.create('pods', pod);
    } catch (error) {
      if (error instanceof ClusterError) await this.#say(replicaSet, 'FailedCreate', `Error creating: ${error.message}`);
      throw error;
    }
  }

  async #delete(replicaSet: ReplicaSet, pods: readonly Pod[]): Promise<void> {
    await Promise.all(
      pods.map(async ({ metadata: { name = '', namespace = 'default', uid = '' } }) => {
        try {
          await this.#options.port.delete({ resource: 'pods', namespace, name }, { uid });
        } catch (error) {
          if (!(error instanceof ClusterError)) throw error;
          if (error.status === 404) return;
          await this.#say(replicaSet, 'FailedDelete', `Error deleting: ${error.message}`);
          throw error;
        }
      }),
    );
  }

  #say({ metadata }: ReplicaSet, reason: string, message: string): Promise<void> {
    const { name, namespace, uid } = metadata;
    return this.#events.record({
      about: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, namespace, uid },
      type: 'Warning',
      reason,
      message,
    });
  }

  /** As counted before this look's own creations and deletions, as the real one counts. */
  async #updateStatus(replicaSet: ReplicaSet, pods: readonly Pod[]): Promise<void> {
    const { status, metadata, spec } = replicaSet;
    const ready = pods.filter(isReady).length;
    const labelled = pods.filter((pod) =>
      matchesSelector({ matchLabels: spec.template.metadata?.labels ?? {} }, pod.metadata.labels),
    ).length;
    const next = {
      replicas: pods.length,
      fullyLabeledReplicas: labelled,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: metadata.generation ?? 0,
    };
    const before: Readonly<Record<string, unknown>> = { ...status };
    const changed = Object.entries(next).some(([field, value]) => (before[field] ?? 0) !== value);
    if (!changed) return;
    const { name = '', namespace = 'default' } = metadata;
    await this.#options.port.patch({ resource: 'replicasets', namespace, name }, { status: next }, 'status');
  }
}

function isOwned(pod: Pod, replicaSet: ReplicaSet): boolean {
  return pod.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === replicaSet.metadata.uid) ?? false;
}
