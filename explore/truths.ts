import type { BoundName } from '../harness/bounds.ts';
import { pool as poolOf, podSpec } from '../harness/scenario.ts';
import type { DaemonSetSpec } from '../harness/scenario.ts';
import { owedNothing, impossible, servedAfterHeal } from '../harness/shapes.ts';
import type { Truth } from '../history/events.ts';
import { judgeFeasibility } from '../manifests/feasibility.ts';
import { judgeLimits } from '../manifests/limits.ts';
import type { Load } from '../manifests/load.ts';
import type { Market } from '../manifests/offers.ts';
import { poolNodes } from '../manifests/pool-nodes.ts';
import type { PoolNodes } from '../manifests/pool-nodes.ts';
import { restrictedTo } from '../manifests/storage.ts';
import { faultNamed } from '../faults/catalogue.ts';
import { selects } from '../model/catalogue.ts';
import type { Offering, OfferingSelector, Pool } from '../model/catalogue.ts';
import { devicesOf } from '../model/devices.ts';
import { loadCatalogue, smallRegion } from '../model/instance-catalogue.ts';
import { LABEL, WORKLOAD_LABEL } from '../model/kube.ts';
import type { TopologySpreadConstraint } from '../model/kube.ts';
import { MOVES_PODS, daemonSetOf, earlyDaemonSets, needsGpus, peaksOf, specOf, stopSecondsOf } from './scenario-data.ts';
import type { PoolData, ScenarioData, WorkloadData } from './scenario-data.ts';
import { withheldIn } from './shortages.ts';
import { possibleZones, inZones, isShared, zonesRequired } from './volumes.ts';

/** What is true of a workload, whatever autoscaler runs. */
export interface WorkloadTruth {
  readonly truth: Truth;
  /** No launch can help its pods, and nothing else can look as if one did. */
  readonly launchless: boolean;
  /** How long its pods may wait, if they are to be served. */
  readonly within: BoundName;
}

type Judged =
  | {
      readonly kind: 'servable';
      /** Where it may run. */
      readonly zones: readonly string[];
      /** On how many different nodes of the pools that there are. */
      readonly seats: number;
    }
  | { readonly kind: 'partly' | 'unservable'; readonly why: string }
  /** By others, who know why. */
  | { readonly kind: 'held-back'; readonly why: string };

type Servable = Extract<Judged, { readonly kind: 'servable' }>;

/** A workload whose pods can only run in one zone, since their volumes are there. */
interface Pin {
  readonly workload: string;
  readonly zone: string;
}

/** Pods that stop within this time hold up others for less than the bounds allow. */
const SOON_S = 60;
/** A target that learns of one offering with each refusal has tried so many before it may try the first one again. */
const MOST_TRIED = 12;
const NAMESPACE = 'default';
const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * What is owed to each workload: it follows from the pools alone, as for a user's manifests (docs/manifests.md), never from what an
 * autoscaler decides. A workload is owed nothing if that depends on the order of pods, or on the time of a change.
 */
export function truthsOf(data: ScenarioData): ReadonlyMap<string, WorkloadTruth> {
  const quiet = data.faults.length === 0 && data.steps.every((step) => step.do !== 'restart-target');
  const judgeUnder = judgementsOf(data);
  const judged = data.workloads.map((workload) => [workload, judge(data, workload.name, judgeUnder)] as const);
  const isClear =
    judged.every(([, { kind }]) => kind !== 'partly') && !(mayReplace(data) && judged.some(([, { kind }]) => kind === 'servable'));
  const withheld = withheldIn(data);
  const judgeShort = withheld === undefined || withheld.length === 0 ? undefined : judgementsOf(data, withheld);
  return new Map(
    judged.map(([workload, found]): [string, WorkloadTruth] => {
      const { name } = workload;
      if (found.kind !== 'servable') {
        const truth = found.kind === 'unservable' ? impossible(found.why) : owedNothing(found.why);
        return [name, { truth, launchless: quiet && isClear && found.kind !== 'partly', within: 'recover' }];
      }
      const short = judgeShort === undefined ? found : judge(data, name, judgeShort);
      return [name, { ...owed(data, workload, found, withheld === undefined ? undefined : short), launchless: false }];
    }),
  );
}

