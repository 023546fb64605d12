import type { GateOutcome } from '../../gate/outcome.ts';
import { partTrials } from '../../gate/evidence.ts';
import type { TellingTrial } from '../../gate/evidence.ts';
import type { Criterion, GateDecision, GateVerdict, PhaseComparison, PhaseSide } from '../../gate/verdict.ts';
import { ACCEPTED_TITLE } from '../../reports/gate.ts';
import { createPaint, printable } from '../../reports/paint.ts';
import type { Ink } from '../../reports/paint.ts';
import { renderTable, wrap } from '../../reports/table.ts';
import type { Cell } from '../../reports/table.ts';

type Paint = (ink: Ink, text: string) => string;

const MARKS: Readonly<Record<GateVerdict, { readonly mark: string; readonly ink: Ink }>> = {
  pass: { mark: '✓', ink: 'pass' },
  fail: { mark: '✗', ink: 'fail' },
  inconclusive: { mark: '?', ink: 'unknown' },
};
const UNTESTED: { readonly mark: string; readonly ink: Ink } = { mark: '-', ink: 'dim' };
const INDENT = '    ';
/** Width of the names of the sides, in columns. */
const SIDE = 11;
/** Two marks and the spaces around them. */
const MARGIN = 2;

/** A gate for a terminal: its sides, each criterion with its evidence, and what to do. */
export function formatGate(
  { decision, notes }: Pick<GateOutcome, 'decision' | 'notes'>,
  { baseline, candidate }: { readonly baseline: string; readonly candidate: string },
  { color, columns }: { readonly color: boolean; readonly columns: number },
): string {
  const paint = createPaint(color);
  const { episodes, criteria, phases, needs, verdict } = decision;
  const side = (name: string, text: string): string[] =>
    wrap(printable(text), columns - SIDE).map(
      (line, index) => `${index === 0 ? paint('bold', name) + ' '.repeat(SIDE - name.length) : ' '.repeat(SIDE)}${line}`,
    );
  return [
    ...side('baseline', `${baseline}, ${episodes.baseline} episodes`),
    ...side(
      'candidate',
      `${candidate}, ${episodes.candidate} episodes, ${episodes.isPaired ? `${episodes.seen} paired by scenario and seed` : 'not paired: in real time no trial is repeatable'}`,
    ),
    '',
    ...describeCriteria(criteria, paint, columns),
    '',
    ...describePhases(phases, paint, columns),
    ...notes.flatMap((note) => wrap(`note: ${printable(note)}`, columns)),
    ...needs.sentences.flatMap((text) => wrap(printable(text), columns).map((line) => paint('unknown', line))),
    ...wrap(summarizeGate(decision), columns).map((line) => paint(MARKS[verdict].ink, line)),
    '',
  ].join('\n');
}

/** Criteria, and then each trial of their evidence, with what they say about it and how to replay it. */
export function describeCriteria(criteria: readonly Criterion[], paint: Paint, columns: number): string[] {
  const { telling, accepted } = partTrials(criteria);
  const list = (title: string, trials: readonly TellingTrial[]): string[] =>
    trials.length === 0
      ? []
      : ['', paint('dim', title), ...trials.flatMap((trial) => describeTrial(trial, paint, columns - INDENT.length))];
  return [
    ...criteria.flatMap((criterion) => describeCriterion(criterion, paint, columns - INDENT.length)),
    ...list('TRIALS TO LOOK AT', telling),
    ...list(ACCEPTED_TITLE.toUpperCase(), accepted),
  ];
}

function describeCriterion({ criterion, verdict, isUntested, sentence }: Criterion, paint: Paint, width: number): string[] {
  const { mark, ink } = isUntested === true ? UNTESTED : MARKS[verdict];
  return [`${paint(ink, mark)} ${paint('bold', criterion)}`, ...wrap(printable(sentence), width).map((line) => `${INDENT}${line}`)];
}

function describeTrial({ scenario, seed, replay, said }: TellingTrial, paint: Paint, width: number): string[] {
  return [
    paint('bold', printable(`${scenario} seed ${seed}`)),
    ...said.flatMap(({ criterion, what }) => wrap(printable(`${criterion}: ${what}`), width).map((line) => `${INDENT}${line}`)),
    ...(replay === '' ? [] : [paint('dim', `${INDENT}scaleproof replay ${printable(replay)}`)]),
  ];
}

function describePhases(phases: readonly PhaseComparison[], paint: Paint, columns: number): string[] {
  if (phases.length === 0) return [];
  const side = (of: PhaseSide | undefined): Cell[] =>
    of === undefined
      ? [{ text: '-' }, { text: '-' }, { text: '-' }]
      : [of.p50, of.p95, of.p99].map((range) => ({ text: formatRange(range) }));
  const rows = phases.map(({ phase, isJudged, baseline, candidate }): Cell[] => [
    { text: printable(isJudged ? phase : `${phase} *`) },
    ...side(baseline),
    ...side(candidate),
  ]);
  const right = (heading: string) => ({ heading, align: 'right' as const });
  const lines = renderTable([{ heading: 'PHASE', align: 'left' }, ...['P50', 'P95', 'P99', 'CAND. P50', 'P95', 'P99'].map(right)], rows, {
    maxWidth: columns - MARGIN,
    paintHeading: (text) => paint('dim', text),
  });
  return [...lines, paint('dim', 'seconds of all pods together, * for information only'), ''];
}

function formatRange({ ms, isAtLeast }: PhaseSide['p50']): string {
  return `${isAtLeast ? '≥ ' : ''}${(ms / 1_000).toFixed(1)}`;
}

/** What to do and why, in one line. */
export function summarizeGate({ verdict, sentence }: GateDecision): string {
  // The sentence starts with the action.
  return `${MARKS[verdict].mark} ${printable(sentence).replace(/^\w+/, (action) => action.toUpperCase())}`;
}
