import { formatCount, formatShort } from './format.ts';
import { createPaint } from './paint.ts';
import { clip, wrap } from './table.ts';
import type { Verdict } from '../history/verdict.ts';

/** The progress of a run. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The same for each side, if there are several. */
  readonly sides?: readonly { readonly name: string; readonly done: number; readonly total: number }[];
  /** Running trials: `crashes/killed-after-launch seed 3`. */
  readonly running: readonly string[];
  readonly failed: number;
  readonly unknown: number;
  /** The estimated remaining time; absent before the first trial has ended. */
  readonly leftMs?: number;
}

const BAR_CELLS = 10;
/** Most codes in the line of a trial. */
const MAX_CODES = 3;

/** A line to rewrite on a terminal, shorter than `columns`. */
export function progressLine(progress: Progress, { columns, color }: { readonly columns: number; readonly color: boolean }): string {
  const { done, total, sides = [], running, failed, unknown } = progress;
  const paint = createPaint(color);
  const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_CELLS);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`;
  const text = clip(
    [[...(sides.length === 0 ? [`${done}/${total}`] : []), ...countsOf(progress)].join(', '), running.join(', ')]
      .filter((part) => part !== '')
      .join('  '),
    columns - BAR_CELLS - 2,
  );
  const tone = failed > 0 ? 'fail' : unknown > 0 ? 'unknown' : 'pass';
  return `${paint(tone, bar)} ${text}`;
}

/** A line printed now and then without a terminal: `[ 32/155] 1 failed, 40s left`; with sides also `baseline 17 of 78`. */
export function tallyLine(progress: Progress): string {
  return `${placeOf(progress)} ${countsOf(progress).join(', ')}`;
}

function countsOf({ sides = [], failed, unknown, leftMs }: Progress): string[] {
  return [
    ...sides.map(({ name, done, total }) => `${name} ${done} of ${total}`),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(leftMs === undefined ? [] : [`${formatLeft(leftMs)} left`]),
  ];
}

/** In whole seconds: it is an estimate. */
function formatLeft(ms: number): string {
  return formatShort(Math.max(1_000, Math.ceil(ms / 1_000) * 1_000)).replace('.0s', 's');
}

/** A trial that has ended. */
export interface EndedTrial {
  /** `crashes/killed-after-launch seed 3` */
  readonly name: string;
  readonly verdict: Verdict;
  /** Its duration on its own clock, and the name of that time: `virtual time`. */
  readonly time?: { readonly ms: number; readonly name: string };
  /** Codes of findings, and names of checks that could not judge. */
  readonly codes?: readonly string[];
}

/** The text for a trial that has ended: usually one line, none longer than `columns`. */
export function trialLine(
  { name, verdict, time, codes = [] }: EndedTrial,
  { done, total, columns }: { readonly done: number; readonly total: number; readonly columns: number },
): string[] {
  const took = time === undefined ? '' : ` (${formatShort(time.ms)} of ${time.name})`;
  const distinct = [...new Set(codes)];
  const more = distinct.length - MAX_CODES;
  const named = [...distinct.slice(0, MAX_CODES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const found = named === '' ? '' : `: ${named}`;
  const place = placeOf({ done, total });
  return wrap(`${verdict} ${name}${took}${found}`, columns - place.length - 1).map(
    (line, index) => `${index === 0 ? place : ' '.repeat(place.length)} ${line}`,
  );
}

/** Printed after the last failure that is printed by itself. */
export function furtherFailuresLine(printed: number): string[] {
  return [`${formatCount(printed, 'failure')} printed; further ones are only counted here, and listed at the end`];
}

function placeOf({ done, total }: Pick<Progress, 'done' | 'total'>): string {
  return `[${String(done).padStart(String(total).length)}/${total}]`;
}
