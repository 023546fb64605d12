import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { Bound } from '../history/events.ts';
import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { FaultLife, NodeLife, PodLife, RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { isDuring, ownPools, requestsAbout } from './departures.ts';
import type { Moment } from './departures.ts';
import { podEvidence } from './evidence.ts';
import { isDaemon } from './idle-nodes.ts';
import { count, duration, indexes, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** A time in which launches have a reason, in milliseconds since the start of the trial. */
interface Need {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many launches it explains. */
  readonly amount: number;
}

/** An instance, and when the target decided to launch it. */
interface Launch {
  readonly entry: LedgerEntry;
  readonly decided: Moment;
}

/** A time in which a pod needs another place, from one event until another. */
interface Wait {
  readonly from: number;
  readonly to: number;
  readonly untilMs: number;
}

/** How many pods need another place at a moment, and until when the last of them does. */
type Waiting = (at: Moment) => { readonly pods: number; readonly untilMs: number };

/** What all needs are made from. */
interface Site {
  readonly view: View;
  /** Without pods that never got a place and need not get one: they would explain launches for ever. */
  readonly waiting: Waiting;
  /** With these. */
  readonly mayWait: Waiting;
  /** Requests of the target that deleted claims, by object. */
  readonly deletions: ReadonlyMap<string, readonly RequestLife[]>;
  readonly lagMs: number;
  /** How long a replacement may be launched before its node is closed. */
  readonly aheadMs: number;
}

/** From the last moment that pods were pending to a launch for them. */
const LAG_BOUND = 'launch-lag';
/** From a decision until the new node serves. */
const LAUNCH_BOUND = 'provision';
/** Most pods that a finding refers to. */
const MAX_SHOWN = 4;

/**
 * Each launch is for a pod that waits for a node, or for one that has to leave its node. A pod explains one launch, and another one if the
 * first instance was lost and not ended by the target's own choice. Which launch was for which pod is not known, so there only has to be
 * some assignment.
 *
 * Not judged: launches after a fault that may have misled the target, those of groups, all where a pool has a fixed size, and all where the
 * world does not show every request and pod.
 */
export const launchesNeeded: Check = {
  name: 'launches-needed',
  summary: 'each launch is for a pod that waits for a node, or has to leave its own',
  codes: { 'unneeded-launch': 'an instance was launched that no pod explains' },
  judge: (view) => {
    const capabilities = view.begin?.world.capabilities ?? [];
    if (!capabilities.includes('wire.kube') || !capabilities.includes('wire.aws')) return undefined;
    if (view.pools.some(({ pool }) => pool.replicas !== undefined)) return undefined;
    const misledMs = Math.min(...view.faults.map((fault) => misledFromMs(view, fault)));
    const entries = targetsInstances(view);
    const launches = entries
      .filter(({ instance }) => instance.group === undefined && instance.launched.t < misledMs)
      .map((entry): Launch => ({ entry, decided: entry.claim?.created ?? entry.request?.start ?? entry.instance.launched }))
      .sort((one, other) => one.decided.i - other.decided.i);
    return launches.length === 0 ? undefined : withBound(view, LAG_BOUND, (bound) => judgeLaunches(view, launches, entries, bound));
  },
};

function judgeLaunches(view: View, launches: readonly Launch[], entries: readonly LedgerEntry[], bound: Bound): Part {
  const workloads = view.pods.filter((pod) => !isDaemon(view, pod.workload));
  const podsByNode = Map.groupBy(workloads, ({ node }) => node?.uid);
  const withLosses = entries.map((entry) => ({ entry, losses: lossesOf(view, entry) }));
  const stays = withLosses.flatMap(({ entry: { nodes }, losses }) => staysOn(view, nodes, losses, podsByNode));
  const site: Site = {
    view,
    waiting: waitingIn([...workloads.filter((pod) => isOwed(view, pod)).flatMap(waitsFor), ...stays.map(({ wait }) => wait)]),
    mayWait: waitingIn([...workloads.filter((pod) => mayBeServed(view, pod)).flatMap(waitsFor), ...stays.map(({ wait }) => wait)]),
    deletions: requestsAbout(view, ({ operation }) => operation === 'delete nodeclaims'),
    lagMs: bound.value,
    aheadMs: Math.max(bound.value, view.bounds.get(LAUNCH_BOUND)?.value ?? 0),
  };
  const needs = [
    ...podNeeds(site),
    ...takenPlaces(site),
    ...daemonNeeds(site),
    ...stays.map((stay) => needOfStay(site, stay)),
    ...withLosses.flatMap(({ entry, losses: [first] }) => (first === undefined ? [] : needsAfter(site, entry, first))),
    ...entries.flatMap((entry) => [...needsOfUnknown(site, entry), ...needsOfUnready(site, entry)]),
  ];
  const findings = unexplained(launches, needs).map(({ entry: { instance, request, claim }, decided }) => {
    const waited = workloads.filter((pod) => (pod.unschedulable?.i ?? Infinity) < decided.i);
    return {
      code: 'unneeded-launch',
      object: instance.object,
      events: [
        ...new Set([
          ...indexes([...(claim?.steps ?? []), request?.start, instance.launched]),
          ...waited.slice(-MAX_SHOWN).flatMap((pod) => podEvidence(view, pod)),
        ]),
      ].sort((a, b) => a - b),
      message: `Instance ${instance.id}, decided on at ${duration(decided.t)}, is one more than any pod explains: ${count(waited.length, 'pod')} had waited for a node by then, and each of these, and of the pods that had to leave their nodes, accounts for another instance (${nameBound(bound)}).`,
    };
  });
  return safetyPart(view, findings, `${findings.length} of ${count(launches.length, 'launch', 'launches')} that no pod explains`);
}

/** Launches that are left when each need explains as many as it can: of those that are open, the one that ends first is used first. */
function unexplained(launches: readonly Launch[], needs: readonly Need[]): Launch[] {
  const coming = [...needs].sort((a, b) => a.fromMs - b.fromMs);
  let next = 0;
  /** By their end. */
  let open: { toMs: number; left: number }[] = [];
  return launches.filter(({ decided: { t } }) => {
    const begun: typeof open = [];
    for (let need = coming[next]; need !== undefined && need.fromMs <= t; need = coming[(next += 1)])
      if (need.amount > 0) begun.push({ toMs: need.toMs, left: need.amount });
    open = [...open, ...begun].filter(({ toMs, left }) => left > 0 && toMs >= t);
    if (begun.length > 0) open.sort((a, b) => a.toMs - b.toMs);
    const [first] = open;
    if (first !== undefined) first.left -= 1;
    return first === undefined;
  });
}

/** From when a pod exists until it has a node, or is gone, and the target had time to notice. No launch serves a pod that no pool can serve. */
function podNeeds({ view, lagMs }: Site): Need[] {
  return view.pods.flatMap((pod) => {
    const { created, unschedulable, scheduled } = pod;
    const from = created ?? unschedulable;
    if (from === undefined || isDaemon(view, pod.workload) || !mayBeServed(view, pod)) return [];
    // A pod that found room at once explains nothing. A history may lack the moment in which another one was refused.
    if (unschedulable === undefined && scheduled !== undefined && (pod.node?.created?.i ?? -1) < from.i) return [];
    return [{ fromMs: from.t, toMs: endOfWaitMs(pod) + lagMs, amount: 1 }];
  });
}

/**
 * When a pod gets a place while others wait, that may have been meant for one of them, which then needs another one. Who else could have run
 * there is not known.
 */
function takenPlaces({ view, waiting, lagMs }: Site): Need[] {
  return view.pods.flatMap(({ scheduled }) => {
    if (scheduled === undefined) return [];
    const { pods, untilMs } = waiting(scheduled);
    return pods === 0 ? [] : [{ fromMs: scheduled.t, toMs: untilMs + lagMs, amount: 1 }];
  });
}

/** When a pod had a node, or was gone. */
function endOfWaitMs({ scheduled, gone }: PodLife): number {
  return Math.min(scheduled?.t ?? Infinity, gone?.t ?? Infinity);
}

/**
 * Pods that wait for a node, and those that have to leave theirs. Pods that can't be served wait for ever, and tell nothing about the
 * others.
 */
function waitingIn(waits: readonly Wait[]): Waiting {
  const begins = [...waits].sort((a, b) => a.from - b.from);
  const ends = waits.map(({ to }) => to).sort((a, b) => a - b);
  // Whoever does not wait any more ended earlier than those who do.
  const latestMs: number[] = [];
  for (const { untilMs } of begins) latestMs.push(Math.max(latestMs.at(-1) ?? 0, untilMs));
  return ({ i: index }) => {
    const begun = countBelow(begins.length, (at) => (begins[at]?.from ?? Infinity) < index);
    const ended = countBelow(ends.length, (at) => (ends[at] ?? Infinity) <= index);
    return { pods: begun - ended, untilMs: latestMs[begun - 1] ?? 0 };
  };
}

/** Of pods that share something, reach a limit together, or are owed nothing for another reason, some may be served. */
function mayBeServed(view: View, { workload }: PodLife): boolean {
  const truth = view.workloads.get(workload ?? '')?.truth;
  if (truth?.kind !== 'impossible' || truth.mayBeSilent === true) return true;
  return view.pools.some(({ pool }) => pool.limits !== undefined);
}

/** It has to be served, or was. */
function isOwed(view: View, { workload, scheduled }: PodLife): boolean {
  return scheduled !== undefined || view.workloads.get(workload ?? '')?.truth.kind !== 'impossible';
}

function waitsFor({ unschedulable, scheduled, gone }: PodLife): Wait[] {
  if (unschedulable === undefined) return [];
  const ends = [scheduled, gone].filter((step) => step !== undefined);
  return [
    {
      from: unschedulable.i,
      to: Math.min(...ends.map(({ i }) => i)),
      untilMs: Math.min(...ends.map(({ t }) => t)),
    },
  ];
}

/** How many of the first places of a sorted list have a property. */
function countBelow(length: number, has: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (has(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Launches for the pods that waited for an instance when it was lost first. */
function needsAfter(site: Site, entry: LedgerEntry, lost: Moment): Need[] {
  const { instance, claim, endRequest } = entry;
  const removed = [claim?.terminating, endRequest === undefined ? undefined : instance.ending]
    .filter((step) => step !== undefined)
    .sort((a, b) => a.i - b.i)[0];
  if (removed !== undefined && isOwnChoice(site, entry, removed)) return [];
  return [{ fromMs: lost.t - site.lagMs, toMs: Infinity, amount: site.mayWait(lost).pods }];
}

/** Launches for the pods that waited when an instance was asked for of which the target may know nothing. */
function needsOfUnknown({ view, mayWait }: Site, { request, claim, nodes }: LedgerEntry): Need[] {
  if (request === undefined) return [];
  const { start, end } = request;
  const isForgotten =
    claim?.linked === undefined && nodes.length === 0 && view.incarnations.some(({ number }) => number > start.incarnation);
  if (end?.outcome === 'ok' && !isForgotten) return [];
  return [{ fromMs: start.t, toMs: Infinity, amount: mayWait(start).pods }];
}

/** Launches for the pods that waited for a node when it registered, while it takes longer than usual to become Ready. */
function needsOfUnready({ lagMs, mayWait }: Site, { nodes }: LedgerEntry): Need[] {
  return nodes.flatMap(({ created, ready }) => {
    if (created === undefined) return [];
    return [{ fromMs: created.t + lagMs, toMs: (ready?.t ?? Infinity) + lagMs, amount: mayWait(created).pods }];
  });
}

/** A DaemonSet that is deployed while nodes boot takes room on them, so that pods may need others. */
function daemonNeeds({ view, waiting, lagMs }: Site): Need[] {
  return [...view.workloads.values()].flatMap(({ truth, deployed }) => {
    if (truth.kind !== 'daemon') return [];
    const { pods, untilMs } = waiting(deployed);
    return [{ fromMs: deployed.t, toMs: untilMs + lagMs, amount: pods }];
  });
}

/** When the node was closed, removed, lost or not Ready, and when something was announced about its instance, in order. */
function lossesOf(view: View, { instance, nodes }: LedgerEntry): Moment[] {
  const steps = nodes.flatMap((node) => node.steps.filter(({ to }) => LOST.has(to)));
  const notices = view.notices.flatMap((notice) => (notice.instance === instance.id ? [notice.sent] : []));
  return [...steps, ...notices, ...(instance.ending === undefined ? [] : [instance.ending])].sort((a, b) => a.i - b.i);
}

const LOST: ReadonlySet<string> = new Set(['cordoned', 'terminating', 'not-ready', 'gone']);
const BACK: ReadonlySet<string> = new Set(['uncordoned', 'ready']);

/** A pod on a node that it has to leave. */
interface Stay {
  /** Whether the target itself may have begun with a launch: it closed or removed the node, and the scenario was not over. */
  readonly isPlanned: boolean;
  readonly fromMs: number;
  readonly wait: Wait;
}

/** Each pod that was still on the node of an instance when it was lost. A node may be lost several times. */
function staysOn(
  view: View,
  nodes: readonly NodeLife[],
  losses: readonly Moment[],
  podsByNode: ReadonlyMap<string | undefined, readonly PodLife[]>,
): Stay[] {
  const over = view.phases.get('remove')?.i ?? Infinity;
  return nodes.flatMap((node) => {
    const pods = podsByNode.get(node.uid) ?? [];
    if (pods.length === 0) return [];
    return episodesOf(node, losses).flatMap(({ from, to }) => {
      const isPlanned =
        from.i < over && node.steps.some(({ to: step, i }) => i === from.i && (step === 'cordoned' || step === 'terminating'));
      const isThere = ({ scheduled, ended, gone }: PodLife): boolean =>
        (scheduled?.i ?? Infinity) < (to?.i ?? Infinity) && [ended, gone].every((end) => (end?.i ?? Infinity) > from.i);
      return pods.filter(isThere).map(({ scheduled, gone }) => ({
        isPlanned,
        fromMs: from.t,
        wait: {
          from: Math.max(from.i, scheduled?.i ?? 0),
          to: Math.min(gone?.i ?? Infinity, to?.i ?? Infinity),
          untilMs: Math.min(gone?.t ?? Infinity, to?.t ?? Infinity),
        },
      }));
    });
  });
}

/** It explains one launch, from some time before until the pod is gone, or its node is open again. */
function needOfStay({ lagMs, aheadMs }: Site, { isPlanned, fromMs, wait }: Stay): Need {
  return { fromMs: fromMs - (isPlanned ? aheadMs : lagMs), toMs: wait.untilMs + lagMs, amount: 1 };
}

/** From a loss until the node was open again; losses in between belong to it. */
function episodesOf({ steps }: NodeLife, losses: readonly Moment[]): { readonly from: Moment; readonly to: Moment | undefined }[] {
  const episodes: { from: Moment; to: Moment | undefined }[] = [];
  for (const from of losses) {
    const last = episodes.at(-1);
    if (last !== undefined && from.i < (last.to?.i ?? Infinity)) continue;
    episodes.push({ from, to: steps.find(({ to, i }) => BACK.has(to) && i > from.i) });
  }
  return episodes;
}

/**
 * The target removed an instance although nothing was wrong with it: it had not ended by itself, its node had not been lost, nothing had been
 * announced, its pools had stayed the same, it had not expired, nobody else had deleted its claim, and, without a Ready node, the time for
 * registration was not over.
 */
function isOwnChoice(
  { view, deletions, lagMs }: Site,
  { instance, claim, nodes, launchedMs, endRequest }: LedgerEntry,
  removed: Moment,
): boolean {
  const isBefore = ({ i }: Moment): boolean => i < removed.i;
  if (endRequest === undefined && instance.ending !== undefined && isBefore(instance.ending)) return false;
  if (nodes.some(({ steps }) => steps.some((step) => step.to !== 'cordoned' && LOST.has(step.to) && isBefore(step)))) return false;
  if (view.notices.some(({ instance: about, sent }) => about === instance.id && isBefore(sent))) return false;
  const ageMs = removed.t - (claim?.created?.t ?? launchedMs);
  const isReady = nodes.some(({ ready }) => ready !== undefined && isBefore(ready));
  const patienceMs = view.begin?.target.constants['registrationTimeoutMs'] ?? Infinity;
  if (!isReady && ageMs >= patienceMs - lagMs) return false;
  const own = ownPools(view.pools, instance, nodes);
  if (own.some(({ pool }) => pool.expireAfterMs !== undefined && ageMs >= pool.expireAfterMs - lagMs)) return false;
  const names = new Set(own.map(({ pool }) => pool.name));
  const changes = [...view.pools, ...view.withdrawnPools].filter(
    ({ pool, i }) => names.has(pool.name) && i > (claim?.created ?? instance.launched).i,
  );
  if (changes.some(isBefore)) return false;
  const { terminating } = claim ?? {};
  if (claim === undefined || terminating === undefined || terminating.i > removed.i) return true;
  return deletions.get(claim.object)?.some((request) => isDuring(request, terminating)) === true;
}

/**
 * When a fault first may have led the target to think that it needs more: it did something else than to refuse a request, to make one take longer
 * that then succeeded, to send notices or messages, or what can be seen on instances and Nodes. Infinity if it did not.
 */
function misledFromMs(view: View, { armed: { fault }, fired }: FaultLife): number {
  if (fault.hinders === false) return Infinity;
  const first = fired.find(({ span, t }) => {
    const request = span === undefined ? undefined : view.requests.get(span);
    if (request === undefined) return fault.visible !== true && !view.notices.some(({ sent }) => sent.t === t);
    const { start, effect, end } = request;
    const isRefused = end?.outcome === 'fail' && effect === undefined;
    // What happens to nodes decides when a launch that was made ahead is explained.
    const isKnown = end?.outcome === 'ok' || (isRefused && !start.operation.endsWith(' nodes'));
    return !start.mutating || !isKnown;
  });
  // Of more firings than are recorded nothing is known.
  const last = fired.length >= MAX_FIRINGS_RECORDED ? fired.at(-1) : undefined;
  return (first ?? last)?.t ?? Infinity;
}
