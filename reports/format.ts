import type { Bound } from '../history/events.ts';

/**
 * Formats numbers for people. Times are in milliseconds, virtual or real.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A moment of a trial: `0:12.345`, after an hour `1:02:03.345`. */
export function formatMoment(ms: number): string {
  const whole = Math.floor(ms / 1000);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const seconds = `${pad(whole % 60)}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
  return hours === 0 ? `${minutes}:${seconds}` : `${hours}:${pad(minutes)}:${seconds}`;
}

/** A duration in a sentence: `85 ms`, `1.2 s`, `45 s`, `2 min 10 s`, `1 h 2 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${trim((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
  const minutes = Math.round(ms / MINUTE_MS);
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}

/** A duration in a narrow column: `85ms`, `1.2s`, `45s`, `2m10s`, `1h02m`. */
export function formatShort(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${pad(seconds % 60)}s`;
  const minutes = Math.round(ms / MINUTE_MS);
  return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}

/** `86.4 MiB` */
export function formatMiB(value: number): string {
  return `${value.toFixed(1)} MiB`;
}

/** A value of a bound with its unit. */
export function formatValue(value: number, unit: Bound['unit']): string {
  if (unit === 'ms') return formatDuration(value);
  if (unit === 'usd') return `$${value.toFixed(2)}`;
  return unit === 'ratio' ? formatPercent(value) : `${Math.round(value * 100) / 100} (count)`;
}

/** The limit of a bound, which is a maximum or a minimum. */
export function formatLimit({ value, unit, least }: Pick<Bound, 'value' | 'unit' | 'least'>): string {
  return `${least === true ? 'at least' : 'at most'} ${formatValue(value, unit)}`;
}

/** A ratio as a percentage; `100 %` and `0 %` only for exact values. */
export function formatPercent(ratio: number): string {
  const rounded = Math.round(ratio * 1000) / 10;
  if (rounded >= 100 && ratio < 1) return '99.9 %';
  if (rounded <= 0 && ratio > 0) return '0.1 %';
  return `${trim(rounded.toFixed(1))} %`;
}

/** How much faster the trials' clock was than real time. */
export function formatRatio(ratio: number): string {
  return `×${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)}`;
}

/** `1 pod`, `2 pods` */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `never`, `once`, `2 times` */
export function formatTimes(count: number): string {
  return count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`;
}

/** The largest round step, in milliseconds, that fits at least `wanted` times into the range of an axis. */
export function roundStepMs(rangeMs: number, wanted: number): number {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000];
  const larger = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS);
  const hours = [1, 2, 6, 12, 24].map((count) => count * HOUR_MS);
  return [...steps, ...larger, ...hours].findLast((stepMs) => rangeMs / stepMs >= wanted) ?? 1;
}

/** Labels of an axis: `0`, `30 s`, `2 min`, `2:30`. */
export function formatTick(ms: number, stepMs: number): string {
  if (ms === 0) return '0';
  if (stepMs < 1000) return `${ms / 1000} s`;
  if (ms < MINUTE_MS) return `${ms / 1000} s`;
  const minutes = Math.floor(ms / MINUTE_MS);
  const seconds = Math.floor((ms % MINUTE_MS) / 1000);
  if (ms < HOUR_MS) return seconds === 0 ? `${minutes} min` : `${minutes}:${pad(seconds)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}${seconds === 0 ? ' h' : `:${pad(seconds)}`}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

function trim(text: string): string {
  return text.replace(/\.0$/, '');
}

/** Names of phases, alone or within a text, as pages show them: `pending → running`. */
export function formatPhase(text: string): string {
  return text.replaceAll('->', '→');
}
