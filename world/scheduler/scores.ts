import type { Container, Pod } from '../../model/kube.ts';
import { matchesNode } from '../../model/requirements.ts';
import { untolerated } from '../../model/taints.ts';
import { matchesPod } from './affinity-term.ts';
import type { NamespaceLabels, WeightedAffinityTerm } from './affinity-term.ts';
import type { Cluster, PodGroup } from './cluster.ts';
import type { Cycle } from './cycle.ts';
import type { NodeInfo, OwnScores } from './node-info.ts';
import { DomainSums } from './pod-affinity.ts';
import type { PodInfo } from './pod-info.ts';
import { softSpreadScores } from './spread-score.ts';

const MAX_SCORE = 100;
const NONE: readonly never[] = [];
/** Weights of the default profile (`pkg/scheduler/apis/config/v1/default_plugins.go`). */
const WEIGHTS = { taints: 3, nodeAffinity: 2, fit: 1, spread: 2, podAffinity: 2, balance: 1, images: 1 } as const;

/** The default profile's scores of the feasible nodes, in their order. */
export function scoreNodes(cycle: Cycle, feasible: readonly NodeInfo[]): readonly number[] {
  const { pod, cluster } = cycle;
  const own = feasible.map((node) => cycle.ownScores(node, ownScores));
  const taints = normalizeByHighest(
    own.map(({ disliked }) => disliked),
    'reverse',
  );
  const nodeAffinity = normalizeByHighest(own.map(({ preferred }) => preferred));
  const spread = softSpreadScores(cycle, feasible);
  const podAffinity = podAffinityScores(pod, cluster, feasible);
  return own.map(({ room, images }, index) => {
    return (
      WEIGHTS.taints * (taints[index] ?? 0) +
      WEIGHTS.nodeAffinity * (nodeAffinity[index] ?? 0) +
      room +
      WEIGHTS.spread * (spread?.[index] ?? 0) +
      WEIGHTS.podAffinity * (podAffinity?.[index] ?? 0) +
      WEIGHTS.images * imageLocality(pod, images, cluster)
    );
  });
}

function ownScores(pod: PodInfo, node: NodeInfo): OwnScores {
  return {
    disliked: disliked(pod, node),
    preferred: preference(pod, node),
    room: WEIGHTS.fit * leastAllocated(pod, node) + WEIGHTS.balance * balancedAllocation(pod, node),
    images: imagesThere(pod, node),
  };
}

/** TaintToleration: PreferNoSchedule taints that the pod doesn't tolerate. Fewer are better. */
function disliked({ pod }: PodInfo, { taints }: NodeInfo): number {
  return taints.filter((taint) => untolerated([taint], pod.spec.tolerations, ['PreferNoSchedule']) !== undefined).length;
}

/** NodeAffinity: the weights of the preferred terms that the node meets. */
function preference({ preferredNodes }: PodInfo, { name, labels }: NodeInfo): number {
  return preferredNodes.reduce((sum, { weight, node }) => (matchesNode([node], name, labels) ? sum + weight : sum), 0);
}

/** `DefaultNormalizeScore` of the plugins' helper. */
function normalizeByHighest(scores: readonly number[], direction?: 'reverse'): number[] {
  const highest = Math.max(0, ...scores);
  return scores.map((score) => {
    const share = highest === 0 ? 0 : Math.trunc((MAX_SCORE * score) / highest);
    return direction === 'reverse' ? MAX_SCORE - share : share;
  });
}

/** NodeResourcesFit with its default strategy, over CPU and memory. */
function leastAllocated(pod: PodInfo, { allocatable, load }: NodeInfo): number {
  let score = 0;
  let weights = 0;
  for (const name of ['cpu', 'memory']) {
    const capacity = allocatable[name] ?? 0;
    if (capacity === 0) continue;
    weights += 1;
    const asked = load.assumed(name) + (pod.assumed[name] ?? 0);
    if (asked <= capacity) score += Math.trunc(((capacity - asked) * MAX_SCORE) / capacity);
  }
  return weights === 0 ? 0 : Math.trunc(score / weights);
}

