import type { Agreement } from './agreement.ts';
import { firstDifference } from './difference.ts';
import type { Found } from './difference.ts';
import type { KnownClasses } from './agreement.ts';

/** A random case: a sequence of requests. */
export interface AnyScript {
  readonly id: string;
  readonly steps: readonly { readonly operation: string }[];
}

/** The name of a difference, and the differing parts of the two answers. */
export interface NamedDifference {
  /** Equal for differences of the same class. */
  readonly name: string;
  readonly real: unknown;
  readonly ours: unknown;
}

/** The first difference of a script's answers from the real ones. */
export interface ScriptDifference<S extends AnyScript> extends NamedDifference {
  readonly script: S;
  readonly step: number;
}

/**
 * All differences, at most one per script: in the first step with differing answers. Later steps are not compared.
 * @throws Error for a step without an answer
 */
export function differencesOf<S extends AnyScript, A>(
  scripts: readonly S[],
  real: readonly (readonly A[])[],
  ours: readonly (readonly A[])[],
  nameDifference: (step: S['steps'][number], theirs: A, own: A, found: Found) => NamedDifference,
): ScriptDifference<S>[] {
  return scripts.flatMap((script, index) => {
    for (const [place, step] of script.steps.entries()) {
      const [theirs, own] = [real[index]?.[place], ours[index]?.[place]];
      if (theirs === undefined || own === undefined) throw new Error(`${script.id}: no answer to step ${place}`);
      const found = firstDifference(theirs, own);
      if (found !== undefined) return [{ ...nameDifference(step, theirs, own, found), script, step: place }];
    }
    return [];
  });
}

export function agreementOf(scripts: readonly AnyScript[], differences: readonly ScriptDifference<AnyScript>[]): Agreement {
  const unlike = new Map(differences.map(({ script, step }) => [script.id, step + 1]));
  const answers = scripts.reduce((sum, { id, steps }) => sum + (unlike.get(id) ?? steps.length), 0);
  return { cases: scripts.length, agreeing: scripts.length - differences.length, answers };
}

/** How a grid counts answers. */
export interface GridSite<Outcome extends string, A> {
  readonly operations: readonly string[];
  /** Operations that change nothing. */
  readonly reads: ReadonlySet<string>;
  /** `done` means success. */
  readonly outcomes: readonly ('done' | Outcome)[];
  readonly outcomeOf: (answer: A) => 'done' | Outcome;
}

/** How often each operation had each outcome on the real part. */
export interface Grid<Outcome extends string> {
  readonly outcomes: readonly ('done' | Outcome)[];
  readonly rows: readonly {
    readonly operation: string;
    readonly outcomes: Readonly<Record<'done' | Outcome, number>>;
    readonly total: number;
  }[];
  /** Share of the mutating requests that succeeded. */
  readonly successRate: number;
}

/** @throws Error for a step without an answer */
export function gridOf<Outcome extends string, A>(
  { operations, reads, outcomes, outcomeOf }: GridSite<Outcome, A>,
  scripts: readonly AnyScript[],
  answers: readonly (readonly A[])[],
): Grid<Outcome> {
  const rows = operations.map((operation) => {
    const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<'done' | Outcome, number>;
    for (const [index, { id, steps }] of scripts.entries()) {
      for (const [place, step] of steps.entries()) {
        if (step.operation !== operation) continue;
        const answer = answers[index]?.[place];
        if (answer === undefined) throw new Error(`${id}: no answer to step ${place}`);
        counts[outcomeOf(answer)] += 1;
      }
    }
    return { operation, outcomes: counts, total: Object.values<number>(counts).reduce((sum, count) => sum + count, 0) };
  });
  const changes = rows.filter(({ operation }) => !reads.has(operation));
  const total = changes.reduce((sum, row) => sum + row.total, 0);
  return { outcomes, rows, successRate: total === 0 ? 0 : changes.reduce((sum, row) => sum + row.outcomes.done, 0) / total };
}

export function gridText<Outcome extends string>({ outcomes, rows, successRate }: Grid<Outcome>): string {
  const width = 2 + Math.max(...rows.map(({ operation }) => operation.length));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(width) : cell.padStart(10))).join('');
  const body = rows.map(({ operation, outcomes: counts, total }) =>
    line([operation, ...outcomes.map((outcome) => String(counts[outcome])), String(total)]),
  );
  return [line(['operation', ...outcomes, 'all']), ...body, `successful changes: ${(successRate * 100).toFixed(1)} %`].join('\n');
}

/** Most characters shown of an answer. */
const MAX_SHOWN = 600;

/** One class of differences, shown by its shortest script. */
export function classText({
  name,
  count,
  smallest: { script, step, real, ours },
}: {
  readonly name: string;
  readonly count: number;
  readonly smallest: ScriptDifference<AnyScript>;
}): string {
  return `\n${count}  ${name}\n   ${script.id} step ${step}, real: ${short(real)}\n   ours: ${short(ours)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** Recorded cases to run in a test: one in `every`, and the example of each known class, so that stale classes are found too. */
export function sampleOf<C extends { readonly id: string }, A>(
  cases: readonly C[],
  answers: readonly (readonly A[])[],
  { every, known }: { readonly every: number; readonly known: KnownClasses },
): { readonly sample: readonly C[]; readonly real: readonly (readonly A[])[] } {
  const examples = new Set(Object.values(known).map(({ example }) => example));
  const chosen = [...cases.entries()].filter(([index, { id }]) => index % every === 0 || examples.has(id));
  return { sample: chosen.map(([, one]) => one), real: chosen.map(([index]) => answers[index] ?? []) };
}
