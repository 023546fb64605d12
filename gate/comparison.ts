import { isDeepStrictEqual } from 'node:util';
import { COMPARISON_FORMAT } from '../history/comparison.ts';
import type { BrokenRequirement, TargetComparison } from '../history/comparison.ts';
import { CONFIDENCE } from '../history/confidence.ts';
import { createRandom } from '../runtime/random.ts';
import type { ComparedRun, ComparedScenarios, ComparedTrial } from './comparison/compared-run.ts';
import { columnsOf, letterOf, matchTrials } from './comparison/match.ts';
import { sectionsOf } from './comparison/sections.ts';

/**
 * Compares runs by the trials that all of them have. A trial is the unit of sampling, since its pods share instances, faults and
 * luck. Bounds are one-sided, each at the comparison's confidence: exact for shares (Clopper-Pearson), order statistics for
 * percentiles, the bootstrap over trials for means. Pure: the same runs give the same result.
 *
 * Sides differ if the bounds of shares do not overlap, and for other figures if the bootstrap over pairs of trials bounds their
 * ratio away from one.
 * @param runs two or more, all in virtual or all in real time
 */
export function compareTargets(runs: readonly ComparedRun[], scenarios: ComparedScenarios): TargetComparison {
  const { rows, leftOut } = matchTrials(runs);
  const sameMarket = runs.every(({ digests }) => isDeepStrictEqual(digests, runs[0]?.digests));
  const random = createRandom('comparison');
  return {
    format: COMPARISON_FORMAT,
    confidence: CONFIDENCE,
    sides: runs.map(({ target, directory, world, time, version, trials }, index) => ({
      letter: letterOf(index),
      target,
      directory,
      world,
      time,
      version,
      trials: trials.length,
    })),
    compared: { trials: rows.length, scenarios: [...new Set(rows.flatMap(([first]) => first?.episode.scenario ?? []))] },
    sections: rows.length === 0 ? [] : sectionsOf(rows, { ...scenarios, sides: runs.length, sameMarket, random }),
    broken: columnsOf(rows, runs.length).flatMap((trials, index) => brokenOf(letterOf(index), trials)),
    differences: differencesOf(runs),
    leftOut,
  };
}

/** Differences between runs besides the target and the trials. */
function differencesOf(runs: readonly ComparedRun[]): string[] {
  const note = (what: string, of: (run: ComparedRun) => string, then: string): string[] =>
    new Set(runs.map(of)).size < 2 ? [] : [`${what}: ${runs.map((run, index) => `${of(run)} in ${letterOf(index)}`).join(', ')}. ${then}`];
  const short = (digest: string): string => digest.slice(0, 12);
  return [
    ...note('The worlds differ', ({ world }) => world, 'The world, and not the target, may be slower there.'),
    ...note('The versions of Scaleproof differ', ({ version }) => version, 'All verdicts are those of the version that compares.'),
    ...note('The instance types differ', ({ digests }) => short(digests.catalogue), 'Utilisation and cost are not compared.'),
    ...note('The prices differ', ({ digests }) => short(digests.prices), 'Utilisation and cost are not compared.'),
  ];
}

/** By check and code, in order of first occurrence. */
function brokenOf(letter: string, trials: readonly ComparedTrial[]): BrokenRequirement[] {
  const kinds = new Map<string, BrokenRequirement>();
  for (const { episode } of trials) {
    const { scenario, seed, replay } = episode;
    const firsts = new Map(episode.violations.toReversed().map((one) => [`${one.check} ${one.code}`, one]));
    for (const [key, { check, code, object, message }] of firsts) {
      const known = kinds.get(key);
      if (known === undefined) kinds.set(key, { letter, check, code, trials: 1, example: { scenario, seed, object, message, replay } });
      else kinds.set(key, { ...known, trials: known.trials + 1 });
    }
  }
  return [...kinds.values()];
}