/**
 * When pods that can be served have to run.
 * @param short the same workload while offerings are withheld; undefined if faults may hinder the target in another way
 */
function owed(
  data: ScenarioData,
  workload: WorkloadData,
  { seats }: Servable,
  short: Judged | undefined,
): Pick<WorkloadTruth, 'truth' | 'within'> {
  const mayTakeLonger = isDisturbed(data) || mayWaitForPods(data, workload);
  if (short?.kind === 'servable' && short.seats === seats)
    return { truth: { kind: 'schedulable' }, within: unhinderedWithin(workload, mayTakeLonger) };
  const hasOthers = short?.kind === 'servable' && seats - short.seats <= MOST_TRIED && !dependsOnOthers(data, workload);
  if (!hasOthers || mayTakeLonger || needsGpus(workload))
    return { truth: servedAfterHeal('faults may last until they are healed'), within: 'settle' };
  return { truth: { kind: 'schedulable' }, within: 'fallback' };
}

function unhinderedWithin(workload: WorkloadData, mayTakeLonger: boolean): BoundName {
  if (mayTakeLonger) return 'recover';
  return needsGpus(workload) ? 'devices' : 'provision';
}

/** Whether the target's work in progress may have to be begun again. */
function isDisturbed({ faults, steps }: ScenarioData): boolean {
  return (
    faults.some(({ fault }) => faultNamed(fault)?.withholds === undefined) ||
    steps.some((step) => step.do === 'restart-target' || step.do === 'change-pool' || step.do === 'withdraw-pool')
  );
}

/** Whether others may take the place that was meant for its pods, or these may get one only once others have stopped. */
function mayWaitForPods(data: ScenarioData, workload: WorkloadData): boolean {
  const { name, near, apartOver, hostPort, priorityClassName } = workload;
  if (data.workloads.length > 1 || data.steps.some((step) => daemonSetOf(data, step) !== undefined)) return true;
  if (priorityClassName !== undefined) return true;
  const isPicky = near !== undefined || apartOver !== undefined || hostPort !== undefined;
  return isPicky && stopSecondsOf(workload) > 0 && mayLosePods(data, name);
}

/** Whether where other pods are, or what was launched before, decides what its pods need: that may be what is withheld. */
function dependsOnOthers({ pools }: ScenarioData, { near, apartOver, spread = [], volume }: WorkloadData): boolean {
  const isPlaced = near !== undefined || apartOver === LABEL.zone || spread.some(isOverExisting) || volume !== undefined;
  return isPlaced || pools.some(({ limits }) => limits !== undefined);
}

/** Whether nodes may be launched in place of others. */
function mayReplace({ pools, steps }: ScenarioData): boolean {
  const changes = steps.some((step) => step.do === 'change-pool' || step.do === 'withdraw-pool');
  return changes || pools.some(({ expireAfterMs, disruption }) => expireAfterMs !== undefined || disruption?.consolidation === MOVES_PODS);
}

/** Whether pods of a workload may have to go before others take their place. */
function mayLosePods(data: ScenarioData, name: string): boolean {
  const { faults, workloads, daemonSets, steps } = data;
  const isChanged = steps.some((step) => (step.do === 'roll-out' || step.do === 'scale') && step.workload === name);
  const isPreempted = [...workloads, ...daemonSets].some(({ priorityClassName }) => priorityClassName !== undefined);
  return isChanged || isPreempted || faults.length > 0 || mayReplace(data);
}

/** What there is at a time. */
interface Situation {
  readonly pools: readonly Pool[];
  readonly daemonSets: readonly DaemonSetSpec[];
}

/** What each workload is in a situation, by its name. */
type JudgeUnder = (situation: Situation, pin?: Pin) => ReadonlyMap<string, Judged>;

