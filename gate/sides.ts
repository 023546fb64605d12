import type { Episode } from './episode.ts';
import type { Observation } from './statistics/quantile.ts';
import { compare, middle } from './statistics/ranks.ts';

/** Only the first this many are compared: the cost of rank tests grows with the square of their number. */
export const MAX_COMPARED = 2_000;

/** The comparable episodes of two sides: those with a verdict. */
export interface Comparison {
  readonly isPaired: boolean;
  /** Episodes with the same index are a pair: the same scenario and seed. */
  readonly baseline: readonly Episode[];
  readonly candidate: readonly Episode[];
  /** The number of pairs, or, if unpaired, of episodes on the side with fewer; including those without a verdict. */
  readonly seen: number;
  /** Episodes of the candidate that can't be compared: the baseline has no partner, or does not have the scenario. */
  readonly left: number;
}

/** The first episode for each scenario and seed: a repetition is not new evidence. */
export function distinct(episodes: readonly Episode[]): Episode[] {
  const first = new Map<string, Episode>();
  for (const episode of episodes) {
    const key = keyOf(episode);
    if (!first.has(key)) first.set(key, episode);
  }
  return [...first.values()];
}

/** Scenario and seed. */
export function keyOf({ scenario, seed }: Pick<Episode, 'scenario' | 'seed'>): string {
  return `${scenario}#${seed}`;
}

/** @param baseline and candidate are distinct */
export function pairUp(baseline: readonly Episode[], candidate: readonly Episode[], isPaired: boolean): Comparison {
  if (!isPaired) return sideBySide(baseline, candidate);
  const partners = new Map(baseline.map((episode) => [keyOf(episode), episode]));
  const pairs = candidate.flatMap((own) => {
    const other = partners.get(keyOf(own));
    return other === undefined ? [] : [{ baseline: other, candidate: own }];
  });
  const known = pairs.filter((pair) => isKnown(pair.baseline) && isKnown(pair.candidate)).slice(0, MAX_COMPARED);
  return {
    isPaired,
    baseline: known.map((pair) => pair.baseline),
    candidate: known.map((pair) => pair.candidate),
    seen: pairs.length,
    left: candidate.length - pairs.length,
  };
}

function sideBySide(baseline: readonly Episode[], candidate: readonly Episode[]): Comparison {
  const scenariosOf = (episodes: readonly Episode[]): Set<string> => new Set(episodes.map(({ scenario }) => scenario));
  const theirs = scenariosOf(candidate);
  const both = new Set([...scenariosOf(baseline)].filter((scenario) => theirs.has(scenario)));
  const among = (episodes: readonly Episode[]): Episode[] => episodes.filter(({ scenario }) => both.has(scenario));
  return {
    isPaired: false,
    baseline: among(baseline).filter(isKnown).slice(0, MAX_COMPARED),
    candidate: among(candidate).filter(isKnown).slice(0, MAX_COMPARED),
    seen: Math.min(among(baseline).length, among(candidate).length),
    left: candidate.length - among(candidate).length,
  };
}

/** Whether an episode has a verdict. */
export function isKnown({ verdict }: Pick<Episode, 'verdict'>): boolean {
  return verdict !== 'unknown';
}

/** Episodes with a verdict that had to serve pods, and those that did not serve all of them. */
export function trialsOf<T extends Pick<Episode, 'verdict' | 'success'>>(
  episodes: readonly T[],
): { readonly trials: T[]; readonly failed: T[] } {
  const trials = episodes.filter((episode) => isKnown(episode) && episode.success.asked > 0);
  return { trials, failed: trials.filter(({ success }) => success.served < success.asked) };
}

/** A value of an episode. */
export interface Valued<T> {
  readonly episode: Episode;
  readonly value: T;
}

/** Both sides of one measure; of pairs, only those in which both sides have it. */
export interface Measured<T> {
  readonly baseline: readonly Valued<T>[];
  readonly candidate: readonly Valued<T>[];
}

/** Takes a measure of every episode; pairs stay pairs. */
export function measure<T>(comparison: Comparison, of: (episode: Episode) => T | undefined): Measured<T> {
  const take = (episodes: readonly Episode[]): (Valued<T> | undefined)[] =>
    episodes.map((episode) => {
      const value = of(episode);
      return value === undefined ? undefined : { episode, value };
    });
  const [baseline, candidate] = [take(comparison.baseline), take(comparison.candidate)];
  const partnerless = (side: readonly unknown[]) => (_: unknown, index: number) => !comparison.isPaired || side[index] !== undefined;
  const isPresent = (one: Valued<T> | undefined): one is Valued<T> => one !== undefined;
  return {
    baseline: baseline.filter(partnerless(candidate)).filter(isPresent),
    candidate: candidate.filter(partnerless(baseline)).filter(isPresent),
  };
}

/** The pods' times for these phases in an episode, including censored ones; undefined if there are none. */
export function observationsOf(episode: Episode, phases: readonly string[]): Observation[] | undefined {
  const all = episode.latencies
    .filter(({ phase }) => phases.includes(phase))
    .flatMap(({ valuesMs, censoredMs }) => [
      ...valuesMs.map((value) => ({ value, isCensored: false })),
      ...censoredMs.map((value) => ({ value, isCensored: true })),
    ]);
  return all.length === 0 ? undefined : all;
}

/**
 * The scale of a scenario's values, which is the median over both sides: values are divided by it, so that slow scenarios don't
 * dominate. 1 if the median is zero or beyond what was observed.
 */
export function scalesOf(measured: Measured<readonly number[]>): (scenario: string) => number {
  const values = new Map<string, number[]>();
  for (const { episode, value } of [...measured.baseline, ...measured.candidate]) {
    const known = values.get(episode.scenario);
    if (known === undefined) values.set(episode.scenario, [...value]);
    else known.push(...value);
  }
  const scales = new Map([...values].map(([scenario, all]) => [scenario, middle(all.sort(compare))]));
  return (scenario) => usableScale(scales.get(scenario) ?? 0);
}

/** A scale that values can be divided by: 1 instead of zero, or of what is beyond all that was observed. */
export function usableScale(scale: number): number {
  return scale > 0 && scale < Infinity ? scale : 1;
}

/** Weights that give every scenario on a side the same weight, with any number of episodes. Pairs need no weights. */
export function weightsOf(side: readonly Valued<unknown>[], isPaired: boolean): number[] {
  const counts = new Map<string, number>();
  for (const { episode } of side) counts.set(episode.scenario, (counts.get(episode.scenario) ?? 0) + 1);
  return side.map(({ episode }) => (isPaired ? 1 : 1 / (counts.get(episode.scenario) ?? 1)));
}
