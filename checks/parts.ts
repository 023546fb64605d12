import type { Bound } from '../history/events.ts';
import { combine } from '../history/verdict.ts';
import type { CheckResult, Finding, Measurement } from '../history/verdict.ts';
import type { View } from '../history/view.ts';

/** What a check finds, or one part of it: what one expectation comes to. */
export type Part = Omit<CheckResult, 'check'>;

/** Findings that a check spells out; the summary counts them all. */
const MAX_FINDINGS = 1_000;
/** Events that a finding points at. */
const MAX_EVENTS = 40;
/** Two minutes: what is longer is hard to read in seconds. */
const SPELT_OUT_TENTHS = 1_200;

/** Puts the parts of a check together; undefined when there are none. */
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
 * Judges by a bound of the history; a bound that the history does not name makes the part unknown.
 * @param judge gets the bound as resolved for the trial, with its value in its own unit
 */
export function withBound(view: View, name: string, judge: (bound: Bound) => Part): Part {
  const bound = view.bounds.get(name);
  if (bound === undefined) return unknownPart(`the history has no bound "${name}"`);
  return judge(bound);
}

/** The verdict of something that must hold at every moment: it held only if the whole trial was seen. */
export function safetyPart(view: View, findings: readonly Finding[], summary: string, measurements: readonly Measurement[] = []): Part {
  if (findings.length > 0) return { verdict: 'fail', summary, findings: [...findings], measurements: [...measurements] };
  if (!view.complete) return unknownPart(`${summary}, but the trial did not reach its last phase`, measurements);
  return { verdict: 'pass', summary, findings: [], measurements: [...measurements] };
}

/** Indexes of the events that show something, in order and without what is absent. */
export function indexes(events: Iterable<{ readonly i: number } | undefined>): number[] {
  const places = new Set<number>();
  for (const event of events) {
    if (event !== undefined) places.add(event.i);
  }
  return [...places].sort((a, b) => a - b).slice(0, MAX_EVENTS);
}

/** The worst of some values beside their bound: the largest, or the least where that much is due. */
export function measure(bound: Bound, values: Iterable<{ readonly value: number; readonly object: string }>): Measurement {
  let worst: { value: number; object: string } | undefined;
  for (const one of values) {
    if (worst === undefined || (bound.least === true ? one.value < worst.value : one.value > worst.value)) worst = one;
  }
  return worst === undefined ? { bound } : { bound, worst: worst.value, object: worst.object };
}

/** `87.4 s`, `2 min 52.8 s`, `1 h 2 min 0 s`: also of a moment, from the beginning of the trial on. */
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
