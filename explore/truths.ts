import { pool as poolOf, podSpec } from '../harness/scenario.ts';
import { impossible, servedAfterHeal } from '../harness/shapes.ts';
import type { Truth } from '../history/events.ts';
import { judgeFeasibility } from '../manifests/feasibility.ts';
import { judgeLimits } from '../manifests/limits.ts';
import type { Load } from '../manifests/load.ts';
import { poolNodes } from '../manifests/pool-nodes.ts';
import { faultNamed } from '../faults/catalogue.ts';
import type { Pool } from '../model/catalogue.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import { peaksOf } from './scenario-data.ts';
import type { PoolData, ScenarioData } from './scenario-data.ts';

/** What is true of a workload, whatever autoscaler runs. */
export interface WorkloadTruth {
  readonly truth: Truth;
  /** No launch can help its pods, and nothing else can look as if one did. */
  readonly launchless: boolean;
}

type Judged = { readonly kind: 'servable' } | { readonly kind: 'partly' | 'unservable'; readonly why: string };

const NAMESPACE = 'default';

/**
 * What is owed to each workload: it follows from the pools alone, as for a user's manifests (docs/manifests.md), never from what an
 * autoscaler decides. A workload is owed nothing if that depends on the order of pods, or on the time of a change.
 */
export function truthsOf(data: ScenarioData): ReadonlyMap<string, WorkloadTruth> {
  const hindered = data.faults.some(({ fault }) => faultNamed(fault)?.hinders !== false);
  const quiet = data.faults.length === 0 && data.steps.every((step) => step.do !== 'restart-target');
  const judgeUnder = judgementsOf(data);
  const judged = data.workloads.map(({ name }) => [name, judge(data, name, judgeUnder)] as const);
  const isClear = judged.every(([, { kind }]) => kind !== 'partly');
  return new Map(
    judged.map(([name, found]) => {
      if (found.kind !== 'servable')
        return [name, { truth: impossible(found.why), launchless: quiet && isClear && found.kind === 'unservable' }];
      const truth: Truth = hindered ? servedAfterHeal('faults may last until they are healed') : { kind: 'schedulable' };
      return [name, { truth, launchless: false }];
    }),
  );
}

/** What each workload is under some pools, by its name. */
type JudgeUnder = (pools: readonly Pool[]) => ReadonlyMap<string, Judged>;

/** The workload under all pools that there are while it is deployed. */
function judge(data: ScenarioData, name: string, judgeUnder: JudgeUnder): Judged {
  const moving = neighbourChange(data, name);
  const all = poolsOver(data, name).flatMap((pools) => judgeUnder(pools).get(name) ?? []);
  const first: Judged = all[0] ?? { kind: 'unservable', why: 'it is never deployed' };
  const other = all.find(({ kind }) => kind !== first.kind);
  if (other !== undefined) return { kind: 'partly', why: `its pools change, and then: ${'why' in other ? other.why : 'it can be served'}` };
  return moving !== undefined && first.kind === 'servable' ? { kind: 'partly', why: moving } : first;
}

/** Judges all workloads at once under any pools, and the same pools once. */
function judgementsOf(data: ScenarioData): JudgeUnder {
  const loads = loadsOf(data);
  const known = new Map<string, ReadonlyMap<string, Judged>>();
  return (pools) => {
    const key = JSON.stringify(pools);
    const found = known.get(key) ?? judgeAll(loads, pools);
    known.set(key, found);
    return found;
  };
}

function judgeAll(loads: readonly Load[], pools: readonly Pool[]): ReadonlyMap<string, Judged> {
  // Pools of a fixed size launch for nobody: their nodes may be full.
  const growing = pools.filter(({ replicas }) => replicas === undefined);
  const byGrowing = feasibilities(loads, growing);
  if (growing.length === pools.length) return byGrowing;
  const byAny = feasibilities(loads, pools);
  return new Map(
    [...byGrowing].map(([name, found]) => {
      if (found.kind !== 'unservable' || byAny.get(name)?.kind === 'unservable') return [name, found];
      return [name, { kind: 'partly', why: 'only nodes of pools of a fixed size suit it, and these may be full' }];
    }),
  );
}

function feasibilities(loads: readonly Load[], pools: readonly Pool[]): ReadonlyMap<string, Judged> {
  const market = { catalogue: loadCatalogue(), nodesOf: poolNodes };
  const judged = judgeLimits(loads, judgeFeasibility(loads, pools, market));
  return new Map(
    [...judged].map(([name, feasibility]): [string, Judged] => {
      if (feasibility.kind === 'servable') return [name, { kind: 'servable' }];
      return [name, { kind: feasibility.kind === 'unservable' ? 'unservable' : 'partly', why: feasibility.why }];
    }),
  );
}

function loadsOf(data: ScenarioData): Load[] {
  const peaks = peaksOf(data);
  const load = (name: string, replicas: number, isDaemon: boolean, spec: Load['template']['spec']): Load => ({
    name,
    namespace: NAMESPACE,
    replicas,
    isDaemon,
    template: { metadata: { labels: { [WORKLOAD_LABEL]: name } }, spec },
  });
  return [
    ...data.workloads.map((one) => load(one.name, peaks.get(one.name) ?? one.replicas, false, podSpec(one))),
    ...data.daemonSets.map((one) => load(one.name, 0, true, podSpec({ replicas: 0, tolerations: [{ operator: 'Exists' }], ...one }))),
  ];
}

/** The pools at each time from the deployment of a workload to its removal. */
function poolsOver({ pools, steps }: ScenarioData, workload: string): Pool[][] {
  let current = pools.map(madeOf);
  let deployed = false;
  const seen: Pool[][] = [];
  for (const step of steps) {
    if (step.do === 'change-pool') current = current.map((one) => (one.name === step.pool.name ? madeOf(step.pool) : one));
    if (step.do === 'withdraw-pool') current = current.filter(({ name }) => name !== step.pool);
    if (step.do === 'deploy' && step.workload === workload) deployed = true;
    const changes = step.do === 'change-pool' || step.do === 'withdraw-pool' || (step.do === 'deploy' && step.workload === workload);
    if (deployed && changes) seen.push(current);
    if (step.do === 'remove' && step.workload === workload) deployed = false;
  }
  return seen;
}

/** A pool of the scenario language. */
export function madeOf({ name, ...options }: PoolData): Pool {
  return poolOf(name, options);
}

/** Why pods near others can't count on them: they come later, or go. */
function neighbourChange({ workloads, steps }: ScenarioData, name: string): string | undefined {
  const other = workloads.find((one) => one.name === name)?.near?.workload;
  if (other === undefined || other === name) return undefined;
  const at = (what: string, of: string): number =>
    steps.findIndex((step) => step.do === what && 'workload' in step && step.workload === of);
  if (at('deploy', other) > at('deploy', name)) return `it must be near ${other}, which is deployed later`;
  if (at('deploy', other) === -1) return `it must be near ${other}, which is never deployed`;
  return at('remove', other) >= 0 || at('scale', other) >= 0 || at('roll-out', other) >= 0
    ? `it must be near ${other}, whose pods change`
    : undefined;
}
