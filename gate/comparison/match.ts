import { isDeepStrictEqual } from 'node:util';
import type { LeftOut } from '../../history/comparison.ts';
import { keyOf } from '../sides.ts';
import type { ComparedRun, ComparedTrial } from './compared-run.ts';

/** `A`, `B`, ... `Z`, `A2`, ... */
export function letterOf(index: number): string {
  const round = Math.floor(index / 26);
  return `${String.fromCharCode('A'.charCodeAt(0) + (index % 26))}${round === 0 ? '' : round + 1}`;
}

/** The same trial on each side, in the order of the sides. */
export type Matched = readonly ComparedTrial[];

/** The trials that all runs have, and why the others are left out. */
export function matchTrials(runs: readonly ComparedRun[]): { readonly rows: readonly Matched[]; readonly leftOut: LeftOut[] } {
  const byKey = runs.map(({ trials }) => new Map(trials.map((trial) => [keyOf(trial.episode), trial])));
  const absent = runs.map((run) => new Map([...run.notRun, ...run.lost].map((one) => [keyOf(one), one.why])));
  const all = new Map(
    runs.flatMap(({ trials, notRun, lost }) =>
      [...trials.map(({ episode }) => episode), ...notRun, ...lost].map((one) => [keyOf(one), one]),
    ),
  );
  const rows: Matched[] = [];
  const left = new Map<string, { scenario: string; seeds: number[]; why: string }>();
  for (const [key, { scenario, seed }] of all) {
    const bySide = byKey.map((trials) => trials.get(key));
    const present = bySide.filter((trial) => trial !== undefined);
    const unlike = Object.keys(present[0]?.setting ?? {}).filter((name) =>
      present.some(({ setting }) => !isDeepStrictEqual(setting[name], present[0]?.setting[name])),
    );
    const without = bySide.flatMap((trial, index) =>
      trial === undefined ? [`${letterOf(index)} has none${suffix(absent[index]?.get(key))}`] : [],
    );
    const why =
      without.length > 0
        ? without.join('; ')
        : unlike.length > 0
          ? `${unlike.join(', ')} ${unlike.length === 1 ? 'differs' : 'differ'}`
          : undefined;
    if (why === undefined) {
      rows.push(present);
      continue;
    }
    const known = left.get(`${scenario} ${why}`);
    if (known === undefined) left.set(`${scenario} ${why}`, { scenario, seeds: [seed], why });
    else known.seeds.push(seed);
  }
  return { rows, leftOut: [...left.values()] };
}

function suffix(why: string | undefined): string {
  return why === undefined ? '' : `: ${why}`;
}

/** Matched items by side. */
export function columnsOf<T>(rows: readonly (readonly T[])[], sides: number): T[][] {
  return Array.from({ length: sides }, (_, side) => rows.flatMap((row) => row.slice(side, side + 1)));
}
