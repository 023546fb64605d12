import { KubeError } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { isCritical } from '../../model/drain.ts';
import type { Node, Pod } from '../../model/kube.ts';
import { defined } from '../../model/defined.ts';
import { tolerates } from '../../model/taints.ts';
import { logFailure } from '../../runtime/log.ts';
import { DISRUPTED_TAINT, isDeleting, nameOf, timeOf, uidOf } from '../api.ts';
import { EVICTIONS_AT_ONCE, EVICTION_RETRY_MAX_MS, EVICTION_RETRY_MIN_MS, STUCK_POD_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError, isConflict, isNotFound } from '../core/errors.ts';
import { hasOptedOut, isDaemonPod, isStaticPod } from '../provisioning/pods.ts';
import { podName } from '../scheduling/pod-class.ts';
import { EndingPods, graceSeconds } from './ending-pods.ts';
import { isDisrupted, isSameTaint, patchNode } from './registrar.ts';

/** Empties nodes that are being removed. */
export interface Drainer {
  /** Keeps new pods off a node. @returns the updated node */
  cordon(node: Node): Promise<Node>;
  /**
   * Evicts the pods of a cordoned node through the eviction API, so that budgets are respected.
   * @param endMs when the node is terminated in any case, in ms since the epoch by our own clock; Infinity for never
   * @param aheadMs how far that clock is ahead of the server's, as far as known
   * @returns milliseconds until the next call; undefined once no pod has to leave any more
   */
  drain(node: Node, endMs: number, aheadMs?: number): Promise<number | undefined>;
}

/** Others wait for a pod that a budget holds for this long: a quarter of the notice of a spot interruption. */
const HELD_AFTER_MS = 30_000;

/** Which pods leave next. @param isHeld whether a pod stays for now: it opted out, or a budget has held it for a while */
export type LeavingOrder = (pods: readonly Pod[], isHeld: (pod: Pod) => boolean) => readonly Pod[];

/**
 * Pods leave in Karpenter's order: critical pods after the others, and DaemonSet pods last in each of the two groups. But critical pods
 * don't wait for pods that stay. Static pods stay, and so do those that tolerate the taint; pods that opted out are waited for. A refused
 * eviction is retried with a backoff per pod. If the node's deadline is known, pods are deleted early enough to still get their grace period.
 */
export function createDrainer(context: Context, order: LeavingOrder = nextToLeave): Drainer {
  return new EvictingDrainer(context, order);
}

interface Refused {
  /** Since when a budget has refused it each time; absent after another error. */
  readonly sinceMs?: number;
  readonly waitMs: number;
  readonly untilMs: number;
}

class EvictingDrainer implements Drainer {
  readonly #context: Context;
  readonly #order: LeavingOrder;
  /** By pod uid. Bounded by the pods that are waiting on draining nodes. */
  readonly #refused = new Map<string, Refused>();
  readonly #ending: EndingPods;

  constructor(context: Context, order: LeavingOrder) {
    this.#context = context;
    this.#order = order;
    this.#ending = new EndingPods(context.state);
  }

  async cordon(node: Node): Promise<Node> {
    if (isDisrupted(node) && node.spec?.unschedulable === true) return node;
    const taints = (node.spec?.taints ?? []).filter((taint) => !isSameTaint(taint, DISRUPTED_TAINT));
    return patchNode(this.#context, node, {
      metadata: { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' } },
      spec: { taints: [...taints, DISRUPTED_TAINT], unschedulable: true },
    });
  }

