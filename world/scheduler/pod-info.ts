import type { Pod, PodAffinityTerm, PodSpec, Volume } from '../../model/kube.ts';
import { nodeAlternative, nodeAlternatives } from '../../model/requirements.ts';
import type { NodeAlternative } from '../../model/requirements.ts';
import { ofFrozen } from '../../model/of-frozen.ts';
import { podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { readTerm } from './affinity-term.ts';
import type { AffinityTerm, WeightedAffinityTerm } from './affinity-term.ts';

/** What scheduling needs from a pod, parsed once. */
export interface PodInfo {
  readonly pod: Pod;
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly terminating: boolean;
  readonly requests: Resources;
  /** The same, with a default for each container without a request: used by scores. */
  readonly assumed: Resources;
  readonly hostPorts: readonly HostPort[];
  /** Nodes that its node selector and required node affinity allow; undefined if any will do. */
  readonly alternatives: readonly NodeAlternative[] | undefined;
  readonly preferredNodes: readonly { readonly weight: number; readonly node: NodeAlternative }[];
  readonly affinity: PodAffinities;
  readonly volumes: readonly Volume[];
  /** Equal for pods that are equivalent for the spread and the affinity of others. */
  readonly groupKey: string;
}

/** Kinds that are remembered; those forgotten get another number, which only costs time. */
const KINDS_MAX = 10_000;

/** Numbers that are equal for pods which something can't tell apart. */
export class PodKinds {
  readonly #keyOf: (pod: PodInfo) => string;
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<PodInfo, number>();
  #next = 0;

  /** @param keyOf all that the difference could be in */
  constructor(keyOf: (pod: PodInfo) => string) {
    this.#keyOf = keyOf;
  }

  of(pod: PodInfo): number {
    const known = this.#known.get(pod);
    if (known !== undefined) return known;
    const key = this.#keyOf(pod);
    const number = this.#numbers.get(key) ?? (this.#next += 1);
    // Pods that name their node have a kind of their own.
    if (this.#numbers.size >= KINDS_MAX) this.#numbers.clear();
    this.#numbers.set(key, number);
    this.#known.set(pod, number);
    return number;
  }

  /** Whether two pods are of one kind, even if it was forgotten between them. */
  areAlike(a: PodInfo, b: PodInfo): boolean {
    return this.of(a) === this.of(b) || this.#keyOf(a) === this.#keyOf(b);
  }
}

/** What the filters which look at one node alone see of a pod (`rejectionByNode`). */
export function filterKey({ pod: { spec }, priority, requests, hostPorts }: PodInfo): string {
  const { nodeName, nodeSelector, affinity, tolerations } = spec;
  return JSON.stringify([priority, requests, hostPorts, nodeName, nodeSelector, affinity?.nodeAffinity, tolerations]);
}

/** What decides where a pod may go, except for nominations, and its volumes by its name. */
export function demandKey({ pod: { spec }, namespace, labels, terminating }: PodInfo): string {
  return JSON.stringify([namespace, labels, spec, terminating]);
}

/** The affinities of a pod to others. */
export interface PodAffinities {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
  readonly preferredAnti: readonly WeightedAffinityTerm[];
}

export interface HostPort {
  /** `0.0.0.0` is every address of the node. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** What scores assume for a container without a request for a resource (`GetNonzeroRequests`). */
const ASSUMED: Resources = { cpu: 100, memory: 200 * 2 ** 20 };
const NO_AFFINITIES: PodAffinities = { required: [], requiredAnti: [], preferred: [], preferredAnti: [] };
export const ANY_ADDRESS = '0.0.0.0';

export function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}

/** @throws QuantityError for an invalid quantity in a request */
export function podInfo(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const { namespace = 'default', labels = {} } = metadata;
  const { affinity } = spec;
  const counted = (affinity?.podAffinity ?? affinity?.podAntiAffinity) ? [affinity.podAffinity, affinity.podAntiAffinity] : 0;
  return {
    pod,
    key: keyOf(pod),
    uid: metadata.uid ?? '',
    namespace,
    labels,
    priority: spec.priority ?? 0,
    terminating: metadata.deletionTimestamp !== undefined,
    ...factsOf(spec),
    affinity: affinities(pod, namespace),
    groupKey: JSON.stringify([namespace, labels, counted]),
  };
}

/** What follows from the spec alone, which all versions of a pod share. @throws QuantityError for an invalid quantity in a request */
const factsOf = ofFrozen((spec: PodSpec) => {
  const states = Object.keys(spec.nodeSelector ?? {}).length > 0 || spec.affinity?.nodeAffinity !== undefined;
  return {
    requests: podRequests(spec),
    assumed: podRequests(spec, ASSUMED),
    hostPorts: hostPorts(spec),
    alternatives: states ? nodeAlternatives(spec) : undefined,
    preferredNodes: preferredNodes(spec),
    volumes: spec.volumes ?? [],
  };
});

function hostPorts({ containers, initContainers = [] }: PodSpec): HostPort[] {
  const lasting = [...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'), ...containers];
  return lasting.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) =>
      hostPort > 0 ? [{ ip: hostIP === '' ? ANY_ADDRESS : hostIP, protocol, port: hostPort }] : [],
    ),
  );
}

function preferredNodes({ affinity }: PodSpec): PodInfo['preferredNodes'] {
  return (affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, preference }) => {
    const node = nodeAlternative(preference);
    return node === undefined || weight === 0 ? [] : [{ weight, node }];
  });
}

function affinities({ metadata: { labels = {} }, spec }: Pod, namespace: string): PodAffinities {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return NO_AFFINITIES;
  const read = (term: PodAffinityTerm): AffinityTerm => readTerm(term, namespace, labels);
  const weighted = (terms: readonly { weight: number; podAffinityTerm: PodAffinityTerm }[] = []): WeightedAffinityTerm[] =>
    terms.map(({ weight, podAffinityTerm }) => ({ weight, ...read(podAffinityTerm) }));
  return {
    required: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(read),
    requiredAnti: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(read),
    preferred: weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}
