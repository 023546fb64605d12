import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_SUITE } from '../../explore/generated.ts';
import type { ScenarioData } from '../../explore/scenario-data.ts';
import { Search } from '../../explore/search.ts';
import type { Found } from '../../explore/search.ts';
import type { Cause } from '../../explore/findings.ts';
import { TRIAL_SEED, createScenarioRunner } from '../../explore/trials.ts';
import type { ScenarioRunner } from '../../explore/trials.ts';
import { loadTarget } from '../../harness/load.ts';
import type { ModuleRef } from '../../harness/load.ts';
import { labelOf } from '../../harness/run.ts';
import { worldFor } from '../../harness/world-for.ts';
import { createRandom } from '../../runtime/random.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Outcome } from './outcome.ts';
import { ACTIVE } from './switch.ts';

/** What a search for a mutant works with. */
export interface SearchSite {
  /** The controller with all mutants. */
  readonly ref: ModuleRef;
  /** An existing folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

type Killed = Extract<Outcome, { outcome: 'killed' }>;

/**
 * Searches with the explorer for a scenario that kills a mutant, and that the controller passes without it.
 * @param id of the mutant
 * @param corpus where the search begins: scenarios in which the mutant makes a difference
 * @returns undefined if there is none within the limit, or if it was interrupted
 */
export async function searchForKill(id: number, corpus: readonly ScenarioData[], site: SearchSite): Promise<Killed | undefined> {
  const { ref, folder, clock, signal, limitMs } = site;
  const directory = mkdtempSync(join(folder, `search-${id}-`));
  const timeUp = new AbortController();
  const cancelTimer = clock.after(limitMs, () => timeUp.abort(new Error('the time is up')));
  const over = AbortSignal.any([signal, timeUp.signal]);
  const create = (environment: Readonly<Record<string, string>>, until: AbortSignal): ScenarioRunner =>
    createScenarioRunner({
      target: { ref, label: labelOf(ref) },
      directory: mkdtempSync(join(directory, 'trials-')),
      workers: 1,
      signal: until,
      environment,
      labelOf: ({ name }) => name,
    });
  // What was found when the time was up is still compared.
  const [mutated, unchanged] = [create({ [ACTIVE]: String(id) }, over), create({}, signal)];
  const target = await loadTarget(ref);
  const known: Cause[] = [];
  try {
    while (!over.aborted) {
      // A later search goes on elsewhere.
      const search = new Search({
        random: createRandom(`mutant-${id}-${known.length}`),
        site: { features: target.features, capabilities: worldFor(target).facts.capabilities },
        corpus,
        known,
        maxFindings: 1,
        run: mutated.run,
      });
      while (!over.aborted && !search.isOver) await search.round();
      const [found] = search.found;
      if (found === undefined) break;
      const [control] = await unchanged.run([found.data]);
      if (control?.result?.verdict === 'pass') return killedIn(found);
      known.push(found.cause, ...found.also.map((one) => ({ ...found.cause, ...one })));
    }
    return undefined;
  } finally {
    cancelTimer();
    await Promise.all([mutated.end(), unchanged.end()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

function killedIn({ cause: { check, code }, data, result }: Found): Killed {
  const finding = result.checks.find((one) => one.check === check)?.findings.find((one) => one.code === code);
  const scenario = `${GENERATED_SUITE}/${data.name}`;
  return { outcome: 'killed', scenario, seed: TRIAL_SEED, check, code, message: finding?.message ?? code, generated: { ...data } };
}
