import type { Pod, Taint, TopologySpreadConstraint } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import type { NodeAlternative } from '../../model/requirements.ts';
import { podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import type { Option } from './types.ts';

/** Pods that are alike in all that decides where they may go: what is found out for one holds for all of them. */
export class PodClass {
  readonly requests: Resources;
  readonly namespace: string;
  readonly labels: Labels;
  readonly alternatives: readonly NodeAlternative[];
  /** The hard spread constraints, with their places in the pod's list. */
  readonly spreads: readonly { readonly index: number; readonly constraint: TopologySpreadConstraint }[];
  readonly pod: Pod;
  readonly #suits = new Map<Option, boolean>();

  /** @throws for pods that the validator refuses */
  constructor(pod: Pod) {
    this.pod = pod;
    this.requests = podRequests(pod.spec);
    this.namespace = pod.metadata.namespace ?? '';
    this.labels = pod.metadata.labels ?? {};
    this.alternatives = nodeAlternatives(pod.spec);
    this.spreads = (pod.spec.topologySpreadConstraints ?? [])
      .map((constraint, index) => ({ index, constraint }))
      .filter(({ constraint }) => constraint.whenUnsatisfiable === 'DoNotSchedule');
  }

  /** Whether its node selector and affinity allow every label set that the node may turn out to have. */
  allowsNode(name: string, variants: readonly Labels[]): boolean {
    return variants.every((labels) => matchesNode(this.alternatives, name, labels));
  }

  /** The same for something that a new node may become; nobody can ask for a new node by its name. */
  allowsOption(option: Option): boolean {
    const known = this.#suits.get(option);
    if (known !== undefined) return known;
    const suits = matchesNode(this.alternatives, '', option.labels);
    this.#suits.set(option, suits);
    return suits;
  }

  /** The first taint that keeps it away. */
  repelledBy(taints: readonly Taint[]): Taint | undefined {
    return untolerated(taints, this.pod.spec.tolerations, REPELLING);
  }
}

/** Pods with their classes, the most demanding first, so that the others fill what they leave. */
export function classify(pods: readonly Pod[]): { readonly pod: Pod; readonly podClass: PodClass }[] {
  const classes = new Map<string, PodClass>();
  const classified = pods.map((pod) => {
    const key = classKey(pod);
    const podClass = classes.get(key) ?? new PodClass(pod);
    classes.set(key, podClass);
    return { pod, podClass };
  });
  return classified.sort((a, b) => byDemand(a.podClass, b.podClass) || (podName(a.pod) < podName(b.pod) ? -1 : 1));
}

function byDemand(a: PodClass, b: PodClass): number {
  const difference = (resource: string): number => (b.requests[resource] ?? 0) - (a.requests[resource] ?? 0);
  return difference('cpu') || difference('memory');
}

function classKey(pod: Pod): string {
  const { containers, initContainers, overhead, nodeSelector, affinity, tolerations, topologySpreadConstraints } = pod.spec;
  return JSON.stringify([
    pod.metadata.namespace,
    pod.metadata.labels,
    containers.map((container) => container.resources?.requests),
    initContainers?.map((container) => [container.restartPolicy, container.resources?.requests]),
    overhead,
    nodeSelector,
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    tolerations,
    topologySpreadConstraints,
  ]);
}

/** `namespace/name`: how messages name a pod. */
export function podName(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
}
