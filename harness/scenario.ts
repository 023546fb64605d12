import type { FaultSpec } from '../faults/fault.ts';
import type { Capability } from '../history/capabilities.ts';
import type { LatencyStep, Profile, Truth } from '../history/events.ts';
import type { Pool } from '../model/catalogue.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import type { NodeSelectorRequirement, PodSpec, Toleration, TopologySpreadConstraint } from '../model/kube.ts';
import type { Random } from '../runtime/random.ts';
import type { Feature } from '../targets/target.ts';
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
  run(trial: Trial): Promise<void>;
}

/** Pods to deploy, all alike. */
export interface WorkloadSpec {
  readonly name: string;
  readonly replicas: number;
  /** Requests of each pod, as Kubernetes quantities. */
  readonly cpu: string;
  readonly memory: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly nodeAffinity?: readonly NodeSelectorRequirement[];
  readonly tolerations?: readonly Toleration[];
  /** Spread constraints; those without a selector select the workload's own pods. */
  readonly spread?: readonly TopologySpreadConstraint[];
  readonly graceSeconds?: number;
  /** What is true of its pods; by default they can be scheduled. */
  readonly truth?: Truth;
}

/** A deployed workload. */
export interface Workload {
  readonly name: string;
  readonly spec: WorkloadSpec;
}

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
  deploy(spec: WorkloadSpec): Promise<Workload>;
  scale(workload: Workload, replicas: number): Promise<void>;
  /** Deletes the workload and its pods. */
  remove(workload: Workload): Promise<void>;

  /** Takes the scenario's pools away while the rest goes on: everything made for them must go. */
  withdrawPools(): Promise<void>;

  /**
   * Injects a fault until it is healed: by `heal()` or, at the latest, by the healing phase. Resolves when it can strike.
   * Rejects when the world lacks a capability that the fault needs, which the scenario has to declare.
   */
  inject(fault: FaultSpec, firing?: 'must-fire' | 'may-fire'): Promise<ActiveFault>;

  readonly expect: Expectations;

  /** Waits until all pods of the workload run, for the bound at most. */
  untilServed(workload: Workload, within: BoundName): Promise<void>;
  /** Waits until no nodes and no live instances are left, for the bound at most. */
  untilEmpty(within: BoundName): Promise<void>;
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
  /** From now on nothing needs what has been launched so far: it begins to end within the bound. */
  emptied(within: BoundName): void;
  /** Nothing is launched that only these pods could be the reason for. */
  noLaunchFor(workload: Workload): void;
  /** Each of its pods that stays unserved is explained by the target, mentioning these words. */
  explained(workload: Workload, mentions: readonly string[]): void;
  /** The 99th percentile from one step of a pod's life to another stays within the bound. */
  latency(workload: Workload, from: LatencyStep, to: LatencyStep, within: BoundName): void;
}

/** Defines a scenario, with what most have in common. */
export function scenario(
  definition: Pick<Scenario, 'id' | 'title' | 'run'> & {
    readonly profile?: Profile;
    readonly requirements?: readonly string[];
    readonly features?: readonly Feature[];
    readonly capabilities?: readonly Capability[];
    readonly pools?: readonly Pool[];
  },
): Scenario {
  const { profile = 'core', requirements = [], features = [], capabilities = [], pools = [pool('default')] } = definition;
  return {
    id: definition.id,
    title: definition.title,
    profile,
    requirements,
    needs: { features, capabilities },
    pools,
    run: (trial) => definition.run(trial),
  };
}

/** A pool: by default every zone, both capacity types, x86_64. */
export function pool(
  name: string,
  options: {
    readonly capacityTypes?: readonly ('spot' | 'on-demand')[];
    readonly instanceTypes?: readonly string[];
    readonly zones?: readonly string[];
    readonly requirements?: readonly NodeSelectorRequirement[];
  } & Partial<Pick<Pool, 'labels' | 'taints' | 'startupTaints' | 'limits' | 'weight'>> = {},
): Pool {
  const among = (key: string, values: readonly string[] | undefined): NodeSelectorRequirement[] =>
    values === undefined ? [] : [{ key, operator: 'In', values: [...values] }];
  return {
    name,
    requirements: [
      ...among('karpenter.sh/capacity-type', options.capacityTypes ?? ['on-demand']),
      ...among('kubernetes.io/arch', ['amd64']),
      ...among('node.kubernetes.io/instance-type', options.instanceTypes),
      ...among('topology.kubernetes.io/zone', options.zones),
      ...(options.requirements ?? []),
    ],
    labels: options.labels ?? {},
    taints: options.taints ?? [],
    startupTaints: options.startupTaints ?? [],
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    weight: options.weight ?? 0,
  };
}

/** The pod template's spec of a workload. */
export function podSpec(spec: WorkloadSpec): PodSpec {
  const own = { matchLabels: { [WORKLOAD_LABEL]: spec.name } };
  return {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10', resources: { requests: { cpu: spec.cpu, memory: spec.memory } } }],
    terminationGracePeriodSeconds: spec.graceSeconds ?? 30,
    ...(spec.nodeSelector === undefined ? {} : { nodeSelector: { ...spec.nodeSelector } }),
    ...(spec.nodeAffinity === undefined
      ? {}
      : {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [...spec.nodeAffinity] }],
              },
            },
          },
        }),
    ...(spec.tolerations === undefined ? {} : { tolerations: [...spec.tolerations] }),
    ...(spec.spread === undefined
      ? {}
      : { topologySpreadConstraints: spec.spread.map((constraint) => ({ labelSelector: own, ...constraint })) }),
  };
}
