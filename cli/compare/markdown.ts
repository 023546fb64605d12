import type { ComparedCell, ComparedChange, ComparedSection, ComparedUnit, TargetComparison } from '../../history/comparison.ts';
import {
  CHANGE_WORDS,
  brokenText,
  changeLines,
  comparedText,
  findingsOf,
  formatBounds,
  formatCell,
  gapsOf,
  leftOutText,
  resultOf,
} from '../../reports/comparison.ts';
import { escapeMarkdown as escape, markdownTable as table } from '../markdown.ts';

/** A comparison for a pull request or an issue, in the Markdown of GitHub. */
export function formatComparisonMarkdown(comparison: TargetComparison): string {
  const { sides, sections, broken, differences, leftOut, compared, unserved = [] } = comparison;
  return [
    '# Scaleproof comparison',
    '',
    ...(compared.trials === 0
      ? ['**Nothing to compare: the sides have no trial in common.**']
      : findingsOf(comparison).map(({ outcome, text }) => `- ${outcome === 'worse' ? `**${escape(text)}**` : escape(text)}`)),
    '',
    escape(comparedText(comparison)),
    '',
    ...table(
      ['', 'Target', 'World', 'Trials', 'Scaleproof', 'Run'],
      sides.map(({ letter, target, world, trials, version, directory }) =>
        [letter, target, world, String(trials), version, directory].map(escape),
      ),
    ),
    ...[...differences, ...unserved].flatMap((text) => ['', `> ${escape(text)}`]),
    ...sections.flatMap((section) => ['', ...describeSection(section, comparison)]),
    ...(broken.length === 0 ? [] : ['', '## Violations of invariants', '', ...broken.map((one) => `- ${escape(brokenText(one))}`)]),
    ...(leftOut.length === 0 ? [] : ['', '## Not compared', '', ...leftOut.map((one) => `- ${escape(leftOutText(one))}`)]),
    '',
  ].join('\n');
}

function describeSection(section: ComparedSection, { sides }: TargetComparison): string[] {
  const letters = sides.map(({ letter }) => letter);
  return [
    `## ${escape(section.title)}`,
    '',
    ...table(
      ['Measure', ...letters, ...letters.slice(1).map((letter) => `${letter} / ${letters[0] ?? ''}`)],
      section.rows.map(({ title, unit, cells, changes }) => [
        escape(title),
        ...cells.map((cell) => describeCell(cell, unit)),
        ...changes.map(describeChange),
      ]),
    ),
    '',
    escape(section.about),
    ...gapsOf(section).flatMap((text) => ['', `*${escape(text)}.*`]),
  ];
}

function describeCell(cell: ComparedCell, unit: ComparedUnit): string {
  const bounds = formatBounds(cell, unit);
  return (
    [formatCell(cell, unit), ...(bounds === undefined ? [] : [`(${bounds})`])].map(escape).join('<br>') +
    `<br><sub>${escape([cell.of, cell.detail ?? []].flat().join('; '))}</sub>`
  );
}

function describeChange(change: ComparedChange): string {
  const [first = [], ...others] = changeLines(change);
  const text = escape([CHANGE_WORDS[resultOf(change)], first].flat().join(' '));
  return [change.outcome === 'worse' ? `**${text}**` : text, ...others.map((line) => `<sub>${escape(line)}</sub>`)].join('<br>');
}
