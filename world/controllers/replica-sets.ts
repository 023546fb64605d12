import { conditionOf } from '../../model/conditions.ts';
import type { Condition, Pod, ReplicaSet } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { matchesSelector } from '../../model/selector.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { ClusterError } from '../ports.ts';
import type { Classify, CountingPort } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { countByNode, rankForDeletion } from './deletion-order.ts';
import type { Neighbours } from './deletion-order.ts';
import { KeyQueue } from './key-queue.ts';
import { REPLICA_SET, claim, isControlledBy, keyOf, ownerKey, podsFor, refOf, refOfKey } from './ownership.ts';
import { PodControl, slowStart } from './pod-control.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isActive, isAvailable, isReady } from './pods.ts';

/** `BurstReplicas`: most pods created or deleted in one sync. */
const BURST = 500;

/** What a ReplicaSet counts: its active pods, those of them with all labels of its template, those that are ready, and all others. */
const CLASSES = { own: 'own', labelled: 'labelled', ready: 'ready', other: 'other' } as const;

type Counts = Readonly<Record<keyof typeof CLASSES, number>>;

interface ReplicaSetOptions extends ControllerOptions {
  readonly port: CountingPort;
}

/**
 * The ReplicaSet controller (`k8s.io/kubernetes/pkg/controller/replicaset`): keeps the number of pods, adopts orphans and
 * releases pods that its selector no longer matches. A pod that is being deleted does not count, so it is replaced at once.
 * It reads its pods from the store, so it never acts on a stale count and needs no expectations.
 */
export class ReplicaSets implements WorldPart {
  readonly #options: ReplicaSetOptions;
  readonly #pods: PodControl;
  /** The watched ReplicaSets, by key: possible owners of orphans. */
  readonly #known = new Map<string, ReplicaSet>();
  /** How each counts its pods, by key. */
  readonly #classifiers = new Map<string, { readonly by: ReplicaSet['spec']; readonly uid: string; readonly classify: Classify<Pod> }>();

  constructor(options: ReplicaSetOptions) {
    this.#options = options;
    this.#pods = new PodControl({ ...options, kind: REPLICA_SET, component: 'replicaset-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    port.watch<ReplicaSet>('replicasets', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') {
        this.#known.delete(keyOf(object));
        this.#classifiers.delete(keyOf(object));
      } else this.#known.set(keyOf(object), object);
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
    const tally = await port.tally<Pod>('pods', podsFor(replicaSet), this.#classifierOf(key, replicaSet));
    // Counts and list follow each change, so both are read at one moment.
    const counted = countsOf((name) => tally.count(name));
    const needsPods = counted.other > 0 || counted.own > replicas || minReadySeconds > 0;
    const active = needsPods ? tally.list().filter(isActive) : [];
    // Without a pod to adopt or to release there is nothing to claim.
    const pods = await (counted.other === 0
      ? active
      : claim(port, { owner: replicaSet, kind: REPLICA_SET, selector, resource: 'pods', objects: active }));
    const counts = counted.other === 0 ? counted : countPods(pods, replicaSet);
    const surplus = counts.own - replicas;
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
    const available = minReadySeconds === 0 ? counts.ready : pods.filter((pod) => isAvailable(pod, minReadySeconds, clock.nowMs())).length;
    await this.#updateStatus(replicaSet, { ...counts, available }, failure);
    if (failure !== undefined) throw failure;
    if (minReadySeconds > 0 && available < counts.ready) queue.addAfter(key, nextAvailableMs(pods, minReadySeconds, clock.nowMs()));
  }

  #create(replicaSet: ReplicaSet, count: number): Promise<void> {
    return slowStart(count, () => this.#pods.create(replicaSet, replicaSet.spec.template));
  }

  async #delete(replicaSet: ReplicaSet, pods: readonly Pod[], count: number): Promise<void> {
    const neighbours = count < pods.length ? await this.#neighbours(replicaSet, pods) : countByNode(pods);
    const chosen = rankForDeletion(pods, neighbours, this.#options.clock.nowMs()).slice(0, count);
    await Promise.all(chosen.map((pod) => this.#pods.delete(replicaSet, pod)));
  }

  /** Counts the pods of all ReplicaSets of the same owner: a Deployment deletes pods where most of them run. */
  async #neighbours(replicaSet: ReplicaSet, own: readonly Pod[]): Promise<Neighbours> {
    const owner = controllerOf(replicaSet);
    if (owner === undefined) return countByNode(own);
    const { port } = this.#options;
    const { namespace = '' } = replicaSet.metadata;
    const siblings = (await port.list<ReplicaSet>('replicasets', { namespace })).filter((one) => controllerOf(one)?.uid === owner.uid);
    return port.counts<Pod>('pods', { namespace, selectors: siblings.map(({ spec }) => spec.selector) }, nodeOfActive);
  }

  #classifierOf(key: string, replicaSet: ReplicaSet): Classify<Pod> {
    const { spec, metadata } = replicaSet;
    const known = this.#classifiers.get(key);
    if (known?.by === spec && known.uid === metadata.uid) return known.classify;
    const classify: Classify<Pod> = (pod) => classesOf(pod, replicaSet);
    this.#classifiers.set(key, { by: spec, uid: metadata.uid ?? '', classify });
    return classify;
  }

  /** @param counts from before this sync's own creations and deletions, like the real one's */
  async #updateStatus(
    replicaSet: ReplicaSet,
    counts: Counts & { readonly available: number },
    failure: ClusterError | undefined,
  ): Promise<void> {
    const { status, metadata } = replicaSet;
    const next = {
      replicas: counts.own,
      fullyLabeledReplicas: counts.labelled,
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      observedGeneration: metadata.generation ?? 0,
    };
    const conditions = this.#conditions(replicaSet, counts.own, failure);
    const before: Readonly<Record<string, unknown>> = { ...status };
    const changed = Object.entries(next).some(([field, value]) => (before[field] ?? 0) !== value);
    if (changed || conditions !== undefined) {
      const change = conditions === undefined ? next : { ...next, conditions };
      await this.#options.port.patch(refOf('replicasets', replicaSet), { status: change }, 'status');
    }
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

/** The classes of a pod. */
function classesOf(pod: Pod, replicaSet: ReplicaSet): readonly string[] {
  if (!isActive(pod)) return [];
  const { selector, template } = replicaSet.spec;
  const { labels } = pod.metadata;
  if (!isControlledBy(pod, replicaSet) || !matchesSelector(selector, labels)) return [CLASSES.other];
  const isLabelled = matchesSelector({ matchLabels: template.metadata?.labels ?? {} }, labels);
  return [CLASSES.own, ...(isLabelled ? [CLASSES.labelled] : []), ...(isReady(pod) ? [CLASSES.ready] : [])];
}

/** Counts active pods by node. */
function nodeOfActive(pod: Pod): readonly string[] {
  const { nodeName } = pod.spec;
  return nodeName === undefined || !isActive(pod) ? [] : [nodeName];
}

/** @param count of a class */
function countsOf(count: (name: string) => number): Counts {
  const { own, labelled, ready, other } = CLASSES;
  return { own: count(own), labelled: count(labelled), ready: count(ready), other: count(other) };
}

/** Counts pods that have just been claimed, all of which are active. */
function countPods(pods: readonly Pod[], replicaSet: ReplicaSet): Counts {
  const { template } = replicaSet.spec;
  const matchLabels = template.metadata?.labels ?? {};
  return {
    own: pods.length,
    labelled: pods.filter((pod) => matchesSelector({ matchLabels }, pod.metadata.labels)).length,
    ready: pods.filter(isReady).length,
    other: 0,
  };
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
