import { z } from 'zod';
import { faultNamed } from '../faults/catalogue.ts';
import { tidy } from './scenario-data.ts';
import type { FaultData, PoolData, ScenarioData, Step, WorkloadData } from './scenario-data.ts';

/** Whether a smaller scenario still shows what was found: for each, in their order; for fewer if interrupted; none is the end. */
export type StillShows = (candidates: readonly ScenarioData[]) => Promise<readonly boolean[]>;

/** The most trials that one finding may cost. */
export const MAX_SHRINK_TRIALS = 400;
/**
 * Candidates that are tried together: few at first, and after one that worked, since the others of its batch were tried for nothing;
 * twice as many each time that none did. It does not depend on the number of workers: the result must not either.
 */
const TOGETHER = { least: 2, most: 8 } as const;

/**
 * The smallest scenario that was found to show the same. Each kind of part is removed or made simpler for as long as that works, large
 * parts first, until nothing works any more.
 * @returns the scenario, and how many trials it took
 */
export async function shrink(
  data: ScenarioData,
  stillShows: StillShows,
): Promise<{ readonly data: ScenarioData; readonly trials: number }> {
  let smallest: ScenarioData = { ...data, origin: data.origin ?? data.name };
  let trials = 0;
  // The same candidate shows the same each time.
  const refused = new Set<string>();
  for (let shrunk = true; shrunk && trials < MAX_SHRINK_TRIALS;) {
    shrunk = false;
    let from = 0;
    let together: number = TOGETHER.least;
    for (;;) {
      const left = reductionsOf(smallest)
        .map((one, index) => ({ one, index, key: JSON.stringify(one) }))
        .filter(({ index, key }, at, all) => index >= from && !refused.has(key) && all.findIndex((other) => other.key === key) === at);
      const candidates = left.slice(0, together);
      if (candidates.length === 0 || trials >= MAX_SHRINK_TRIALS) break;
      const shows = await stillShows(candidates.map(({ one }) => one));
      trials += shows.length;
      if (shows.length === 0) return { data: smallest, trials };
      for (const [index, isShown] of shows.entries()) if (!isShown) refused.add(candidates[index]?.key ?? '');
      const found = candidates[shows.indexOf(true)];
      if (found === undefined) {
        from = (candidates[shows.length - 1]?.index ?? from) + 1;
        together = Math.min(TOGETHER.most, 2 * together);
      } else {
        smallest = found.one;
        shrunk = true;
        // The parts before it were needed a moment ago: likely they still are. The next round looks again.
        from = found.index;
        together = TOGETHER.least;
      }
    }
  }
  return { data: smallest, trials };
}

/** Scenarios that are a little smaller, the largest parts first. */
export function reductionsOf(data: ScenarioData): ScenarioData[] {
  const without = <K extends 'faults' | 'workloads' | 'daemonSets' | 'pools' | 'steps'>(kind: K): ScenarioData[] =>
    data[kind].map((one) => ({ ...data, [kind]: data[kind].filter((other) => other !== one) }));
  const all = [
    // Most of what was drawn has no part in a failure, so all of it is left out first, then a part at a time.
    ...(data.faults.length > 1 ? [{ ...data, faults: [] }] : []),
    { ...data, workloads: data.workloads.map(bareWorkload), pools: data.pools.map(barePool), daemonSets: [] },
    { ...data, workloads: data.workloads.map(bareWorkload) },
    { ...data, pools: data.pools.map(barePool) },
    ...without('faults'),
    ...without('workloads'),
    ...without('daemonSets'),
    ...(data.pools.length > 1 ? without('pools') : []),
    ...without('steps'),
    ...data.workloads.map((one) => replaced(data, 'workloads', one, bareWorkload(one))),
    ...data.pools.map((one) => replaced(data, 'pools', one, barePool(one))),
    ...data.workloads.flatMap((one) => smallerWorkloads(one).map((smaller) => replaced(data, 'workloads', one, smaller))),
    ...data.pools.flatMap((one) => smallerPools(one).map((smaller) => replaced(data, 'pools', one, smaller))),
    ...data.faults.flatMap((one) => smallerFaults(one).map((smaller) => replaced(data, 'faults', one, smaller))),
    ...data.steps.flatMap((one) => smallerSteps(one).map((smaller) => replaced(data, 'steps', one, smaller))),
  ].map(tidy);
  // A part that nothing uses is gone already.
  const size = sizeOf(data);
  return all.filter((one) => one.steps.length > 0 && sizeOf(one) < size);
}

