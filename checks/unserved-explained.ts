import type { Bound, EventOf, Expectation } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { gapDueMs } from '../history/ledger.ts';
import { dueFromMs, eraAt, eraOf, expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { isAbout, podEvidence } from './evidence.ts';
import { blindnessOf } from './hidden.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

type Explained = Extract<Expectation, { kind: 'explained' }>;

/** How long a pod may be pending without an explanation if its scenario sets no bound to serve or explain it. */
const DEFAULT_BOUNDS = {
  schedulable: 'provision',
  'schedulable-after-heal': 'provision',
  impossible: 'explain',
  malformed: 'explain',
} as const;

/**
 * For each pod that stays without a node, the target says why: in a Kubernetes Event, a condition or a log line that is
 * about the pod or names it. Messages of the scheduler don't count.
 *
 * If the scenario expects an explanation, it must come within the bound after the pod's creation and mention certain words; if
 * every pod was served in time, it is unknown whether it would have come. Every other pod of a workload needs one if it stayed
 * without a node until the end of its bound to be served, or, without such a bound, until the world had settled; the
 * explanation may come as long as the pod is pending and the world has not settled. A pod that was scheduled or deleted in
 * time needs none, nor does one of which a scenario says so (`mayBeSilent`). While a fault hides what happens from the target, the
 * bound of an explanation does not begin.
 */
export const unservedExplained: Check = {
  name: 'unserved-explained',
  summary: 'for every pod that stays without a node, an event, condition or log line of the target says why',
  codes: { unexplained: 'a pod stayed without a node and the target did not say why' },
  judge: (view) =>
    mergeParts([...expectationsOf(view, 'explained').map((expectation) => judgeExplained(view, expectation)), ...judgeOthers(view)]),
};

function judgeExplained(view: View, { workload: name, bound: boundName, mentions }: Explained): Part {
  return withBound(view, boundName, (bound) => {
    const pods = view.workloads.get(name)?.pods ?? [];
    if (pods.length === 0) return unknownPart(`no pod of workload ${name} was ever created`);
    const messages = view.said.filter((said) => said.principal === 'target' && mentionsAll(said, mentions));
    const blindness = blindnessOf(view);
    const outcomes = pods.map((pod) => explain(view, pod, { messages, bound, blindness }));
    const explained = outcomes.filter(({ kind }) => kind === 'explained');
    const unexplained = outcomes.filter(({ kind }) => kind === 'unexplained');
    const open = outcomes.filter(({ kind }) => kind === 'open');
    const measurements = [measure(bound, [...explained, ...unexplained])];
    const summary = `${name}: ${explained.length} of ${count(explained.length + unexplained.length, 'unserved pod')} explained (${nameBound(bound)})`;
    if (unexplained.length > 0) {
      return { verdict: 'fail', summary, findings: unexplained.map(({ pod }) => findingFor(view, pod, { bound, mentions })), measurements };
    }
    if (explained.length + open.length === 0)
      return unknownPart(`no pod of workload ${name} stayed without a node, so there was nothing to explain`);
    if (open.length > 0)
      return unknownPart(`${summary}, but the trial ended before the bound of ${count(open.length, 'more pod')} had passed`, measurements);
    return { verdict: 'pass', summary, findings: [], measurements };
  });
}

interface Outcome {
  readonly pod: PodLife;
  readonly object: string;
  readonly kind: 'explained' | 'unexplained' | 'not-asked' | 'open';
  /** How long it took, or has taken so far, since the target could see the pod, in milliseconds. */
  readonly value: number;
}

function explain(
  view: View,
  pod: PodLife,
  { messages, bound, blindness }: { messages: readonly EventOf<'said'>[]; bound: Bound; blindness: ReturnType<typeof blindnessOf> },
): Outcome {
  const fromMs = pod.created?.t ?? 0;
  const dueMs = gapDueMs(blindness, { fromMs }, bound.value) ?? Infinity;
  const visibleMs = dueMs - bound.value;
  const message = messages.find((said) => said.t >= fromMs && isAbout(said, pod));
  const servedMs = (pod.scheduled ?? pod.running ?? pod.terminating ?? pod.gone)?.t;
  const outcome = (kind: Outcome['kind'], atMs: number): Outcome => ({
    pod,
    object: pod.object,
    kind,
    value: Math.max(0, atMs - visibleMs),
  });
  if (message !== undefined && message.t <= dueMs) return outcome('explained', message.t);
  if (servedMs !== undefined && servedMs <= dueMs) return outcome('not-asked', servedMs);
  if (message !== undefined) return outcome('unexplained', message.t);
  return view.endMs > dueMs ? outcome('unexplained', servedMs ?? view.endMs) : outcome('open', view.endMs);
}

/** A part for each workload for which no explanation is expected. */
function judgeOthers(view: View): Part[] {
  const stated = new Set(expectationsOf(view, 'explained').map(({ workload }) => workload));
  const others = [...view.workloads.values()].filter(({ name, pods }) => !stated.has(name) && pods.length > 0);
  const messages = view.said.filter((said) => said.principal === 'target');
  const blindness = blindnessOf(view);
  return others.flatMap(({ name, truth, pods }) => {
    // The autoscaler does nothing for DaemonSet pods: they are bound to existing nodes, or stay pending.
    if (truth.kind === 'daemon' || (truth.kind === 'impossible' && truth.mayBeSilent === true)) return [];
    const expected = expectationsOf(view, 'served').filter(({ workload }) => workload === name);
    const judge = (boundName: string, owed: readonly PodLife[]): Part =>
      withBound(view, boundName, (bound) => {
        const unserved = owed.filter((pod) => staysUnserved(view, pod, bound, expected.length > 0 ? undefined : blindness));
        const unexplained = unserved.filter((pod) => !messages.some((said) => isInTime(view, said, pod) && isAbout(said, pod)));
        const summary = `${name}: ${unserved.length - unexplained.length} of ${count(unserved.length, 'unserved pod')} explained`;
        const findings = unexplained.map((pod) => unexplainedFinding(view, pod));
        return safetyPart(view, findings, summary);
      });
    if (expected.length === 0) return [judge(DEFAULT_BOUNDS[truth.kind], pods)];
    // Pods created when nothing was expected any more need no explanation either.
    const eras = new Map(expected.map((expectation) => [eraOf(view, expectation), expectation.bound]).reverse() as [number, string][]);
    return [...eras].map(([era, boundName]) =>
      judge(
        boundName,
        pods.filter(({ created }) => eraAt(view, name, created?.i ?? 0) === era),
      ),
    );
  });
}

/** When the pod stopped being pending: it was scheduled or deleted, or the settling was over. */
function endOfWait(view: View, { scheduled, running, terminating, gone }: PodLife): EventOf<'pod' | 'phase'> | undefined {
  const left = scheduled ?? running ?? terminating ?? gone;
  const settled = view.phases.get('remove');
  if (left === undefined || settled === undefined) return left ?? settled;
  return left.i < settled.i ? left : settled;
}

/**
 * Whether the pod is known to have stayed without a node until the end of its bound, or else until the end of the settling.
 * @param blindness undefined if it is expected to be served: a scenario that expects that has considered its faults
 */
function staysUnserved(view: View, pod: PodLife, bound: Bound, blindness: ReturnType<typeof blindnessOf> | undefined): boolean {
  const fromMs = dueFromMs(view, pod);
  const end = endOfWait(view, pod);
  if (fromMs === undefined || end === undefined) return false;
  const dueMs = gapDueMs(blindness ?? [], { fromMs }, bound.value);
  if (dueMs === undefined || end.t <= dueMs) return false;
  return blindness === undefined || end.type === 'phase';
}

function isInTime(view: View, said: EventOf<'said'>, pod: PodLife): boolean {
  return said.i > (pod.created?.i ?? 0) && said.i < (endOfWait(view, pod)?.i ?? Infinity);
}

function unexplainedFinding(view: View, pod: PodLife): Finding {
  const waitedMs = (endOfWait(view, pod)?.t ?? view.endMs) - (pod.created?.t ?? 0);
  return {
    code: 'unexplained',
    object: pod.object,
    events: podEvidence(view, pod),
    message: `Pod ${pod.name} waited ${duration(waitedMs)} without a node, and the target never said why: none of its events, conditions and log lines is about the pod or names it.`,
  };
}

function mentionsAll({ reason, message }: EventOf<'said'>, mentions: readonly string[]): boolean {
  const text = `${reason} ${message}`.toLowerCase();
  return mentions.every((mention) => alternatives(mention.toLowerCase()).some((word) => text.includes(word)));
}

/** The words of `a|b`, of which one is enough. */
function alternatives(mention: string): string[] {
  return mention.split('|');
}

function findingFor(view: View, pod: PodLife, { bound, mentions }: { bound: Bound; mentions: readonly string[] }): Finding {
  const about = view.said.filter((said) => said.principal === 'target' && isAbout(said, pod));
  const mentioning =
    mentions.length === 0 ? '' : ` that mentions ${mentions.map((mention) => alternatives(mention).join(' or ')).join(' and ')}`;
  const last = about.at(-1);
  return {
    code: 'unexplained',
    object: pod.object,
    events: indexes([...pod.steps, ...about]),
    message: `Pod ${pod.name} stayed without a node, and within ${duration(bound.value)} the target gave no reason${mentioning} (${nameBound(bound)}); ${
      last === undefined ? 'it said nothing about the pod' : `the last thing it said about the pod was: ${last.reason}: ${last.message}`
    }.`,
  };
}
