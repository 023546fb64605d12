import type { ComparedCell, ComparedChange, ComparedRow, ComparedUnit, TargetComparison } from '../history/comparison.ts';
import { formatDuration, formatPercent } from './format.ts';

/** Texts that all formats of a comparison share. */

/** A figure with its unit. */
export function formatFigure(value: number, unit: ComparedUnit): string {
  switch (unit) {
    case 'ratio':
      return formatPercent(value);
    case 'ms':
      return formatDuration(value);
    case 'usd':
      return `$${value.toLocaleString('en-US', { minimumFractionDigits: value < 100 ? 2 : 0, maximumFractionDigits: value < 100 ? 2 : 0 })}`;
    case 'number':
      return formatNumber(value);
  }
}

/** Three significant digits, without an exponent. */
function formatNumber(value: number): string {
  return value === 0 ? '0' : value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** `98.2 %`, `≥ 2 min`, `–` */
export function formatCell({ value, atLeast }: ComparedCell, unit: ComparedUnit): string {
  return value === undefined ? '–' : `${atLeast === true ? '≥ ' : ''}${formatFigure(value, unit)}`;
}

/** The bounds of a figure: `94.2 % – 100 %`, `≥ 38 s`; undefined without bounds. */
export function formatBounds({ lower, upper }: ComparedCell, unit: ComparedUnit): string | undefined {
  if (lower !== undefined && upper !== undefined) return `${formatFigure(lower, unit)} – ${formatFigure(upper, unit)}`;
  if (lower !== undefined) return `≥ ${formatFigure(lower, unit)}`;
  return upper === undefined ? undefined : `≤ ${formatFigure(upper, unit)}`;
}

/**
 * How much a side differs from the first, a line for each text: `×1.21 (1.15 – 1.28)`, its figure over the first one's, or
 * `×1.21, 59 trials needed` if there are too few for bounds. Of shares the difference in percentage points, `-1.7 pp`, and its bounds,
 * `-7.8 – +5`. Last how far apart they can be, if that is within the margin.
 */
export function changeLines(change: ComparedChange): string[] {
  const { difference, needs } = change;
  const within = formatWithin(change) ?? [];
  const need = needs === undefined ? [] : `${needs.trials} trials needed`;
  if (difference === undefined) return [formatRatio(change) ?? [], need, within].flat();
  const { value, lower, upper } = difference;
  return [`${points(value)} pp`, `${points(lower)} – ${points(upper)}`, within].flat();
}

function formatRatio({ ratio }: ComparedChange): string | undefined {
  const format = (value: number): string => value.toFixed(2);
  if (ratio === undefined) return undefined;
  const { value, lower, upper } = ratio;
  if (lower === undefined || upper === undefined) return `×${format(value)}`;
  const isExact = format(value) === format(lower) && format(value) === format(upper);
  return `×${format(value)}${isExact ? '' : ` (${format(lower)} – ${format(upper)})`}`;
}

/** A share as signed percentage points. */
function points(share: number): string {
  const rounded = Number((share * 100).toFixed(1));
  return `${rounded > 0 ? '+' : ''}${rounded}`;
}

/** How far apart two sides can be, rounded up: `at most 4 % apart`, or `at most 5 pp apart` of shares; undefined if that is not known. */
function formatWithin({ within, difference }: ComparedChange): string | undefined {
  if (within === undefined) return undefined;
  if (within.most === 0) return 'no difference';
  return `at most ${Math.ceil(within.most * 100 - 1e-9)} ${difference === undefined ? '%' : 'pp'} apart`;
}

/** A change of waits in a sentence: `B is slower: it takes 1.40 to 1.90 times as long`. */
export function tellChange(letter: string, change: ComparedChange): string {
  const { ratio, needs } = change;
  if (ratio === undefined) return 'not compared';
  const { value, lower, upper } = ratio;
  if (lower === undefined || upper === undefined)
    return `${letter} ×${formatFactor(value)} in these trials${needs === undefined ? '' : `, too few to tell: ${needs.trials} are needed`}`;
  const digits = lower < 2 ? 2 : 1;
  const [least, most] = [lower.toFixed(digits), upper.toFixed(digits)];
  const takes = `${least === most ? least : `${least} to ${most}`} times as long`;
  switch (resultOf(change)) {
    case 'worse':
      return `${letter} is slower: it takes ${takes}`;
    case 'better':
      return `${letter} is faster: it takes ${takes}`;
    case 'same':
      return `${letter} takes as long: ${formatWithin(change) ?? ''}`;
    case 'unclear':
      return `can't be told: ${letter} takes ${takes}`;
  }
}

/** Near one, one digit would show no difference. */
function formatFactor(value: number): string {
  return value.toFixed(value < 2 ? 2 : 1);
}

/** What a comparison shows: `same` if no difference is sure, and any is within the margin; `unclear` if it can't be told. */
export type ChangeResult = ComparedChange['outcome'] | 'same';

/** The result of a figure of one side. */
export function resultOf({ outcome, within }: ComparedChange): ChangeResult {
  return outcome === 'unclear' && within !== undefined ? 'same' : outcome;
}

export const CHANGE_WORDS: Readonly<Record<ChangeResult, string>> = { better: 'better', worse: 'WORSE', same: 'same', unclear: 'unclear' };

/** What all sides share, in a sentence. */
export function comparedText({ compared: { trials, scenarios }, sides, confidence }: TargetComparison): string {
  const what = `${trials} ${trials === 1 ? 'trial' : 'trials'} of ${scenarios.length} ${scenarios.length === 1 ? 'scenario' : 'scenarios'}`;
  return `${what} that ${sides.length === 2 ? 'both sides' : `all ${sides.length} sides`} have, in ${sides[0]?.time ?? ''} time. Each bound has ${formatPercent(confidence)} confidence.`;
}

interface Statement {
  readonly outcome: ChangeResult;
  readonly text: string;
}

/** The most important results: invariants that only one side violated, and other differences from the first side. */
export function findingsOf(comparison: TargetComparison): Statement[] {
  const { sections, sides } = comparison;
  const rows = sections.flatMap((section) => section.rows);
  const found = sides.slice(1).flatMap(({ letter }, index) => [
    ...brokenBy(comparison, letter),
    ...(['worse', 'better'] as const).flatMap((outcome): Statement[] => {
      const titles = rows.filter(({ changes }) => changes[index]?.outcome === outcome).map(({ title }) => title);
      return titles.length === 0 ? [] : [{ outcome, text: `${letter} is ${outcome} than A in: ${titles.join('; ')}.` }];
    }),
  ]);
  const ofAll = (statementsOf: typeof sameIn): Statement[] =>
    sides.slice(1).flatMap(({ letter }, index) => statementsOf(rows, letter, index));
  const [same, tooFew] = [ofAll(sameIn), ofAll(tooFewFor)];
  const open = [...same, ...ofAll(unclearIn), ...tooFew];
  if (found.length > 0) return [...found, ...open];
  const changes = rows.flatMap((row) => row.changes);
  const isBounded = changes.some(({ ratio }) => ratio?.lower !== undefined);
  if (!isBounded && same.length === 0 && tooFew.length === 0) return [{ outcome: 'unclear', text: tooFewForAll(changes) }];
  return [{ outcome: 'unclear', text: 'These trials show no significant difference.' }, ...open];
}

/** The figures in which a side is the same as the first one. */
function sameIn(rows: readonly ComparedRow[], letter: string, index: number): Statement[] {
  const same = rows.flatMap(({ title, changes }) => {
    const change = changes[index];
    return change !== undefined && resultOf(change) === 'same' ? [`${title} (${formatWithin(change) ?? ''})`] : [];
  });
  return same.length === 0 ? [] : [{ outcome: 'same', text: `${letter} is the same as A in: ${firstOf(same)}.` }];
}

/** The figures that have bounds, but wider ones than the margin. */
function unclearIn(rows: readonly ComparedRow[], letter: string, index: number): Statement[] {
  const unclear = rows.flatMap(({ title, changes }) => {
    const change = changes[index];
    const isBounded = change?.ratio?.lower !== undefined || change?.difference !== undefined;
    return change !== undefined && isBounded && resultOf(change) === 'unclear' ? [title] : [];
  });
  const text = `It can't be told whether ${letter} is the same as A in: ${firstOf(unclear)}.`;
  return unclear.length === 0 ? [] : [{ outcome: 'unclear', text }];
}

function firstOf(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join('; ')}${more}`;
}

const MAX_NAMED = 6;

/** What is said if no figure has bounds. */
function tooFewForAll(changes: readonly ComparedChange[]): string {
  const needed = changes.flatMap(({ needs }) => needs?.trials ?? []);
  const hint = needed.length === 0 ? '' : ` \`--trials ${Math.min(...needed)}\` on both sides is enough for some figures.`;
  return `Too few trials to tell any difference.${hint}`;
}

