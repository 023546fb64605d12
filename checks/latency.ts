import type { Bound, Expectation, LatencyStep } from '../history/events.ts';
import { between, percentile, podTimes } from '../history/latency.ts';
import type { PodLife } from '../history/lives.ts';
import { expectationsOf } from '../history/view.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { describePod, podEvidence } from './evidence.ts';
import { duration, measure, mergeParts, nameBound, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

type Expected = Extract<Expectation, { kind: 'latency' }>;

/** The percentile that must stay within the bound. */
const RANK = 99;

/**
 * The 99th percentile (nearest rank: below 100 pods the slowest) from one step to another stays within the bound. A pod
 * that never took the second step counts with the time that it has waited, if that alone exceeds the bound, so that the
 * slowest pods are not dropped.
 */
export const latency: Check = {
  name: 'latency',
  summary: 'pods are served as fast as expected, phase by phase',
  codes: { 'too-slow': 'the 99th percentile of a latency phase exceeds its bound' },
  judge: (view) => mergeParts(expectationsOf(view, 'latency').map((expectation) => judgeLatency(view, expectation))),
};

interface Sample {
  readonly pod: PodLife;
  readonly object: string;
  readonly value: number;
}

function judgeLatency(view: View, { workload: name, from, to, bound: boundName }: Expected): Part {
  return withBound(view, boundName, (bound) => {
    const pods = view.workloads.get(name)?.pods ?? [];
    const phase = `${name}, ${from} -> ${to}`;
    const { samples, open } = samplesOf(view, pods, { from, to, bound });
    const measurements = [measure(bound, samples)];
    const slowest = samples[percentileIndex(samples.length)];
    if (slowest === undefined) return unknownPart(`${phase}: no pod reached both steps`, measurements);
    const summary = `${phase}: p99 of ${samples.length} is ${duration(slowest.value)} (${nameBound(bound)})`;
    if (slowest.value > bound.value && exceedsAnyway(samples, open, bound)) {
      const finding = {
        code: 'too-slow',
        object: slowest.object,
        events: podEvidence(view, slowest.pod),
        message: `Pods of ${name} took ${duration(slowest.value)} from ${from} to ${to} at the 99th percentile (${nameBound(bound)}), for example pod ${slowest.pod.name}: ${describePod(view, slowest.pod)}.`,
      };
      return { verdict: 'fail', summary, findings: [finding], measurements };
    }
    if (open > 0) return unknownPart(`${summary}, but the trial ended while ${open} more had not reached the second step`, measurements);
    return { verdict: 'pass', summary, findings: [], measurements };
  });
}

/** The values in ascending order, and how many pods are still open when the history ends. */
function samplesOf(
  view: View,
  pods: readonly PodLife[],
  { from, to, bound }: { from: LatencyStep; to: LatencyStep; bound: Bound },
): { samples: Sample[]; open: number } {
  const samples: Sample[] = [];
  let open = 0;
  for (const pod of pods) {
    const times = podTimes(view, pod);
    const fromMs = times[from];
    const value = between(times, from, to);
    if (value !== undefined) samples.push({ pod, object: pod.object, value });
    // Pods that found a node lack the launch steps too: only pods that never ran are still waiting.
    else if (fromMs !== undefined && pod.running === undefined) {
      const removedMs = (pod.terminating ?? pod.gone)?.t;
      const waitedMs = (removedMs ?? view.endMs) - fromMs;
      if (waitedMs > bound.value) samples.push({ pod, object: pod.object, value: waitedMs });
      else if (removedMs === undefined) open += 1;
    }
  }
  return { samples: samples.sort((a, b) => a.value - b.value), open };
}

/** Whether the percentile would exceed the bound even if every open pod were fast. */
function exceedsAnyway(samples: readonly Sample[], open: number, bound: Bound): boolean {
  const values = [...Array.from({ length: open }, () => 0), ...samples.map(({ value }) => value)];
  return percentile(values, RANK) > bound.value;
}

function percentileIndex(count: number): number {
  return Math.ceil((RANK / 100) * count) - 1;
}
