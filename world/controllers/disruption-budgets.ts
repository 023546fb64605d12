import { isDeepStrictEqual } from 'node:util';
import { conditionOf, withCondition } from '../../model/conditions.ts';
import type { Condition, LabelSelector, Pod, PodDisruptionBudget } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import { EventRecorder } from '../events.ts';
import { ClusterError } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { ScaleError, expectedScale } from './expected-scale.ts';
import { scaledValue } from './int-or-percent.ts';
import { KeyQueue } from './key-queue.ts';
import { keyOf, refOf } from './ownership.ts';
import type { Kind } from './ownership.ts';
import { refOfKey } from './ownership.ts';
import type { ControllerOptions } from './pod-control.ts';
import { isReady, isTerminal } from './pods.ts';

/** `DeletionTimeout`: how long an evicted pod may stay before it counts again. */
const DELETION_TIMEOUT_MS = 2 * 60_000;
/** `stalePodDisruptionTimeout`: after this time, a pod that still exists is no longer a disruption target. */
const STALE_DISRUPTION_MS = 2 * 60_000;

const BUDGET: Kind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', resource: 'poddisruptionbudgets' };
const POD: Kind = { apiVersion: 'v1', kind: 'Pod', resource: 'pods' };
type Status = NonNullable<PodDisruptionBudget['status']>;

/**
 * The disruption controller (`k8s.io/kubernetes/pkg/controller/disruption`): the status of PodDisruptionBudgets, on which
 * evictions depend, and the removal of stale DisruptionTarget conditions. The scale of a pod's owner is known for
 * ReplicaSets, Deployments and StatefulSets; others don't implement the scale subresource here. Events that the real one
 * repeats on each sync are written once per generation.
 */
export class DisruptionBudgets implements WorldPart {
  readonly #options: ControllerOptions;
  readonly #events: EventRecorder;
  /** The watched budgets, by key. */
  readonly #known = new Map<string, PodDisruptionBudget>();
  /** The last event of a budget's generation, by its uid. */
  readonly #recordedEvents = new Map<string, string>();

  constructor(options: ControllerOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: 'controllermanager' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new KeyQueue({ tasks, clock, random, reconcile: (key, self) => this.#reconcile(key, self) });
    const stale = new KeyQueue({ tasks, clock, random: random.fork('stale'), reconcile: (key, self) => this.#unmark(key, self) });
    port.watch<PodDisruptionBudget>('poddisruptionbudgets', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') {
        this.#known.delete(keyOf(object));
        this.#recordedEvents.delete(object.metadata.uid ?? '');
      } else {
        this.#known.set(keyOf(object), object);
        queue.add(keyOf(object));
      }
    });
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => {
      if (this.#known.size > 0) {
        const key = this.#budgetOf(object);
        if (key !== undefined) queue.add(key);
      }
      const waitMs = type === 'DELETED' ? undefined : this.#staleInMs(object);
      if (waitMs !== undefined) stale.addAfter(keyOf(object), waitMs);
    });
    await tasks.done();
  }

  /** The key of the first budget that selects a pod. */
  #budgetOf({ metadata }: Pod): string | undefined {
    for (const [key, { metadata: own, spec }] of this.#known) {
      if (own.namespace === metadata.namespace && matchesSelector(spec.selector, metadata.labels)) return key;
    }
    return undefined;
  }

