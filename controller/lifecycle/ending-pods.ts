import type { Pod } from '../../model/kube.ts';
import { uidOf } from '../api.ts';
import { STUCK_POD_MS } from '../constants.ts';
import type { ClusterState } from '../state.ts';

/** When a pod with this deletion was first seen, by our monotonic clock. */
interface Sighting {
  readonly deletionTimestamp: string;
  readonly atMs: number;
}

/**
 * The terminating pods on draining nodes. Their time is measured from when they were seen here, because deletion times are by the
 * server's clock: if ours is ahead of it, every pod would seem overdue. After a restart the measurement starts over, and stuck
 * pods are waited for once more.
 */
export class EndingPods {
  readonly #state: ClusterState;
  /** By the name of their node, until the node is gone, and by their uid. */
  readonly #seen = new Map<string, Map<string, Sighting>>();

  constructor(state: ClusterState) {
    this.#state = state;
  }

  /** Whether a pod should have terminated long ago. False for pods that are not being deleted. */
  isStuck(pod: Pod, nowMs: number): boolean {
    const { deletionTimestamp, deletionGracePeriodSeconds = graceSeconds(pod) } = pod.metadata;
    if (deletionTimestamp === undefined) return false;
    const { atMs } = this.#sighting(pod, { deletionTimestamp, atMs: nowMs });
    return nowMs >= atMs + deletionGracePeriodSeconds * 1_000 + STUCK_POD_MS;
  }

  /** The first sighting with this deletion time: later requests can only shorten it. */
  #sighting(pod: Pod, now: Sighting): Sighting {
    const nodeName = pod.spec.nodeName ?? '';
    const onNode = this.#seen.get(nodeName) ?? this.#begin(nodeName);
    const known = onNode.get(uidOf(pod));
    if (known?.deletionTimestamp === now.deletionTimestamp) return known;
    onNode.set(uidOf(pod), now);
    return now;
  }

  #begin(nodeName: string): Map<string, Sighting> {
    for (const name of this.#seen.keys()) if (this.#state.nodes.get(name) === undefined) this.#seen.delete(name);
    const onNode = new Map<string, Sighting>();
    this.#seen.set(nodeName, onNode);
    return onNode;
  }
}

const DEFAULT_GRACE_S = 30;

/** A pod's default grace period. */
export function graceSeconds(pod: Pod): number {
  return pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S;
}