/** A side's ratios that would be of interest if there were enough trials to bound them, and how many are enough. */
function tooFewFor(rows: readonly ComparedRow[], letter: string, index: number): Statement[] {
  const distance = ({ ratio }: ComparedChange): number => Math.abs(Math.log(ratio?.value ?? 1));
  const open = rows.flatMap(({ title, changes }) => {
    const change = changes[index];
    return change?.needs === undefined || distance(change) < LEAST_INTERESTING ? [] : [{ title, change, trials: change.needs.trials }];
  });
  return [...Map.groupBy(open, ({ trials }) => trials)].map(([trials, group]) => {
    const furthest = group.toSorted((a, b) => distance(b.change) - distance(a.change));
    const named = furthest
      .slice(0, MAX_RATIOS_NAMED)
      .map(({ title, change: { ratio } }) => `${title} (×${(ratio?.value ?? 1).toFixed(2)})`);
    const more = group.length > MAX_RATIOS_NAMED ? ` and ${group.length - MAX_RATIOS_NAMED} more` : '';
    return {
      outcome: 'unclear',
      text: `Too few trials to compare ${letter} in: ${named.join('; ')}${more}. \`--trials ${trials}\` on both sides is enough.`,
    };
  });
}

/** Ratios nearer to one than 10 % are not named. */
const LEAST_INTERESTING = Math.log(1.1);
const MAX_RATIOS_NAMED = 3;

