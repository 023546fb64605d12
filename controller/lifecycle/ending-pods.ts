import type { Pod } from '../../model/kube.ts';
import { uidOf } from '../api.ts';
import { STUCK_POD_MS } from '../constants.ts';
import type { ClusterState } from '../state.ts';

/** When a pod was first seen being deleted so, by our own clock. */
interface Sighting {
  readonly deletionTimestamp: string;
  readonly atMs: number;
}

/**
 * The pods that end on nodes which are being drained. How long they do is measured from when that was seen here: their
 * time of deletion is by the server's clock, and where ours is ahead of that one, every pod would have had its time. After
 * a restart it is measured anew, and pods that were stuck before are waited for once more.
 */
export class EndingPods {
  readonly #state: ClusterState;
  /** By the name of their node, which is drained until it is gone, and by their uid. */
  readonly #seen = new Map<string, Map<string, Sighting>>();

  constructor(state: ClusterState) {
    this.#state = state;
  }

  /** Whether a pod should have ended long ago. One that is not being deleted never should. */
  isStuck(pod: Pod, nowMs: number): boolean {
    const { deletionTimestamp, deletionGracePeriodSeconds = graceSeconds(pod) } = pod.metadata;
    if (deletionTimestamp === undefined) return false;
    const { atMs } = this.#sighting(pod, { deletionTimestamp, atMs: nowMs });
    return nowMs >= atMs + deletionGracePeriodSeconds * 1_000 + STUCK_POD_MS;
  }

  /** The first one with this time of deletion: who asks again can only shorten it. */
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

/** How long a pod may take to end where nobody asks for less. */
export function graceSeconds(pod: Pod): number {
  return pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S;
}
