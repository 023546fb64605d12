import { conditionOf } from '../../model/conditions.ts';
import type { Condition, Pod, ReplicaSet } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { matchesSelector } from '../../model/selector.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { ClusterError } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { rankForDeletion } from './deletion-order.ts';
import { KeyQueue } from './key-queue.ts';
import { REPLICA_SET, claim, isControlledBy, keyOf, ownerKey, podsFor, refOf, refOfKey } from './ownership.ts';
import { PodControl, slowStart } from './pod-control.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isActive, isAvailable, isReady } from './pods.ts';

/** `BurstReplicas`: most pods created or deleted in one sync. */
const BURST = 500;

/** What a ReplicaSet counts of a pod. */
interface Facts {
  /** The specification by which the pod was judged. */
  readonly by: ReplicaSet['spec'];
  readonly isActive: boolean;
  readonly isOwn: boolean;
  readonly isLabelled: boolean;
  readonly isReady: boolean;
}

/**
 * The ReplicaSet controller (`k8s.io/kubernetes/pkg/controller/replicaset`): keeps the number of pods, adopts orphans and
 * releases pods that its selector no longer matches. A pod that is being deleted does not count, so it is replaced at once.
 * It reads its pods from the store, so it never acts on a stale count and needs no expectations.
 */
