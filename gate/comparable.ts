import { isDeepStrictEqual } from 'node:util';
import type { Absent, ComparedRun, ComparedTrial } from './comparison/compared-run.ts';
import type { Episode } from './episode.ts';
import { episodesOf } from './episodes-of.ts';
import { keyOf } from './sides.ts';
import { counted } from './wording.ts';

/**
 * The episodes of both runs. Compared trials must have the same settings: the same scenario with the same size. If they differ, they
 * have no verdict here, on either side, but their findings count. Trials that neither target can run are left out.
 */
export function comparable(
  baseline: ComparedRun,
  candidate: ComparedRun,
  isPaired: boolean,
): { readonly baseline: Episode[]; readonly candidate: Episode[]; readonly notes: string[] } {
  const neither = notRunByEither(baseline.notRun, candidate.notRun, isPaired);
  const [ours, theirs] = [align(baseline, candidate, isPaired), align(candidate, baseline, isPaired)];
  const among = ({ run }: Aligned): Episode[] => episodesOf(run).filter((episode) => !neither.has(settingKey(episode, isPaired)));
  const [before, after] = [among(ours), among(theirs)];
  const unlike = new Map([...ours.unlike, ...theirs.unlike]);
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
      ...[...unlike].map(([id, what]) => `${id} is not compared: ${what.join(', ')} ${what.length === 1 ? 'differs' : 'differ'}`),
      ...describeNeither(neither.values()),
      ...[baseline, candidate].flatMap(describeLost),
      ...[...lone].map((id) => `some trials of ${id} are in only one run, and are not compared`),
    ],
  };
}

/** A run that is compared with another one. */
interface Aligned {
  /** Trials with other settings have no verdict. */
  readonly run: ComparedRun;
  /** The settings that differ, by scenario. */
  readonly unlike: ReadonlyMap<string, readonly string[]>;
}

function align(run: ComparedRun, other: ComparedRun, isPaired: boolean): Aligned {
  const partners = Map.groupBy(other.trials, ({ episode }) => settingKey(episode, isPaired));
  const rated = run.trials.map((trial) => ({ trial, differs: differing(trial, partners.get(settingKey(trial.episode, isPaired)) ?? []) }));
  const trials = rated.map(({ trial, differs }): ComparedTrial => {
    if (differs.length === 0) return trial;
    return { ...trial, episode: { ...trial.episode, verdict: 'unknown', why: 'the other run had other settings' } };
  });
  const unlike = rated.filter(({ differs }) => differs.length > 0).map(({ trial, differs }) => [trial.episode.scenario, differs] as const);
  return { run: { ...run, trials }, unlike: new Map(unlike) };
}

/** The settings that differ between a trial and its partners: none if a partner has the same settings, or there is no partner. */
function differing({ setting }: ComparedTrial, partners: readonly ComparedTrial[]): string[] {
  const [first] = partners;
  if (first === undefined || partners.some((partner) => isDeepStrictEqual(setting, partner.setting))) return [];
  return Object.keys(setting).filter((name) => !isDeepStrictEqual(setting[name], first.setting[name]));
}

/** Trials that neither target can run. They don't count. */
function notRunByEither(baseline: readonly Absent[], candidate: readonly Absent[], isPaired: boolean): Map<string, Absent> {
  const theirs = new Set(candidate.map((one) => settingKey(one, isPaired)));
  const both = baseline.map((one) => [settingKey(one, isPaired), one] as const).filter(([key]) => theirs.has(key));
  return new Map(both);
}

/** A note on scenarios that are left out because neither target can run them. Of many reasons it has the most frequent one. */
export function describeNeither(neither: Iterable<Pick<Absent, 'scenario' | 'why'>>): string[] {
  const whys = new Map([...neither].map(({ scenario, why }) => [scenario, why]));
  const reasons = [...Map.groupBy(whys.values(), (why) => why)].sort(([, a], [, b]) => b.length - a.length);
  const [most] = reasons;
  if (most === undefined) return [];
  const [why, { length }] = most;
  const all = `${counted(whys.size, 'scenario')} that neither target can run ${whys.size === 1 ? 'is' : 'are'} left out`;
  return [reasons.length === 1 ? `${all}: ${why}` : `${all}, for ${reasons.length} reasons: ${length} of them because ${why}`];
}

function describeLost({ directory, lost }: ComparedRun): string[] {
  return [...Map.groupBy(lost, ({ why }) => why)].map(([why, absent]) => {
    const { scenario, seed } = absent[0] as Absent;
    return `${counted(absent.length, 'trial')} of ${directory} ${absent.length === 1 ? 'has' : 'have'} no verdict: ${why} (${scenario} seed ${seed}${absent.length === 1 ? '' : ', ...'})`;
  });
}

/** The key that partners share: in real time without the seed, since no trial is repeatable. */
function settingKey(episode: Pick<Episode, 'scenario' | 'seed'>, isPaired: boolean): string {
  return isPaired ? keyOf(episode) : episode.scenario;
}
