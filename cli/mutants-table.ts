import type { Elsewhere, FirstReport, MutantReport } from '../harness/mutant-matrix.ts';
import type { Vacuity, VacuousLine } from '../harness/vacuity.ts';
import { formatCount, formatDuration, formatShort } from '../reports/format.ts';
import { formatList } from '../model/format-list.ts';
import { createPaint, printable } from '../reports/paint.ts';
import type { Ink } from '../reports/paint.ts';
import { SHORTEST_NAME, renderTable, wrap } from '../reports/table.ts';
import type { Cell, Column } from '../reports/table.ts';
import type { MutantsReport } from './mutants-report.ts';

type Paint = (ink: Ink, text: string) => string;

const COLUMNS: readonly Column[] = [
  { heading: 'MUTANT', align: 'left' },
  { heading: '', align: 'left' },
  { heading: 'CAUGHT IN', align: 'left', shrinkTo: SHORTEST_NAME, leaveOut: 1 },
  { heading: 'FIRST FINDING', align: 'left' },
  { heading: 'AFTER', align: 'right', leaveOut: 2 },
  { heading: 'SEEDS', align: 'right' },
  { heading: 'NEEDS', align: 'left', leaveOut: 4 },
  { heading: 'ALSO IN', align: 'right', leaveOut: 3 },
];

const LEGEND =
  'AFTER is the virtual time until the history proves the first finding; SEEDS are those of the declared scenario that made ' +
  'the declared finding; ALSO IN counts the other scenarios that fail. Columns that do not fit are in mutants.json.';

const OUTCOMES: Readonly<Record<MutantReport['outcome'], { readonly text: string; readonly ink: Ink }>> = {
  caught: { text: '✓', ink: 'pass' },
  missed: { text: '✗', ink: 'fail' },
  unknown: { text: '?', ink: 'unknown' },
  'not-run': { text: '-', ink: 'dim' },
};

const CAUSES: Readonly<Record<Elsewhere['cause'], string>> = {
  'same-finding': 'the declared finding',
  'other-finding': 'another finding',
  control: 'the reference fails there, too',
};

const STATES: Readonly<Record<VacuousLine['state'], string>> = {
  'nothing-alone': 'catches nothing alone',
  'never-fired': 'never fired',
  'never-near': 'nothing came near',
};

/** Results of all mutants for a terminal: a table, then what is not as declared, what else failed and why, and what is vacuous. */
export function formatMutants(report: MutantsReport, { color, columns }: { readonly color: boolean; readonly columns: number }): string {
  const paint = createPaint(color);
  const { mutants, control, unjudged, skipped, vacuity, verdict } = report;
  const section = sections(paint, columns);
  return [
    ...renderTable(COLUMNS, mutants.map(rowOf(paint)), { maxWidth: columns, paintHeading: (text) => paint('dim', text) }),
    '',
    ...wrap(LEGEND, columns),
    '',
    ...section(
      'NOT AS DECLARED',
      mutants.flatMap(({ name, outcome, why = '' }) => (outcome === 'missed' || outcome === 'unknown' ? [`${short(name)}: ${why}`] : [])),
    ),
    ...section(
      'THE REFERENCE DOES NOT PASS',
      control.map(({ scenario, seed, verdict: of, why, replay }) => `${scenario} with seed ${seed}: ${of}: ${why} (${replay})`),
    ),
    ...section('NO VERDICT', unjudgedLines(unjudged)),
    ...section('FURTHER FAILURES, BY THE FIRST FINDING OF EACH', mutants.flatMap(furtherOf)),
    ...section(
      'SKIPPED',
      skipped.map(({ what, why, trials }) => `${what}: ${why} (${formatCount(trials, 'trial')})`),
    ),
    ...vacuityLines(vacuity, section, paint),
    ...wrap(summaryOf(report), columns),
    verdict === 'pass' ? paint('pass', '✓ ALL AS DECLARED') : verdict === 'fail' ? paint('fail', '✗ FAIL') : paint('unknown', '? UNKNOWN'),
    '',
  ].join('\n');
}

type Section = (heading: string, lines: readonly string[]) => string[];

const INDENT = '  ';