export class ReplicaSets implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #pods: PodControl;
  /** The watched ReplicaSets, by key: possible owners of orphans. */
  readonly #known = new Map<string, ReplicaSet>();
  /** Of versions of pods, which do not change: a large ReplicaSet reads all of them after each change of one. */
  readonly #facts = new WeakMap<Pod, Facts>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#pods = new PodControl({ ...options, kind: REPLICA_SET, component: 'replicaset-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<ReplicaSet>('replicasets', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') this.#known.delete(keyOf(object));
      else this.#known.set(keyOf(object), object);
      queue.add(keyOf(object));
    });
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      const key = ownerKey(object, REPLICA_SET);
      if (key !== undefined) queue.add(key);
      else if (type !== 'DELETED' && controllerOf(object) === undefined) this.#offer(object, queue);
    });
    await tasks.done();
  }

  /** Every ReplicaSet that selects an orphan must handle it. */
  #offer({ metadata }: Pod, queue: KeyQueue): void {
    if (metadata.labels === undefined || metadata.deletionTimestamp !== undefined) return;
    for (const [key, { metadata: own, spec }] of this.#known) {
      if (own.namespace === metadata.namespace && matchesSelector(spec.selector, metadata.labels)) queue.add(key);
    }
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port, clock } = this.#options;
    const at = refOfKey(REPLICA_SET, key);
    const replicaSet = await port.get<ReplicaSet>(at);
    if (replicaSet === undefined) return;
    const { selector, replicas = 1, minReadySeconds = 0 } = replicaSet.spec;
    const factsOf = (pod: Pod): Facts => this.#factsOf(pod, replicaSet);
    const candidates = (await port.list<Pod>('pods', podsFor(replicaSet))).filter((pod) => factsOf(pod).isActive);
    // Without a pod to adopt or to release there is nothing to claim.
    const pods = await (candidates.every((pod) => factsOf(pod).isOwn)
      ? candidates
      : claim(port, { owner: replicaSet, kind: REPLICA_SET, selector, resource: 'pods', objects: candidates }));
    const surplus = pods.length - replicas;
    let failure: ClusterError | undefined;
    // The garbage collector deletes what a deleted one leaves behind.
    if (replicaSet.metadata.deletionTimestamp === undefined) {
      try {
        if (surplus < 0) await this.#create(replicaSet, Math.min(-surplus, BURST));
        if (surplus > 0) await this.#delete(replicaSet, pods, Math.min(surplus, BURST));
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        failure = error;
      }
    }
    const available = await this.#updateStatus(replicaSet, pods, failure);
    if (failure !== undefined) throw failure;
    if (minReadySeconds > 0 && available < pods.filter(isReady).length)
      queue.addAfter(key, nextAvailableMs(pods, minReadySeconds, clock.nowMs()));
  }

  #create(replicaSet: ReplicaSet, count: number): Promise<void> {
    return slowStart(count, () => this.#pods.create(replicaSet, replicaSet.spec.template));
  }

  async #delete(replicaSet: ReplicaSet, pods: readonly Pod[], count: number): Promise<void> {
    const related = count < pods.length ? await this.#relatedPods(replicaSet, pods) : pods;
    const chosen = rankForDeletion(pods, related, this.#options.clock.nowMs()).slice(0, count);
    await Promise.all(chosen.map((pod) => this.#pods.delete(replicaSet, pod)));
  }

  /** The pods of all ReplicaSets of the same owner: a Deployment deletes pods where most of them run. */
  async #relatedPods(replicaSet: ReplicaSet, own: readonly Pod[]): Promise<readonly Pod[]> {
    const owner = controllerOf(replicaSet);
    if (owner === undefined) return own;
    const { port } = this.#options;
    const { namespace = '' } = replicaSet.metadata;
    const siblings = (await port.list<ReplicaSet>('replicasets', { namespace })).filter((one) => controllerOf(one)?.uid === owner.uid);
    const all = await port.list<Pod>('pods', { namespace });
    return all.filter((pod) => isActive(pod) && siblings.some(({ spec }) => matchesSelector(spec.selector, pod.metadata.labels)));
  }

  #factsOf(pod: Pod, replicaSet: ReplicaSet): Facts {
    const { spec } = replicaSet;
    const known = this.#facts.get(pod);
    if (known?.by === spec) return known;
    const { selector, template } = spec;
    const facts = {
      by: spec,
      isActive: isActive(pod),
      isOwn: isControlledBy(pod, replicaSet) && matchesSelector(selector, pod.metadata.labels),
      isLabelled: matchesSelector({ matchLabels: template.metadata?.labels ?? {} }, pod.metadata.labels),
      isReady: isReady(pod),
    };
    this.#facts.set(pod, facts);
    return facts;
  }

  /** Counted before this sync's own creations and deletions, like the real one. @returns the number of available pods */
  async #updateStatus(replicaSet: ReplicaSet, pods: readonly Pod[], failure: ClusterError | undefined): Promise<number> {
    const { status, metadata, spec } = replicaSet;
    const nowMs = this.#options.clock.nowMs();
    const { minReadySeconds = 0 } = spec;
    let ready = 0;
    let labelled = 0;
    for (const pod of pods) {
      const facts = this.#factsOf(pod, replicaSet);
      if (facts.isReady) ready += 1;
      if (facts.isLabelled) labelled += 1;
    }
    const available = minReadySeconds === 0 ? ready : pods.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length;
    const next = {
      replicas: pods.length,
      fullyLabeledReplicas: labelled,
      readyReplicas: ready,
      availableReplicas: available,
      observedGeneration: metadata.generation ?? 0,
    };
    const conditions = this.#conditions(replicaSet, pods.length, failure);
    const before: Readonly<Record<string, unknown>> = { ...status };
    const changed = Object.entries(next).some(([field, value]) => (before[field] ?? 0) !== value);
    if (changed || conditions !== undefined) {
      const change = conditions === undefined ? next : { ...next, conditions };
      await this.#options.port.patch(refOf('replicasets', replicaSet), { status: change }, 'status');
    }
    return available;
  }

  /** @returns undefined if they don't change */
  #conditions({ status, spec }: ReplicaSet, pods: number, failure: ClusterError | undefined): Condition[] | null | undefined {
    const known = conditionOf({ status: { conditions: status?.conditions ?? [] } }, 'ReplicaFailure');
    if ((known === undefined) === (failure === undefined)) return undefined;
    const others = (status?.conditions ?? []).filter((one) => one !== known);
    if (failure === undefined) return others.length === 0 ? null : others;
    const reason = pods < (spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete';
    const lastTransitionTime = formatTime(this.#options.clock.nowMs());
    return [...others, { type: 'ReplicaFailure', status: 'True', reason, message: failure.message, lastTransitionTime }];
  }
}

/** Milliseconds until another ready pod has been ready for long enough. */
export function nextAvailableMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number {
  const waits = pods
    .filter((pod) => isReady(pod) && !isAvailable(pod, minReadySeconds, nowMs))
    .map((pod) => {
      return parseTime(conditionOf(pod, 'Ready')?.lastTransitionTime ?? '') + minReadySeconds * 1000 - nowMs;
    });
  return Math.min(minReadySeconds * 1000, ...waits.filter((wait) => wait > 0));
}
