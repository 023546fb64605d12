import { isDeepStrictEqual } from 'node:util';
import type { Agreement } from './agreement.ts';
import type { Answer } from './answers.ts';
import { OPERATIONS, READS } from './script.ts';
import type { Operation, Script } from './script.ts';

/** Where our answer first differs from the real one. */
export interface Difference {
  /** Operation, resource, what is different where: the same for differences of the same kind. */
  readonly name: string;
  readonly script: Script;
  readonly step: number;
  readonly real: unknown;
  readonly ours: unknown;
}

/** The first step that a script's answers differ in; what follows from it is not looked at. */
export function differenceOf(script: Script, real: readonly Answer[], ours: readonly Answer[]): Difference | undefined {
  for (const [index, step] of script.steps.entries()) {
    const [theirs, own] = [real[index], ours[index]];
    if (theirs === undefined || own === undefined) throw new Error(`${script.id}: no answer to step ${index}`);
    const found = firstDifference(theirs, own);
    if (found === undefined) continue;
    const reason = (theirs.body as { reason?: string } | undefined)?.reason;
    const outcome = `${theirs.status}${theirs.status >= 400 && reason !== undefined ? ` ${reason}` : ''}${theirs.status === own.status ? '' : ` (ours ${own.status})`}`;
    const name = `${step.operation} ${step.resource} ${outcome}: ${theirs.status === own.status ? `${found.path} ${found.kind}` : 'status'}`;
    return {
      name,
      script,
      step: index,
      real: found.path === 'status' ? theirs : found.real,
      ours: found.path === 'status' ? own : found.ours,
    };
  }
  return undefined;
}

/** All differences, at most one of a script. */
export function differencesOf(
  scripts: readonly Script[],
  real: readonly (readonly Answer[])[],
  ours: readonly (readonly Answer[])[],
): Difference[] {
  return scripts.flatMap((script, index) => differenceOf(script, real[index] ?? [], ours[index] ?? []) ?? []);
}

export function agreementOf(scripts: readonly Script[], differences: readonly Difference[]): Agreement {
  const unlike = new Map(differences.map(({ script, step }) => [script.id, step]));
  const answers = scripts.reduce((sum, { id, steps }) => sum + (unlike.has(id) ? (unlike.get(id) ?? 0) + 1 : steps.length), 0);
  return { cases: scripts.length, agreeing: scripts.length - differences.length, answers };
}

interface Found {
  readonly path: string;
  readonly kind: 'missing' | 'extra' | 'differs';
  readonly real: unknown;
  readonly ours: unknown;
}

/** Where two answers first differ, as a path of keys; `status` before all others. */
export function firstDifference(real: unknown, ours: unknown, path = ''): Found | undefined {
  if (isDeepStrictEqual(real, ours)) return undefined;
  if (Array.isArray(real) && Array.isArray(ours)) {
    for (const [index, one] of real.entries()) {
      const found = index < ours.length ? firstDifference(one, ours[index], `${path}.*`) : undefined;
      if (found !== undefined) return found;
    }
    return { path, kind: real.length > ours.length ? 'missing' : 'extra', real, ours };
  }
  if (isObject(real) && isObject(ours)) {
    for (const key of [...new Set([...Object.keys(real), ...Object.keys(ours)])].sort(statusFirst)) {
      const below = path === '' ? key : `${path}.${/^f:|^k:|[./]/.test(key) ? '*' : key}`;
      if (!(key in ours)) return { path: below, kind: 'missing', real: real[key], ours: undefined };
      if (!(key in real)) return { path: below, kind: 'extra', real: undefined, ours: ours[key] };
      const found = firstDifference(real[key], ours[key], below);
      if (found !== undefined) return found;
    }
  }
  return { path, kind: 'differs', real, ours };
}

function statusFirst(a: string, b: string): number {
  const rank = (key: string): string => (key === 'status' ? '' : key);
  return rank(a) < rank(b) ? -1 : 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Differences by their name, the shortest script of each first; the most frequent class first. */
export function classesOf<T extends { readonly name: string }>(
  differences: readonly T[],
  sizeOf: (one: T) => number,
): { name: string; count: number; smallest: T }[] {
  const classes = new Map<string, T[]>();
  for (const one of differences) classes.set(one.name, [...(classes.get(one.name) ?? []), one]);
  return [...classes]
    .map(([name, members]) => {
      const smallest = members.reduce((best, one) => (sizeOf(one) < sizeOf(best) ? one : best));
      return { name, count: members.length, smallest };
    })
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** How often each operation had each outcome on the real server. */
export interface Grid {
  readonly rows: readonly { readonly operation: Operation; readonly outcomes: Readonly<Record<Outcome, number>>; readonly total: number }[];
  /** Share of the changing requests that were carried out. */
  readonly successRate: number;
}

const OUTCOMES = ['done', 'not found', 'conflict', 'invalid', 'too many', 'other'] as const;
type Outcome = (typeof OUTCOMES)[number];

function outcomeOf(status: number): Outcome {
  if (status < 400) return 'done';
  if (status === 404) return 'not found';
  if (status === 409) return 'conflict';
  if (status === 422 || status === 400) return 'invalid';
  return status === 429 ? 'too many' : 'other';
}

export function gridOf(scripts: readonly Script[], answers: readonly (readonly Answer[])[]): Grid {
  const rows = OPERATIONS.map((operation) => {
    const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
    for (const [index, { steps }] of scripts.entries()) {
      for (const [place, step] of steps.entries()) {
        if (step.operation === operation) outcomes[outcomeOf(answers[index]?.[place]?.status ?? 0)] += 1;
      }
    }
    return { operation, outcomes, total: Object.values(outcomes).reduce((sum, count) => sum + count, 0) };
  });
  const changes = rows.filter(({ operation }) => !READS.has(operation));
  const total = changes.reduce((sum, row) => sum + row.total, 0);
  return { rows, successRate: total === 0 ? 0 : changes.reduce((sum, row) => sum + row.outcomes.done, 0) / total };
}

export function gridText({ rows, successRate }: Grid): string {
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(12) : cell.padStart(10))).join('');
  const body = rows.map(({ operation, outcomes, total }) =>
    line([operation, ...OUTCOMES.map((outcome) => String(outcomes[outcome])), String(total)]),
  );
  return [line(['operation', ...OUTCOMES, 'all']), ...body, `changes carried out: ${(successRate * 100).toFixed(1)} %`].join('\n');
}