  async #reconcile(key: string, queue: KeyQueue): Promise<void> {
    const { port } = this.#options;
    const budget = await port.get<PodDisruptionBudget>(refOfKey(BUDGET, key));
    if (budget === undefined) return;
    try {
      await this.#count(budget, queue);
    } catch (error) {
      if (!(error instanceof ScaleError)) throw error;
      await this.#recordEvent(
        budget,
        'Warning',
        'CalculateExpectedPodCountFailed',
        `Failed to calculate the number of expected pods: ${error.message}`,
      );
      await this.#failSafe(budget, error.message);
    }
  }

  async #count(budget: PodDisruptionBudget, queue: KeyQueue): Promise<void> {
    const { port, clock } = this.#options;
    const { namespace = '' } = budget.metadata;
    const nowMs = clock.nowMs();
    const { selector } = budget.spec;
    const pods = selector === undefined ? [] : await port.list<Pod>('pods', { namespace, labels: selector });
    if (pods.length === 0) await this.#recordEvent(budget, 'Normal', 'NoPods', 'No matching pods found');
    const { expected, desired, unmanaged } = await this.#expectation(budget, pods);
    if (unmanaged.length > 0) await this.#recordEvent(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(selector ?? {}));
    const disruptedPods = this.#stillDisrupted(budget, pods, nowMs);
    const healthy = pods.filter((pod) => {
      return pod.metadata.deletionTimestamp === undefined && !((pod.metadata.name ?? '') in disruptedPods) && isReady(pod);
    }).length;
    const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
    const observedGeneration = budget.metadata.generation ?? 0;
    await this.#write(budget, {
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      disruptionsAllowed: allowed,
      disruptedPods,
      observedGeneration,
      conditions: this.#conditions(budget.status, {
        type: 'DisruptionAllowed',
        ...(allowed > 0 ? { status: 'True', reason: 'SufficientPods' } : { status: 'False', reason: 'InsufficientPods' }),
        message: '',
        observedGeneration,
      }),
    });
    const waits = Object.values(disruptedPods).map((at) => parseTime(at) + DELETION_TIMEOUT_MS - nowMs);
    // Times are in whole seconds, and a pod counts again only after its time-out.
    if (waits.length > 0) queue.addAfter(keyOf(budget), Math.min(...waits) + 1);
  }

  async #expectation(
    { spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget,
    pods: readonly Pod[],
  ): Promise<{ readonly expected: number; readonly desired: number; readonly unmanaged: readonly Pod[] }> {
    if (maxUnavailable === undefined && minAvailable === undefined) return { expected: 0, desired: 0, unmanaged: [] };
    if (maxUnavailable === undefined && typeof minAvailable === 'number') {
      return { expected: pods.length, desired: minAvailable, unmanaged: [] };
    }
    const { scale, unmanaged } = await expectedScale(this.#options.port, pods);
    const desired =
      maxUnavailable === undefined ? scaledValue(minAvailable, scale, 'up') : Math.max(0, scale - scaledValue(maxUnavailable, scale, 'up'));
    return { expected: scale, desired, unmanaged };
  }

  /** Pods whose eviction was granted, that are not terminating yet and whose time-out is not over. */
  #stillDisrupted({ status }: PodDisruptionBudget, pods: readonly Pod[], nowMs: number): Record<string, string> {
    const known = status?.disruptedPods ?? {};
    const left: Record<string, string> = {};
    for (const { metadata } of pods) {
      const at = known[metadata.name ?? ''];
      if (at === undefined || metadata.deletionTimestamp !== undefined) continue;
      if (parseTime(at) + DELETION_TIMEOUT_MS >= nowMs) left[metadata.name ?? ''] = at;
    }
    return left;
  }

  /** Allows no evictions while the expected number of pods is unknown. */
  async #failSafe(budget: PodDisruptionBudget, message: string): Promise<void> {
    const status: Status = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...budget.status, disruptionsAllowed: 0 };
    const observedGeneration = status.observedGeneration ?? 0;
    const condition: Condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message, observedGeneration };
    await this.#write(budget, { ...status, conditions: this.#conditions(budget.status, condition) });
  }

  #conditions(status: Status | undefined, condition: Condition): Condition[] {
    return withCondition(status?.conditions, { ...condition, lastTransitionTime: formatTime(this.#options.clock.nowMs()) });
  }

  async #write(budget: PodDisruptionBudget, status: Status): Promise<void> {
    const { metadata, status: before = {} as Partial<Status> } = budget;
    const { disruptedPods = {} } = status;
    if (isDeepStrictEqual({ disruptedPods: {}, ...before }, { ...before, ...status, disruptedPods })) return;
    // A merge patch removes what is null.
    const forgotten = Object.keys(before.disruptedPods ?? {}).filter((name) => !(name in disruptedPods));
    const removed = Object.fromEntries(forgotten.map((name) => [name, null]));
    const change = { ...status, disruptedPods: { ...disruptedPods, ...removed } };
    const { resourceVersion } = metadata;
    await this.#options.port.patch(refOf('poddisruptionbudgets', budget), { metadata: { resourceVersion }, status: change }, 'status');
  }

  async #recordEvent({ metadata }: PodDisruptionBudget, type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    const { name, namespace, uid = '', generation } = metadata;
    const saying = `${generation} ${reason} ${message}`;
    if (this.#recordedEvents.get(uid) === saying) return;
    this.#recordedEvents.set(uid, saying);
    await this.#events.record({
      about: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', name, namespace, uid },
      type,
      reason,
      message,
    });
  }

  /** Milliseconds until a pod's DisruptionTarget condition is stale; undefined if it never is. */
  #staleInMs(pod: Pod): number | undefined {
    const condition = conditionOf(pod, 'DisruptionTarget');
    if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
    if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod)) return undefined;
    return Math.max(0, parseTime(condition.lastTransitionTime ?? '') + STALE_DISRUPTION_MS - this.#options.clock.nowMs());
  }

  async #unmark(key: string, queue: KeyQueue): Promise<void> {
    const { port, clock } = this.#options;
    const at = refOfKey(POD, key);
    const pod = await port.get<Pod>(at);
    const waitMs = pod === undefined ? undefined : this.#staleInMs(pod);
    if (pod === undefined || waitMs === undefined) return;
    if (waitMs > 0) {
      queue.addAfter(key, waitMs);
      return;
    }
    const condition: Condition = { type: 'DisruptionTarget', status: 'False', lastTransitionTime: formatTime(clock.nowMs()) };
    try {
      await port.patch(at, { status: { conditions: withCondition(pod.status?.conditions, condition) } }, 'status');
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    }
  }
}

function unmanagedMessage(selector: LabelSelector): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${formatSelector(selector)}) were found ` +
    'to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** As Go prints it. */
function formatSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
