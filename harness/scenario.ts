import type { FaultSpec } from '../faults/fault.ts';
import type { Capability } from '../history/capabilities.ts';
import type { LatencyStep, Profile, Truth } from '../history/events.ts';
import type { Arch, Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { NVIDIA_GPU } from '../model/devices.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import type {
  KubeObject,
  NodeSelectorRequirement,
  PodAffinity,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from '../model/kube.ts';
import { Mistake, refuseUnless } from '../model/mistake.ts';
import type { Random } from '../runtime/random.ts';
import type { Feature, TargetConstants } from '../targets/target.ts';
import type { BoundName } from './bounds.ts';
import { definitionSchema, poolNameSchema, poolOptionsSchema } from './schemas.ts';

/** What is done to an autoscaler, and what is expected of it. A scenario does not know which world it runs in. */
export interface Scenario {
  /** `area/name`, unique. */
  readonly id: string;
  readonly title: string;
  readonly profile: Profile;
  /** Ids of the requirements that it tests. */
  readonly requirements: readonly string[];
  /** What target and world must have. If something is missing, the scenario is not run and the reason is reported. */
  readonly needs: { readonly features: readonly Feature[]; readonly capabilities: readonly Capability[] };
  readonly pools: readonly Pool[];
  /** The most nodes that it has at once: if budgets of its pools let only some go at a time, bounds allow for the rounds. By default one round. */
  readonly mostNodes?: number;
  /** The number of nodes that it has at least, whatever the user chooses: bounds and limits of its trials allow for them. */
  readonly leastNodes?: number;
  /** The longest that its pods take to stop once they are told to, in milliseconds, if bounds have to allow for it. By default no time. */
  readonly podStopMs?: number;
  /** Whether a run also kills the target at each of its side effects, in separate trials: for small scenarios. */
  readonly crashPoints?: boolean;
  /** `import.meta.url` of the module that exports it: if a test passes the object itself, a trial's process loads it from there. */
  readonly module?: string;
  /** What random numbers follow besides the seed, by default the id: a smaller form of a scenario keeps those of the larger one. */
  readonly origin?: string;
  run(trial: Trial): Promise<void>;
}

/** Who owns the pods of a workload. */
export type WorkloadKind = 'ReplicaSet' | 'Deployment' | 'StatefulSet' | 'Job';

/** Identical pods to deploy. */
export interface WorkloadSpec {
  readonly name: string;
  readonly replicas: number;
  /** What owns them; a ReplicaSet by default. A Job runs `replicas` pods in parallel, replaces lost ones, and ends when it is removed, or with `runSeconds`. */
  readonly kind?: WorkloadKind;
  /**
   * How long each pod of a Job runs until it finishes, in seconds: by default for ever. The Job is complete when `replicas` pods have
   * finished; also those count that stop within their grace period. It can't be scaled. It needs the capability `pods.finish`.
   */
  readonly runSeconds?: number;
  /** Requests of each pod, as Kubernetes quantities. */
  readonly cpu: string;
  readonly memory: string;
  /** NVIDIA GPUs that each pod requests, and is limited to; by default none. They need the feature `gpus` and the capability `nodes.devices`. */
  readonly gpus?: number;
  /** Local storage that each pod requests, as a Kubernetes quantity; by default none. */
  readonly ephemeralStorage?: string;
  /** A port of the node that each pod uses: no two of them can share a node. By default none. */
  readonly hostPort?: number;
  /** By default none, so the pods have the lowest priority. */
  readonly priorityClassName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Required node affinity: every requirement has to hold. */
  readonly nodeAffinity?: readonly NodeSelectorRequirement[];
  /** Required node affinity of several terms: one of them has to hold, in addition to all of `nodeAffinity`. */
  readonly nodeAffinityTerms?: readonly (readonly NodeSelectorRequirement[])[];
  /** Preferred node affinity, with the highest weight. */
  readonly preferredAffinity?: readonly NodeSelectorRequirement[];
  readonly tolerations?: readonly Toleration[];
  /** Required anti-affinity between its pods over this label: at most one of them in each domain. */
  readonly apartOver?: string;
  /** Required affinity to the pods of a workload, or to each other if it is their own: all in one domain of this label. */
  readonly near?: { readonly workload: string; readonly over: string };
  /** Names of scheduling gates: no scheduler considers its pods until all are removed. */
  readonly schedulingGates?: readonly string[];
  /** By default the default scheduler. */
  readonly schedulerName?: string;
  /** Spread constraints; those without a selector select the workload's own pods. */
  readonly spread?: readonly TopologySpreadConstraint[];
  /** Volumes of every pod: all pods share the claims among them. */
  readonly volumes?: readonly Volume[];
  /** Templates of claims of a StatefulSet: each of its pods has its own, which stay when it goes. */
  readonly claimTemplates?: readonly KubeObject[];
  readonly graceSeconds?: number;
  /** Creates a PodDisruptionBudget over its pods, like `protect`. */
  readonly budget?: BudgetSpec;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Whether its pods can be scheduled; by default they can. */
  readonly truth?: Truth;
}

/** Pods to deploy, by default named `web` and of the size NODE_SIZED. */
export type WorkloadRequest = Pick<WorkloadSpec, 'replicas'> & Partial<WorkloadSpec>;

/** A deployed workload. */
export interface Workload {
  /** Its name in the history: the value of WORKLOAD_LABEL on its pods. */
  readonly name: string;
  readonly kind: WorkloadKind | 'DaemonSet';
  /** Its object, unless that has the same name in the namespace `default`. */
  readonly object?: { readonly namespace: string; readonly name: string };
}

/** An object as a user wrote it, and what the history should record about it. */
export interface UserObject {
  /** Plural name, e.g. `priorityclasses`. */
  readonly resource: string;
  readonly object: KubeObject;
  /** It creates pods: its template names the workload by WORKLOAD_LABEL. */
  readonly workload?: {
    readonly name: string;
    readonly kind: Workload['kind'];
    readonly replicas: number;
    readonly truth: Truth;
    readonly note: string;
  };
  /** It is a PodDisruptionBudget for these workloads. */
  readonly protects?: readonly { readonly workload: string; readonly budget: BudgetSpec }[];
}

/** Pods that run on every node, or on every node that they select, like agents. They are no reason to launch. */
export interface DaemonSetSpec {
  readonly name: string;
  readonly cpu: string;
  readonly memory: string;
  /** By default it selects every node. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** By default it tolerates every taint. */
  readonly tolerations?: readonly Toleration[];
  /** By default none, so the pods have the lowest priority. */
  readonly priorityClassName?: string;
}

/** The limit of a PodDisruptionBudget. */
export type BudgetSpec = { readonly minAvailable: number } | { readonly maxUnavailable: number };

/** An injected fault. */
export interface ActiveFault {
  readonly id: string;
  /** How often it has fired. */
  firings(): number;
  /** Ends the fault. Resolves when it is healed, even if it already was. */
  heal(): Promise<void>;
}

/** What a scenario can do. Waits only set the pace: verdicts come from expectations, which are judged on the history. */
export interface Trial {
  /** The scenario's own random source, from the seed. */
  readonly random: Random;
  /** Number of nodes that the user chose, for scenarios of variable size. */
  readonly nodes: number;
  /** The constants that the target declares. */
  readonly constants: TargetConstants;
  /** The length of a time bound, to size a set-up with. Not for waiting, which has its own methods. */
  lengthMs(bound: BoundName): number;
  /** Deploys pods, by default of a size that fills a node of NODE_TYPES, so that there are as many nodes as pods. */
  deploy(spec: WorkloadRequest): Promise<Workload>;
  scale(workload: Workload, replicas: number): Promise<void>;
  /** Deletes the workload and its pods. */
  remove(workload: Workload): Promise<void>;

  /** Deploys a DaemonSet; it is removed with the workloads at the end. */
  daemonSet(spec: DaemonSetSpec): Promise<Workload>;
  /** Creates a PodDisruptionBudget for a workload; it is removed with the workloads at the end. */
  protect(workload: Workload, budget: BudgetSpec): Promise<void>;
  /** Creates objects as a user wrote them, in order, and records the workloads and budgets among them. All are removed at the end. */
  apply(objects: readonly UserObject[]): Promise<Workload[]>;
  /** Restarts the target as a roll-out would: stops it, then starts the next instance. Resolves when that one is ready. */
  restartTarget(): Promise<void>;

  /** Applies a changed pool of the scenario, by its name: its nodes should then match it. */
  changePool(pool: Pool): Promise<void>;
  /** Makes a Deployment replace its pods, like `kubectl rollout restart`. */
  rollOut(workload: Workload): Promise<void>;
  /** Annotates all current nodes as not to be disrupted, as a user would. */
  keepNodes(): Promise<void>;

  /** Removes pools of the scenario, by name (default: all), while the rest stays: everything made for them must go. */
  withdrawPools(...names: readonly string[]): Promise<void>;

  /**
   * Injects a fault until it is healed: by `heal()` or, at the latest, in the healing phase. Resolves once it is active.
   * Rejects if the world lacks a capability that the fault needs; the scenario must declare those.
   * @param firing by default the fault's own setting (`mayFire`), otherwise must-fire
   */
  inject(fault: FaultSpec, firing?: 'must-fire' | 'may-fire'): Promise<ActiveFault>;
  /** Like `inject`, and also waits until the fault has fired, for the bound at most. */
  injectUntilFired(fault: FaultSpec, within: BoundName): Promise<ActiveFault>;

  /** States an expectation without waiting for it: when something else should happen meanwhile, or another bound is waited for. */
  readonly expect: Expectations;

  /** Expects that pods of the workload run within the bound, and waits for them. @param minRatio of the pods, 1 by default */
  served(workload: Workload, within: BoundName, minRatio?: number): Promise<void>;
  /** Expects that everything launched so far starts to terminate within the bound, and lets the bound pass. */
  emptied(within: BoundName): Promise<void>;
  /** Expects that nothing launched so far is terminated within the bound, and lets it pass. */
  kept(during: BoundName): Promise<void>;
  /** Expects that within the bound at most this many instances are left, and that it stays so; lets the bound pass. */
  consolidated(instances: number, within: BoundName): Promise<void>;

  /** Waits until all pods of the workload run, or have finished, for the bound at most. */
  untilServed(workload: Workload, within: BoundName): Promise<void>;
  /** Waits until all pods of a Job with `runSeconds` have finished, for the bound and that time at most. */
  untilFinished(job: Workload, within: BoundName): Promise<void>;
  /** Waits until no nodes and no live instances are left, for the bound at most. */
  untilEmpty(within: BoundName): Promise<void>;
  /** Waits until this many instances are live or launching, for the bound at most. */
  untilLaunched(instances: number, within: BoundName): Promise<void>;
  /** Waits until at most this many instances are live, for the bound at most. */
  untilLeft(instances: number, within: BoundName): Promise<void>;
  /** Waits until the fault has fired, for the bound at most. */
  untilFired(fault: ActiveFault, within: BoundName): Promise<void>;
  /** Lets a part of a bound pass, to observe behaviour over time. @param ratio of the bound, more than 0 */
  pass(bound: BoundName, ratio?: number): Promise<void>;
  /** Lets some time pass to simulate a user's pace, drawn from the seed. Not for synchronisation. */
  pause(range: { readonly minMs: number; readonly maxMs: number }): Promise<void>;
}

/** States expectations: data in the history, judged by the checks. */
export interface Expectations {
  /** Pods of the workload run within the bound. @param minRatio of the pods, 1 by default */
  served(workload: Workload, within: BoundName, minRatio?: number): void;
  /** Ends the expectation for pods created from now on: only those created so far still have to be served. */
  servedUntilNow(workload: Workload): void;
  /** From now on nothing needs what was launched so far: it starts to terminate within the bound. */
  emptied(within: BoundName): void;
  /**
   * Nodes without pods, now or at a moment within the bound, are removed within the bound from then. Those of pools that keep idle
   * nodes meanwhile, by `replicas`, a `consolidateAfterMs` of `never` or an active budget of 0, may stay; if all do, nothing is expected.
   */
  idleRemoved(within: BoundName): void;
  /** Nothing is launched that only these pods could have caused. */
  noLaunchFor(workload: Workload): void;
  /** At most this many instances are launched in the whole trial. */
  launchedAtMost(instances: number): void;
  /** From now on, until another pool is named, this pool allows every launch. */
  launchedFrom(pool: string): void;
  /** The target explains each unserved pod within the bound, by default `explain`, and mentions these words; `a|b` means one of them. */
  explained(workload: Workload, mentions: readonly string[], within?: BoundName): void;
  /** Within the bound at most this many instances are left, since the pods need no more, and it stays so. */
  consolidated(instances: number, within: BoundName): void;
  /** Nothing launched so far is terminated within the bound. */
  kept(during: BoundName): void;
  /** No pod of the workload created from now on is ever without a node to go to. */
  neverWithoutNode(workload: Workload): void;
  /** The 99th percentile of the time between two steps of a pod's life stays within the bound. */
  latency(workload: Workload, from: LatencyStep, to: LatencyStep, within: BoundName): void;
  /**
   * From now on the target does not hold more and more in memory: state it once it has warmed up, under a load that repeats itself. Of a
   * target whose memory can't be told from the rest of the trial, nothing is expected.
   */
  steadyMemory(): void;
}

/** The static part of a scenario. */
export interface ScenarioHead {
  /** `area/name`, unique. */
  readonly id: string;
  readonly title: string;
  /** By default `core`, or `extended` if it needs a feature: targets without features must pass the core. */
  readonly profile?: Profile;
  /** Ids of the requirements that it tests; by default none. */
  readonly requirements?: readonly string[];
  /** What the target must have, in addition to the needs of `pools`: `node-settings` for `nodeSettings`. */
  readonly features?: readonly Feature[];
  /** What the world must support, in addition to the needs of `under` and `faults`. */
  readonly capabilities?: readonly Capability[];
  /** By default one pool that allows every type. */
  readonly pools?: readonly Pool[];
  /** The most nodes that it has at once: if budgets of its pools let only some go at a time, bounds allow for the rounds. By default one round. */
  readonly mostNodes?: number;
  /** The number of nodes that it has at least, whatever the user chooses: bounds and limits of its trials allow for them. By default 1. */
  readonly leastNodes?: number;
  /** The longest that its pods take to stop once they are told to, in milliseconds, if bounds have to allow for it. By default no time. */
  readonly podStopMs?: number;
  readonly crashPoints?: boolean;
  /** `import.meta.url` of the module that exports it; needed if a test passes the object itself. */
  readonly module?: string;
  /** What random numbers follow besides the seed; by default the id. */
  readonly origin?: string;
  /** Faults that are injected before `run`, in this order. */
  readonly under?: readonly FaultSpec[];
}

/** Faults that `run` injects at the right moment, by the names that it uses for them. */
export type NamedFaults = Readonly<Record<string, FaultSpec | readonly FaultSpec[]>>;

/**
 * Defines a scenario, with defaults for most fields. It needs every capability that the faults in `under` and `faults` need, and
 * `node-settings` if a pool has `nodeSettings`; if one is missing, the scenario is not run and the reason is reported. A fault whose parameters are only known during the
 * trial is created in `run`, and its needs are listed in `capabilities`.
 */
export function scenario<Faults extends NamedFaults = Record<never, never>>(
  definition: ScenarioHead & {
    readonly faults?: Faults;
    /** The resolved value is ignored. */
    run(trial: Trial, faults: Faults): Promise<unknown>;
  },
): Scenario {
  refuseUnless(definitionSchema, definition, { call: 'scenario', noun: 'a scenario' });
  const { id, title, requirements = [], capabilities = [], pools = [pool('default')], under = [] } = definition;
  const { crashPoints, module, mostNodes, leastNodes, podStopMs, origin } = definition;
  const faults = definition.faults ?? ({} as Faults);
  const needed = [...under, ...Object.values(faults).flat()].flatMap((fault) => fault.capabilities);
  const features = [...new Set([...(definition.features ?? []), ...pools.flatMap(featuresOf)])];
  return declaredHere({
    id,
    title,
    profile: definition.profile ?? (features.length > 0 ? 'extended' : 'core'),
    requirements,
    needs: { features, capabilities: [...new Set([...capabilities, ...needed])] },
    pools,
    ...defined({ crashPoints, module, mostNodes, leastNodes, podStopMs, origin }),
    run: async (trial) => {
      for (const fault of under) await trial.inject(fault);
      await definition.run(trial, faults);
    },
  });
}

/** What a target must have for the fields of a pool that it would ignore otherwise. */
function featuresOf({ nodeSettings }: Pool): Feature[] {
  return nodeSettings === undefined ? [] : ['node-settings'];
}

/** Where a scenario was declared: an error that was created there. */
const DECLARED = Symbol('declared');

function declaredHere(made: Scenario): Scenario {
  return Object.defineProperty(made, DECLARED, { value: new Error('declared here') });
}

/** The error that a user's scenario is wrong, at the line where it was declared, if that is known. */
export function mistakeIn(scenario: Scenario, what: string): Mistake {
  const at = (scenario as { readonly [DECLARED]?: Error })[DECLARED];
  return new Mistake(`scenario "${scenario.id}": ${what}`, at);
}

/** Creates a pool: by default every zone, on demand, amd64. */
export function pool(
  name: string,
  options: {
    readonly capacityTypes?: readonly ('spot' | 'on-demand')[];
    readonly instanceTypes?: readonly string[];
    readonly zones?: readonly string[];
    readonly architectures?: readonly Arch[];
    readonly requirements?: readonly NodeSelectorRequirement[];
  } & Partial<Pick<Pool, 'labels' | 'taints' | 'startupTaints' | 'limits' | 'weight'>> &
    Pick<Pool, 'expireAfterMs' | 'terminationGracePeriodMs' | 'minimumValues' | 'replicas' | 'disruption' | 'nodeSettings'> = {},
): Pool {
  refuseUnless(poolNameSchema, name, { call: 'pool', noun: 'its name' });
  refuseUnless(poolOptionsSchema, options, { call: `pool "${name}"`, noun: 'a pool' });
  const among = (key: string, values: readonly string[] | undefined): NodeSelectorRequirement[] =>
    values === undefined ? [] : [{ key, operator: 'In', values: [...values] }];
  return {
    name,
    requirements: [
      ...among('karpenter.sh/capacity-type', options.capacityTypes ?? ['on-demand']),
      ...among('kubernetes.io/arch', options.architectures ?? ['amd64']),
      ...among('node.kubernetes.io/instance-type', options.instanceTypes),
      ...among('topology.kubernetes.io/zone', options.zones),
      ...(options.requirements ?? []),
    ],
    labels: options.labels ?? {},
    taints: options.taints ?? [],
    startupTaints: options.startupTaints ?? [],
    ...defined({ limits: options.limits }),
    weight: options.weight ?? 0,
    ...defined({
      expireAfterMs: options.expireAfterMs,
      terminationGracePeriodMs: options.terminationGracePeriodMs,
      minimumValues: options.minimumValues,
      disruption: options.disruption,
      replicas: options.replicas,
      nodeSettings: options.nodeSettings,
    }),
  };
}

/** The pod spec of a workload's template. */
export function podSpec(spec: WorkloadSpec): PodSpec {
  const affinity = affinityOf(spec);
  // The API server requires that a request of devices equals its limit.
  const devices = (spec.gpus ?? 0) === 0 ? undefined : { [NVIDIA_GPU]: String(spec.gpus) };
  const storage = defined({ 'ephemeral-storage': spec.ephemeralStorage });
  const resources = { requests: { cpu: spec.cpu, memory: spec.memory, ...storage, ...devices }, ...defined({ limits: devices }) };
  const ports = spec.hostPort === undefined ? undefined : [{ containerPort: spec.hostPort, hostPort: spec.hostPort }];
  const own = { matchLabels: { [WORKLOAD_LABEL]: spec.name } };
  return {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10', resources, ...defined({ ports }) }],
    terminationGracePeriodSeconds: spec.graceSeconds ?? 30,
    ...defined({
      restartPolicy: spec.kind === 'Job' ? ('OnFailure' as const) : undefined,
      nodeSelector: spec.nodeSelector && { ...spec.nodeSelector },
      affinity,
      tolerations: spec.tolerations && [...spec.tolerations],
      volumes: spec.volumes && [...spec.volumes],
      schedulingGates: spec.schedulingGates?.map((name) => ({ name })),
      schedulerName: spec.schedulerName,
      priorityClassName: spec.priorityClassName,
      topologySpreadConstraints: spec.spread?.map((constraint) => ({ labelSelector: own, ...constraint })),
    }),
  };
}

function affinityOf(spec: WorkloadSpec): PodSpec['affinity'] {
  const { name, nodeAffinity: all, nodeAffinityTerms: terms, preferredAffinity: preferred, apartOver, near } = spec;
  const required = terms?.map((term) => [...(all ?? []), ...term]) ?? (all === undefined ? undefined : [all]);
  if ([required, preferred, apartOver, near].every((part) => part === undefined)) return undefined;
  const toPods = (workload: string, topologyKey: string): PodAffinity => ({
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { [WORKLOAD_LABEL]: workload } } }],
  });
  const nodeAffinity = defined({
    requiredDuringSchedulingIgnoredDuringExecution: required && {
      nodeSelectorTerms: required.map((term) => ({ matchExpressions: [...term] })),
    },
    preferredDuringSchedulingIgnoredDuringExecution: preferred && [{ weight: 100, preference: { matchExpressions: [...preferred] } }],
  });
  return defined({
    nodeAffinity: (required ?? preferred) && nodeAffinity,
    podAffinity: near && toPods(near.workload, near.over),
    podAntiAffinity: apartOver === undefined ? undefined : toPods(name, apartOver),
  });
}
