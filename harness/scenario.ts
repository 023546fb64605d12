import type { FaultSpec } from '../faults/fault.ts';
import type { Capability } from '../history/capabilities.ts';
import type { LatencyStep, Profile, Truth } from '../history/events.ts';
import type { Arch, Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
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
import type { Random } from '../runtime/random.ts';
import type { Feature, TargetConstants } from '../targets/target.ts';
import type { BoundName } from './bounds.ts';

/** What is done to an autoscaler, and what must come of it. It never knows which world it runs in. */
export interface Scenario {
  /** `area/name`, unique. */
  readonly id: string;
  readonly title: string;
  readonly profile: Profile;
  /** Ids of the requirements that it tests. */
  readonly requirements: readonly string[];
  /** What target and world must have: lacking it the scenario is not run, with the reason. */
  readonly needs: { readonly features: readonly Feature[]; readonly capabilities: readonly Capability[] };
  readonly pools: readonly Pool[];
  /** Whether a run also kills the target at each of its side effects, in trials of their own: for small scenarios. */
  readonly crashPoints?: boolean;
  /** `import.meta.url` of the module that exports it: a trial's process loads it from there where the object itself was handed over. */
  readonly module?: string;
  run(trial: Trial): Promise<void>;
}

/** Who owns the pods of a workload. */
export type WorkloadKind = 'ReplicaSet' | 'Deployment';

/** Pods to deploy, all alike. */
export interface WorkloadSpec {
  readonly name: string;
  readonly replicas: number;
  /** What owns them; a ReplicaSet by default. */
  readonly kind?: WorkloadKind;
  /** Requests of each pod, as Kubernetes quantities. */
  readonly cpu: string;
  readonly memory: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Required node affinity: all of it has to hold. */
  readonly nodeAffinity?: readonly NodeSelectorRequirement[];
  /** Required node affinity of several terms: one of them has to hold, beside all of `nodeAffinity`. */
  readonly nodeAffinityTerms?: readonly (readonly NodeSelectorRequirement[])[];
  /** Preferred node affinity, of the greatest weight. */
  readonly preferredAffinity?: readonly NodeSelectorRequirement[];
  readonly tolerations?: readonly Toleration[];
  /** Required anti-affinity of its pods to each other over this label: at most one of them in each domain. */
  readonly apartOver?: string;
  /** Required affinity of its pods to those of a workload, or to each other where it is their own: in one domain of this label. */
  readonly near?: { readonly workload: string; readonly over: string };
  /** Names of gates: no scheduler looks at its pods as long as one is left. */
  readonly schedulingGates?: readonly string[];
  /** The default scheduler by default. */
  readonly schedulerName?: string;
  /** Spread constraints; those without a selector select the workload's own pods. */
  readonly spread?: readonly TopologySpreadConstraint[];
  /** Those of every pod: the claims among them are shared by all. */
  readonly volumes?: readonly Volume[];
  readonly graceSeconds?: number;
  /** What must stay healthy of them: a PodDisruptionBudget is put over them, as by `protect`. */
  readonly budget?: BudgetSpec;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What is true of its pods; by default they can be scheduled. */
  readonly truth?: Truth;
}

/** Pods to deploy, by default named `web` and of NODE_SIZED. */
export type WorkloadRequest = Pick<WorkloadSpec, 'replicas'> & Partial<WorkloadSpec>;

/** A deployed workload. */
export interface Workload {
  /** By which the history knows it: the value of WORKLOAD_LABEL on its pods. */
  readonly name: string;
  readonly kind: WorkloadKind | 'DaemonSet' | 'StatefulSet' | 'Job';
  /** Its object, where that is not of the same name in the namespace `default`. */
  readonly object?: { readonly namespace: string; readonly name: string };
}

/** An object as a user wrote it, and what the history is to know of it. */
export interface UserObject {
  /** Plural name, e.g. `priorityclasses`. */
  readonly resource: string;
  readonly object: KubeObject;
  /** It makes pods: its template names the workload by WORKLOAD_LABEL. */
  readonly workload?: {
    readonly name: string;
    readonly kind: Workload['kind'];
    readonly replicas: number;
    readonly truth: Truth;
    readonly note: string;
  };
  /** It is a PodDisruptionBudget over these workloads. */
  readonly protects?: readonly { readonly workload: string; readonly budget: BudgetSpec }[];
}

/** Pods that every node gets, as agents do. They are no reason to launch. */
export interface DaemonSetSpec {
  readonly name: string;
  readonly cpu: string;
  readonly memory: string;
  /** By default every taint. */
  readonly tolerations?: readonly Toleration[];
  /** By default none: pods of no importance. */
  readonly priorityClassName?: string;
}

/** What must stay healthy of a workload, as its PodDisruptionBudget says. */
export type BudgetSpec = { readonly minAvailable: number } | { readonly maxUnavailable: number };

/** An injected fault. */
export interface ActiveFault {
  readonly id: string;
  /** How often it has fired. */
  firings(): number;
  /** Ends the fault. Resolves when it is healed, also where it already was. */
  heal(): Promise<void>;
}

/** What a scenario can do. Waiting only paces: verdicts come from what was expected, judged on the history. */
export interface Trial {
  /** Chance of the scenario's own, from the seed. */
  readonly random: Random;
  /** Nodes that the user asked for, where a scenario's size is free. */
  readonly nodes: number;
  /** What the target declares of itself. */
  readonly constants: TargetConstants;
  /** How long a bound of time is: for what a scenario sets up by it. Not for waiting, which has words of its own. */
  lengthMs(bound: BoundName): number;
  /** Deploys pods, by default such that each fills a node of NODE_TYPES: so many pods are so many nodes. */
  deploy(spec: WorkloadRequest): Promise<Workload>;
  scale(workload: Workload, replicas: number): Promise<void>;
  /** Deletes the workload and its pods. */
  remove(workload: Workload): Promise<void>;

  /** Deploys a DaemonSet; it goes with the workloads at the end. */
  daemonSet(spec: DaemonSetSpec): Promise<Workload>;
  /** Puts a PodDisruptionBudget over a workload; it goes with the workloads at the end. */
  protect(workload: Workload, budget: BudgetSpec): Promise<void>;
  /** Creates objects as a user wrote them, in order, and records the workloads and budgets among them. All go at the end. */
  apply(objects: readonly UserObject[]): Promise<Workload[]>;
  /** Restarts the target as a roll-out of it would: it is asked to stop, and the next starts when it has. Resolves when that is ready. */
  restartTarget(): Promise<void>;

  /** Applies a pool of the scenario anew, by its name: its nodes are then to be as it says. */
  changePool(pool: Pool): Promise<void>;
  /** Has a Deployment replace its pods, as `kubectl rollout restart` does. */
  rollOut(workload: Workload): Promise<void>;
  /** Marks all nodes that are there as not to be taken, as their user would. */
  keepNodes(): Promise<void>;

  /** Takes pools of the scenario away, by name (none named: all), while the rest goes on: everything made for them must go. */
  withdrawPools(...names: readonly string[]): Promise<void>;

  /**
   * Injects a fault until it is healed: by `heal()` or, at the latest, by the healing phase. Resolves when it can strike.
   * Rejects when the world lacks a capability that the fault needs, which the scenario has to declare.
   * @param firing by default what the fault says of itself (`mayFire`), which else must fire
   */
  inject(fault: FaultSpec, firing?: 'must-fire' | 'may-fire'): Promise<ActiveFault>;
  /** The same, and waits until the fault has fired, for the bound at most. */
  injectUntilFired(fault: FaultSpec, within: BoundName): Promise<ActiveFault>;

  /** States an expectation without waiting for it: where something else is to be done meanwhile, or another bound waited for. */
  readonly expect: Expectations;

  /** Expects that pods of the workload run within the bound, and waits until all do, for the bound at most. @param minRatio of the pods, 1 by default */
  served(workload: Workload, within: BoundName, minRatio?: number): Promise<void>;
  /** Expects that all that has been launched so far begins to end within the bound, and lets the bound pass. */
  emptied(within: BoundName): Promise<void>;
  /** Expects that what has been launched so far is not taken while the bound lasts, and lets it pass. */
  kept(during: BoundName): Promise<void>;
  /** Expects that within the bound no more than so many instances are left, and that it stays so, and lets the bound pass. */
  consolidated(instances: number, within: BoundName): Promise<void>;

  /** Waits until all pods of the workload run, for the bound at most. */
  untilServed(workload: Workload, within: BoundName): Promise<void>;
  /** Waits until no nodes and no live instances are left, for the bound at most. */
  untilEmpty(within: BoundName): Promise<void>;
  /** Waits until so many instances are live or on their way, for the bound at most. */
  untilLaunched(instances: number, within: BoundName): Promise<void>;
  /** Waits until at most so many instances are live, for the bound at most. */
  untilLeft(instances: number, within: BoundName): Promise<void>;
  /** Waits until the fault has fired, for the bound at most. */
  untilFired(fault: ActiveFault, within: BoundName): Promise<void>;
  /** Lets a part of a bound pass: for what is observed over time. @param ratio of the bound, more than 0 */
  pass(bound: BoundName, ratio?: number): Promise<void>;
  /** Lets some time pass that stands for a user's, drawn from the seed. Not for synchronisation. */
  pause(range: { readonly minMs: number; readonly maxMs: number }): Promise<void>;
}

/** States expectations: data in the history, judged by the checks. */
export interface Expectations {
  /** Pods of the workload run within the bound. @param minRatio of the pods, 1 by default */
  served(workload: Workload, within: BoundName, minRatio?: number): void;
  /** What was expected to be served are the pods that were created so far; of later ones only what is stated from now on. */
  servedUntilNow(workload: Workload): void;
  /** From now on nothing needs what has been launched so far: it begins to end within the bound. */
  emptied(within: BoundName): void;
  /** Nothing is launched that only these pods could be the reason for. */
  noLaunchFor(workload: Workload): void;
  /** Over the whole trial no more than so many instances are launched. */
  launchedAtMost(instances: number): void;
  /** From now on, until another pool is named, what is launched is what this pool allows. */
  launchedFrom(pool: string): void;
  /** Each of its pods that stays unserved is explained by the target within the bound, by default `explain`, mentioning these words, or of `a|b` one. */
  explained(workload: Workload, mentions: readonly string[], within?: BoundName): void;
  /** Within the bound no more than so many instances are left, since the pods need no more, and so it stays. */
  consolidated(instances: number, within: BoundName): void;
  /** What has been launched so far is not taken as long as the bound lasts. */
  kept(during: BoundName): void;
  /** No pod of the workload that comes from now on is without a node to go to. */
  neverWithoutNode(workload: Workload): void;
  /** The 99th percentile from one step of a pod's life to another stays within the bound. */
  latency(workload: Workload, from: LatencyStep, to: LatencyStep, within: BoundName): void;
}

/** What is known of a scenario before it runs. */
export interface ScenarioHead {
  /** `area/name`, unique. */
  readonly id: string;
  readonly title: string;
  /** By default `core`, or `extended` where it needs a feature: the core is owed by targets that have none. */
  readonly profile?: Profile;
  /** Ids of the requirements that it tests; none by default. */
  readonly requirements?: readonly string[];
  /** What the target must have; nothing by default. */
  readonly features?: readonly Feature[];
  /** What the world must be able to do beside what `under` and `faults` need. */
  readonly capabilities?: readonly Capability[];
  /** By default one pool of every type. */
  readonly pools?: readonly Pool[];
  readonly crashPoints?: boolean;
  /** `import.meta.url` of the module that exports it, where a test hands the object over. */
  readonly module?: string;
  /** Faults that are injected before `run`, in this order. */
  readonly under?: readonly FaultSpec[];
}

/** Faults that `run` injects when their time has come, by the names that it has for them. */
export type NamedFaults = Readonly<Record<string, FaultSpec | readonly FaultSpec[]>>;

/**
 * Defines a scenario, with what most have in common. What the faults in `under` and `faults` need of a world, the scenario
 * needs: where that is missing it is not run, with the reason. A fault whose parameters are known only in the trial is made
 * in `run`, and what it needs is named in `capabilities`.
 */
export function scenario<Faults extends NamedFaults = Record<never, never>>(
  definition: ScenarioHead & {
    readonly faults?: Faults;
    /** What it resolves with is not looked at. */
    run(trial: Trial, faults: Faults): Promise<unknown>;
  },
): Scenario {
  const { id, title, requirements = [], features = [], capabilities = [], pools = [pool('default')], under = [] } = definition;
  const { crashPoints, module } = definition;
  const faults = definition.faults ?? ({} as Faults);
  const needed = [...under, ...Object.values(faults).flat()].flatMap((fault) => fault.capabilities);
  return {
    id,
    title,
    profile: definition.profile ?? (features.length > 0 ? 'extended' : 'core'),
    requirements,
    needs: { features, capabilities: [...new Set([...capabilities, ...needed])] },
    pools,
    ...defined({ crashPoints, module }),
    run: async (trial) => {
      for (const fault of under) await trial.inject(fault);
      await definition.run(trial, faults);
    },
  };
}

/** A pool: by default every zone, on demand, amd64. */
export function pool(
  name: string,
  options: {
    readonly capacityTypes?: readonly ('spot' | 'on-demand')[];
    readonly instanceTypes?: readonly string[];
    readonly zones?: readonly string[];
    readonly architectures?: readonly Arch[];
    readonly requirements?: readonly NodeSelectorRequirement[];
  } & Partial<Pick<Pool, 'labels' | 'taints' | 'startupTaints' | 'limits' | 'weight'>> &
    Pick<Pool, 'expireAfterMs' | 'terminationGracePeriodMs' | 'minimumValues' | 'replicas' | 'disruption'> = {},
): Pool {
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
    }),
  };
}

