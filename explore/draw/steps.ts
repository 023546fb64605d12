import type { DaemonSetSpec } from '../../harness/scenario.ts';
import type { Random } from '../../runtime/random.ts';
import type { FaultData, PoolData, Step, WorkloadData } from '../scenario-data.ts';
import { weighted } from './chance.ts';
import { drawPool } from './pools.ts';
import { has } from './site.ts';
import type { DrawSite } from './site.ts';

/** What steps may name. */
export interface Cast {
  readonly pools: readonly PoolData[];
  readonly workloads: readonly WorkloadData[];
  readonly daemonSets: readonly DaemonSetSpec[];
  readonly faults: readonly FaultData[];
}

/** The longest wait that is drawn. */
const MAX_PAUSE_S = 1_200;
/** The share of DaemonSets that come to nodes which are there already. */
const LATE_AGENTS = 0.3;
/** The most steps of the middle. */
const MOST_EVENTS = 6;

/**
 * The life of a scenario: workloads come and change, faults begin before them, between them and beside each other, and end before the
 * last step or with the scenario.
 */
export function drawSteps(random: Random, cast: Cast, site: DrawSite): Step[] {
  const before = cast.faults.filter(() => random.chance(0.45));
  const later = cast.faults.filter((fault) => !before.includes(fault));
  const steps: Step[] = before.map(({ name }) => ({ do: 'inject', fault: name }));
  for (const { name } of random.shuffle(cast.workloads)) {
    steps.push({ do: 'deploy', workload: name });
    if (random.chance(0.4)) steps.push(pauseOf(random));
  }
  // Many faults strike what is there when they begin.
  const workload = random.pick(cast.workloads).name;
  const events: Step[][] = [
    ...later.map(({ name }): Step[] => [
      ...(random.chance(0.5) ? [{ do: 'until-served' as const, workload }] : []),
      { do: 'inject', fault: name },
      // Others strike what comes later.
      ...(random.chance(0.4) ? [{ do: 'scale' as const, workload, replicas: random.int(5, 20) }] : []),
    ]),
    ...cast.daemonSets.flatMap((one) => (random.chance(LATE_AGENTS) ? [lateAgent(random, one, cast)] : [])),
    ...Array.from({ length: random.int(0, MOST_EVENTS) }, () => eventOf(random, cast, site)),
  ];
  for (const event of random.shuffle(events)) {
    steps.push(...event);
    if (random.chance(0.5)) steps.push(pauseOf(random));
  }
  for (const { name } of random.shuffle(cast.faults)) {
    if (random.chance(0.4)) steps.push(...(random.chance(0.5) ? [pauseOf(random)] : []), { do: 'heal', fault: name });
  }
  if (random.chance(0.5)) steps.push(pauseOf(random));
  return steps;
}

/** Something that happens to a running cluster, with the wait that may belong before it. */
export function eventOf(random: Random, cast: Cast, site: DrawSite): Step[] {
  const { pools, workloads, daemonSets, faults } = cast;
  const workload = random.pick(workloads);
  const pool = random.pick(pools);
  const scale: Step = {
    do: 'scale',
    workload: workload.name,
    replicas: weighted(random, [
      [2, 0],
      [3, random.int(0, 5)],
      [2, random.int(6, 20)],
    ]),
  };
  return weighted<() => Step[]>(random, [
    [5, () => [scale]],
    [3, () => [{ do: 'until-served', workload: workload.name }, scale]],
    [3, () => [{ do: 'until-served', workload: workload.name }]],
    [2, () => quietHours(random, workloads)],
    [daemonSets.length > 0 ? 1 : 0, () => lateAgent(random, random.pick(daemonSets), cast)],
    [1, () => [{ do: 'remove', workload: workload.name }]],
    [workload.kind === 'Deployment' ? 3 : 0, () => [{ do: 'roll-out', workload: workload.name }]],
    [has(site, 'drift') ? 3 : 0, () => [{ do: 'change-pool', pool: changed(random, pool, site) }]],
    [has(site, 'pool-removal') ? 0.5 : 0, () => [{ do: 'withdraw-pool', pool: pool.name }]],
    [has(site, 'do-not-disrupt') ? 0.5 : 0, () => [{ do: 'keep-nodes' }]],
    [2, () => [{ do: 'restart-target' }]],
    [faults.length > 0 ? 2 : 0, () => [{ do: 'until-fired', fault: random.pick(faults).name }]],
    [3, () => [pauseOf(random)]],
  ])();
}

/** A DaemonSet that is deployed once some pods run, or long after: their nodes may have no room for it. */
function lateAgent(random: Random, { name }: DaemonSetSpec, { workloads }: Cast): Step[] {
  return [
    { do: 'until-served', workload: random.pick(workloads).name },
    ...(random.chance(0.5) ? [{ do: 'pass' as const, seconds: random.int(60, 300) }] : []),
    { do: 'deploy', workload: name },
  ];
}

/** Workloads of several pods shrink once all of them run: their nodes could be fewer then. */
function quietHours(random: Random, workloads: readonly WorkloadData[]): Step[] {
  const shrinking = workloads.filter(({ replicas }) => replicas > 1);
  return [
    ...shrinking.map(({ name }): Step => ({ do: 'until-served', workload: name })),
    ...shrinking.map(({ name, replicas }): Step => ({ do: 'scale', workload: name, replicas: random.int(1, Math.min(3, replicas - 1)) })),
  ];
}

/** The pool with one or two fields of another one. Whether it is of a fixed size never changes. */
function changed(random: Random, pool: PoolData, site: DrawSite): PoolData {
  const other: PoolData = drawPool(random, pool.name, site);
  const fields = (Object.keys(other) as (keyof PoolData)[]).filter((field) => field !== 'name' && field !== 'replicas');
  const taken = random.shuffle(fields).slice(0, 2);
  if (pool.replicas !== undefined) return { ...pool, labels: { 'example.com/team': random.pick(['red', 'blue']) } };
  return { ...pool, ...Object.fromEntries(taken.map((field) => [field, other[field]])) };
}

/** Waits are spread evenly over their orders of magnitude. */
export function pauseOf(random: Random): Step {
  const seconds = MAX_PAUSE_S ** random.next();
  return { do: 'pass', seconds: seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds) };
}
