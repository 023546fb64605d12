import { faultNamed } from '../faults/catalogue.ts';
import { mayFire, specify } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import type { BoundName } from '../harness/bounds.ts';
import { LoadError } from '../harness/load-error.ts';
import { scenario } from '../harness/scenario.ts';
import type { ActiveFault, Scenario, Trial, Workload, WorkloadRequest } from '../harness/scenario.ts';
import type { Capability } from '../history/capabilities.ts';
import type { Truth } from '../history/events.ts';
import { namesSpot } from '../model/catalogue.ts';
import type { Pool } from '../model/catalogue.ts';
import { OPTED_OUT } from '../harness/shapes.ts';
import type { Feature } from '../targets/target.ts';
import { daemonSetOf, earlyDaemonSets, needsGpus, parseScenarioData, peaksOf, specOf, stopSecondsOf } from './scenario-data.ts';
import type { FaultData, ScenarioData, Step, WorkloadData } from './scenario-data.ts';
import { madeOf, truthsOf } from './truths.ts';
import type { WorkloadTruth } from './truths.ts';
import { volumeFields, volumeObjects } from './volumes.ts';

/** The folder of the ids of scenarios that are data. */
export const GENERATED_SUITE = 'explore';

/**
 * The scenario that the data describe. A trial's process calls it with the data of a `ModuleRef`.
 * @throws LoadError when the data are no scenario
 */
export function scenarioOf(input: unknown): Scenario {
  const data = parse(input);
  const faults = new Map(data.faults.map((one) => [one.name, faultOf(one)]));
  return scenario({
    id: `${GENERATED_SUITE}/${data.name}`,
    title: titleOf(data),
    pools: data.pools.map(madeOf),
    features: featuresOf(data),
    mostNodes: mostNodesOf(data),
    podStopMs: podStopOf(data),
    faults: { all: [...faults.values()] },
    capabilities: capabilitiesOf(data),
    origin: data.origin ?? data.name,
    run: (t) => act(t, data, faults),
  });
}

function parse(input: unknown): ScenarioData {
  try {
    return parseScenarioData(input);
  } catch (error) {
    throw new LoadError(error instanceof Error ? error.message : String(error));
  }
}

/** A fault with its parameters, which `parseScenarioData` has checked. Whether it fires depends on what else happens. */
function faultOf({ fault, params }: FaultData): FaultSpec {
  const known = faultNamed(fault);
  if (known === undefined) throw new Error(`there is no fault "${fault}"`);
  return mayFire(specify(known, params));
}

/** In a few words what it has. */
function titleOf({ pools, workloads, faults }: ScenarioData): string {
  const names = [...new Set(faults.map(({ fault }) => fault))];
  const amounts = `${workloads.length} ${workloads.length === 1 ? 'workload' : 'workloads'} in ${pools.length} ${pools.length === 1 ? 'pool' : 'pools'}`;
  return names.length === 0 ? `${amounts}, no fault` : `${amounts}: ${names.join(', ')}`;
}

/** At worst, one node for each pod, and those of pools of a fixed size. */
function mostNodesOf(data: ScenarioData): number {
  const pods = [...peaksOf(data).values()].reduce((sum, one) => sum + one, 0);
  return data.pools.reduce((sum, { replicas = 0 }) => sum + replicas, Math.max(1, pods));
}

/** Pods that need long to stop, up to their grace period. Those of a StatefulSet that shrinks or is rolled out stop one after the other. */
function podStopOf(data: ScenarioData): number {
  const peaks = peaksOf(data);
  const stops = data.workloads.map((workload) => {
    const { name, kind } = workload;
    const peak = peaks.get(name) ?? 1;
    const stopsInTurn = data.steps.some(
      (step) =>
        (step.do === 'roll-out' && step.workload === name) || (step.do === 'scale' && step.workload === name && step.replicas < peak),
    );
    return stopSecondsOf(workload) * (kind === 'StatefulSet' && stopsInTurn ? peak : 1);
  });
  return 1_000 * Math.max(0, ...stops);
}

/** What the world must have besides the needs of faults. Restarts and waits of generated scenarios are those of virtual time. */
export function capabilitiesOf({ workloads }: ScenarioData): Capability[] {
  const isCreated = workloads.some(({ volume }) => volume?.is === 'created-with-pod' || volume?.is === 'created-at-once');
  return [
    'time.virtual',
    ...(isCreated ? ['volumes.create' as const] : []),
    ...(workloads.some(({ runSeconds }) => runSeconds !== undefined) ? ['pods.finish' as const] : []),
    ...(workloads.some(needsGpus) ? ['nodes.devices' as const] : []),
  ];
}

