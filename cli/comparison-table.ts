import type { Comparison, PhaseComparison, ScenarioComparison } from '../fidelity/compare-worlds.ts';
import { formatDuration, formatShort } from '../reports/format.ts';
import { createPaint } from '../reports/paint.ts';
import type { Ink } from '../reports/paint.ts';
import { SHORTEST_NAME, renderTable, wrap } from '../reports/table.ts';
import type { Cell, Column } from '../reports/table.ts';

type Paint = (ink: Ink, text: string) => string;

const COLUMNS: readonly Column[] = [
  { heading: 'PHASE', align: 'left', shrinkTo: SHORTEST_NAME },
  { heading: 'A', align: 'right' },
  { heading: 'B', align: 'right' },
  { heading: 'B - A', align: 'right' },
  { heading: 'VALUES', align: 'right' },
  { heading: '', align: 'left' },
];

const WORDS: Readonly<Record<PhaseComparison['outcome'], { readonly text: string; readonly ink: Ink }>> = {
  agrees: { text: 'agrees', ink: 'dim' },
  differs: { text: 'DIFFERS', ink: 'fail' },
  'only-one': { text: 'ONLY IN ONE', ink: 'unknown' },
  explained: { text: 'explained', ink: 'accent' },
  stale: { text: 'STALE EXPLANATION', ink: 'fail' },
};

/** A comparison for a terminal: a table for each scenario, then explained differences and what was not compared. */
export function formatComparison(
  comparison: Comparison,
  { color, columns }: { readonly color: boolean; readonly columns: number },
): string {
  const paint = createPaint(color);
  const { a, b, allowed, scenarios, notCompared, outcome } = comparison;
  const explained = scenarios.flatMap(({ scenario, phases }) =>
    phases.flatMap(({ phase, outcome: of, explanation }) => (explanation === undefined ? [] : [{ scenario, phase, of, ...explanation }])),
  );
  return [
    ...wrap(`A: ${a}`, columns),
    ...wrap(`B: ${b}`, columns),
    ...wrap(`Medians agree within ${formatDuration(allowed.leastMs)} or a factor ${allowed.factor}, whichever is larger.`, columns),
    '',
    ...scenarios.flatMap((scenario) => [...describeScenario(scenario, paint, columns), '']),
    ...section(
      columns,
      'EXPLAINED',
      explained.map(({ scenario, phase, of, reason, see, limitMs }) => {
        const upTo = of === 'differs' ? `no more than ${formatDuration(limitMs)}` : `up to ${formatDuration(limitMs)}`;
        return `${scenario}, ${phase}, ${upTo}: ${reason} (${see})`;
      }),
    ),
    ...section(
      columns,
      'NOT COMPARED',
      notCompared.map(({ scenario, seed, why }) => `${scenario} with seed ${seed}: ${why}`),
    ),
    ...wrap(summary(scenarios), columns),
    outcome === 'agree'
      ? paint('pass', '✓ THE WORLDS AGREE')
      : outcome === 'differ'
        ? paint('fail', '✗ THE WORLDS DIFFER')
        : paint('unknown', '? UNKNOWN'),
    '',
  ].join('\n');
}

function section(columns: number, heading: string, lines: readonly string[]): string[] {
  const hung = (line: string): string[] => wrap(line, columns - 4).map((part, index) => `${index === 0 ? '  ' : '    '}${part}`);
  return lines.length === 0 ? [] : [heading, ...lines.flatMap(hung), ''];
}

function describeScenario({ scenario, trials, phases }: ScenarioComparison, paint: Paint, maxWidth: number): string[] {
  const rows = phases.map((phase): Cell[] => {
    const { a, b, differenceMs, outcome } = phase;
    const { text, ink } = WORDS[outcome];
    const signed = differenceMs === undefined ? '-' : `${differenceMs < 0 ? '-' : '+'}${formatShort(Math.abs(differenceMs))}`;
    return [
      { text: phase.phase },
      { text: a === undefined ? '-' : formatShort(a.medianMs) },
      { text: b === undefined ? '-' : formatShort(b.medianMs) },
      { text: signed },
      { text: `${a?.count ?? 0}/${b?.count ?? 0}` },
      { text, paint: (plain) => paint(ink, plain) },
    ];
  });
  return [
    paint('bold', scenario),
    ...trials.map((trial) => `  ${describeTrial(trial, paint)}`),
    ...renderTable(COLUMNS, rows, { maxWidth: maxWidth - 2, paintHeading: (text) => paint('dim', text) }).map((line) => `  ${line}`),
  ];
}

function describeTrial({ seed, a, b, outcome, instances }: ScenarioComparison['trials'][number], paint: Paint): string {
  const side = ({ verdict, findings }: typeof a): string => paint(verdict, [verdict, ...findings].join(' '));
  const verdicts = `seed ${seed}: ${side(a)} in A, ${side(b)} in B${outcome === 'differs' ? paint('fail', ' DIFFERS') : ''}`;
  return `${verdicts}; ${instances.a} and ${instances.b} instances, ${instances.shared} of the same draws`;
}

function summary(scenarios: readonly ScenarioComparison[]): string {
  const trials = scenarios.flatMap((one) => one.trials);
  const phases = scenarios.flatMap((one) => one.phases);
  const count = (outcome: PhaseComparison['outcome']): number => phases.filter((phase) => phase.outcome === outcome).length;
  const same = trials.filter(({ outcome }) => outcome === 'agrees').length;
  return (
    `${same} of ${trials.length} verdicts agree; of ${phases.length} medians ${count('agrees')} agree, ${count('explained')} explained, ` +
    `${count('differs')} differ, ${count('only-one')} in one world only, ${count('stale')} stale explanations`
  );
}