/** The workload under all pools and DaemonSets that there are while it is deployed, wherever its volumes are. */
function judge(data: ScenarioData, name: string, judgeUnder: JudgeUnder): Judged {
  const workload = data.workloads.find((one) => one.name === name);
  if (workload === undefined) return { kind: 'unservable', why: 'there is no such workload' };
  const never = neverScheduled(workload);
  if (never !== undefined) return never;
  const found = judgeOver(data, name, judgeUnder);
  if (found.kind !== 'servable') return found;
  const why =
    unrealFault(data) ??
    preemption(data, workload) ??
    succession(data, workload) ??
    neighbourChange(data, name) ??
    neighbourProblem(data, name, judgeUnder) ??
    volumeProblem(data, name, found.zones, judgeUnder);
  return why === undefined ? found : { kind: 'partly', why };
}

function judgeOver(data: ScenarioData, name: string, judgeUnder: JudgeUnder, pin?: Pin): Judged {
  const all = situationsOver(data, name).flatMap((situation) => judgeUnder(situation, pin).get(name) ?? []);
  const first: Judged = all[0] ?? { kind: 'unservable', why: 'it is never deployed' };
  const other = all.find(({ kind }) => kind !== first.kind);
  if (other !== undefined)
    return { kind: 'partly', why: `its pools or DaemonSets change, and then: ${'why' in other ? other.why : 'it can be served'}` };
  if (first.kind !== 'servable') return first;
  const servable = all.filter((one) => one.kind === 'servable');
  return {
    kind: 'servable',
    zones: [...new Set(servable.flatMap(({ zones }) => zones))].sort(),
    seats: servable.reduce((sum, { seats }) => sum + seats, 0),
  };
}

/** Why nothing is owed while the target sees what no real server would show: it may remember that after the heal. */
function unrealFault({ faults }: ScenarioData): string | undefined {
  const unreal = faults.find(({ fault }) => faultNamed(fault)?.legal === false);
  return unreal === undefined ? undefined : `the target sees what a real API server would have refused (${unreal.fault})`;
}

/** Why its pods never get a node, whatever the pools are: nothing in a scenario removes gates, brings schedulers, or adds classes. */
function neverScheduled({ schedulingGates = [], schedulerName = DEFAULT_SCHEDULER, volume }: WorkloadData): Judged | undefined {
  if (schedulingGates.length > 0) return { kind: 'held-back', why: 'its scheduling gate is never removed' };
  if (schedulerName !== DEFAULT_SCHEDULER) return { kind: 'held-back', why: `the scheduler ${schedulerName} does not exist` };
  return volume?.is === 'of-missing-class' ? { kind: 'unservable', why: 'the storage class of its volume does not exist' } : undefined;
}

/** Why its pods may wait long for a place that the scheduler makes for them: nothing is launched meanwhile. */
function preemption({ workloads }: ScenarioData, { priorityClassName }: WorkloadData): string | undefined {
  if (priorityClassName === undefined) return undefined;
  const slow = workloads.find((one) => one.priorityClassName !== priorityClassName && stopSecondsOf(one) > SOON_S);
  return slow === undefined ? undefined : `it may preempt pods of ${slow.name}, which take long to stop`;
}

/**
 * Why new pods may have to wait until old ones of the same workload have stopped: the scheduler counts these for rules between pods,
 * and the node that they leave takes nobody.
 */
function succession(data: ScenarioData, workload: WorkloadData): string | undefined {
  const { name, near, apartOver } = workload;
  if (stopSecondsOf(workload) <= SOON_S || !mayLosePods(data, name)) return undefined;
  if (near?.workload === name && near.over === LABEL.hostname)
    return 'its pods must share one node, also with those that take long to stop';
  return apartOver === LABEL.zone ? 'its pods must not share a zone, nor with those that take long to stop' : undefined;
}

/** Why pods near others may have to wait for these. */
function neighbourProblem(data: ScenarioData, name: string, judgeUnder: JudgeUnder): string | undefined {
  const other = data.workloads.find((one) => one.name === data.workloads.find((mine) => mine.name === name)?.near?.workload);
  if (other === undefined || other.name === name) return undefined;
  const isServed = neverScheduled(other) === undefined && judgeOver(data, other.name, judgeUnder).kind === 'servable';
  return isServed ? undefined : `it must be near ${other.name}, which may not run`;
}

