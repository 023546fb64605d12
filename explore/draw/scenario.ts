import type { Random } from '../../runtime/random.ts';
import { crash } from '../../faults/crash.ts';
import { lateDevices } from '../../faults/late-devices.ts';
import { newestFirst } from '../combinations.ts';
import { truthsOf } from '../truths.ts';
import { SCENARIO_SCHEMA, tidy } from '../scenario-data.ts';
import type { FaultData, ScenarioData } from '../scenario-data.ts';
import { weighted } from './chance.ts';
import { drawFault, namesIn, possibleFaults, relatedFaults } from './params.ts';
import type { Names } from './params.ts';
import { drawPools } from './pools.ts';
import type { DrawSite } from './site.ts';
import { drawSteps } from './steps.ts';
import { drawDaemonSets, drawWorkloads } from './workloads.ts';

/**
 * The shares of faults that are drawn more often than others where they are possible: there are more moments to kill the target at one of its
 * requests than moments of any other fault, and few scenarios have devices.
 */
const OFTEN: ReadonlyMap<string, number> = new Map([
  [crash.name, 0.12],
  [lateDevices.name, 0.15],
]);

/** Many bugs need no fault, and without any a target has to do everything at once. */
const AMOUNTS_OF_FAULTS = [
  [3, 0],
  [2, 1],
  [5, 2],
  [2, 3],
] as const;
/** The share of further faults that disturb the same part of the world as the first: a message that is lost needs an interruption. */
const RELATED = 0.3;
/** The share of scenarios that may serve nobody. In the others a workload is owed nodes: faults strike nothing where nothing is launched. */
const BARREN = 0.1;
/** Draws of which one is taken: in most, some pool suits some workload. */
const DRAWS = 8;

/**
 * A scenario that nobody wrote, with up to three faults, since many bugs need an overlap.
 * @param newnessOf of several draws, that with the highest number is taken
 */
export function drawScenario(
  random: Random,
  name: string,
  site: DrawSite,
  newnessOf: (data: ScenarioData) => number = () => 0,
): ScenarioData {
  const mayBeBarren = random.chance(BARREN);
  // The same for all draws: more faults always bring more news.
  const faults = weighted(random, AMOUNTS_OF_FAULTS);
  const draw = (): ScenarioData => drawOnce(random, name, site, faults);
  const first = draw();
  const drawn = newestFirst([first, ...Array.from({ length: DRAWS - 1 }, draw)], newnessOf);
  return drawn.find((data) => mayBeBarren || isServing(data)) ?? drawn[0] ?? first;
}

/** Whether a workload is owed nodes, faults aside. */
function isServing(data: ScenarioData): boolean {
  return [...truthsOf({ ...data, faults: [] }).values()].some(({ truth }) => truth.kind === 'schedulable');
}

function drawOnce(random: Random, name: string, site: DrawSite, amount: number): ScenarioData {
  const pools = drawPools(random, site);
  const workloads = drawWorkloads(random, site);
  const names = namesIn({ pools, workloads }, site);
  const faults: FaultData[] = [];
  for (let number = 1; number <= amount; number += 1) {
    const related = random.chance(RELATED) ? faults[0] : undefined;
    const drawn = drawOneFault(random, `fault-${number}`, names, related);
    if (drawn !== undefined) faults.push(drawn);
  }
  const daemonSets = drawDaemonSets(random);
  const steps = drawSteps(random, { pools, workloads, daemonSets, faults }, site);
  return tidy({ schema: SCENARIO_SCHEMA, name, pools, workloads, daemonSets, faults, steps });
}

/**
 * Any fault of the catalogue that the world allows.
 * @param related one that disturbs the same part of the world, if there is another
 */
export function drawOneFault(random: Random, name: string, names: Names, related?: FaultData): FaultData | undefined {
  const possible = possibleFaults(names);
  const near = related === undefined ? [] : relatedFaults(related, possible);
  if (near.length > 0) return drawFault(random, name, random.pick(near), names);
  const often = possible.find(({ name: one }) => random.chance(OFTEN.get(one) ?? 0));
  const fault = often ?? random.pick(possible);
  return drawFault(random, name, fault, names);
}
