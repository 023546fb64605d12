import type { EventOf } from '../history/events.ts';
import type { PodLife, RequestLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { instanceOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { ROUNDED_MS, drainOf, isLost } from './endings.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, safetyPart } from './parts.ts';

/**
 * The target never removes a protected pod by force. The eviction API enforces budgets; a caller that deletes a pod instead,
 * or terminates the instance under it, bypasses it. Exempt are instances that were lost anyway: their end had been
 * announced, or their node was not ready. Where pools limit how long a node may drain, a pod may be deleted early enough to
 * have its grace period before the node's deadline, but no earlier.
 *
 * Pods that are pending, finished or already terminating need no eviction, so they don't count.
 */
export const budgetsRespected: Check = {
  name: 'budgets-respected',
  summary: 'pods with a disruption budget leave only by eviction',
  codes: {
    'protected-pod-deleted': 'the target deleted a protected pod instead of evicting it',
    'protected-pod-killed': 'the target terminated an instance while a protected pod was still running on it',
  },
  judge: (view) => {
    if (view.budgets.length === 0) return undefined;
    const guarded = view.budgets.map((budget) => ({
      budget,
      pods: podsOf(view, budget),
      // Pods that tolerate the taint for draining are not drained, and stop with the node.
      drained: view.workloads.get(budget.workload)?.deployed.drain === 'stays' ? [] : podsOf(view, budget),
    }));
    const findings = [...view.requests.values()].flatMap((request) =>
      guarded.flatMap(({ budget, pods, drained }) => [...deletions(view, request, pods, budget), ...kills(view, request, drained, budget)]),
    );
    const pods = guarded.reduce((sum, one) => sum + one.pods.length, 0);
    return safetyPart(view, findings, `${findings.length} of ${count(pods, 'protected pod')} deleted or killed`);
  },
};

function podsOf(view: View, { workload: name }: EventOf<'budget'>): PodLife[] {
  return view.pods.filter(({ workload }) => workload === name);
}

/** Pods that were removed by a deletion, not by an eviction. */
function deletions(view: View, request: RequestLife, pods: readonly PodLife[], budget: EventOf<'budget'>): Finding[] {
  const { start, effect } = request;
  if (start.operation !== 'delete pods' || effect?.effect.kind !== 'applied') return [];
  return pods
    .filter((pod) => pod.object === start.object && runsAt(pod, start.i) && !isOnLost(view, pod, start) && !isDue(view, pod, start.t))
    .map((pod) => ({
      code: 'protected-pod-deleted',
      object: pod.object,
      events: indexes([budget, ...pod.steps, ...eventsOf(request)]),
      message: `Pod ${pod.name}, protected by budget ${budget.budget}, was deleted by the target at ${duration(start.t)} instead of evicted: only an eviction checks the budget.`,
    }));
}

/** Pods that ran on an instance when the target terminated it. */
function kills(view: View, request: RequestLife, pods: readonly PodLife[], budget: EventOf<'budget'>): Finding[] {
  const { span, start, effect } = request;
  if (effect?.effect.kind !== 'applied') return [];
  return view.instances
    .filter(({ ending }) => ending?.span === span)
    .flatMap((instance) => {
      if (isLost(view, instance, start)) return [];
      return pods
        .filter((pod) => pod.node?.instance === instance.id && runsAt(pod, start.i))
        .map((pod) => ({
          code: 'protected-pod-killed',
          object: pod.object,
          events: indexes([budget, ...pod.steps, ...eventsOf(request), instance.ending]),
          message: `Pod ${pod.name}, protected by budget ${budget.budget}, was still running on instance ${instance.id} when the target terminated it at ${duration(start.t)}.`,
        }));
    });
}

/** The pod was running, and nothing had told it to terminate. */
function runsAt({ running, ended, terminating, gone }: PodLife, index: number): boolean {
  return (running?.i ?? Infinity) < index && [ended, terminating, gone].every((step) => (step?.i ?? Infinity) > index);
}

/** Whether a pod would lose its grace period if it stayed longer on a node that has to go. */
function isDue(view: View, pod: PodLife, nowMs: number): boolean {
  const instance = instanceOf(view, pod.node);
  const drain = instance === undefined ? undefined : drainOf(view, instance);
  const { graceSeconds = 0 } = (pod.workload === undefined ? undefined : view.workloads.get(pod.workload)?.deployed) ?? {};
  return drain !== undefined && nowMs >= drain.earliestMs - graceSeconds * 1_000 - ROUNDED_MS;
}

function isOnLost(view: View, pod: PodLife, at: { readonly i: number; readonly t: number }): boolean {
  const instance = instanceOf(view, pod.node);
  return instance !== undefined && isLost(view, instance, at);
}
