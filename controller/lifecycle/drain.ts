import { KubeError } from '../../clients/kube-client.ts';
import type { Node, Pod } from '../../model/kube.ts';
import { tolerates } from '../../model/taints.ts';
import { DISRUPTED_TAINT, isDeleting, nameOf, timeOf, uidOf } from '../api.ts';
import { EVICTIONS_AT_ONCE, STUCK_POD_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { isConflict, isNotFound } from '../core/errors.ts';
import { isNodePod } from '../provisioning/pools.ts';
import { isDisrupted, isSameTaint, patchNode } from './registrar.ts';

/** How far a drain is. */
interface DrainProgress {
  /** Pods that are still there and have to go first, as `namespace/name`. */
  readonly left: readonly string[];
  /** A budget forbade an eviction. */
  readonly blocked: boolean;
  /** What the server asked to wait before the next eviction. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Keeps new pods off a node and asks those on it to leave, by the eviction API, so that budgets hold. Pods of DaemonSets
 * and of the node itself stay, and so do those that tolerate the taint. Before the node counts as drained its pods are
 * read from the server: our copy may not have seen the last one come.
 */
export async function drain(context: Context, node: Node): Promise<DrainProgress> {
  await cordon(context, node);
  const { state, runtime } = context;
  const nowMs = runtime.clock.nowMs();
  const mustLeave = (pod: Pod): boolean => pod.spec.nodeName === nameOf(node) && isInTheWay(pod, nowMs);
  let pods = [...state.podsOn(nameOf(node))].filter(mustLeave);
  if (pods.length === 0) pods = (await state.freshPods()).filter(mustLeave);

  let blocked = false;
  let retryAfterMs: number | undefined;
  await forEachAtMost(
    EVICTIONS_AT_ONCE,
    pods.filter((pod) => !isDeleting(pod)),
    async (pod) => {
      try {
        await context.kube.evict(pod.metadata.namespace ?? '', nameOf(pod), { uid: uidOf(pod) });
      } catch (error) {
        // Gone, or another pod of its name by now.
        if (isNotFound(error) || isConflict(error)) return;
        if (!(error instanceof KubeError) || error.status !== 429) throw error;
        blocked = true;
        retryAfterMs = Math.max(retryAfterMs ?? 0, error.retryAfterMs ?? 0);
      }
    },
  );
  return { left: pods.map((pod) => `${pod.metadata.namespace ?? ''}/${nameOf(pod)}`), blocked, retryAfterMs };
}

/** Taints the node and makes it unschedulable, against the copy that we know. */
async function cordon(context: Context, node: Node): Promise<void> {
  if (isDisrupted(node) && node.spec?.unschedulable === true) return;
  const taints = (node.spec?.taints ?? []).filter((taint) => !isSameTaint(taint, DISRUPTED_TAINT));
  await patchNode(context, node, { spec: { taints: [...taints, DISRUPTED_TAINT], unschedulable: true } });
}

/** Whether a pod has to leave before its node may end. */
function isInTheWay(pod: Pod, nowMs: number): boolean {
  if (isNodePod(pod) || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false;
  if (pod.spec.tolerations?.some((toleration) => tolerates(toleration, DISRUPTED_TAINT))) return false;
  // The time of deletion is that by which it should have ended.
  const endMs = timeOf(pod.metadata.deletionTimestamp);
  return endMs === undefined || nowMs < endMs + STUCK_POD_MS;
}
