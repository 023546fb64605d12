import { isDeepStrictEqual } from 'node:util';
import type { Absent, ComparedRun, ComparedTrial, TrialSetting } from './comparison.ts';
import type { Episode } from './episode.ts';
import { episodesOf } from './episodes-of.ts';
import { keyOf } from './sides.ts';
import { counted } from './wording.ts';

/**
 * The episodes of both runs. Trials that are compared have to ask for the same: the same scenario, as large. Where they don't they
 * have no verdict here, on either side; what was found in them stands. What neither target can be asked for is left out.
 */
export function comparable(
  baseline: ComparedRun,
  candidate: ComparedRun,
  isPaired: boolean,
): { readonly baseline: Episode[]; readonly candidate: Episode[]; readonly notes: string[] } {
  const [ours, theirs] = [baseline, candidate].map(({ trials }) => Map.groupBy(trials, ({ episode }) => settingKey(episode, isPaired))) as [
    Map<string, ComparedTrial[]>,
    Map<string, ComparedTrial[]>,
  ];
  /** What differs, by scenario. */
  const unlike = new Map<string, readonly string[]>();
  const withVerdict = (run: ComparedRun, others: ReadonlyMap<string, readonly ComparedTrial[]>): ComparedRun => ({
    ...run,
    trials: run.trials.map((trial): ComparedTrial => {
      const partners = others.get(settingKey(trial.episode, isPaired));
      if (partners === undefined || partners.some(({ setting }) => isDeepStrictEqual(setting, trial.setting))) return trial;
      unlike.set(trial.episode.scenario, differing(trial.setting, partners[0]?.setting ?? {}));
      return { ...trial, episode: { ...trial.episode, verdict: 'unknown', why: 'the other run asked for something else' } };
    }),
  });
  const neither = runByNeither(baseline.notRun, candidate.notRun, isPaired);
  const among = (run: ComparedRun, others: ReadonlyMap<string, readonly ComparedTrial[]>): Episode[] =>
    episodesOf(withVerdict(run, others)).filter((episode) => !neither.has(settingKey(episode, isPaired)));
  const [before, after] = [among(baseline, theirs), among(candidate, ours)];
  const keysOf = (episodes: readonly Episode[]): Set<string> => new Set(episodes.map((episode) => settingKey(episode, isPaired)));
  const [ofBefore, ofAfter] = [keysOf(before), keysOf(after)];
  const isLone = (one: Episode): boolean => [ofBefore, ofAfter].some((keys) => !keys.has(settingKey(one, isPaired)));
  const lone = new Set([...before, ...after].filter(isLone).map(({ scenario }) => scenario));
  return {
    baseline: before,
    candidate: after,
    notes: [
      ...(baseline.version === candidate.version
        ? []
        : [`Scaleproof was ${baseline.version} in one run and ${candidate.version} in the other: the world may have changed, too`]),
      ...[...unlike].map(([id, what]) => `${id} is not compared: ${what.join(', ')} differ`),
      ...describeNeither(neither.values()),
      ...[baseline, candidate].flatMap(describeLost),
      ...[...lone].map((id) => `some trials of ${id} are in one run only, and have nothing to be compared with`),
    ],
  };
}

function differing(one: TrialSetting, other: TrialSetting): string[] {
  return Object.keys(one).filter((name) => !isDeepStrictEqual(one[name], other[name]));
}

/** Trials that neither target can be asked for are no part of the question. */
function runByNeither(baseline: readonly Absent[], candidate: readonly Absent[], isPaired: boolean): Map<string, Absent> {
  const theirs = new Set(candidate.map((one) => settingKey(one, isPaired)));
  const both = baseline.map((one) => [settingKey(one, isPaired), one] as const).filter(([key]) => theirs.has(key));
  return new Map(both);
}

/** What is left out because no target can be asked for it, by the reason. */
export function describeNeither(neither: Iterable<Absent>): string[] {
  const reasons = Map.groupBy(neither, ({ why }) => why);
  return [...reasons].map(([why, absent]) => {
    const scenarios = new Set(absent.map(({ scenario }) => scenario)).size;
    return `${counted(scenarios, 'scenario')} neither can be asked for ${scenarios === 1 ? 'is' : 'are'} left out: ${why}`;
  });
}

function describeLost({ directory, lost }: ComparedRun): string[] {
  return [...Map.groupBy(lost, ({ why }) => why)].map(([why, absent]) => {
    const { scenario, seed } = absent[0] as Absent;
    return `${counted(absent.length, 'trial')} of ${directory} ${absent.length === 1 ? 'has' : 'have'} no verdict: ${why} (${scenario} seed ${seed}${absent.length === 1 ? '' : ', ...'})`;
  });
}

/** What two episodes have in common that are to ask for the same: in real time no two are one trial, and seeds say nothing. */
function settingKey(episode: Pick<Episode, 'scenario' | 'seed'>, isPaired: boolean): string {
  return isPaired ? keyOf(episode) : episode.scenario;
}
