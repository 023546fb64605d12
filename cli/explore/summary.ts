import type { Found, Standing } from '../../explore/search.ts';
import { formatCount, formatDuration } from '../../reports/format.ts';
import { printable } from '../../reports/paint.ts';
import { wrap } from '../../reports/table.ts';
import { messagesOf, pathFromHere, scenarioPath } from './files.ts';

/** A search that is over. */
export interface SearchSummary {
  readonly directory: string;
  readonly target: string;
  readonly standing: Standing;
  readonly found: readonly Found[];
  readonly seconds: number;
  readonly interrupted: boolean;
  /** Why some trials have no verdict. */
  readonly problems: readonly string[];
}

/** Sentences of a summary that depend on how the search was asked for. */
export interface Remarks {
  /** What to say if nothing was found. */
  readonly nothing: string;
  /** What became of the corpus. */
  readonly corpus?: string;
}

/** What a search found, for a terminal. */
export function summaryOf(
  { directory, target, standing, found, seconds, interrupted, problems }: SearchSummary,
  { nothing, corpus }: Remarks,
  columns: number,
): string {
  const { trials, shrinkTrials, covered, interleavings, known, untold, unknown } = standing;
  const lines = found.flatMap((one) => {
    const { cause, data, result, isAsDrawn } = one;
    const path = pathFromHere(scenarioPath(directory, data.name));
    const [message = ''] = messagesOf(one);
    return [
      '',
      `${cause.check}: ${cause.code}`,
      ...wrap(printable(message), columns - 2).map((line) => `  ${line}`),
      `  with: ${cause.ingredients.join(', ') || 'no fault, and nothing special'}`,
      `  scenario: ${path}`,
      `  again: scaleproof run --scenario ${word(path)} --target ${word(target)}`,
      ...(isAsDrawn ? [`  make it smaller: scaleproof explore --shrink ${word(path)} --target ${word(target)}`] : []),
      `  replay: scaleproof replay '${result.replay}'`,
    ];
  });
  const searched = `${formatCount(trials, 'trial')} of ${printable(target)} in ${formatDuration(seconds * 1_000)}${shrinkTrials === 0 ? '' : ` and ${shrinkTrials} to examine what failed`}: ${covered} places reached, ${formatCount(interleavings, 'different interleaving')}`;
  return [
    ...lines,
    ...(found.length === 0 ? [] : ['']),
    ...wrap(searched, columns),
    ...(known === 0 ? [] : [`${formatCount(known, 'failure')} of known causes`]),
    ...(untold === 0 ? [] : [`${formatCount(untold, 'further failure')} of codes that were told often enough`]),
    ...(unknown === 0 ? [] : [`${formatCount(unknown, 'trial')} without a verdict`]),
    ...problems.flatMap((problem) => wrap(`  ${printable(problem)}`, columns)),
    ...(corpus === undefined ? [] : wrap(printable(corpus), columns)),
    ...(interrupted ? ['The search was interrupted: corpus and findings so far are written.'] : []),
    found.length === 0
      ? printable(nothing)
      : `Found ${formatCount(found.length, 'problem')}: ${pathFromHere(directory)}${interrupted ? '' : '/report/report.html'}`,
    '',
  ].join('\n');
}

/** A word of a shell's command line. */
function word(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
