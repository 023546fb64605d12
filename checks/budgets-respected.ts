import type { EventOf } from '../history/events.ts';
import type { InstanceLife, PodLife, RequestLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, indexes, safetyPart, seconds } from './parts.ts';

/**
 * The target takes no protected pod from its budget by force. The eviction API guards budgets itself; who deletes a pod
 * instead, or ends the instance under it, goes past it. Exempt are instances that were lost anyway: their end had been
 * announced, or their node was not ready.
 *
 * Pods that wait, finished or are leaving already need no eviction, so they count as nobody's loss.
 */
export const budgetsRespected: Check = {
  name: 'budgets-respected',
  summary: 'protected pods leave by eviction, or not at all',
  codes: {
    'protected-pod-deleted': 'the target deleted a protected pod instead of evicting it',
    'protected-pod-killed': 'the target ended an instance on which a protected pod still ran',
  },
  judge: (view) => {
    if (view.budgets.length === 0) return undefined;
    const guarded = view.budgets.map((budget) => ({
      budget,
      pods: podsOf(view, budget),
      // Who tolerates the taint that tells pods to go is not drained, and ends with the node.
      drained: view.workloads.get(budget.workload)?.deployed.drain === 'stays' ? [] : podsOf(view, budget),
    }));
    const findings = [...view.requests.values()].flatMap((request) =>
      guarded.flatMap(({ budget, pods, drained }) => [...deletions(view, request, pods, budget), ...kills(view, request, drained, budget)]),
    );
    const pods = guarded.reduce((sum, one) => sum + one.pods.length, 0);
    return safetyPart(view, findings, `${findings.length} of ${count(pods, 'protected pod')} lost to force`);
  },
};

function podsOf(view: View, { workload: name }: EventOf<'budget'>): PodLife[] {
  return view.pods.filter(({ workload }) => workload === name);
}

/** Pods that a deletion, as opposed to an eviction, took away. */
function deletions(view: View, request: RequestLife, pods: readonly PodLife[], budget: EventOf<'budget'>): Finding[] {
  const { start, effect } = request;
  if (start.operation !== 'delete pods' || effect?.effect.kind !== 'applied') return [];
  return pods
    .filter((pod) => pod.object === start.object && runsAt(pod, start.i) && !isOnLost(view, pod, start))
    .map((pod) => ({
      code: 'protected-pod-deleted',
      object: pod.object,
      events: indexes([budget, ...pod.steps, ...eventsOf(request)]),
      message: `Pod ${pod.name}, protected by budget ${budget.budget}, was deleted by the target at ${seconds(start.t)}: a deletion asks no budget, an eviction does.`,
    }));
}

/** Pods that ran on an instance when the target ended it. */
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
          message: `Pod ${pod.name}, protected by budget ${budget.budget}, still ran on instance ${instance.id} when the target ended it at ${seconds(start.t)}.`,
        }));
    });
}

/** Running, and nobody had asked it to leave. */
function runsAt({ running, terminating, gone }: PodLife, index: number): boolean {
  return (running?.i ?? Infinity) < index && (terminating?.i ?? Infinity) > index && (gone?.i ?? Infinity) > index;
}

function isOnLost(view: View, pod: PodLife, at: { readonly i: number; readonly t: number }): boolean {
  const instance = view.instances.find(({ id }) => id === pod.node?.instance);
  return instance !== undefined && isLost(view, instance, at);
}

/** Whether the instance was lost already: its end had been announced for then, or its node was not ready. */
function isLost(view: View, instance: InstanceLife, { i: index, t: nowMs }: { readonly i: number; readonly t: number }): boolean {
  const readiness = view.nodes
    .filter((node) => node.instance === instance.id)
    .flatMap(({ steps }) => steps.filter(({ to, i }) => (to === 'ready' || to === 'not-ready') && i < index));
  return (
    readiness.at(-1)?.to === 'not-ready' ||
    view.notices.some(({ instance: id, endsAtMs }) => id === instance.id && endsAtMs !== undefined && endsAtMs <= nowMs)
  );
}
