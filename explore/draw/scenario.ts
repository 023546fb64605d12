import type { Random } from '../../runtime/random.ts';
import { crash } from '../../faults/crash.ts';
import { SCENARIO_SCHEMA, tidy } from '../scenario-data.ts';
import type { FaultData, ScenarioData } from '../scenario-data.ts';
import { weighted } from './chance.ts';
import { drawFault, possibleFaults } from './params.ts';
import { TYPES, drawPools } from './pools.ts';
import type { DrawSite } from './site.ts';
import { drawSteps } from './steps.ts';
import { drawDaemonSets, drawWorkloads } from './workloads.ts';

/** The share of faults that kill the target at one of its requests: there are more such moments than moments of any other fault. */
const CRASHES = 0.12;

/** A scenario that nobody wrote. Usually with two or three faults, since most bugs need an overlap. */
export function drawScenario(random: Random, name: string, site: DrawSite): ScenarioData {
  const pools = drawPools(random, site);
  const workloads = drawWorkloads(random, site);
  const amount = weighted(random, [
    [1, 0],
    [3, 1],
    [5, 2],
    [3, 3],
  ]);
  const faults = Array.from({ length: amount }, (_one, index) =>
    drawOneFault(random, `fault-${index + 1}`, { site, workloads: workloads.map((one) => one.name) }),
  ).filter((one) => one !== undefined);
  const steps = drawSteps(random, { pools, workloads, faults }, site);
  return tidy({ schema: SCENARIO_SCHEMA, name, pools, workloads, daemonSets: drawDaemonSets(random), faults, steps });
}

/** Any fault of the catalogue that the world allows. */
export function drawOneFault(
  random: Random,
  name: string,
  { site, workloads }: { readonly site: DrawSite; readonly workloads: readonly string[] },
): FaultData | undefined {
  const possible = possibleFaults(site);
  const fault = possible.find((one) => one.name === crash.name && random.chance(CRASHES)) ?? random.pick(possible);
  return drawFault(random, name, fault, { ...site, instanceTypes: TYPES, workloads });
}
