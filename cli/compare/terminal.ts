import type { ComparedChange, ComparedSection, TargetComparison } from '../../history/comparison.ts';
import {
  CHANGE_WORDS,
  brokenText,
  comparedText,
  findingsOf,
  formatBounds,
  formatCell,
  formatChange,
  gapsOf,
  isMeasuredAnew,
  leftOutText,
} from '../../reports/comparison.ts';
import { createPaint, printable } from '../../reports/paint.ts';
import type { Ink } from '../../reports/paint.ts';
import { formatCount } from '../../reports/format.ts';
import { SHORTEST_NAME, renderTable, wrap } from '../../reports/table.ts';
import type { Cell, Column } from '../../reports/table.ts';

type Paint = (ink: Ink, text: string) => string;

const INKS: Readonly<Record<ComparedChange['outcome'], Ink>> = { better: 'pass', worse: 'fail', unclear: 'dim' };

/** A comparison for a terminal: the sides, a table for each section, and what was not compared. */
export function formatTargetComparison(
  comparison: TargetComparison,
  { color, columns }: { readonly color: boolean; readonly columns: number },
): string {
  const paint = createPaint(color);
  const { sides, sections, broken, differences, leftOut, compared, unserved = [] } = comparison;
  return [
    ...sides.flatMap(({ letter, target, directory, world, trials }) =>
      wrap(printable(`${target} in ${world}, ${formatCount(trials, 'trial')} (${directory})`), columns - 3).map(
        (line, index) => `${index === 0 ? paint('bold', letter) : ' '}  ${line}`,
      ),
    ),
    ...wrap(comparedText(comparison), columns),
    '',
    ...differences.flatMap((text) => wrap(printable(text), columns).map((line) => paint('unknown', line))),
    ...(differences.length === 0 ? [] : ['']),
    ...sections.flatMap((section) => [...describeSection(section, comparison, paint, columns), '']),
    ...(broken.length === 0
      ? []
      : [
          'VIOLATIONS OF INVARIANTS',
          ...broken.flatMap((one) => [
            ...hang(printable(brokenText(one)), columns),
            paint('dim', `    scaleproof replay ${printable(one.example.replay)}`),
          ]),
          '',
        ]),
    ...(leftOut.length === 0 ? [] : ['NOT COMPARED', ...leftOut.flatMap((one) => hang(printable(leftOutText(one)), columns)), '']),
    ...(compared.trials === 0
      ? [paint('unknown', '? NOTHING TO COMPARE: the sides have no trial in common')]
      : findingsOf(comparison).flatMap(({ outcome, text }) => wrap(text, columns).map((line) => paint(INKS[outcome], line)))),
    ...unserved.flatMap((text) => wrap(printable(text), columns).map((line) => paint('unknown', line))),
    '',
  ].join('\n');
}

function hang(text: string, columns: number): string[] {
  return wrap(text, columns - 4).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`);
}

function describeSection(section: ComparedSection, { sides }: TargetComparison, paint: Paint, maxWidth: number): string[] {
  const columns: Column[] = [
    { heading: 'MEASURE', align: 'left', shrinkTo: SHORTEST_NAME },
    ...sides.map(({ letter }): Column => ({ heading: letter, align: 'right' })),
    ...sides.slice(1).map(({ letter }): Column => ({ heading: `${letter} / ${sides[0]?.letter ?? ''}`, align: 'left' })),
  ];
  const dim = (text: string): Cell => ({ text, paint: (plain) => paint('dim', plain) });
  const rows = section.rows.flatMap(({ title, unit, cells, changes }, index): Cell[][] => {
    const bounds = cells.map((cell) => formatBounds(cell, unit) ?? '');
    // `600 pods` and `in 60 trials` on a line each: ratios with bounds need the width.
    const of = cells.map((cell) => cell.of.split(/ (?=in )/));
    const trials = of.map(([, where = '']) => where);
    const details = cells.map(({ detail = '' }) => detail);
    return [
      [
        { text: title },
        ...cells.map((cell) => ({ text: formatCell(cell, unit) })),
        ...changes.map((change): Cell => {
          const text = [CHANGE_WORDS[change.outcome], formatChange(change) ?? ''].filter((part) => part !== '').join(' ');
          return { text, paint: (plain) => paint(INKS[change.outcome], plain) };
        }),
      ],
      ...(bounds.every((text) => text === '') ? [] : [[dim(''), ...bounds.map(dim)]]),
      ...(isMeasuredAnew(section, index) ? [[dim(''), ...of.map(([what = '']) => dim(what))]] : []),
      ...(isMeasuredAnew(section, index) && trials.some((text) => text !== '') ? [[dim(''), ...trials.map(dim)]] : []),
      ...(details.every((text) => text === '') ? [] : [[dim(''), ...details.map(dim)]]),
    ];
  });
  return [
    paint('bold', section.title.toUpperCase()),
    ...renderTable(columns, rows, { maxWidth: maxWidth - 2, paintHeading: (text) => paint('dim', text) }).map((line) => `  ${line}`),
    ...gapsOf(section).flatMap((text) => hang(text, maxWidth).map((line) => paint('dim', line))),
  ];
}
