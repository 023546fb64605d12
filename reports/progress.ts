import { formatCount, formatShort } from './format.ts';
import { createPaint } from './paint.ts';
import type { Verdict } from '../history/verdict.ts';

/** How far a run has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Trials under way, in words: `crashes/killed-after-launch seed 3`. */
  readonly running: readonly string[];
  readonly failed: number;
  readonly unknown: number;
}

const BAR_CELLS = 20;

/** One line to be rewritten on a terminal, no longer than `columns`. */
export function progressLine(progress: Progress, { columns, color }: { readonly columns: number; readonly color: boolean }): string {
  const { done, total, running, failed, unknown } = progress;
  const paint = createPaint(color);
  const filled = total === 0 ? 0 : Math.floor((done / total) * BAR_CELLS);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`;
  const counts = [`${done}/${total}`, ...(failed > 0 ? [`${failed} failed`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : [])].join(
    ', ',
  );
  const head = `${bar} ${counts}`;
  const rest = running.length === 0 ? '' : `  ${running.join(', ')}`;
  const room = Math.max(0, columns - 1 - head.length);
  const tail = rest.length > room ? `${rest.slice(0, Math.max(0, room - 1))}…` : rest;
  const tone = failed > 0 ? 'fail' : unknown > 0 ? 'unknown' : 'pass';
  return `${paint(tone, bar)} ${counts}${room < 2 ? '' : paint('dim', tail)}`;
}

/** One line for each trial that ended, where there is no terminal. */
export function plainProgressLine(ended: {
  readonly done: number;
  readonly total: number;
  readonly scenario: string;
  readonly seed: number;
  /** Where the target was killed: `after:17`. */
  readonly crash?: string;
  readonly verdict: Verdict | 'not begun';
  /** How long it took on its own clock, and what that is called: `virtual time`. */
  readonly time?: { readonly ms: number; readonly name: string };
  readonly findings?: number;
}): string {
  const { done, total, scenario, seed, crash, verdict, time, findings = 0 } = ended;
  const place = `[${String(done).padStart(String(total).length)}/${total}]`;
  const details = [
    ...(time === undefined ? [] : [`${formatShort(time.ms)} of ${time.name}`]),
    ...(findings > 0 ? [formatCount(findings, 'finding')] : []),
  ];
  return `${place} ${verdict.padEnd(7)} ${scenario} seed ${seed}${crash === undefined ? '' : ` crash ${crash}`}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}