/** How much there is to read, and then how large the numbers are: what each reduction makes less. */
function sizeOf({ pools, workloads, daemonSets, faults, steps }: ScenarioData): number {
  const text = JSON.stringify({ pools, workloads, daemonSets, faults, steps });
  const numbers = text.match(/\d+(\.\d+)?/g) ?? [];
  return text.length * 1_000 + numbers.reduce((sum, one) => sum + Math.log2(1 + Number(one)), 0);
}

function replaced<K extends 'faults' | 'workloads' | 'pools' | 'steps'>(
  data: ScenarioData,
  kind: K,
  old: ScenarioData[K][number],
  by: ScenarioData[K][number],
): ScenarioData {
  return { ...data, [kind]: data[kind].map((one) => (one === old ? by : one)) };
}

/** Without all optional fields. */
function bareWorkload({ name, replicas, cpu, memory }: WorkloadData): WorkloadData {
  return { name, replicas, cpu, memory };
}

function barePool({ name }: PoolData): PoolData {
  return { name };
}

/** Without its selector a constraint is another one. */
const NEEDED_OF_SPREADS = ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector'];

/** Without each optional field, and with fewer pods. */
function smallerWorkloads(workload: WorkloadData): WorkloadData[] {
  const { volume, gpus = 0, spread = [] } = workload;
  const smallerSpreads = [
    ...(spread.length > 1 ? spread.map((one) => spread.filter((other) => other !== one)) : []),
    ...spread.flatMap((one) =>
      withoutFields(one, NEEDED_OF_SPREADS).map((smaller) => spread.map((other) => (other === one ? smaller : other))),
    ),
  ];
  return [
    ...(workload.replicas > 1 ? [1, Math.ceil(workload.replicas / 2), workload.replicas - 1] : []).map((replicas) => ({
      ...workload,
      replicas,
    })),
    // Only pods of a Job finish.
    ...withoutFields(workload, ['name', 'replicas', 'cpu', 'memory', ...(workload.runSeconds === undefined ? [] : ['kind'])]),
    ...(volume !== undefined && ('zones' in volume || 'otherZones' in volume)
      ? withoutFields(volume, ['is', 'zone']).map((smaller) => ({ ...workload, volume: smaller }))
      : []),
    ...smallerSpreads.map((smaller) => ({ ...workload, spread: smaller })),
    ...(gpus > 1 ? [{ ...workload, gpus: 1 }] : []),
  ];
}

function smallerPools(pool: PoolData): PoolData[] {
  const { instanceTypes = [], requirements = [] } = pool;
  return [
    ...withoutFields(pool, ['name']),
    ...(instanceTypes.length > 1 ? instanceTypes.map((type) => ({ ...pool, instanceTypes: [type] })) : []),
    ...(requirements.length > 1
      ? requirements.map((one) => ({ ...pool, requirements: requirements.filter((other) => other !== one) }))
      : []),
  ];
}

/** Without each field that has a default, with fewer values in lists, and with round numbers. */
function smallerFaults(data: FaultData): FaultData[] {
  const schema = faultNamed(data.fault)?.params ?? z.unknown();
  const { params } = data;
  const candidates = [
    ...withoutFields(params, []),
    ...Object.entries(params).flatMap(([field, value]) => {
      if (Array.isArray(value) && value.length > 1) return value.map((one: unknown) => ({ ...params, [field]: [one] }));
      if (typeof value === 'number') return rounded(value).map((smaller) => ({ ...params, [field]: smaller }));
      return [];
    }),
  ];
  return candidates.filter((one) => schema.safeParse(one).success).map((one) => ({ ...data, params: one }));
}

function smallerSteps(step: Step): Step[] {
  if (step.do === 'pass') return rounded(step.seconds).map((seconds) => ({ ...step, seconds }));
  if (step.do === 'scale' && step.replicas > 1) return [{ ...step, replicas: 1 }];
  if (step.do === 'change-pool') return smallerPools(step.pool).map((pool) => ({ ...step, pool }));
  return [];
}

/** Smaller numbers that are easier to read. */
function rounded(value: number): number[] {
  if (!Number.isFinite(value) || value <= 0) return [];
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [magnitude, Math.floor(value / magnitude) * magnitude].filter(
    (one, index, all) => one > 0 && one < value && all.indexOf(one) === index,
  );
}

function withoutFields<T extends object>(value: T, needed: readonly string[]): T[] {
  return Object.keys(value)
    .filter((field) => !needed.includes(field))
    .map((field) => Object.fromEntries(Object.entries(value).filter(([name]) => name !== field)) as T);
}
