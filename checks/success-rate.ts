import type { Bound, Expectation } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { dueFromMs, eraAt, eraOf, expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { describePod, podEvidence } from './evidence.ts';
import { count, duration, measure, mergeParts, nameBound, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/**
 * Reasons why a pod loses its node before it runs: its kubelet, or the taint eviction controller, has an older copy of the
 * Node than the scheduler, as in the moments after a startup taint was removed; or a pod of higher priority takes its place. All were
 * observed.
 * Sources: kubernetes v1.34 `pkg/kubelet/lifecycle/predicate.go`, `pkg/controller/tainteviction/taint_eviction.go`,
 * `pkg/scheduler/framework/preemption/preemption.go`.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'DeletionByTaintManager',
  'TaintToleration',
  'NodeAffinity',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfpods',
  'PreemptionByScheduler',
  'UnexpectedAdmissionError',
]);

/**
 * The node went away: it was drained, as one whose notice is read a moment after the pod was bound to it; or it shut down, since the pod
 * was bound at the moment when the node was removed, or the node was removed although the pod was on it. A kubelet that was gone before
 * it saw the pod reports nothing: the collector deletes the pod once its Node is gone.
 * Sources: kubernetes v1.34 `pkg/kubelet/nodeshutdown/nodeshutdown_manager.go`, `pkg/controller/podgc/gc_controller.go`.
 */
const DEPARTURES: ReadonlySet<string> = new Set(['EvictionByEvictionAPI', 'NodeShutdown', 'TerminationByKubelet', 'DeletionByPodGC']);

type Served = Extract<Expectation, { kind: 'served' }>;

/**
 * Pods that must be served are Running within the bound after their creation, or after the heal if their workload can only be
 * served then. A pod that replaces another counts as its own. Pods that were deleted unserved before their bound had passed
 * don't count, nor do pods created while their workload was being removed. A pod that its node refused in time does not count
 * either: its owner creates another, which does count; if the node shut down, or the pod was evicted from it, the other inherits the
 * waiting time.
 */
export const successRate: Check = {
  name: 'success-rate',
  summary: 'pods that can be served run within the bound',
  codes: { 'pod-not-served': 'a pod that could be served did not run within the bound' },
  countServed,
  judge: (view) => mergeParts(expectationsOf(view, 'served').map((expectation) => judgeServed(view, expectation))),
};

/**
 * Pods served within their bound, out of all that had to be served, by the first expectation for each workload, and by the
 * first one after each time that an expectation ended.
 */
function countServed(view: View): { served: number; asked: number } {
  const total = { served: 0, asked: 0 };
  const seen = new Set<string>();
  for (const expectation of expectationsOf(view, 'served')) {
    const bound = view.bounds.get(expectation.bound);
    const key = `${expectation.workload} ${eraOf(view, expectation)}`;
    if (bound === undefined || seen.has(key)) continue;
    seen.add(key);
    const outcomes = outcomesOf(view, expectation, bound);
    total.served += outcomes.served.length;
    total.asked += outcomes.served.length + outcomes.late.length;
  }
  return total;
}

interface Outcomes {
  readonly served: readonly PodWait[];
  /** Their bound had passed, and they did not run. */
  readonly late: readonly PodWait[];
  /** The history ends before their bound had passed. */
  readonly open: readonly PodLife[];
  /** They were deleted before they ran and before their bound had passed: whether they would have been served is unknown. */
  readonly withdrawn: readonly PodLife[];
  /** Their nodes refused them, or they were evicted from them. */
  readonly refused: readonly PodLife[];
}

interface PodWait {
  readonly pod: PodLife;
  readonly object: string;
  /** How long it waited, as far as the history shows, in milliseconds. */
  readonly value: number;
}

function outcomesOf(view: View, expectation: Served, bound: Bound): Outcomes {
  const { workload } = expectation;
  const era = eraOf(view, expectation);
  const served: PodWait[] = [];
  const late: PodWait[] = [];
  const open: PodLife[] = [];
  const withdrawn: PodLife[] = [];
  const refused: PodLife[] = [];
  const removal = view.phases.get('remove');
  const pods = view.workloads.get(workload)?.pods ?? [];
  /** For replacements of pods whose node shut down or that were evicted from it: since when they count as waiting. */
  const sinceMs = new Map<PodLife, number>();
  for (const pod of pods) {
    // A controller that does not know yet that it was deleted replaces terminating pods: those don't count.
    if (removal !== undefined && (pod.created?.i ?? 0) > removal.i) continue;
    if (eraAt(view, workload, pod.created?.i ?? 0) !== era) continue;
    const fromMs = sinceMs.get(pod) ?? dueFromMs(view, pod) ?? pod.running?.t;
    const removedMs = (pod.terminating ?? pod.gone)?.t;
    const refusal = refusalOf(pod);
    if (refusal !== undefined && (fromMs === undefined || refusal.t - fromMs <= bound.value)) {
      refused.push(pod);
      const next = pods.find((one) => !sinceMs.has(one) && (one.created?.i ?? -1) > refusal.i);
      if (refusal.isInherited && fromMs !== undefined && next !== undefined) sinceMs.set(next, fromMs);
      continue;
    }
    const untilMs = pod.running?.t ?? removedMs ?? view.endMs;
    const value = fromMs === undefined ? 0 : Math.max(0, untilMs - fromMs);
    const wait = { pod, object: pod.object, value };
    if (pod.running !== undefined && value <= bound.value) served.push(wait);
    else if (fromMs !== undefined && value > bound.value) late.push(wait);
    else if (removedMs === undefined) open.push(pod);
    else withdrawn.push(pod);
  }
  return { served, late, open, withdrawn, refused };
}

/**
 * When the node of a pod bound to it refused it, shut down or was drained before the pod ran, and whether the pod's replacement
 * inherits its waiting time.
 */
function refusalOf({ scheduled, running, ended, terminating, gone }: PodLife): { i: number; t: number; isInherited: boolean } | undefined {
  const step = ended ?? terminating ?? gone;
  if (scheduled === undefined || running !== undefined || step === undefined) return undefined;
  const reason = terminating?.reason ?? gone?.reason ?? '';
  const isInherited = DEPARTURES.has(reason);
  return isInherited || REFUSALS.has(reason) ? { i: step.i, t: step.t, isInherited } : undefined;
}

function judgeServed(view: View, expectation: Served): Part {
  const { workload: name, bound: boundName, minRatio } = expectation;
  return withBound(view, boundName, (bound) => {
    const workload = view.workloads.get(name);
    if (workload === undefined) return unknownPart(`workload ${name} was never deployed`);
    if (workload.truth.kind !== 'schedulable' && workload.truth.kind !== 'schedulable-after-heal') {
      return unknownPart(`the scenario expects workload ${name} to be served but says that it is ${workload.truth.kind}`);
    }
    const { served, late, open, withdrawn, refused } = outcomesOf(view, expectation, bound);
    const judged = served.length + late.length;
    const all = judged + open.length;
    const asked = minRatio < 1 ? `, ${Math.round(100 * minRatio)} % required` : '';
    const again = refused.length === 0 ? '' : `, ${refused.length} more lost their nodes before they ran and were created again`;
    const summary = `${name}: ${served.length} of ${count(judged, 'pod')} ran in time${asked} (${nameBound(bound)})${again}`;
    const measurements = [measure(bound, slowestAsked([...served, ...late], Math.ceil(minRatio * all)))];
    if (late.length > 0 && served.length + open.length < minRatio * all) {
      return { verdict: 'fail', summary, findings: late.map((wait) => notServed(view, wait, bound)), measurements };
    }
    // Replacements exist only if there was something to replace, and may have to move again before they run: that all of
    // them run in the end is checked when the world settles.
    const isOfReplacements = eraOf(view, expectation) > 0;
    const mayBeNone = withdrawn.length === 0 && isOfReplacements;
    if (all === 0 && !mayBeNone) return unknownPart(`${name}: no pod existed long enough to be judged`, measurements);
    const pods = workload.pods.length - refused.length;
    if (pods < workload.deployed.replicas) {
      return unknownPart(`${summary}, but only ${pods} of ${workload.deployed.replicas} were created`, measurements);
    }
    if (open.length > 0 && served.length < minRatio * all) {
      return unknownPart(`${summary}, but the trial ended before the bound of ${count(open.length, 'more pod')} had passed`, measurements);
    }
    if (withdrawn.length > 0 && !isOfReplacements && served.length < minRatio * (all + withdrawn.length)) {
      return unknownPart(`${summary}, but ${count(withdrawn.length, 'more pod')} had to go before the bound had passed`, measurements);
    }
    return { verdict: 'pass', summary, findings: [], measurements };
  });
}

/** The shortest waits, as many as pods must be served: the others may be late. */
function slowestAsked(waits: readonly PodWait[], asked: number): PodWait[] {
  return [...waits].sort((a, b) => a.value - b.value).slice(0, asked);
}

function notServed(view: View, { pod, value }: PodWait, bound: Bound): Finding {
  const how = pod.running === undefined ? `did not run within ${duration(bound.value)}` : `ran only after ${duration(value)}`;
  return {
    code: 'pod-not-served',
    object: pod.object,
    events: podEvidence(view, pod),
    message: `Pod ${pod.name} ${how} (${nameBound(bound)}): ${describePod(view, pod)}.`,
  };
}