/** The pod template's spec of a workload. */
export function podSpec(spec: WorkloadSpec): PodSpec {
  const affinity = affinityOf(spec);
  const own = { matchLabels: { [WORKLOAD_LABEL]: spec.name } };
  return {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10', resources: { requests: { cpu: spec.cpu, memory: spec.memory } } }],
    terminationGracePeriodSeconds: spec.graceSeconds ?? 30,
    ...defined({
      nodeSelector: spec.nodeSelector && { ...spec.nodeSelector },
      affinity,
      tolerations: spec.tolerations && [...spec.tolerations],
      volumes: spec.volumes && [...spec.volumes],
      schedulingGates: spec.schedulingGates?.map((name) => ({ name })),
      schedulerName: spec.schedulerName,
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
  const nodeAffinity = {
    ...(required === undefined
      ? {}
      : {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: required.map((term) => ({ matchExpressions: [...term] })),
          },
        }),
    ...(preferred === undefined
      ? {}
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchExpressions: [...preferred] } }] }),
  };
  return {
    ...(required === undefined && preferred === undefined ? {} : { nodeAffinity }),
    ...(near === undefined ? {} : { podAffinity: toPods(near.workload, near.over) }),
    ...(apartOver === undefined ? {} : { podAntiAffinity: toPods(name, apartOver) }),
  };
}
