import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { causesOf } from '../explore/findings.ts';
import type { Cause } from '../explore/findings.ts';
import type { ScenarioData } from '../explore/scenario-data.ts';
import { Search } from '../explore/search.ts';
import type { Found } from '../explore/search.ts';
import { createScenarioRunner } from '../explore/trials.ts';
import type { ScenarioRunner, TrialSite } from '../explore/trials.ts';
import { loadTarget } from '../harness/load.ts';
import { worldFor } from '../harness/world-for.ts';
import { createRandom } from '../runtime/random.ts';
import type { Clock } from '../runtime/clock.ts';

/** A target, and the environment variables that make it what it is. */
type Side = Pick<TrialSite, 'target' | 'environment'>;

/** What to search for. */
export interface Contrast {
  /** What should fail. */
  readonly faulty: Side;
  /** What should pass the same scenario. */
  readonly sound: Side;
  /** Of the searches. */
  readonly seed: string;
  /** Where each search begins. */
  readonly corpus: readonly ScenarioData[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** How a search ended. */
export interface ContrastEnd {
  /** Absent if there is nothing within the limit, or if it was interrupted before. */
  readonly found?: Found;
  /** Smallest scenarios that the sound target does not pass, either. */
  readonly common: readonly ScenarioData[];
  readonly trials: number;
  /** To make what was found smaller. */
  readonly shrinkTrials: number;
  readonly seconds: number;
}

/** No search goes on after so many problems that both targets have. */
const MAX_COMMON = 5;

/** Searches with the explorer, in one process, for a scenario that one target fails and another one passes. */
export async function searchContrast({ faulty, sound, seed, corpus, clock, signal, limitMs }: Contrast): Promise<ContrastEnd> {
  const directory = mkdtempSync(join(tmpdir(), 'scaleproof-contrast-'));
  const startedMs = clock.monotonicMs();
  const timeUp = new AbortController();
  const cancelTimer = clock.after(limitMs, () => timeUp.abort(new Error('the time is up')));
  const over = AbortSignal.any([signal, timeUp.signal]);
  const create = (side: Side, until: AbortSignal): ScenarioRunner =>
    createScenarioRunner({
      ...side,
      directory: mkdtempSync(join(directory, 'trials-')),
      workers: 1,
      signal: until,
      labelOf: ({ name }) => name,
    });
  // What was found when the time was up is still compared.
  const [failing, passing] = [create(faulty, over), create(sound, signal)];
  const known: Cause[] = [];
  const common: ScenarioData[] = [];
  let [trials, shrinkTrials] = [0, 0];
  const end = (): Omit<ContrastEnd, 'found'> => ({ common, trials, shrinkTrials, seconds: (clock.monotonicMs() - startedMs) / 1_000 });
  try {
    const target = await loadTarget(faulty.target.ref);
    const site = { features: target.features, capabilities: worldFor(target).facts.capabilities };
    while (!over.aborted && common.length < MAX_COMMON) {
      // A later search goes on elsewhere.
      const random = createRandom(`${seed}-${common.length}`);
      const search = new Search({ random, site, corpus, known, maxFindings: 1, run: failing.run });
      while (!over.aborted && !search.isOver) await search.round();
      const before = trials;
      trials += search.standing.trials;
      shrinkTrials += search.standing.shrinkTrials;
      const [found] = search.found;
      if (found === undefined) break;
      const [control] = await passing.run([found.data]);
      if (control?.result?.verdict === 'pass') return { found: { ...found, afterTrials: before + found.afterTrials }, ...end() };
      common.push(found.data);
      known.push(...causesOf(found));
    }
    return end();
  } finally {
    cancelTimer();
    await Promise.all([failing.end(), passing.end()]);
    rmSync(directory, { recursive: true, force: true });
  }
}