/**
 * Why its volumes may keep some of its pods from running: once one is in a zone, its pods can run nowhere else.
 * @param zones where it may run without regard to that
 */
function volumeProblem(data: ScenarioData, name: string, zones: readonly string[], judgeUnder: JudgeUnder): string | undefined {
  const workload = data.workloads.find((one) => one.name === name);
  if (workload?.volume === undefined) return undefined;
  const isReplaced = data.steps.some((step) => step.do === 'roll-out' && step.workload === name);
  if (isShared(workload) && ((peaksOf(data).get(name) ?? 0) > 1 || isReplaced))
    return 'its pods share a volume, which only one node at a time can attach (ReadWriteOnce)';
  // Its zones are those that its pods are allowed, as for any other requirement.
  if (workload.volume.is === 'existing') return undefined;
  if (isPlacedByZone(workload)) return 'it depends on the zones of its volumes where its pods may be';
  for (const zone of possibleZones(workload.volume) ?? zones) {
    const there = judgeOver(data, name, judgeUnder, { workload: name, zone });
    if (there.kind !== 'servable') return `its volume may be in ${zone}, and then: ${there.why}`;
  }
  return undefined;
}

/** Whether where one of its pods is decides in which zones others may be. */
function isPlacedByZone({ near, apartOver, spread = [] }: WorkloadData): boolean {
  return (
    near !== undefined ||
    apartOver === LABEL.zone ||
    spread.some(({ topologyKey, whenUnsatisfiable }) => topologyKey === LABEL.zone && whenUnsatisfiable === 'DoNotSchedule')
  );
}

/**
 * Judges all workloads at once under any pools, and the same pools once. Some targets run in a region with fewer types: where that makes a
 * difference, a workload is owed nothing.
 */
