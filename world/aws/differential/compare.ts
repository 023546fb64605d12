import type { Agreement } from '../../kube/differential/random/agreement.ts';
import { firstDifference } from '../../kube/differential/random/compare.ts';
import type { Answer } from './ask.ts';
import { OPERATIONS, READS } from './script.ts';
import type { Operation, Script } from './script.ts';

/** Where our answer first differs from LocalStack's. */
export interface Difference {
  /** Operation, what is different where: the same for differences of the same kind. */
  readonly name: string;
  readonly script: Script;
  readonly step: number;
  readonly real: unknown;
  readonly ours: unknown;
}

/** The first step that a script's answers differ in; what follows from it is not looked at. */
export function differenceOf(script: Script, real: readonly Answer[], ours: readonly Answer[]): Difference | undefined {
  for (const [step, { operation }] of script.steps.entries()) {
    const [theirs, own] = [real[step], ours[step]];
    if (theirs === undefined || own === undefined) throw new Error(`${script.id}: no answer to step ${step}`);
    const found = firstDifference(theirs, own);
    if (found === undefined) continue;
    const isRefused = theirs.status !== 200 || own.status !== 200;
    const name = isRefused ? `${codeOf(theirs)} (ours ${codeOf(own)})` : `${found.path} ${found.kind}`;
    return { name: `${operation}: ${name}`, script, step, real: isRefused ? theirs : found.real, ours: isRefused ? own : found.ours };
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
  const unlike = new Map(differences.map(({ script, step }) => [script.id, step + 1]));
  const answers = scripts.reduce((sum, { id, steps }) => sum + (unlike.get(id) ?? steps.length), 0);
  return { cases: scripts.length, agreeing: scripts.length - differences.length, answers };
}

const OUTCOMES = ['done', 'not found', 'malformed', 'exists', 'invalid', 'dry run', 'other'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** How often each operation had each outcome at LocalStack. */
export interface Grid {
  readonly rows: readonly { readonly operation: Operation; readonly outcomes: Readonly<Record<Outcome, number>>; readonly total: number }[];
  /** Share of the changing calls that were carried out. */
  readonly successRate: number;
}

function codeOf({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${(body as { code: string }).code}`;
}

function outcomeOf(answer: Answer): Outcome {
  const code = codeOf(answer);
  if (answer.status === 200) return 'done';
  if (/NotFound|DoesNotExist/.test(code)) return 'not found';
  if (/Malformed/.test(code)) return 'malformed';
  if (/AlreadyExists/.test(code)) return 'exists';
  if (/InvalidParameter|MissingParameter|ReceiptHandleIsInvalid|NotDistinct/.test(code)) return 'invalid';
  return code.endsWith('DryRunOperation') ? 'dry run' : 'other';
}

export function gridOf(scripts: readonly Script[], answers: readonly (readonly Answer[])[]): Grid {
  const rows = OPERATIONS.map((operation) => {
    const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
    for (const [index, { steps }] of scripts.entries()) {
      for (const [place, step] of steps.entries()) {
        const answer = answers[index]?.[place];
        if (step.operation === operation && answer !== undefined) outcomes[outcomeOf(answer)] += 1;
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
    cells.map((cell, index) => (index === 0 ? cell.padEnd(24) : cell.padStart(10))).join('');
  const body = rows.map(({ operation, outcomes, total }) =>
    line([operation, ...OUTCOMES.map((outcome) => String(outcomes[outcome])), String(total)]),
  );
  return [line(['operation', ...OUTCOMES, 'all']), ...body, `changes carried out: ${(successRate * 100).toFixed(1)} %`].join('\n');
}
