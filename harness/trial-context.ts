import type { TargetConstants } from '../targets/target.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { CAPABILITIES } from '../history/capabilities.ts';
import { computeOf } from '../history/compute.ts';
import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { Bound, EventOf, Expectation, Recorder, Truth } from '../history/events.ts';
import { NODE_OPT_OUTS, drainHabitOf, isCritical } from '../model/drain.ts';
import type { Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { keepsIdleNodes } from '../model/idle-nodes.ts';
import type { Job, KubeObject, ObjectMeta, Pod, PodDisruptionBudget, PodSpec, PodTemplate, ReplicaSet } from '../model/kube.ts';
import { podRequests } from '../model/resources.ts';
import { formatTime } from '../model/time.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { ClusterPort, FaultPorts, ObjectRef } from '../world/ports.ts';
import type { World } from '../world/world.ts';
import { armedFault } from './armed-fault.ts';
import type { BoundName } from './bounds.ts';
import { LOOK_PERIOD_MS } from './convergence.ts';
import { RUN_SECONDS_ANNOTATION, WORKLOAD_LABEL } from '../model/kube.ts';
import { podSpec } from './scenario.ts';
import type {
  ActiveFault,
  BudgetSpec,
  DaemonSetSpec,
  Expectations,
  Trial,
  UserObject,
  Workload,
  WorkloadKind,
  WorkloadRequest,
  WorkloadSpec,
} from './scenario.ts';
import { NODE_SIZED } from './shapes.ts';

const NAMESPACE = 'default';
const RESOURCE_OF = {
  ReplicaSet: 'replicasets',
  Deployment: 'deployments',
  DaemonSet: 'daemonsets',
  StatefulSet: 'statefulsets',
  Job: 'jobs',
} as const satisfies Record<Workload['kind'], string>;

/** The API server's default for `terminationGracePeriodSeconds`. */
const DEFAULT_GRACE_S = 30;

/** A Job counts pods that are deleted as failed. It should not give up because nodes go. */
const JOB_BACKOFF_LIMIT = 1_000_000;

/** What a workload's template says about the end of its pods. */
type PartialTemplate = Parameters<typeof drainHabitOf>[0] & {
  readonly spec?: { readonly terminationGracePeriodSeconds?: number } & Partial<PodSpec>;
};

/** What a trial's context needs. */
export interface TrialContextSite {
  readonly world: World;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly bounds: Readonly<Record<BoundName, Bound>>;
  /** Number of nodes that the user chose. */
  readonly nodes: number;
  readonly constants: TargetConstants;
  /** Restarts the target; resolves when it is ready again. */
  readonly restartTarget: () => Promise<void>;
  /** Looks at the target's memory from now on. Returns whether the target says what it holds. */
  readonly watchMemory: () => boolean;
  /** The scenario's. */
  readonly pools: readonly Pool[];
  /** Applies pools that were changed, as the operator would. */
  readonly applyPools: (pools: readonly Pool[]) => Promise<void>;
  /** Removes pools as the operator would. @param former the same pools as they were before each change */
  readonly removePools: (pools: readonly Pool[], left: readonly Pool[], former: readonly Pool[]) => Promise<void>;
}

/** Implements a scenario's actions: deploys, injects, expects, and waits. */
export class TrialContext implements Trial {
  readonly random: Random;
  readonly nodes: number;
  readonly constants: TargetConstants;
  readonly restartTarget: () => Promise<void>;
  readonly expect: Expectations;
  readonly truths = new Map<string, Truth>();
  readonly #world: World;
  readonly #cluster: ClusterPort;
  readonly #ports: FaultPorts;
  readonly #recorder: Recorder;
  readonly #clock: Clock;
  readonly #bounds: Readonly<Record<BoundName, Bound>>;
  readonly #workloads = new Map<string, Workload>();
  /** Other objects that were created, in order. */
  readonly #otherObjects: ObjectRef[] = [];
  readonly #injected: Promise<ActiveFault>[] = [];
  readonly #applyPools: TrialContextSite['applyPools'];
  readonly #removePools: TrialContextSite['removePools'];
  readonly #watchMemory: TrialContextSite['watchMemory'];
  /** The pools that were not withdrawn. */
  #pools: readonly Pool[];
  /** Pools as they were before they were changed. */
  #formerPools: readonly Pool[] = [];

  constructor(site: TrialContextSite) {
    this.random = site.random;
    this.nodes = site.nodes;
    this.constants = site.constants;
    this.restartTarget = site.restartTarget;
    this.#world = site.world;
    this.#cluster = site.world.port('scenario');
    this.#ports = site.world.ports;
    this.#recorder = site.recorder;
    this.#clock = site.clock;
    this.#bounds = site.bounds;
    this.#applyPools = site.applyPools;
    this.#removePools = site.removePools;
    this.#pools = site.pools;
    this.#watchMemory = site.watchMemory;
    this.expect = this.#expectations();
  }

  /** The scenario's pools as last applied, without withdrawn ones. */
  get pools(): readonly Pool[] {
    return this.#pools;
  }

  lengthMs(bound: BoundName): number {
    const { unit, value } = this.#bounds[bound];
    if (unit !== 'ms') throw new Error(`the bound ${bound} is not a time`);
    return value;
  }

  async deploy(request: WorkloadRequest): Promise<Workload> {
    const spec = { name: 'web', ...NODE_SIZED, ...request };
    const { name, kind = 'ReplicaSet', replicas, truth = { kind: 'schedulable' } } = spec;
    const note = `${replicas} pods of ${spec.cpu} CPU and ${spec.memory}${describeSpread(spec)}`;
    const workload = await this.#deploy({ name, kind }, { replicas, truth, note }, (metadata) => workloadObject(spec, kind, metadata));
    if (spec.budget !== undefined) await this.protect(workload, spec.budget);
    return workload;
  }

  async daemonSet(request: DaemonSetSpec): Promise<Workload> {
    const { name, cpu, memory, nodeSelector } = request;
    const labels = { [WORKLOAD_LABEL]: name };
    const template = podSpec({ replicas: 0, tolerations: [{ operator: 'Exists' }], ...request });
    const note = `a pod of ${cpu} CPU and ${memory} for each node${nodeSelector === undefined ? '' : ' that it selects'}`;
    return this.#deploy({ name, kind: 'DaemonSet' }, { replicas: 0, truth: { kind: 'daemon' }, note }, (metadata) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: template } },
    }));
  }

  async #deploy(
    workload: Workload,
    facts: { readonly replicas: number; readonly truth: Truth; readonly note: string },
    make: (metadata: ObjectMeta) => KubeObject & { metadata: ObjectMeta },
  ): Promise<Workload> {
    const { name, kind } = workload;
    const object = make({ name, namespace: NAMESPACE, labels: { [WORKLOAD_LABEL]: name } });
    this.#recordWorkload(workload, facts, object);
    await this.#cluster.create(RESOURCE_OF[kind], object);
    return workload;
  }

  #recordWorkload(
    workload: Workload,
    facts: { readonly replicas: number; readonly truth: Truth; readonly note: string },
    made: KubeObject & { readonly spec?: { readonly template?: PartialTemplate } },
  ): void {
    const { name, object } = workload;
    if (this.#workloads.has(name)) throw new Error(`the scenario deploys two workloads named "${name}"`);
    this.#workloads.set(name, workload);
    this.truths.set(name, facts.truth);
    const drain = drainHabitOf(made.spec?.template ?? {});
    this.#recorder.record({
      type: 'workload',
      workload: name,
      namespace: object?.namespace ?? NAMESPACE,
      ...facts,
      ...defined({ drain, critical: isCritical(made.spec?.template?.spec) ? (true as const) : undefined }),
      graceSeconds: made.spec?.template?.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S,
      ...demandsOf(made.spec?.template?.spec ?? {}),
    });
  }

  async apply(objects: readonly UserObject[]): Promise<Workload[]> {
    const workloads: Workload[] = [];
    for (const { resource, object, workload: described, protects = [] } of objects) {
      const { namespace, name = '' } = object.metadata;
      const ref = { resource, name, ...defined({ namespace }) };
      for (const { workload, budget } of protects) this.#recorder.record({ type: 'budget', budget: name, workload, ...budget });
      if (described === undefined) {
        this.#otherObjects.push(ref);
      } else {
        const { name: known, kind, ...rest } = described;
        const workload = { name: known, kind, object: { namespace: namespace ?? NAMESPACE, name } };
        this.#recordWorkload(workload, rest, object);
        workloads.push(workload);
      }
      await this.#cluster.create(resource, object);
    }
    return workloads;
  }

  async protect(workload: Workload, budget: BudgetSpec): Promise<void> {
    const { name } = workload;
    this.#recorder.record({ type: 'budget', budget: name, workload: name, ...budget });
    this.#otherObjects.push({ resource: 'poddisruptionbudgets', namespace: NAMESPACE, name });
    await this.#cluster.create<PodDisruptionBudget>('poddisruptionbudgets', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: NAMESPACE },
      spec: { selector: { matchLabels: { [WORKLOAD_LABEL]: name } }, ...budget },
    });
  }

  async scale(workload: Workload, replicas: number): Promise<void> {
    await this.#cluster.patch(ownerOf(workload), { spec: workload.kind === 'Job' ? { parallelism: replicas } : { replicas } });
  }

  async remove(workload: Workload): Promise<void> {
    this.#workloads.delete(workload.name);
    await this.#cluster.delete(ownerOf(workload));
  }

  /** Removes everything that the scenario left deployed. */
  async removeAll(): Promise<void> {
    for (const workload of [...this.#workloads.values()]) await this.remove(workload);
    // Later objects may be in earlier ones: namespaces.
    for (const object of this.#otherObjects.splice(0).reverse()) await this.#cluster.delete(object);
  }

  async changePool(pool: Pool): Promise<void> {
    const known = this.#pools.find(({ name }) => name === pool.name);
    if (known === undefined) throw new Error(`the scenario has no pool "${pool.name}" to change`);
    this.#pools = this.#pools.map((one) => (one === known ? pool : one));
    this.#formerPools = [...this.#formerPools, known];
    await this.#applyPools([pool]);
  }

  async rollOut(workload: Workload): Promise<void> {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': formatTime(this.#clock.nowMs()) };
    await this.#cluster.patch(ownerOf(workload), { spec: { template: { metadata: { annotations } } } });
  }

  async keepNodes(): Promise<void> {
    for (const { metadata } of await this.#cluster.list('nodes')) {
      await this.#cluster.patch({ resource: 'nodes', name: metadata.name ?? '' }, { metadata: { annotations: { ...NODE_OPT_OUTS } } });
    }
  }

  async withdrawPools(...names: readonly string[]): Promise<void> {
    const unknown = names.filter((name) => !this.#pools.some((pool) => pool.name === name));
    if (unknown.length > 0) throw new Error(`the scenario has no pool ${unknown.map((name) => `"${name}"`).join(' and ')} to withdraw`);
    const [gone, left] = partition(this.#pools, ({ name }) => names.length === 0 || names.includes(name));
    this.#pools = left;
    const [former, others] = partition(this.#formerPools, (pool) => gone.some(({ name }) => name === pool.name));
    this.#formerPools = others;
    if (gone.length > 0) await this.#removePools(gone, left, former);
  }

  inject(fault: FaultSpec, firing: 'must-fire' | 'may-fire' = fault.firing ?? 'must-fire'): Promise<ActiveFault> {
    const injecting = this.#inject(fault, firing, `fault-${this.#injected.length + 1}`);
    this.#injected.push(injecting);
    return injecting;
  }

  async injectUntilFired(fault: FaultSpec, within: BoundName): Promise<ActiveFault> {
    const active = await this.inject(fault);
    await this.untilFired(active, within);
    return active;
  }

  async #inject(fault: FaultSpec, firing: 'must-fire' | 'may-fire', id: string): Promise<ActiveFault> {
    this.#refuseWhatWorldLacks(fault);
    let firings = 0;
    this.#recorder.record({ type: 'fault.armed', fault: armedFault(id, fault, firing) });
    const undo = await fault.inject({
      arm: this.#world.arm,
      ports: this.#ports,
      cluster: this.#world.cluster,
      fired: (span, note) => {
        firings += 1;
        if (firings > MAX_FIRINGS_RECORDED) return;
        this.#recorder.record({
          type: 'fault.fired',
          fault: id,
          ...defined({ span, note }),
        });
      },
    });
    let healing: Promise<void> | undefined;
    const heal = async (): Promise<void> => {
      await undo();
      this.#recorder.record({ type: 'fault.healed', fault: id });
    };
    return { id, firings: () => firings, heal: () => (healing ??= heal()) };
  }

  #refuseWhatWorldLacks(fault: FaultSpec): void {
    const missing = fault.capabilities.filter((capability) => !this.#world.capabilities.includes(capability));
    if (missing.length === 0) return;
    const names = missing.map((capability) => `"${capability}" (${CAPABILITIES[capability]})`).join(' and ');
    throw new Error(
      `fault ${fault.name} needs ${names}, which the world ${this.#world.name} does not have: ` +
        `declare it in the scenario's capabilities, so that the scenario is not run in such a world`,
    );
  }

  /** Heals all faults that the scenario left active. */
  async healAll(): Promise<void> {
    for (const injecting of this.#injected) await (await injecting).heal();
  }

  async served(workload: Workload, within: BoundName, minRatio?: number): Promise<void> {
    this.expect.served(workload, within, minRatio);
    await this.untilServed(workload, within);
  }

  async emptied(within: BoundName): Promise<void> {
    this.expect.emptied(within);
    await this.pass(within);
  }

  async kept(during: BoundName): Promise<void> {
    this.expect.kept(during);
    await this.pass(during);
  }

  async consolidated(instances: number, within: BoundName): Promise<void> {
    this.expect.consolidated(instances, within);
    await this.pass(within);
  }

  async untilServed(workload: Workload, within: BoundName): Promise<void> {
    // Pods are created some moments after the request: they too must have had the whole bound when this wait ends.
    const { apiMs, watchMs } = this.#world.allowances;
    await this.until(within, 2 * (apiMs + watchMs), async () => {
      const served = await this.#servedPodsOf(workload);
      const owner = await this.#cluster.get<ReplicaSet | Job>(ownerOf(workload));
      return served >= podsWanted(owner);
    });
  }

  async untilFinished(job: Workload, within: BoundName): Promise<void> {
    const { spec } = (await this.#cluster.get<Job>(ownerOf(job))) ?? {};
    // The bound is for pods that run; these have yet to finish.
    const runMs = 1_000 * Number(spec?.template.metadata?.annotations?.[RUN_SECONDS_ANNOTATION] ?? 0);
    await this.until(within, runMs, async () => {
      const { status } = (await this.#cluster.get<Job>(ownerOf(job))) ?? {};
      return (status?.succeeded ?? 0) >= (spec?.completions ?? 0);
    });
  }

  async untilEmpty(within: BoundName): Promise<void> {
    await this.until(within, 0, async () => {
      const nodes = await this.#cluster.list('nodes');
      return nodes.length === 0 && this.#ports.instances.list().every(({ state }) => state === 'terminated');
    });
  }

  async untilLaunched(instances: number, within: BoundName): Promise<void> {
    await this.until(within, 0, () =>
      Promise.resolve(this.#ports.instances.list().filter(({ state }) => state === 'pending' || state === 'running').length >= instances),
    );
  }

  async untilLeft(instances: number, within: BoundName): Promise<void> {
    await this.until(within, 0, () =>
      Promise.resolve(this.#ports.instances.list().filter(({ state }) => state === 'pending' || state === 'running').length <= instances),
    );
  }

  async untilFired(fault: ActiveFault, within: BoundName): Promise<void> {
    await this.until(within, 0, () => Promise.resolve(fault.firings() > 0));
  }

  async pass(bound: BoundName, ratio = 1): Promise<void> {
    await this.#clock.sleep(this.#bounds[bound].value * ratio);
  }

  async pause(range: { readonly minMs: number; readonly maxMs: number }): Promise<void> {
    await this.#clock.sleep(this.random.int(range.minMs, range.maxMs));
  }

  /** Polls until the condition holds, or the bound and a margin have passed. This only sets the pace; the history is judged. */
  async until(within: BoundName, marginMs: number, isSo: () => Promise<boolean>): Promise<void> {
    const deadlineMs = this.#clock.nowMs() + this.#bounds[within].value + marginMs;
    while (!(await isSo())) {
      const leftMs = deadlineMs - this.#clock.nowMs();
      if (leftMs <= 0) return;
      await this.#clock.sleep(Math.min(LOOK_PERIOD_MS, leftMs));
    }
  }

  async #servedPodsOf(workload: Workload): Promise<number> {
    const { namespace } = ownerOf(workload);
    const labels = { matchLabels: { [WORKLOAD_LABEL]: workload.name } };
    const counts = await this.#cluster.counts?.('pods', { namespace, selectors: [labels] }, classesOfServed);
    if (counts !== undefined) return counts.get(SERVED) ?? 0;
    return (await this.#cluster.list<Pod>('pods', { namespace, labels })).filter(isServed).length;
  }

  #expectations(): Expectations {
    const state = (expectation: Expectation): void => {
      this.#recorder.record({ type: 'expectation', expectation });
    };
    return {
      served: (workload, bound, minRatio = 1) => state({ kind: 'served', workload: workload.name, bound, minRatio }),
      servedUntilNow: (workload) => state({ kind: 'served-until-now', workload: workload.name }),
      emptied: (bound) => state({ kind: 'emptied', bound }),
      idleRemoved: (bound) => {
        const fromMs = this.#clock.nowMs();
        // A node that becomes idle at the end of the bound has another one.
        const period = { fromMs, toMs: fromMs + 2 * this.lengthMs(bound) };
        const removing = this.#pools.filter((pool) => pool.replicas === undefined && !keepsIdleNodes(pool, period));
        const pools = removing.map(({ name }) => name);
        if (pools.length > 0) state({ kind: 'idle-removed', bound, pools });
      },
      noLaunchFor: (workload) => state({ kind: 'no-launch-for', workload: workload.name }),
      launchedAtMost: (instances) => state({ kind: 'launched-at-most', instances }),
      launchedFrom: (pool) => state({ kind: 'launched-from', pool }),
      explained: (workload, mentions, bound = 'explain') =>
        state({ kind: 'explained', workload: workload.name, bound, mentions: [...mentions] }),
      consolidated: (instances, bound) => state({ kind: 'consolidated', instances, bound }),
      kept: (bound) => state({ kind: 'kept', bound }),
      neverWithoutNode: (workload) => state({ kind: 'never-without-node', workload: workload.name }),
      latency: (workload, from, to, bound) => state({ kind: 'latency', workload: workload.name, from, to, bound }),
      steadyMemory: () => {
        if (this.#watchMemory()) state({ kind: 'steady-memory' });
      },
    };
  }
}

type WorkloadObject = KubeObject & {
  metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplate; readonly [field: string]: unknown };
};

/** The object that owns the pods. */
function workloadObject(spec: WorkloadSpec, kind: WorkloadKind, metadata: ObjectMeta): WorkloadObject {
  const { name, replicas, runSeconds, annotations, claimTemplates } = spec;
  const labels = { [WORKLOAD_LABEL]: name };
  const finishing = runSeconds === undefined ? undefined : { [RUN_SECONDS_ANNOTATION]: String(runSeconds) };
  const template = {
    metadata: { labels, ...defined({ annotations: (annotations ?? finishing) && { ...annotations, ...finishing } }) },
    spec: podSpec(spec),
  };
  if (kind === 'Job') {
    // One that never finishes has no number of completions, so that it can be scaled.
    const completions = runSeconds === undefined ? undefined : replicas;
    const job = { parallelism: replicas, ...defined({ completions }), backoffLimit: JOB_BACKOFF_LIMIT, template };
    return { apiVersion: 'batch/v1', kind, metadata, spec: job };
  }
  const own = kind === 'StatefulSet' ? { serviceName: name, ...defined({ volumeClaimTemplates: claimTemplates }) } : {};
  return { apiVersion: 'apps/v1', kind, metadata, spec: { replicas, ...own, selector: { matchLabels: labels }, template } };
}

function ownerOf({ name, kind, object = { namespace: NAMESPACE, name } }: Workload): ObjectRef & { readonly namespace: string } {
  return { resource: RESOURCE_OF[kind], ...object };
}

function partition<T>(all: readonly T[], isMeant: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isMeant), all.filter((one) => !isMeant(one))];
}

/** What the pods of a template require of a node and of their spread. */
function demandsOf({
  containers,
  topologySpreadConstraints = [],
  ...spec
}: Partial<PodSpec>): Pick<EventOf<'workload'>, 'requests' | 'spreadOver'> {
  const requests = computeOf(podRequests({ ...spec, containers: containers ?? [] }));
  const hard = topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  return {
    ...(requests.cpuMilli === 0 && requests.memoryMiB === 0 ? {} : { requests }),
    ...(hard.length === 0 ? {} : { spreadOver: [...new Set(hard.map(({ topologyKey }) => topologyKey))] }),
  };
}

/** Whether it runs, or has finished. */
function isServed({ status, metadata }: Pod): boolean {
  return status?.phase === 'Succeeded' || (status?.phase === 'Running' && metadata.deletionTimestamp === undefined);
}

const SERVED = 'served';

/** Counts pods that run or have finished. */
function classesOfServed(pod: Pod): readonly string[] {
  return isServed(pod) ? [SERVED] : [];
}

/** How many pods a workload should have. */
function podsWanted(owner: ReplicaSet | Job | undefined): number {
  if (owner === undefined) return 0;
  if ('parallelism' in owner.spec) return Math.min(owner.spec.parallelism ?? 1, owner.spec.completions ?? Infinity);
  return 'replicas' in owner.spec ? (owner.spec.replicas ?? 0) : 0;
}

function describeSpread(spec: WorkloadSpec): string {
  const keys = (spec.spread ?? []).map(({ topologyKey, maxSkew }) => `${topologyKey} with maxSkew ${maxSkew}`);
  return keys.length === 0 ? '' : `, spread over ${keys.join(' and ')}`;
}