/** NodeResourcesBalancedAllocation: how alike the used shares of CPU and memory are. Not for pods that request neither. */
function balancedAllocation({ requests }: PodInfo, { allocatable, load }: NodeInfo): number {
  const { cpu = 0, memory = 0 } = requests;
  if (cpu === 0 && memory === 0) return 0;
  const shares = [cpu, memory].flatMap((request, index) => {
    const name = index === 0 ? 'cpu' : 'memory';
    const capacity = allocatable[name] ?? 0;
    return capacity === 0 ? [] : [Math.min(1, (load.requested(name) + request) / capacity)];
  });
  const [first = 0, second = first] = shares;
  return Math.trunc((1 - Math.abs((first - second) / 2)) * MAX_SCORE);
}

/** The weight of existing pods' required affinity in the scores of the pods that it matches. */
const HARD_AFFINITY_WEIGHT = 1;

/** InterPodAffinity: the pod's preferences for others, and theirs for it. Undefined if there are none. */
function podAffinityScores(pod: PodInfo, cluster: Cluster, feasible: readonly NodeInfo[]): readonly number[] | undefined {
  const prefers = pod.affinity.preferred.length + pod.affinity.preferredAnti.length > 0;
  const namespaceLabels: NamespaceLabels = (name) => cluster.objects.namespaceLabels(name);
  const sums = new DomainSums();
  for (const group of cluster.groups()) {
    if (!prefers && !group.hasAffinity) continue;
    const terms = termsBetween(pod, group, namespaceLabels);
    if (terms.length === 0) continue;
    for (const [name, { total }] of group.counts) {
      const node = cluster.node(name);
      if (node === undefined) continue;
      for (const { topologyKey, weight } of terms) sums.add(node, topologyKey, weight * total);
    }
  }
  if (!sums.isKept) return undefined;
  const raw = feasible.map((node) => sums.total(node));
  const lowest = Math.min(...raw);
  const range = Math.max(...raw) - lowest;
  return raw.map((score) => (range > 0 ? Math.trunc(MAX_SCORE * ((score - lowest) / range)) : 0));
}

function termsBetween(
  pod: PodInfo,
  group: PodGroup,
  namespaceLabels: NamespaceLabels,
): readonly { readonly topologyKey: string; readonly weight: number }[] {
  const weigh = (terms: readonly WeightedAffinityTerm[], about: { namespace: string; labels: PodInfo['labels'] }, sign: 1 | -1) =>
    terms
      .filter((term) => matchesPod(term, about, namespaceLabels))
      .map(({ topologyKey, weight }) => ({ topologyKey, weight: sign * weight }));
  const hard = group.affinity.required.map((term) => ({ ...term, weight: HARD_AFFINITY_WEIGHT }));
  return [
    ...weigh(pod.affinity.preferred, group, 1),
    ...weigh(pod.affinity.preferredAnti, group, -1),
    ...weigh(hard, pod, 1),
    ...weigh(group.affinity.preferred, pod, 1),
    ...weigh(group.affinity.preferredAnti, pod, -1),
  ];
}

const MIB = 2 ** 20;
/** Images smaller than the first don't count; beyond the second, for each container, size adds nothing. */
const IMAGE_BYTES = { from: 23 * MIB, toEach: 1000 * MIB } as const;

/** @returns those of the pod's images, one for each container, that the node has */
function imagesThere({ pod }: PodInfo, { node }: NodeInfo): readonly string[] {
  const there = node.status?.images ?? NONE;
  if (there.length === 0) return NONE;
  const images = containersOf(pod).map(({ image = '' }) => withTag(image));
  return images.filter((image) => there.some(({ names }) => names.includes(image)));
}

/** ImageLocality: the sizes of the pod's images on the node, each weighted by the share of nodes that have it. */
function imageLocality({ pod }: PodInfo, images: readonly string[], cluster: Cluster): number {
  if (images.length === 0) return 0;
  let bytes = 0;
  for (const image of images) {
    const known = cluster.image(image);
    if (known !== undefined) bytes += Math.trunc(known.sizeBytes * (known.nodes / cluster.nodes().length));
  }
  const highest = IMAGE_BYTES.toEach * containersOf(pod).length;
  const counted = Math.min(Math.max(bytes, IMAGE_BYTES.from), highest);
  return Math.trunc((MAX_SCORE * (counted - IMAGE_BYTES.from)) / (highest - IMAGE_BYTES.from));
}

function containersOf({ spec }: Pod): readonly Container[] {
  return spec.initContainers === undefined ? spec.containers : [...spec.initContainers, ...spec.containers];
}

function withTag(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
