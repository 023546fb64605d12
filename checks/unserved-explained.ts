import type { Bound, EventOf, Expectation } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { dueFromMs, eraAt, eraOf, expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { isAbout, podEvidence } from './evidence.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, safetyPart, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

type Explained = Extract<Expectation, { kind: 'explained' }>;

/** How long a pod may wait without a word if its scenario says neither by when it is served nor by when it is explained. */
const PATIENCE = {
  schedulable: 'provision',
  'schedulable-after-heal': 'provision',
  impossible: 'explain',
  malformed: 'explain',
} as const;

/**
 * For each pod that stays without a node the target says why: by a Kubernetes Event, a condition or a log line that is
 * about the pod or names it. What the scheduler says does not count.
 *
 * Where the scenario expects an explanation, it comes within the bound after the pod's creation and mentions what it
 * must; if every pod was served in time, whether it would have come is not known. Every other pod of a workload needs one
 * if it stayed without a node to the end of the bound within which it was to be served, or, where there is no such bound,
 * to the end of the settling; it may come as long as the pod waits and the world has not settled. A pod that got a node,
 * or was taken away, in time needs no word.
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
    const words = view.said.filter((said) => said.principal === 'target' && mentionsAll(said, mentions));
    const fates = pods.map((pod) => explain(view, pod, { words, bound }));
    const explained = fates.filter(({ kind }) => kind === 'explained');
    const silent = fates.filter(({ kind }) => kind === 'unexplained');
    const open = fates.filter(({ kind }) => kind === 'open');
    const measurements = [measure(bound, [...explained, ...silent])];
    const summary = `${name}: ${explained.length} of ${count(explained.length + silent.length, 'unserved pod')} explained (${nameBound(bound)})`;
    if (silent.length > 0) {
      return { verdict: 'fail', summary, findings: silent.map(({ pod }) => findingFor(view, pod, { bound, mentions })), measurements };
    }
    if (explained.length + open.length === 0)
      return unknownPart(`no pod of workload ${name} stayed without a node, so there was nothing to explain`);
    if (open.length > 0)
      return unknownPart(`${summary}, but the trial ended before the bound of ${count(open.length, 'more pod')} had passed`, measurements);
    return { verdict: 'pass', summary, findings: [], measurements };
  });
}

interface Fate {
  readonly pod: PodLife;
  readonly object: string;
  readonly kind: 'explained' | 'unexplained' | 'not-asked' | 'open';
  /** How long it took, or has taken so far, in milliseconds. */
  readonly value: number;
}

function explain(view: View, pod: PodLife, { words, bound }: { words: readonly EventOf<'said'>[]; bound: Bound }): Fate {
  const fromMs = pod.created?.t ?? 0;
  const dueMs = fromMs + bound.value;
  const word = words.find((said) => said.t >= fromMs && isAbout(said, pod));
  const servedMs = (pod.scheduled ?? pod.running ?? pod.terminating ?? pod.gone)?.t;
  const fate = (kind: Fate['kind'], atMs: number): Fate => ({ pod, object: pod.object, kind, value: atMs - fromMs });
  if (word !== undefined && word.t <= dueMs) return fate('explained', word.t);
  if (servedMs !== undefined && servedMs <= dueMs) return fate('not-asked', servedMs);
  if (word !== undefined) return fate('unexplained', word.t);
  return view.endMs > dueMs ? fate('unexplained', servedMs ?? view.endMs) : fate('open', view.endMs);
}

/** A part for each workload for which no explanation is expected. */
function judgeOthers(view: View): Part[] {
  const stated = new Set(expectationsOf(view, 'explained').map(({ workload }) => workload));
  const others = [...view.workloads.values()].filter(({ name, pods }) => !stated.has(name) && pods.length > 0);
  const words = view.said.filter((said) => said.principal === 'target');
  return others.flatMap(({ name, truth, pods }) => {
    // The autoscaler owes pods of a DaemonSet nothing: they are bound to nodes that are there, or wait.
    if (truth.kind === 'daemon') return [];
    const expected = expectationsOf(view, 'served').filter(({ workload }) => workload === name);
    const judge = (boundName: string, owed: readonly PodLife[]): Part =>
      withBound(view, boundName, (bound) => {
        const unserved = owed.filter((pod) => staysUnserved(view, pod, bound, expected.length > 0));
        const silent = unserved.filter((pod) => !words.some((said) => isInTime(view, said, pod) && isAbout(said, pod)));
        const summary = `${name}: ${unserved.length - silent.length} of ${count(unserved.length, 'unserved pod')} explained`;
        const findings = silent.map((pod) => silentFinding(view, pod));
        return safetyPart(view, findings, summary);
      });
    if (expected.length === 0) return [judge(PATIENCE[truth.kind], pods)];
    // Of pods that came when nothing was expected any more nobody waits for a word either.
    const eras = new Map(expected.map((expectation) => [eraOf(view, expectation), expectation.bound]).reverse() as [number, string][]);
    return [...eras].map(([era, boundName]) =>
      judge(
        boundName,
        pods.filter(({ created }) => eraAt(view, name, created?.i ?? 0) === era),
      ),
    );
  });
}

/** When the pod's waiting came to its end: it got a node, or was taken away, or the settling was over. */
function endOfWait(view: View, { scheduled, running, terminating, gone }: PodLife): EventOf<'pod' | 'phase'> | undefined {
  const left = scheduled ?? running ?? terminating ?? gone;
  const settled = view.phases.get('remove');
  if (left === undefined || settled === undefined) return left ?? settled;
  return left.i < settled.i ? left : settled;
}

/** Whether it is known that the pod stayed without a node to the end of its bound, or else to the end of the settling. */
function staysUnserved(view: View, pod: PodLife, bound: Bound, isToBeServed: boolean): boolean {
  const fromMs = dueFromMs(view, pod);
  const end = endOfWait(view, pod);
  if (fromMs === undefined || end === undefined || end.t <= fromMs + bound.value) return false;
  return isToBeServed || end.type === 'phase';
}

function isInTime(view: View, said: EventOf<'said'>, pod: PodLife): boolean {
  return said.i > (pod.created?.i ?? 0) && said.i < (endOfWait(view, pod)?.i ?? Infinity);
}

function silentFinding(view: View, pod: PodLife): Finding {
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