/** What a target must have, since it would ignore these parts of the scenario otherwise. */
export function featuresOf({ pools, workloads, steps }: ScenarioData): Feature[] {
  const all = [...pools, ...steps.flatMap((step) => (step.do === 'change-pool' ? [step.pool] : []))].map(madeOf);
  const features: Partial<Record<Feature, boolean>> = {
    spot: all.some(namesSpot),
    weights: all.some(({ weight }) => weight > 0),
    taints: all.some(({ taints, startupTaints }) => taints.length + startupTaints.length > 0),
    expiry: all.some(({ expireAfterMs }) => expireAfterMs !== undefined),
    'minimum-values': all.some(({ minimumValues }) => minimumValues !== undefined),
    'termination-grace': all.some(({ terminationGracePeriodMs }) => terminationGracePeriodMs !== undefined),
    'static-capacity': all.some(({ replicas }) => replicas !== undefined),
    consolidation: all.some(({ disruption }) => disruption?.consolidation === 'when-empty-or-underutilized'),
    'disruption-budgets': all.some(({ disruption }) => (disruption?.budgets ?? []).length > 0),
    drift: steps.some((step) => step.do === 'change-pool'),
    'do-not-disrupt': workloads.some(isOptedOut) || steps.some((step) => step.do === 'keep-nodes'),
    volumes: workloads.some(({ volume }) => volume !== undefined),
    gpus: workloads.some(needsGpus),
    'node-settings': all.some(({ nodeSettings }) => nodeSettings !== undefined),
    'node-limits': all.some(({ limits }: Pool) => limits?.nodes !== undefined),
    'pool-removal': steps.some((step) => step.do === 'withdraw-pool'),
    'open-labels': all.some(leavesLabelOpen),
  };
  return (Object.keys(features) as Feature[]).filter((name) => features[name] === true);
}

/** Labels that say what a machine is, and not what its user wants. */
const LABELS_OF_MACHINES = /^([^/]+\.)?(kubernetes\.io|k8s\.io|karpenter\.sh|k8s\.aws)\//;

/** Whether nodes may have different values of a label of the user's own. */
function leavesLabelOpen({ requirements }: Pool): boolean {
  return requirements.some(({ key, operator }) => operator !== 'DoesNotExist' && !LABELS_OF_MACHINES.test(key));
}

function isOptedOut({ annotations = {} }: ScenarioData['workloads'][number]): boolean {
  return Object.keys(OPTED_OUT).some((key) => key in annotations);
}

/** Within which bound the pods of each workload have to be served; those of others don't, or only at the end. */
export function servedExpectations(data: ScenarioData, truths: ReadonlyMap<string, WorkloadTruth>): ReadonlyMap<string, BoundName> {
  return new Map(
    [...truths].flatMap(([name, { truth, within }]) =>
      truth.kind === 'impossible' || isShrunk(data, name) ? [] : [[name, within] as const],
    ),
  );
}

async function act(t: Trial, data: ScenarioData, faults: ReadonlyMap<string, FaultSpec>): Promise<void> {
  const truths = truthsOf(data);
  const expected = servedExpectations(data, truths);
  const workloads = new Map<string, Workload>();
  const active = new Map<string, ActiveFault>();
  for (const spec of earlyDaemonSets(data)) await t.daemonSet(spec);
  for (const step of data.steps) await perform(step);

  async function perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'deploy': {
        const agent = daemonSetOf(data, step);
        return agent === undefined ? deploy(step.workload) : void (await t.daemonSet(agent));
      }
      case 'scale':
        return t.scale(deployed(step.workload), step.replicas);
      case 'remove':
        return t.remove(deployed(step.workload));
      case 'roll-out':
        return t.rollOut(deployed(step.workload));
      case 'inject': {
        const fault = faults.get(step.fault);
        if (fault !== undefined) active.set(step.fault, await t.inject(fault));
        return;
      }
      case 'heal':
        return active.get(step.fault)?.heal();
      case 'change-pool':
        return t.changePool(madeOf(step.pool));
      case 'withdraw-pool':
        return t.withdrawPools(step.pool);
      case 'keep-nodes':
        return t.keepNodes();
      case 'restart-target':
        return t.restartTarget();
      case 'pass':
        return t.pause({ minMs: step.seconds * 1_000, maxMs: step.seconds * 1_000 });
      case 'until-served':
        return t.untilServed(deployed(step.workload), 'provision');
      case 'until-fired': {
        const fault = active.get(step.fault);
        if (fault !== undefined) await t.untilFired(fault, 'provision');
      }
    }
  }

  async function deploy(name: string): Promise<void> {
    const spec = data.workloads.find((one) => one.name === name);
    const known = truths.get(name);
    if (spec === undefined || known === undefined) throw new Error(`there is no workload "${name}"`);
    const objects = volumeObjects(spec);
    if (objects.length > 0) await t.apply(objects);
    const workload = await t.deploy(deploymentOf(spec, known.truth));
    workloads.set(name, workload);
    if (known.launchless) t.expect.noLaunchFor(workload);
    const bound = expected.get(name);
    if (bound !== undefined) t.expect.served(workload, bound);
  }

  function deployed(name: string): Workload {
    const workload = workloads.get(name);
    if (workload === undefined) throw new Error(`workload "${name}" is not deployed`);
    return workload;
  }
}

/** What `t.deploy` takes. */
export function deploymentOf(workload: WorkloadData, truth: Truth): WorkloadRequest {
  return { ...specOf(workload), ...volumeFields(workload), truth };
}

/**
 * Whether some of its pods go before they had all their time, so that nobody knows whether they would have been served. All that are
 * left at the end must be: the world would not settle otherwise.
 */
function isShrunk({ workloads, steps }: ScenarioData, name: string): boolean {
  let replicas = workloads.find((one) => one.name === name)?.replicas ?? 0;
  if (replicas === 0) return true;
  for (const step of steps) {
    if ((step.do === 'remove' || step.do === 'roll-out') && step.workload === name) return true;
    if (step.do !== 'scale' || step.workload !== name) continue;
    if (step.replicas < replicas) return true;
    replicas = step.replicas;
  }
  return false;
}
