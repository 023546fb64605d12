import { formatCount } from './format.ts';
import type { Profile } from './report-input.ts';
import type { ProfileReport, RunReport } from './run-report.ts';

/** The meaning of profiles, for headings. */
export const PROFILE_WORDS: Readonly<Record<Profile, string>> = {
  core: 'required of every autoscaler',
  extended: 'required if the autoscaler declares the feature; also tests of a SHOULD',
  robustness: 'faults that no correct API causes; a failure here fails the run, too',
  endurance: 'a long time, a storm, a large cluster; only run if it is asked for',
};

/** The order within a profile: what the reader looks for comes first. */
const VERDICT_ORDER = ['fail', 'unknown', 'pass', 'not-run'] as const;

/** Groups parts by profile, in the order of the run's profiles. In each group failures come first, then the unknown. */
export function byProfile<T extends { readonly profile: Profile; readonly verdict: (typeof VERDICT_ORDER)[number] }>(
  { profiles }: Pick<RunReport, 'profiles'>,
  parts: readonly T[],
): { readonly profile: ProfileReport; readonly parts: readonly T[] }[] {
  const sorted = VERDICT_ORDER.flatMap((verdict) => parts.filter((part) => part.verdict === verdict));
  return profiles.map((profile) => ({ profile, parts: sorted.filter((part) => part.profile === profile.name) }));
}

const RESULT_WORDS = { success: 'pass', failure: 'fail', partial: 'partial', unknown: 'unknown' } as const;

/** A profile's result, in the words of verdicts. Only a profile can be partial. */
export function resultWord({ result }: Pick<ProfileReport, 'result'>): (typeof RESULT_WORDS)[ProfileReport['result']] {
  return RESULT_WORDS[result];
}

/** The profiles of which no scenario was requested, in a sentence; none if there is no such profile, or an older version ran it. */
export function unrequestedProfiles({ profiles, run }: Pick<RunReport, 'profiles' | 'run'>): string[] {
  const left = Object.entries(run.notRequested ?? {}).filter(([name, count]) => count > 0 && !profiles.some((one) => one.name === name));
  return left.length === 0
    ? []
    : [`not requested: ${left.map(([name, count]) => `${formatCount(count, 'scenario')} of ${name}`).join(', ')}`];
}

/** `5 passed`, `4 passed, 1 failed, 2 not run`, `1 passed, 96 not requested` */
export function profileCounts({ scenarios }: ProfileReport): string {
  const { passed, failed, unknown, notRun, notRequested = 0 } = scenarios;
  const counts = [
    { count: passed, word: 'passed' },
    { count: failed, word: 'failed' },
    { count: unknown, word: 'unknown' },
    { count: notRun, word: 'not run' },
    { count: notRequested, word: 'not requested' },
  ];
  return counts
    .filter(({ count }) => count > 0)
    .map(({ count, word }) => `${count} ${word}`)
    .join(', ');
}