function judgementsOf(data: ScenarioData, withheld: readonly OfferingSelector[] = []): JudgeUnder {
  const isForSale = (offering: Offering): boolean => !withheld.some((one) => selects(one, offering));
  const known = new Map<string, ReadonlyMap<string, Judged>>();
  const whole = loadCatalogue();
  const small = smallRegion(whole, data.pools.map(madeOf));
  return ({ pools, daemonSets }, pin) => {
    const key = JSON.stringify([pools, daemonSets, pin]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const loads = loadsOf({ ...data, daemonSets }, pin);
    const found = inBoth(
      judgeAll(loads, pools, { catalogue: whole, nodesOf, isForSale }),
      judgeAll(loads, pools, { catalogue: small, nodesOf, isForSale }),
    );
    known.set(key, found);
    return found;
  };
}

/** What is so in both regions. */
function inBoth(whole: ReadonlyMap<string, Judged>, small: ReadonlyMap<string, Judged>): ReadonlyMap<string, Judged> {
  return new Map(
    [...whole].map(([name, found]): [string, Judged] => {
      const there = small.get(name);
      if (found.kind === 'servable' && there?.kind === 'servable')
        return [name, { ...found, zones: found.zones.filter((zone) => there.zones.includes(zone)) }];
      if (there === undefined || there.kind === found.kind) return [name, found];
      return [name, { kind: 'partly', why: 'only some of the types that its pools allow are large enough, and a region may lack them' }];
    }),
  );
}

function judgeAll(loads: readonly Load[], pools: readonly Pool[], market: Market): ReadonlyMap<string, Judged> {
  // Pools of a fixed size launch for nobody: their nodes may be full.
  const growing = pools.filter(({ replicas }) => replicas === undefined);
  const byGrowing = feasibilities(loads, growing, market);
  if (growing.length === pools.length) return byGrowing;
  const byAny = feasibilities(loads, pools, market);
  return new Map(
    [...byGrowing].map(([name, found]) => {
      if (found.kind === 'servable' && loads.some((load) => load.name === name && isSpreadByLabel(load)))
        return [name, { kind: 'partly', why: 'its pods are spread, also over nodes of pools of a fixed size, and these may be full' }];
      if (found.kind !== 'unservable' || byAny.get(name)?.kind === 'unservable') return [name, found];
      return [name, { kind: 'partly', why: 'only nodes of pools of a fixed size suit it, and these may be full' }];
    }),
  );
}

/** Whether its pods must be spread over something that other nodes may have none of: each new node is a new host. */
function isSpreadByLabel({ template }: Load): boolean {
  return (template.spec.topologySpreadConstraints ?? []).some(isOverExisting);
}

/** Whether a new node need not be a new place. */
function isOverExisting({ topologyKey, whenUnsatisfiable }: Pick<TopologySpreadConstraint, 'topologyKey' | 'whenUnsatisfiable'>): boolean {
  return topologyKey !== LABEL.hostname && whenUnsatisfiable === 'DoNotSchedule';
}

function feasibilities(loads: readonly Load[], pools: readonly Pool[], market: Market): ReadonlyMap<string, Judged> {
  const judged = judgeLimits(loads, judgeFeasibility(loads, pools, market));
  return new Map(
    [...judged].map(([name, feasibility]): [string, Judged] => {
      if (feasibility.kind === 'servable')
        return [name, { kind: 'servable', zones: feasibility.seats.map(({ offering }) => offering.zone), seats: feasibility.seats.length }];
      return [name, { kind: feasibility.kind === 'unservable' ? 'unservable' : 'partly', why: feasibility.why }];
    }),
  );
}

/** Generated scenarios wait for device plugins. */
function nodesOf(pool: Pool): PoolNodes {
  const { allocatable, ...rest } = poolNodes(pool);
  return { ...rest, allocatable: (type) => ({ ...allocatable(type), ...devicesOf(type) }) };
}

function loadsOf(data: ScenarioData, pin?: Pin): Load[] {
  const peaks = peaksOf(data);
  const load = (name: string, replicas: number, isDaemon: boolean, spec: Load['template']['spec']): Load => ({
    name,
    namespace: NAMESPACE,
    replicas,
    isDaemon,
    template: { metadata: { labels: { [WORKLOAD_LABEL]: name } }, spec },
  });
  return [
    ...data.workloads.map((one) => {
      const zones = pin?.workload === one.name ? [inZones(pin.zone)] : one.volume === undefined ? [] : zonesRequired(one.volume);
      return load(one.name, peaks.get(one.name) ?? one.replicas, false, restrictedTo(podSpec(specOf(one)), zones));
    }),
    ...data.daemonSets.map((one) => load(one.name, 0, true, podSpec({ replicas: 0, tolerations: [{ operator: 'Exists' }], ...one }))),
  ];
}

/** What there is at each time from the deployment of a workload to its removal. */
function situationsOver(data: ScenarioData, workload: string): Situation[] {
  let current = data.pools.map(madeOf);
  const daemonSets = [...earlyDaemonSets(data)];
  let deployed = false;
  const seen: Situation[] = [];
  for (const step of data.steps) {
    const agent = daemonSetOf(data, step);
    if (agent !== undefined) daemonSets.push(agent);
    if (step.do === 'change-pool') current = current.map((one) => (one.name === step.pool.name ? madeOf(step.pool) : one));
    if (step.do === 'withdraw-pool') current = current.filter(({ name }) => name !== step.pool);
    if (step.do === 'deploy' && step.workload === workload) deployed = true;
    const isFirst = step.do === 'deploy' && step.workload === workload;
    const changes = isFirst || agent !== undefined || step.do === 'change-pool' || step.do === 'withdraw-pool';
    if (deployed && changes) seen.push({ pools: current, daemonSets: [...daemonSets] });
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
  if (workloads.some((one) => one.name === other && one.runSeconds !== undefined)) return `it must be near ${other}, whose pods finish`;
  return at('remove', other) >= 0 || at('scale', other) >= 0 || at('roll-out', other) >= 0
    ? `it must be near ${other}, whose pods change`
    : undefined;
}
