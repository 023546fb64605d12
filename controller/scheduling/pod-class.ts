import type { Pod, PodAffinityTerm, PodSpec, Taint, TopologySpreadConstraint } from '../../model/kube.ts';
import { podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import type { TaintEffect } from '../../model/kube.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { hostPortsOf } from './host-ports.ts';
import type { HostPort } from './host-ports.ts';
import { NodeFilter, filterKey } from './node-filter.ts';
import { relaxations } from './relaxation.ts';
import type { PodToPlace } from './types.ts';

const AVOIDED: readonly TaintEffect[] = [...REPELLING, 'PreferNoSchedule'];

/**
 * Pods that are equal in everything that decides where they may go: a result for one holds for all. Preferences count as
 * requirements, until they are relaxed.
 */
export class PodClass {
  readonly requests: Resources;
  /** Equal for classes with equal requests. */
  readonly demand: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly filter: NodeFilter;
  readonly hostPorts: readonly HostPort[];
  /** The spread constraints, with their indices in the pod's list. */
  readonly spreads: readonly { readonly index: number; readonly constraint: TopologySpreadConstraint }[];
  readonly affinity: readonly PodAffinityTerm[];
  readonly preferredAffinity: readonly PodAffinityTerm[];
  /** Required and preferred. */
  readonly antiAffinity: readonly PodAffinityTerm[];
  /** The original pod. */
  readonly pod: PodToPlace;
  readonly spec: PodSpec;

  /** @throws for pods that the validator refuses */
  constructor(pod: PodToPlace, spec: PodSpec = pod.spec, filter: NodeFilter = new NodeFilter(spec, pod.volumeTerms)) {
    this.pod = pod;
    this.spec = spec;
    this.filter = filter;
    this.requests = podRequests(spec);
    this.demand = JSON.stringify(this.requests);
    this.namespace = pod.metadata.namespace ?? '';
    this.labels = pod.metadata.labels ?? {};
    this.hostPorts = hostPortsOf(spec);
    const all = pod.spec.topologySpreadConstraints ?? [];
    this.spreads = (spec.topologySpreadConstraints ?? []).map((constraint) => ({ index: all.indexOf(constraint), constraint }));
    const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
    this.affinity = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    this.preferredAffinity = preferredTerms(podAffinity);
    this.antiAffinity = [...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []), ...preferredTerms(podAntiAffinity)];
  }

  /** The first taint that keeps it from a node that exists: the scheduler prefers others to PreferNoSchedule, but takes what there is. */
  repelledBy(taints: readonly Taint[]): Taint | undefined {
    return taints.length === 0 ? undefined : untolerated(taints, this.spec.tolerations, REPELLING);
  }

  /** The first taint for which no node is planned for it. It includes PreferNoSchedule, which the last relaxation tolerates. */
  avoided(taints: readonly Taint[]): Taint | undefined {
    return taints.length === 0 ? undefined : untolerated(taints, this.spec.tolerations, AVOIDED);
  }
}

function preferredTerms(affinity: NonNullable<PodSpec['affinity']>['podAffinity']): PodAffinityTerm[] {
  return (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm);
}

/** A pod with the classes that are tried for it, from all of its preferences to its requirements only. */
export interface ClassifiedPod {
  readonly pod: Pod;
  readonly variants: readonly PodClass[];
}

/**
 * Pods with their classes: by priority, and within a priority the most demanding first, so that the others fill what is
 * left.
 */
export function classify(pods: readonly PodToPlace[], softTaints = false): ClassifiedPod[] {
  const classes = new Map<string, readonly PodClass[]>();
  const filters = new Map<string, NodeFilter>();
  const filterOf = (spec: PodSpec, volumeTerms: PodToPlace['volumeTerms']): NodeFilter => {
    const key = filterKey(spec, volumeTerms);
    const filter = filters.get(key) ?? new NodeFilter(spec, volumeTerms);
    filters.set(key, filter);
    return filter;
  };
  const classified = pods.map((pod) => {
    const key = classKey(pod);
    const variants =
      classes.get(key) ?? [...relaxations(pod.spec, softTaints)].map((spec) => new PodClass(pod, spec, filterOf(spec, pod.volumeTerms)));
    classes.set(key, variants);
    return { pod, variants };
  });
  return classified.sort((a, b) => byPriority(a.pod, b.pod) || byDemand(a, b) || (podName(a.pod) < podName(b.pod) ? -1 : 1));
}

function byPriority(a: Pod, b: Pod): number {
  return (b.spec.priority ?? 0) - (a.spec.priority ?? 0);
}

function byDemand(a: ClassifiedPod, b: ClassifiedPod): number {
  const amount = ({ variants: [first] }: ClassifiedPod, resource: string): number => first?.requests[resource] ?? 0;
  return amount(b, 'cpu') - amount(a, 'cpu') || amount(b, 'memory') - amount(a, 'memory');
}

function classKey({ metadata, spec, volumeTerms }: PodToPlace): string {
  const { containers, initContainers, overhead, resources, nodeSelector, affinity, tolerations, topologySpreadConstraints, hostNetwork } =
    spec;
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    containers.map((container) => [container.resources?.requests, container.ports]),
    initContainers?.map((container) => [container.restartPolicy, container.resources?.requests, container.ports]),
    overhead,
    resources?.requests,
    nodeSelector,
    affinity,
    tolerations,
    topologySpreadConstraints,
    hostNetwork,
    volumeTerms,
  ]);
}

/** `namespace/name`: how messages name a pod. */
export function podName(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
}
