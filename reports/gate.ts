import { otherNotes } from '../gate/outcome.ts';
import type { GateOutcome, GateSide, ScenarioPair, ScenarioTally, Unseen } from '../gate/outcome.ts';
import type { Criterion, GateAction, GateVerdict } from '../gate/verdict.ts';
import { formatCount, formatPercent } from './format.ts';
import { formatList } from '../model/format-list.ts';

/** Texts that all reports of a gate share. */

export const ACTION_WORDS: Readonly<Record<GateAction, string>> = { promote: 'Promote', hold: 'Hold', reject: 'Reject' };

/** Begins the note on a policy that is laxer than the default. */
const LAXER = 'laxer than the default';

/** What a reader must know who looks at nothing but the decision, and the notes that are left. */
export function partNotes(outcome: GateOutcome): { readonly cautions: string[]; readonly others: string[] } {
  const notes = otherNotes(outcome);
  return {
    cautions: [...notes.filter((note) => note.startsWith(LAXER)), ...(outcome.manifests === undefined ? [] : [outcome.manifests.summary])],
    others: notes.filter((note) => !note.startsWith(LAXER)),
  };
}

/** Over trials with failures that the policy accepts. */
export const ACCEPTED_TITLE = 'Accepted, since the baseline has them, too';

export const SIDES = ['baseline', 'candidate'] as const;
export type SideName = (typeof SIDES)[number];

/** The verdicts of a gate, in the words of other verdicts. */
export const GATE_VERDICTS = { pass: 'pass', fail: 'fail', inconclusive: 'unknown' } as const satisfies Record<GateVerdict, string>;

/** The result of a criterion as the verdict that it looks like, and its word. */
export function resultOf({ verdict, isUntested }: Criterion): { readonly look: 'pass' | 'fail' | 'unknown' | 'not-run'; word: string } {
  if (isUntested === true) return { look: 'not-run', word: 'Not compared' };
  return { look: GATE_VERDICTS[verdict], word: { pass: 'Met', fail: 'Failed', inconclusive: 'Open' }[verdict] };
}

/** Failed criteria first, then open ones. */
export function worstFirst(criteria: readonly Criterion[]): Criterion[] {
  const order = ['fail', 'inconclusive', 'pass'];
  return [...criteria].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
}

/** What a criterion measured, and its limit, as short as possible. Its sentence says more. */
export interface Measured {
  readonly measured: string;
  readonly limit: string;
}

const NONE = '–';

export function measuredOf({ criterion, numbers, isUntested }: Criterion): Measured {
  const of = (name: string): number => numbers[name] ?? 0;
  if (isUntested === true || Object.keys(numbers).length === 0) return { measured: NONE, limit: NONE };
  switch (criterion) {
    case 'invariants':
      return { measured: `${of('bad')} of ${formatCount(of('episodes'), 'trial')}`, limit: 'none' };
    case 'leaks':
      return { measured: `${of('leaked')} of ${formatCount(of('created'), 'instance')}`, limit: 'none' };
    case 'known-trials':
      return { measured: `${of('baseline')} and ${of('candidate')}`, limit: `${formatPercent(of('maxShare'))} of each side` };
    case 'success':
      return {
        measured: `${of('succeeded')} of ${formatCount(of('trials'), 'trial')}`,
        limit: `${formatCount(of('trialsToAccept'), 'trial')} with ${of('failed') === 0 ? 'no failure' : formatCount(of('failed'), 'failure')}`,
      };
    case 'scenarios':
      return { measured: `${of('worse') + of('withoutVerdict')} of ${formatCount(of('scenarios'), 'scenario')}`, limit: 'none' };
    case 'existing-failures':
      return { measured: `${of('worse')} of ${formatCount(of('accepted'), 'kind')}`, limit: 'none' };
    case 'latency-shift':
    case 'latency-tail':
    case 'cost':
    case 'requests':
      return ratioOf(numbers);
  }
}

/** An estimate with its bounds. Bounds that are not finite are absent. */
function ratioOf({ estimate, lower, upper, limit }: Criterion['numbers']): Measured {
  const bounds =
    lower !== undefined && upper !== undefined
      ? ` (${formatChange(lower)} to ${formatChange(upper)})`
      : lower !== undefined && lower > 0
        ? ` (at least ${formatChange(lower)})`
        : upper !== undefined
          ? ` (at most ${formatChange(upper)})`
          : '';
  return {
    measured: estimate === undefined ? NONE : `${formatChange(estimate)}${bounds}`,
    limit: limit === undefined ? NONE : formatChange(limit),
  };
}

/** From this ratio, a multiple is clearer than a percentage. */
const MULTIPLE = 10;

function formatChange(ratio: number): string {
  if (ratio >= MULTIPLE) return `×${Math.round(ratio)}`;
  const percent = Number(((ratio - 1) * 100).toFixed(1)) || 0;
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

/** A warning if a side is one of the bundled autoscalers, which nobody runs. */
export function bundledText({ target }: GateSide): string | undefined {
  if (target === 'reference') return 'This is the bundled reference autoscaler, not yours.';
  if (target === 'plain') return 'This is a bundled example, not your autoscaler.';
  if (target.startsWith('mutant:')) return 'This is the bundled reference autoscaler with a planted bug, not yours.';
  return undefined;
}

/** Whether every trial of both sides passed. */
export function isClean({ baseline, candidate }: ScenarioPair): boolean {
  return [baseline, candidate].every(({ fail, unknown }) => fail + unknown === 0);
}

/** `2 of 3 failed, 1 unknown`, `3 passed`, `no trial` */
export function tallyText({ pass, fail, unknown }: Omit<ScenarioTally, 'findings'>): string {
  const all = pass + fail + unknown;
  if (all === 0) return 'no trial';
  if (fail + unknown === 0) return `${all} passed`;
  return [...(fail > 0 ? [`${fail} of ${all} failed`] : []), ...(unknown > 0 ? [`${unknown} of ${all} unknown`] : [])].join(', ');
}

/** The trials of one side in all scenarios. */
export function totalOf(scenarios: readonly ScenarioPair[], side: SideName): Omit<ScenarioTally, 'findings'> {
  const sum = (of: 'pass' | 'fail' | 'unknown'): number => scenarios.reduce((all, pair) => all + pair[side][of], 0);
  return { pass: sum('pass'), fail: sum('fail'), unknown: sum('unknown') };
}

/** What was not covered, in sentences; none if that is nothing. */
export function unseenTexts({ of, scenarios, profiles, requirements }: Unseen): string[] {
  if (scenarios.length === 0) return [];
  return [
    `Not covered: ${scenarios.length} of ${formatCount(of, 'scenario')}.`,
    ...(profiles.length === 0 ? [] : [`No scenario of ${profiles.length === 1 ? 'profile' : 'profiles'} ${formatList(profiles)}.`]),
    ...(requirements.length === 0 ? [] : [`${formatCount(requirements.length, 'requirement')} untested.`]),
  ];
}

/** How the trials were compared, in a sentence. */
export function comparedText({ decision: { episodes } }: Pick<GateOutcome, 'decision'>): string {
  const { isPaired, baseline, candidate, seen } = episodes;
  const sides = `${formatCount(baseline, 'trial')} of the baseline and ${candidate} of the candidate`;
  return isPaired ? `${sides}, ${seen} of them paired by scenario and seed.` : `${sides}, not paired: in real time no trial is repeatable.`;
}
