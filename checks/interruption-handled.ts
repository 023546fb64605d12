import type { Bound, EventOf } from '../history/events.ts';
import { createLedger, gapDueMs, launchedByTarget, setbacksOf } from '../history/ledger.ts';
import type { TargetsEntry } from '../history/ledger.ts';
import type { NodeLife, NoticeLife, PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { claimOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** From a notice's delivery to the target's first reaction. */
const REACTION_BOUND = 'interruption';
/** How long the offering must be avoided after a notice's delivery. */
const MASK_BOUND = 'masked-offering';

/** A notice that reached the target, about an instance that was a node then or became one later. */
interface Warning {
  readonly notice: NoticeLife;
  readonly entry: TargetsEntry;
  readonly node: NodeLife;
  readonly deliveredMs: number;
  /** When the target could act: the notice was delivered and the node existed. */
  readonly fromMs: number;
  /** When the target must have reacted; its provoked crashes extend this. */
  readonly dueMs: number;
  /** When the instance began to terminate. */
  readonly deathMs: number;
}

/**
 * A target that reads the interruption queue acts on it. The bound starts with the delivery of a notice, since the queue may
 * be late, or when its instance becomes a node, since the notice may be early. Within the bound the node takes no more pods,
 * every evictable pod is told to terminate before the instance is, and the offering that was reclaimed is avoided for a while.
 * Not required: that all pods are gone, or that their replacement exists.
 */
export const interruptionHandled: Check = {
  name: 'interruption-handled',
  summary: 'announced interruptions are acted on in time',
  codes: {
    'interruption-ignored': 'a node kept accepting pods although its interruption had been announced',
    'pod-not-asked-to-leave': 'a pod ran on an interrupted instance until the instance ended and was neither evicted nor deleted',
    'interrupted-offering-bought-again': 'the offering of an interrupted instance was launched again too soon',
    'notice-not-read': "a notice about one of the target's instances stayed unread in its queue",
  },
  judge: (view) => {
    if (view.begin?.target.features.includes('interruption') !== true) return undefined;
    if (view.notices.length === 0) return undefined;
    const reading = withBound(view, REACTION_BOUND, (bound) => judgeReading(view, bound));
    if (!view.notices.some(({ kind }) => kind === 'spot-interruption')) return reading;
    return mergeParts([
      reading,
      withBound(view, REACTION_BOUND, (bound) => judgeReactions(view, bound)),
      withBound(view, MASK_BOUND, (bound) => judgeLaunches(view, bound)),
    ]);
  },
};

/**
 * Each notice that reached the queue is read, however late it got there. A target that retried while the queue was unavailable
 * may wait for as long again as the outage lasted, as a doubling backoff does.
 */
function judgeReading(view: View, bound: Bound): Part {
  const entries = launchedByTarget(createLedger(view));
  const setbacks = setbacksOf(view, 'any-request');
  const firstMs = setbacks[0]?.fromMs ?? 0;
  const lastMs = setbacks.reduce((last, { fromMs, toMs = Infinity }) => Math.max(last, fromMs, toMs), firstMs);
  const extendedMs = bound.value + (lastMs - firstMs);
  const waits = view.notices.flatMap((notice) => {
    const { queued, delivered } = notice;
    if (queued === undefined || !entries.some(({ instance }) => instance.id === notice.instance)) return [];
    const dueMs = gapDueMs(setbacks, { fromMs: queued.t }, extendedMs) ?? Infinity;
    return [{ notice, queued, value: (delivered?.t ?? view.endMs) - queued.t, isUnread: (delivered?.t ?? view.endMs) > dueMs }];
  });
  const findings = waits.flatMap(({ notice, queued, isUnread }) => (isUnread ? [unreadFinding(notice, queued, bound)] : []));
  return safetyPart(view, findings, `${findings.length} of ${count(waits.length, 'notice')} left unread in the queue`);
}

function unreadFinding({ instance, kind, sent, receptions, delivered }: NoticeLife, queued: EventOf<'notice'>, bound: Bound): Finding {
  const end = delivered === undefined ? 'was never read' : `was read only at ${duration(delivered.t)}`;
  return {
    code: 'notice-not-read',
    object: `instance/${instance}`,
    events: indexes([sent, queued, ...receptions, delivered]),
    message: `The ${kind} notice about instance ${instance} was in the interruption queue from ${duration(queued.t)} on and ${end} (${nameBound(bound)}, plus the time for which faults blocked requests of the target).`,
  };
}

function warningsOf(view: View, boundMs: number): Warning[] {
  const entries = launchedByTarget(createLedger(view));
  const setbacks = setbacksOf(view, 'any-request');
  return view.notices.flatMap((notice) => {
    const entry = entries.find(({ instance }) => instance.id === notice.instance);
    if (notice.kind !== 'spot-interruption' || notice.delivered === undefined || entry === undefined) return [];
    const deliveredMs = notice.delivered.t;
    const nodes = entry.nodes.filter(({ linked }) => linked !== undefined);
    const node = nodes.findLast(({ linked }) => (linked?.t ?? Infinity) <= deliveredMs) ?? nodes[0];
    if (node?.linked === undefined) return [];
    // A target that was warned about an instance without a node need not act before the node exists.
    const fromMs = Math.max(deliveredMs, node.linked.t);
    const dueMs = gapDueMs(setbacks, { fromMs }, boundMs) ?? Infinity;
    return [{ notice, entry, node, deliveredMs, fromMs, dueMs, deathMs: entry.endedMs ?? Infinity }];
  });
}

function judgeReactions(view: View, bound: Bound): Part {
  const warnings = warningsOf(view, bound.value);
  const reactions = warnings.map((warning) => ({ warning, reactedMs: reactionMs(view, warning) }));
  const ignored = reactions.filter(
    ({ warning: { dueMs, deathMs }, reactedMs }) => reactedMs > dueMs && deathMs > dueMs && view.endMs > dueMs,
  );
  const unasked = warnings.flatMap((warning) => unaskedPods(view, warning).map((pod) => ({ warning, pod })));
  const findings = [
    ...ignored.map(({ warning }) => ignoredFinding(warning, bound)),
    ...unasked.map(({ warning, pod }) => unaskedFinding(warning, pod)),
  ];
  const measured = reactions.flatMap(({ warning, reactedMs }) =>
    reactedMs === Infinity ? [] : [{ value: Math.max(0, reactedMs - warning.fromMs), object: warning.node.object }],
  );
  const summary = `${ignored.length} of ${count(warnings.length, 'announced interruption')} ignored, ${count(unasked.length, 'pod')} neither evicted nor deleted`;
  return safetyPart(view, findings, summary, [measure(bound, measured)]);
}

/** When the target first reacted: the node was closed to pods or removed, its claim deleted, or its instance terminated. */
function reactionMs(view: View, { entry, node }: Warning): number {
  const claim = claimOf(view, entry.instance.id);
  const signs = [
    ...node.steps.filter(({ to }) => to === 'cordoned' || to === 'terminating' || to === 'gone'),
    claim?.terminating,
    entry.endRequest?.start,
  ];
  return Math.min(Infinity, ...signs.flatMap((sign) => (sign === undefined ? [] : [sign.t])));
}

/**
 * Pods that ran until the instance's end. Exempt are pods that a budget may block, pods that opted out or tolerate the
 * draining taint, DaemonSet pods, and notices that came too late to act on.
 */
function unaskedPods(view: View, { node, entry, dueMs, deathMs }: Warning): PodLife[] {
  const ending = entry.instance.ending;
  // A target that terminates the instance itself had time to act.
  if (ending === undefined || (deathMs <= dueMs && entry.endRequest === undefined)) return [];
  const isHeld = (workload: string | undefined): boolean =>
    workload === undefined ||
    view.workloads.get(workload)?.truth.kind === 'daemon' ||
    view.workloads.get(workload)?.deployed.drain !== undefined ||
    view.budgets.some((budget) => budget.workload === workload);
  return view.pods.filter(
    (pod) =>
      pod.node === node &&
      !isHeld(pod.workload) &&
      (pod.running?.t ?? Infinity) <= Math.min(dueMs, deathMs) &&
      (pod.finished?.i ?? Infinity) > ending.i &&
      (pod.terminating?.i ?? Infinity) > ending.i &&
      (pod.gone?.i ?? Infinity) > ending.i,
  );
}

/**
 * Launches of the reclaimed offering that were decided after the target must have known. Only within the incarnation that got the
 * notice: the list of avoided offerings may be kept in memory. A notice about an instance that has terminated names nothing that the
 * target still knows.
 */
function judgeLaunches(view: View, bound: Bound): Part {
  const reaction = view.bounds.get(REACTION_BOUND)?.value ?? 0;
  const warnings = warningsOf(view, reaction)
    .filter(({ entry: { instance }, deliveredMs }) => deliveredMs < (instance.terminated?.t ?? Infinity))
    .sort((a, b) => a.deliveredMs - b.deliveredMs);
  const again = launchedByTarget(createLedger(view)).flatMap((entry) => {
    const { start } = entry.request;
    const warning = warnings.findLast(
      ({ entry: { instance }, notice, dueMs }) =>
        isSameOffering(instance, entry.instance) && start.t > dueMs && isOfItsReader(view, notice, start.incarnation),
    );
    return warning === undefined ? [] : [{ entry, warning, value: start.t - warning.deliveredMs, object: entry.instance.object }];
  });
  const early = again.filter(({ value }) => value < bound.value);
  const findings = early.map(({ entry, warning }) => againFinding(entry, warning, bound));
  const summary = `${count(early.length, 'launch', 'launches')} of an offering that had just been interrupted`;
  return safetyPart(view, findings, summary, [measure(bound, again)]);
}

/** Whether the incarnation got the notice; true if who got it is unknown. */
function isOfItsReader(view: View, { delivered }: Warning['notice'], incarnation: number | undefined): boolean {
  const reader = delivered === undefined ? undefined : view.requests.get(delivered.span)?.start.incarnation;
  return reader === undefined || reader === incarnation;
}

function isSameOffering(a: TargetsEntry['instance'], b: TargetsEntry['instance']): boolean {
  return a.instanceType === b.instanceType && a.zone === b.zone && a.capacityType === b.capacityType;
}

function ignoredFinding({ notice, entry, node, deliveredMs }: Warning, bound: Bound): Finding {
  return {
    code: 'interruption-ignored',
    object: node.object,
    events: indexes([notice.sent, ...notice.receptions, notice.delivered, ...node.steps, entry.instance.ending]),
    message: `The interruption of instance ${notice.instance} was delivered at ${duration(deliveredMs)}, but node ${node.name} was neither tainted, cordoned nor removed in time (${nameBound(bound)}).`,
  };
}

function unaskedFinding({ notice, entry, deliveredMs }: Warning, pod: PodLife): Finding {
  return {
    code: 'pod-not-asked-to-leave',
    object: pod.object,
    events: indexes([notice.sent, notice.delivered, ...pod.steps, entry.instance.ending]),
    message: `Pod ${pod.name} ran on instance ${notice.instance} until the instance ended at ${duration(entry.endedMs ?? 0)}, ${duration((entry.endedMs ?? 0) - deliveredMs)} after its interruption had been delivered, and was neither evicted nor deleted.`,
  };
}

function againFinding({ instance, request }: TargetsEntry, { notice, deliveredMs }: Warning, bound: Bound): Finding {
  return {
    code: 'interrupted-offering-bought-again',
    object: instance.object,
    events: indexes([notice.sent, notice.delivered, ...eventsOf(request), instance.launched]),
    message: `Instance ${instance.id} was launched from spot ${instance.instanceType} in ${instance.zone} at ${duration(request.start.t)}, ${duration(request.start.t - deliveredMs)} after the notice about ${notice.instance} in the same offering was delivered (${nameBound(bound)}).`,
  };
}