/** A heading with lines below, broken at the width; nothing without lines. */
function sections(paint: Paint, columns: number): Section {
  return (heading, lines) => {
    if (lines.length === 0) return [];
    const broken = lines.flatMap((line) =>
      wrap(printable(line), columns - 2 * INDENT.length).map((part, index) => `${INDENT}${index === 0 ? '' : INDENT}${part}`),
    );
    return [paint('bold', heading), ...broken, ''];
  };
}

/** One line for all trials with the same reason: an interrupted run has thousands. */
function unjudgedLines(unjudged: MutantsReport['unjudged']): string[] {
  return [...Map.groupBy(unjudged, ({ why }) => why)].map(([why, those]) => {
    const [first = ''] = those.map(({ target, scenario, seed }) => `${target} in ${scenario} with seed ${seed}`);
    const others = those.length === 1 ? '' : ` and ${formatCount(those.length - 1, 'more trial')}`;
    return `${first}${others}: ${why}`;
  });
}

function short(mutant: string): string {
  return mutant.replace(/^mutant:/, '');
}

function rowOf(paint: Paint): (mutant: MutantReport) => Cell[] {
  return ({ name, outcome, declared, seeds, first, elsewhere }) => {
    const { text, ink } = OUTCOMES[outcome];
    return [
      { text: short(name) },
      { text, paint: (plain) => paint(ink, plain) },
      { text: declared.scenario },
      { text: first?.code ?? '-' },
      { text: first === undefined ? '-' : formatShort(first.atMs) },
      { text: `${seeds.exposed.length}/${seeds.ran.length}` },
      { text: declared.needs ?? '' },
      { text: String(elsewhere.length) },
    ];
  };
}

/** One line for each mutant and first finding: where, and one of them in words. */
function furtherOf({ name, elsewhere }: MutantReport): string[] {
  const groups = Map.groupBy(elsewhere, ({ first, cause }) => `${CAUSES[cause]}, ${codeOf(first)}`);
  return [...groups].map(([what, those]) => {
    const scenarios = those.map(({ scenario }) => scenario);
    const message = those[0]?.first.message ?? '';
    return `${short(name)}: ${what} in ${formatList(scenarios)}: ${message}`;
  });
}

function codeOf({ check, code }: FirstReport): string {
  return `${check} ${code}`;
}

function vacuityLines(vacuity: Vacuity | undefined, section: Section, paint: Paint): string[] {
  if (vacuity === undefined) return ['Only the whole matrix, without --mutant and --scenario, shows what is vacuous.', ''];
  const { lines, stale } = vacuity;
  const textOf = ({ kind, name, state, detail, reason }: VacuousLine): string =>
    `${kind} ${name}: ${STATES[state]} (${detail}): ${reason ?? 'NO REASON IS WRITTEN DOWN'}`;
  if (lines.length + stale.length === 0) return [paint('pass', 'NOTHING IS VACUOUS'), ''];
  return [
    ...section('VACUOUS, WITHOUT A REASON', lines.filter(({ reason }) => reason === undefined).map(textOf)),
    ...section(
      'REASONS WITHOUT A VACUOUS ENTRY',
      stale.map(({ kind, name, state, reason }) => `${kind} ${name}: ${STATES[state]}: ${reason}`),
    ),
    ...section('VACUOUS, AND WHY IT STAYS', lines.filter(({ reason }) => reason !== undefined).map(textOf)),
  ];
}

function summaryOf({ mutants, vacuity, trials, wallMs }: MutantsReport): string {
  const judged = mutants.filter(({ outcome }) => outcome !== 'not-run');
  const caught = judged.filter(({ outcome }) => outcome === 'caught');
  const count = (needs: 'interleaving' | 'crash'): number => caught.filter(({ declared }) => declared.needs === needs).length;
  const vacuous =
    vacuity === undefined
      ? ''
      : `; ${vacuity.lines.length} vacuous, ${vacuity.lines.filter(({ reason }) => reason === undefined).length} of them without a reason`;
  return (
    `${caught.length} of ${formatCount(judged.length, 'mutant')} caught as declared: ${count('interleaving')} need an interleaving, ` +
    `${count('crash')} a crash${vacuous}; ${formatCount(trials, 'trial')} in ${formatDuration(wallMs)}`
  );
}
