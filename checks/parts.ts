import type { Bound } from '../history/events.ts';
import { combine } from '../history/verdict.ts';
import type { CheckResult, Finding, Measurement } from '../history/verdict.ts';
import type { View } from '../history/view.ts';

/** The result of a check, or of one part of it, such as one expectation. */
export type Part = Omit<CheckResult, 'check'>;

/** Most findings that a check lists; the summary counts them all. */
const MAX_FINDINGS = 1_000;
/** Most events that a finding refers to. */
const MAX_EVENTS = 40;
/** Two minutes, in tenths of a second: longer times are hard to read in seconds. */
const SPELT_OUT_TENTHS = 1_200;

/** Combines the parts of a check; undefined when there are none. */
export function mergeParts(parts: readonly Part[]): Part | undefined {
  if (parts.length === 0) return undefined;
  return {
    verdict: combine(parts.map(({ verdict }) => verdict)),
    summary: parts.map(({ summary }) => summary).join('; '),
    findings: parts.flatMap(({ findings }) => findings).slice(0, MAX_FINDINGS),
    measurements: parts.flatMap(({ measurements }) => measurements),
  };
}

/** A part that could not be judged. */
export function unknownPart(summary: string, measurements: readonly Measurement[] = []): Part {
  return { verdict: 'unknown', summary, findings: [], measurements: [...measurements] };
}

/**
 * Judges by a bound of the history; without that bound the part is unknown.
 * @param judge gets the bound as resolved for the trial, with its value in the bound's unit
 */
export function withBound(view: View, name: string, judge: (bound: Bound) => Part): Part {
  const bound = view.bounds.get(name);
  if (bound === undefined) return unknownPart(`the history has no bound "${name}"`);
  return judge(bound);
}

/** The verdict of something that must hold at all times: it passes only if the whole trial was observed. */
export function safetyPart(view: View, findings: readonly Finding[], summary: string, measurements: readonly Measurement[] = []): Part {
  if (findings.length > 0) return { verdict: 'fail', summary, findings: [...findings], measurements: [...measurements] };
  if (!view.complete) return unknownPart(`${summary}, but the trial did not reach its last phase`, measurements);
  return { verdict: 'pass', summary, findings: [], measurements: [...measurements] };
}

/** Indexes of the events, in order, without duplicates and undefined ones. */
export function indexes(events: Iterable<{ readonly i: number } | undefined>): number[] {
  const places = new Set<number>();
  for (const event of events) {
    if (event !== undefined) places.add(event.i);
  }
  return [...places].sort((a, b) => a - b).slice(0, MAX_EVENTS);
}

/** The worst value for a bound: the largest, or the smallest if the bound is a minimum. */
export function measure(bound: Bound, values: Iterable<{ readonly value: number; readonly object: string }>): Measurement {
  let worst: { value: number; object: string } | undefined;
  for (const one of values) {
    if (worst === undefined || (bound.least === true ? one.value < worst.value : one.value > worst.value)) worst = one;
  }
  return worst === undefined ? { bound } : { bound, worst: worst.value, object: worst.object };
}

/** `87.4 s`, `2 min 52.8 s`, `1 h 2 min 0 s`; also for a moment, counted from the start of the trial. */
export function duration(ms: number): string {
  const tenths = Math.round(ms / 100);
  if (tenths < SPELT_OUT_TENTHS) return `${tenths / 10} s`;
  const minutes = Math.floor(tenths / 600);
  const rest = `${minutes % 60} min ${(tenths % 600) / 10} s`;
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)} h ${rest}`;
}

/** `bound provision, 2 min 22.5 s` */
export function nameBound(bound: Bound): string {
  return `bound ${bound.name}, ${duration(bound.value)}`;
}

/** `1 pod`, `3 pods` */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