/** Violations of invariants need no statistics: one is enough. */
function brokenBy({ broken, sides }: TargetComparison, letter: string): Statement[] {
  const first = sides[0]?.letter ?? '';
  const only = (one: string, other: string): string[] => {
    const codes = new Set(broken.filter((kind) => kind.letter === other).map(({ check, code }) => `${check} ${code}`));
    return broken
      .filter((kind) => kind.letter === one && !codes.has(`${kind.check} ${kind.code}`))
      .map(({ code, trials }) => `${code} (${trials} ${trials === 1 ? 'trial' : 'trials'})`);
  };
  const [worse, better] = [only(letter, first), only(first, letter)];
  return [
    ...(worse.length === 0
      ? []
      : [{ outcome: 'worse' as const, text: `${letter} violated invariants that ${first} did not: ${worse.join(', ')}.` }]),
    ...(better.length === 0
      ? []
      : [{ outcome: 'better' as const, text: `${first} violated invariants that ${letter} did not: ${better.join(', ')}.` }]),
  ];
}

/** One kind of violation: `B: leaked-instance in 2 trials, as in crashes/x with seed 1: Instance i-1 ...` */
export function brokenText({ letter, code, check, trials, example }: TargetComparison['broken'][number]): string {
  return `${letter}: ${code} (${check}) in ${trials} ${trials === 1 ? 'trial' : 'trials'}, as in ${example.scenario} with seed ${example.seed}: ${example.message}`;
}

/** Trials that were not compared, a sentence for each scenario and reason. */
export function leftOutText({ scenario, seeds, why }: TargetComparison['leftOut'][number]): string {
  const shown = seeds.slice(0, MAX_SEEDS_NAMED).join(', ');
  const more = seeds.length > MAX_SEEDS_NAMED ? ` and ${seeds.length - MAX_SEEDS_NAMED} more` : '';
  return `${scenario}, ${seeds.length === 1 ? 'seed' : 'seeds'} ${shown}${more}: ${why}`;
}

const MAX_SEEDS_NAMED = 8;

/** Whether a row was measured in other trials than the row before. If not, they are not repeated. */
export function isMeasuredAnew({ rows }: { readonly rows: readonly Pick<ComparedRow, 'cells'>[] }, index: number): boolean {
  const of = (row: Pick<ComparedRow, 'cells'> | undefined): string => JSON.stringify(row?.cells.map((cell) => cell.of));
  return of(rows[index]) !== of(rows[index - 1]);
}

/** Why figures or bounds are missing in a section: each reason once, with its rows, or their percentiles. */
export function gapsOf({ rows }: { readonly rows: readonly Pick<ComparedRow, 'title' | 'cells'>[] }): string[] {
  const gaps = new Map<string, Set<string>>();
  for (const { title, cells } of rows) {
    for (const { why } of cells) {
      if (why !== undefined) gaps.set(why, (gaps.get(why) ?? new Set()).add(/ (p\d+)$/.exec(title)?.[1] ?? title));
    }
  }
  return [...gaps].map(
    ([why, titles]) => `${titles.size === rows.length && rows.length > 1 ? 'Everything' : [...titles].join(', ')}: ${why}`,
  );
}
