import type { ComparedSection, TargetComparison } from '../../history/comparison.ts';
import {
  CHANGE_WORDS,
  brokenText,
  changeLines,
  comparedText,
  findingsOf,
  formatBounds,
  formatCell,
  gapsOf,
  isMeasuredAnew,
  leftOutText,
  resultOf,
} from '../../reports/comparison.ts';
import type { ChangeResult } from '../../reports/comparison.ts';
import { createPaint, printable } from '../../reports/paint.ts';
import type { Ink } from '../../reports/paint.ts';
import { formatCount } from '../../reports/format.ts';
import { SHORTEST_NAME, renderTable, wrap } from '../../reports/table.ts';
import type { Cell, Column } from '../../reports/table.ts';

type Paint = (ink: Ink, text: string) => string;

const INKS: Readonly<Record<ChangeResult, Ink>> = { better: 'pass', worse: 'fail', same: 'bold', unclear: 'dim' };

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
    const isNew = isMeasuredAnew(section, index);
    const details = [
      bounds,
      ...(isNew ? [of.map(([what = '']) => what), of.map(([, where = '']) => where)] : []),
      cells.map(({ detail = '' }) => detail),
    ].filter((texts) => texts.some((text) => text !== ''));
    const lines = changes.map(changeLines);
    const below = Array.from({ length: Math.max(details.length, ...lines.map(({ length }) => length - 1)) }, (_, line) => [
      '',
      ...(details[line] ?? cells.map(() => '')),
      ...lines.map((texts) => texts[line + 1] ?? ''),
    ]);
    return [
      [
        { text: title },
        ...cells.map((cell) => ({ text: formatCell(cell, unit) })),
        ...changes.map((change, side): Cell => {
          const result = resultOf(change);
          const text = [CHANGE_WORDS[result], lines[side]?.[0] ?? []].flat().join(' ');
          return { text, paint: (plain) => paint(INKS[result], plain) };
        }),
      ],
      ...below.map((texts) => texts.map(dim)),
    ];
  });
  return [
    paint('bold', section.title.toUpperCase()),
    ...renderTable(columns, rows, { maxWidth: maxWidth - 2, paintHeading: (text) => paint('dim', text) }).map((line) => `  ${line}`),
    ...gapsOf(section).flatMap((text) => hang(text, maxWidth).map((line) => paint('dim', line))),
  ];
}