  async drain(node: Node, endMs: number, aheadMs = 0): Promise<number | undefined> {
    const { state, runtime, reporter, periods } = this.#context;
    const nowMs = runtime.clock.nowMs();
    if (nowMs >= endMs) return undefined;
    const mustLeave = (pod: Pod): boolean =>
      pod.spec.nodeName === nameOf(node) && isInTheWay(pod) && !this.#ending.isStuck(pod, runtime.clock.monotonicMs());
    let pods = [...state.podsOn(nameOf(node))].filter(mustLeave);
    // Our cache may lack the most recent pod.
    if (pods.length === 0) pods = (await state.freshPods()).filter(mustLeave);
    if (pods.length === 0) return undefined;

    await this.#deleteExpiring(pods, endMs, aheadMs);
    const heldMs = runtime.clock.monotonicMs() - HELD_AFTER_MS;
    const isHeld = (pod: Pod): boolean =>
      !isDeleting(pod) && (hasOptedOut(pod) || (this.#refused.get(uidOf(pod))?.sinceMs ?? Infinity) <= heldMs);
    const group = this.#order(pods, isHeld).filter((pod) => !isDeleting(pod) && !hasOptedOut(pod));
    const due = group.filter((pod) => (this.#refused.get(uidOf(pod))?.untilMs ?? -Infinity) <= runtime.clock.monotonicMs());
    await forEachAtMost(EVICTIONS_AT_ONCE, due, (pod) => this.#evict(pod));

    const waitsMs = group
      .flatMap((pod) => this.#refused.get(uidOf(pod))?.untilMs ?? [])
      .map((untilMs) => untilMs - runtime.clock.monotonicMs());
    if (waitsMs.length > 0) {
      const message = `waiting for ${pods.map(podName).join(', ')}: a budget forbids evictions, or they were refused`;
      runtime.log('info', message, { node: nameOf(node) });
      const eventMessage = `${waitsMs.length} of ${pods.length} pods can't be evicted now`;
      reporter.publish({ type: RESOURCES.nodes, object: node, eventType: 'Warning', reason: 'FailedDraining', message: eventMessage });
    }
    const expiriesMs = pods.filter((pod) => !isDeleting(pod)).map((pod) => expiryMs(pod, endMs) - runtime.clock.nowMs());
    return Math.max(
      0,
      Math.min(...waitsMs, ...expiriesMs.filter((ms) => ms > 0), periods.terminationPollMs, endMs - runtime.clock.nowMs()),
    );
  }

  async #evict(pod: Pod): Promise<void> {
    const { kube, runtime, metrics } = this.#context;
    try {
      await kube.evict(pod.metadata.namespace ?? '', nameOf(pod), { uid: uidOf(pod) });
      metrics.evictionRequests.inc({ code: '200' });
      // Karpenter's term for removals that are not voluntary disruptions: empty nodes have no pods to drain.
      metrics.podsDrained.inc({ reason: 'Forceful Termination' });
      this.#refused.delete(uidOf(pod));
    } catch (error) {
      metrics.evictionRequests.inc({ code: String(error instanceof KubeError ? error.status : 0) });
      const before = this.#refused.get(uidOf(pod));
      this.#refused.delete(uidOf(pod));
      // It is gone, or there is another pod of that name now.
      if (isNotFound(error) || isConflict(error)) return;
      if (!(error instanceof KubeError)) throw error;
      this.#backOff(pod, error, before);
      if (error.status === 429) return;
      logFailure(runtime.log, 'warn', `can't evict ${podName(pod)}: ${describeError(error)}`, error, { pod: podName(pod) });
    }
  }

  #backOff(pod: Pod, { status, retryAfterMs = 0 }: KubeError, before: Refused | undefined): void {
    const { clock, random } = this.#context.runtime;
    const nowMs = clock.monotonicMs();
    for (const [uid, { untilMs }] of this.#refused) if (untilMs < nowMs - STUCK_POD_MS) this.#refused.delete(uid);
    const waitMs = Math.min(Math.max((before?.waitMs ?? 0) * 2, EVICTION_RETRY_MIN_MS), EVICTION_RETRY_MAX_MS);
    const jitteredMs = waitMs * (0.5 + random.next() / 2);
    const sinceMs = status === 429 ? (before?.sinceMs ?? nowMs) : undefined;
    this.#refused.set(uidOf(pod), { waitMs, untilMs: nowMs + Math.max(jitteredMs, retryAfterMs), ...defined({ sinceMs }) });
  }

  /** Deletes pods that would lose part of their grace period if they stayed longer, and shortens that of pods that would be late. */
  async #deleteExpiring(pods: readonly Pod[], endMs: number, aheadMs: number): Promise<void> {
    if (endMs === Infinity) return;
    const { kube, runtime } = this.#context;
    const nowMs = runtime.clock.nowMs();
    const expiring = pods.flatMap((pod) => {
      const seconds = isDeleting(pod) ? hurriedSeconds(pod, endMs - aheadMs) : expiringSeconds(pod, endMs, nowMs);
      return seconds === undefined ? [] : [{ pod, gracePeriodSeconds: Math.max(0, seconds) }];
    });
    await forEachAtMost(EVICTIONS_AT_ONCE, expiring, async ({ pod, gracePeriodSeconds }) => {
      const ref = { type: RESOURCES.pods, namespace: pod.metadata.namespace ?? '', name: nameOf(pod) };
      runtime.log('info', `deleting ${podName(pod)}: its node ends`, { pod: podName(pod) });
      try {
        await kube.delete(ref, { uid: uidOf(pod), gracePeriodSeconds });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
  }
}

/** Times in objects, and grace periods, are whole seconds. */
const WHOLE_SECOND_MS = 1_000;

/** When a pod starts to lose part of its grace period, in ms since the epoch. */
function expiryMs(pod: Pod, endMs: number): number {
  return endMs - graceSeconds(pod) * 1_000 - WHOLE_SECOND_MS;
}

/** The grace period with which a pod has to be deleted now; undefined while it may stay. */
function expiringSeconds(pod: Pod, endMs: number, nowMs: number): number | undefined {
  if (nowMs < expiryMs(pod, endMs)) return undefined;
  return Math.min(graceSeconds(pod), Math.floor((endMs - nowMs) / 1_000));
}

/**
 * The grace period with which a terminating pod ends together with its node; undefined if it ends earlier anyway. The server counts
 * from the first deletion, so only the server's times are compared.
 */
function hurriedSeconds({ metadata }: Pod, serverEndMs: number): number | undefined {
  const lateMs = (timeOf(metadata.deletionTimestamp) ?? 0) - serverEndMs;
  // Rounding, and the latency of a request, may make it this late.
  if (lateMs <= 2 * WHOLE_SECOND_MS) return undefined;
  return (metadata.deletionGracePeriodSeconds ?? 0) - Math.ceil(lateMs / 1_000);
}

/** The first group: none leaves while a pod of an earlier group still exists. */
export const firstGroup: LeavingOrder = (pods) => {
  const groups = Map.groupBy(pods, (pod) => (isCritical(pod.spec) ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0));
  return groups.get(Math.min(...groups.keys())) ?? [];
};

/** The same, with critical pods as soon as only pods that stay are before them. DaemonSets may have what all pods of a node need. */
const nextToLeave: LeavingOrder = (pods, isHeld) => {
  const first = firstGroup(pods, isHeld);
  return first.every(isHeld) ? [...new Set([...first, ...pods.filter((pod) => isCritical(pod.spec) && !isDaemonPod(pod))])] : first;
};

/** Whether a pod has to leave before its node may be removed, unless it is stuck. */
function isInTheWay(pod: Pod): boolean {
  if (isStaticPod(pod) || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false;
  return !(pod.spec.tolerations?.some((toleration) => tolerates(toleration, DISRUPTED_TAINT)) ?? false);
}
