import { trialsToAccept } from '../../gate/statistics/sequential.ts';
import type { StageDecision, StageVerdict } from '../../gate/canary.ts';
import { counted, percent } from '../../gate/wording.ts';
import { formatDuration } from '../../reports/format.ts';
import { createPaint, printable } from '../../reports/paint.ts';
import type { Ink } from '../../reports/paint.ts';
import { wrap } from '../../reports/table.ts';
import { describeCriteria } from '../gate/terminal.ts';
import type { CanaryPlan, Hook, Place, StageFacts } from './plan.ts';
import { kindsOf, stageOf } from './plan.ts';
import type { CanaryOutcome } from './roll-out.ts';

/** How text is printed. */
export interface Look {
  readonly color: boolean;
  readonly columns: number;
}

const MARKS: Readonly<Record<StageVerdict, { readonly mark: string; readonly ink: Ink }>> = {
  advance: { mark: '✓', ink: 'pass' },
  'roll-back': { mark: '✗', ink: 'fail' },
  more: { mark: '?', ink: 'unknown' },
};
const ENDS: Readonly<Record<CanaryOutcome['how'], { readonly text: string; readonly ink: Ink }>> = {
  'rolled-out': { text: '✓ ROLLED OUT', ink: 'pass' },
  'rolled-back': { text: '✗ ROLLED BACK', ink: 'fail' },
  'not-rolled-back': { text: '✗ NOT ROLLED BACK', ink: 'fail' },
  held: { text: '? HELD', ink: 'unknown' },
};
/** Most places that are named; the rest is counted. */
const NAMED = 6;
/** Width of a plan's headings, in columns. */
const HEADING = 11;

/** What a canary with this plan would do. @param notes what limits the trust in its decision */
export function formatPlan(plan: CanaryPlan, notes: readonly string[], { color, columns }: Look): string {
  const paint = createPaint(color);
  const { probes, policy, stages, share, hooks } = plan;
  const kinds = kindsOf(plan);
  const wanted = kinds.map((kind) => `${probes[kind].atLeast} ${kind}`).join(' and ');
  const clean = trialsToAccept(policy.success, 0);
  const { p0, p1, alpha, beta } = policy.success;
  const where =
    probes.command === undefined
      ? `simulated in the embedded world; the control is the same ${share.of === 'pools' ? 'pool' : 'cluster'} with the baseline`
      : `by \`${probes.command.join(' ')}\`; the control is the places that have the baseline`;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['canary', [`${plan.name}: ${plan.baseline} -> ${plan.candidate}, by ${share.of}`]],
    ['rehearsal', ['one probe of each scenario with the baseline, before anything is changed']],
    ...stages.map((_, index): readonly [string, readonly string[]] => {
      const { number, percent: requested, places, added, soakMs } = stageOf(plan, index);
      const real = (100 * places.length) / share.places.length;
      const asked = Math.abs(real - requested) > 0.5 ? `, ${requested} % requested` : '';
      const who = added.length === 0 ? 'no new ones' : `${index === 0 ? '' : '+ '}${namesOf(added)}`;
      return [
        `stage ${number}`,
        [
          `${places.length} of ${share.places.length} ${share.of} (${Number(real.toFixed(1))} %${asked}): ${who}`,
          ...(hooks.deploy === undefined || (hooks.deploy.for === 'place' && added.length === 0) ? [] : [hookText(hooks.deploy, added)]),
          `${wanted} probes at least, ${probes.most} at most; soak ${formatSoak(soakMs)}`,
        ],
      ];
    }),
    ['go on', [`when no rule is broken, and the success test accepts: ${clean} probes if all are clean`]],
    [
      'roll back',
      [
        'a violation of an invariant, or a leaked instance',
        `success below ${percent(p0)}, by the sequential test against ${percent(p1)} with errors of ${percent(alpha)} and ${percent(beta)}`,
        `a 99th percentile above ${policy.latency.tailMarginRatio + 1} times the baseline's, beyond chance`,
        ...(hooks.rollback === undefined ? [] : [hookText(hooks.rollback, share.places)]),
      ],
    ],
    ...(notes.length === 0 ? [] : [['note', notes] as const]),
    ['probes', [where, ...kinds.map((kind) => `${kind}: ${probes[kind].scenarios.join(', ')}`)]],
  ];
  const lines = rows.flatMap(([heading, texts]) =>
    texts
      .flatMap((text) => wrap(printable(text), columns - HEADING))
      .map((text, index) => `${index === 0 ? paint('bold', heading) + ' '.repeat(HEADING - heading.length) : ' '.repeat(HEADING)}${text}`),
  );
  return `${lines.join('\n')}\n`;
}

function hookText(hook: Hook, places: readonly Place[]): string {
  const { patch, command = [] } = hook;
  const at = patch === undefined ? '' : `${patch.namespace === undefined ? '' : `${patch.namespace}/`}${patch.name}`;
  const what = patch === undefined ? `\`${command.join(' ')}\`` : `a ${patch.type} patch of ${patch.resource} ${at}`;
  return hook.for === 'stage' ? `${what}, once` : `${what}, for each of ${namesOf(places)}`;
}

function namesOf(places: readonly Place[]): string {
  const names = places.slice(0, NAMED).map(({ name }) => name);
  const more = places.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @param of `clusters` or `pools` */
export function formatStage({ number, percent: wanted, places, soakMs }: StageFacts, of: string, { color }: Look): string {
  return `${createPaint(color)('bold', `stage ${number}`)}  ${wanted} %: ${counted(places.length, of.slice(0, -1))} with the candidate (${namesOf(places)}), soak ${formatSoak(soakMs)}\n`;
}

/** A decision in a line, with its criteria. If it is not to advance, only criteria that did not pass are shown. */
export function formatDecision({ verdict, sentence, criteria }: StageDecision, { color, columns }: Look): string {
  const paint = createPaint(color);
  const { mark, ink } = MARKS[verdict];
  const open = criteria.filter((criterion) => criterion.verdict !== 'pass');
  const lines = verdict === 'advance' ? criteria : open;
  return [
    ...describeCriteria(lines, paint, columns),
    ...wrap(`${mark} ${printable(sentence)}`, columns).map((line) => paint(ink, line)),
    '',
  ].join('\n');
}

/** How it ended, and what can be done now. */
export function formatOutcome(
  outcome: CanaryOutcome,
  { command, notes }: { readonly command: string; readonly notes: readonly string[] },
  { color, columns }: Look,
): string {
  const paint = createPaint(color);
  const { text, ink } = ENDS[outcome.how];
  const { how, why, stage, places, probes } = outcome;
  const where =
    places.length === 0
      ? 'No place has the candidate.'
      : `The candidate is in ${places.length}: ${namesOf(places.map((name) => ({ name })))}.`;
  const next = {
    'rolled-out': '',
    'rolled-back': '',
    'not-rolled-back': `Try again with \`${command} --resume\`, or do it by hand.`,
    held: `Go on with \`${command} --resume\`, or undo it with \`${command} --rollback\`.`,
  }[how];
  return [
    ...wrap(`${text} in stage ${stage}: ${printable(why)}`, columns).map((line) => paint(ink, line)),
    ...wrap(printable(`${where} ${probes.candidate} probes of the candidate, ${probes.baseline} of the baseline.`), columns),
    ...(next === '' ? [] : wrap(printable(next), columns)),
    ...notes.flatMap((note) => wrap(`note: ${printable(note)}`, columns)),
    '',
  ].join('\n');
}

function formatSoak(ms: number): string {
  return ms === 0 ? 'none' : formatDuration(ms);
}
