import type { Bound, EventOf } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { departuresOf, isItsOwn, ownDeletionsOf, poolAt, poolsOf, skewOf } from './departures.ts';
import type { Departure, Moment } from './departures.ts';
import { podEvidence } from './evidence.ts';
import { isDaemon } from './idle-nodes.ts';
import { hasNoOtherReason } from './other-reasons.ts';
import { count, duration, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** A decision may be based on what was true this long before. */
const LAG_BOUND = 'pod-lag';

/**
 * How exactly the time has to be kept: Karpenter does not note a change within ten seconds of the last one, to spare the API server, and
 * stores whole seconds. Source: `dedupeTimeout` in core `pkg/controllers/nodeclaim/podevents`, v1.14.
 */
const PRECISION_MS = 11_000;

type RecordedPool = EventOf<'pool'>['pool'];

/** A node that was removed to save costs, and the last change of its pods that the target must have known. */
interface Removal {
  readonly departure: Departure;
  readonly afterMs: number;
  readonly last: { readonly at: Moment; readonly what: string; readonly pod?: PodLife };
}

/**
 * No node is removed to save costs before its pods have stayed the same for as long as its pool asks (`consolidateAfter`). The time begins
 * again when a pod is bound to the node, or begins to leave it, and when the node is Ready. The history does not show why a node was
 * removed, so only removals without any other reason are judged (`hasNoOtherReason`). Not judged: removals by a clock that a fault set, those
 * after a change that no incarnation of the target saw, and times that are too short for `PRECISION_MS`.
 */
export const consolidateAfter: Check = {
  name: 'consolidate-after',
  summary: 'nodes are not removed to save costs before their pods have stayed the same for as long as their pools ask',
  codes: { 'consolidated-early': "a node was removed to save costs before its pool's consolidateAfter had passed" },
  judge: (view) => {
    const isAsked = view.pools.some(({ pool }) => askedMsOf(pool) !== undefined);
    if (!isAsked || view.begin?.target.features.includes('consolidation') !== true) return undefined;
    return withBound(view, LAG_BOUND, (bound) => judgeRemovals(view, bound));
  },
};

function judgeRemovals(view: View, bound: Bound): Part {
  const deletions = ownDeletionsOf(view);
  const podsByNode = Map.groupBy(
    view.pods.filter(({ workload }) => !isDaemon(view, workload)),
    ({ node }) => node?.uid,
  );
  const removals = departuresOf(view).flatMap((departure): Removal[] => {
    const pools = [...poolsOf(view, departure.entry)];
    const asking = pools.flatMap((name) => poolAt(view, name, departure.begun) ?? []);
    const times = asking.map(askedMsOf);
    if (times.length === 0 || !times.every((time) => time !== undefined)) return [];
    if (!isItsOwn(departure, deletions) || !hasNoOtherReason(view, departure, { pools, lagMs: bound.value })) return [];
    if (view.faults.some(({ armed }) => skewOf(armed) !== undefined && armed.i < departure.at.i)) return [];
    const isForEmpty = asking.every(({ keepsUsedNodes }) => keepsUsedNodes === true);
    const last = lastChange(departure, podsByNode.get(departure.node.uid) ?? [], { lagMs: bound.value, isForEmpty });
    return last === undefined || wasDown(view, last.at) ? [] : [{ departure, afterMs: Math.min(...times), last }];
  });
  const early = removals.filter(({ departure, afterMs, last }) => departure.begun.t - last.at.t < afterMs - PRECISION_MS);
  const findings = early.map(({ departure: { node, begun, at }, afterMs, last: { at: since, what, pod } }) => ({
    code: 'consolidated-early',
    object: node.object,
    events: [...new Set([since.i, ...(pod === undefined ? [] : podEvidence(view, pod)), begun.i, at.i])].sort((a, b) => a - b),
    message: `Node ${node.name} was removed from ${duration(begun.t)} on for no reason that the history shows, ${duration(begun.t - since.t)} after ${what}; its pool asks ${afterMs === Infinity ? 'that its nodes never be' : `for ${duration(afterMs)} before its nodes are`} consolidated (${nameBound(bound)}).`,
  }));
  return safetyPart(view, findings, `${findings.length} of ${count(removals.length, 'removed node')} were removed too early`);
}

/** For how long it asks, in ms; undefined if it leaves that to the target, its size is fixed, or the time is too short to be judged. */
function askedMsOf({ consolidateAfterMs, replicas }: RecordedPool): number | undefined {
  if (consolidateAfterMs === undefined || replicas !== undefined) return undefined;
  const askedMs = consolidateAfterMs === 'never' ? Infinity : consolidateAfterMs;
  return askedMs > PRECISION_MS ? askedMs : undefined;
}

/** Whether the target was down, or not ready yet, at a moment. */
function wasDown(view: View, { i: index }: Moment): boolean {
  return view.incarnations.some(({ start, ready }, at) => {
    const last = view.incarnations[at - 1];
    const from = last?.stop ?? last?.exit ?? start;
    return from.i < index && index < (ready?.i ?? Infinity);
  });
}

/**
 * The last change of the pods of a node, or that it became Ready, of which the target must have known when it decided.
 * @param isForEmpty its pool allows that for empty nodes only, so that the target knew that the last pod had left
 */
function lastChange(
  { node, begun }: Departure,
  pods: readonly PodLife[],
  { lagMs, isForEmpty }: { readonly lagMs: number; readonly isForEmpty: boolean },
): Removal['last'] | undefined {
  const changes = [
    ...(node.ready === undefined ? [] : [{ at: node.ready, what: 'it had become Ready', isLeaving: false }]),
    ...pods.flatMap((pod) => {
      const leaving = [pod.terminating, pod.ended, pod.gone].filter((step) => step !== undefined).sort((a, b) => a.i - b.i)[0];
      return [
        ...(pod.scheduled === undefined ? [] : [{ at: pod.scheduled, what: `pod ${pod.name} had come to it`, pod, isLeaving: false }]),
        ...(leaving === undefined ? [] : [{ at: leaving, what: `pod ${pod.name} had begun to leave it`, pod, isLeaving: true }]),
      ];
    }),
  ];
  const known = changes.filter(({ at, isLeaving }) => at.i < begun.i && (at.t <= begun.t - lagMs || (isForEmpty && isLeaving)));
  return known.sort((a, b) => b.at.i - a.at.i)[0];
}
