import type { Compute } from '../../history/compute.ts';
import type { View } from '../../history/view.ts';

/** The utilisation of the target's nodes from a moment on: requested over allocatable, 0 to 1. */
export interface Use {
  readonly tMs: number;
  readonly cpu: number;
  readonly memory: number;
}

/** The text if it is unknown. */
export const NO_COMPUTE_KNOWN = 'The history does not have requests of pods or allocatable resources of nodes, so utilisation is unknown';

/**
 * Requests of pods over allocatable resources of their nodes, after each change. A node counts while it is ready, a pod from its binding
 * to its end. Undefined if nodes have no allocatable resources, as in older histories.
 * @param instances whose nodes count
 */
export function useOverTime(view: View, instances: ReadonlySet<string>): Use[] | undefined {
  const changes: { readonly i: number; readonly tMs: number; readonly has: Compute; readonly asks: Compute; readonly sign: 1 | -1 }[] = [];
  const none: Compute = { cpuMilli: 0, memoryMiB: 0 };
  const counted = new Map<string, number>();
  for (const { uid, instance, steps, ready, gone } of view.nodes) {
    const has = steps.find(({ allocatable }) => allocatable !== undefined)?.allocatable;
    if (instance === undefined || !instances.has(instance) || has === undefined || ready === undefined) continue;
    counted.set(uid, gone?.i ?? Infinity);
    changes.push({ i: ready.i, tMs: ready.t, has, asks: none, sign: 1 });
    if (gone !== undefined) changes.push({ i: gone.i, tMs: gone.t, has, asks: none, sign: -1 });
  }
  if (changes.length === 0) return undefined;
  for (const { node, workload, scheduled, ended, gone } of view.pods) {
    const asks = view.workloads.get(workload ?? '')?.deployed.requests;
    const nodeGone = counted.get(node?.uid ?? '');
    if (asks === undefined || scheduled === undefined || nodeGone === undefined) continue;
    changes.push({
      i: Math.max(scheduled.i, node?.ready?.i ?? 0),
      tMs: Math.max(scheduled.t, node?.ready?.t ?? 0),
      has: none,
      asks,
      sign: 1,
    });
    const end = [ended, gone, node?.gone].filter((one) => one !== undefined).sort((a, b) => a.i - b.i)[0];
    if (end !== undefined) changes.push({ i: end.i, tMs: end.t, has: none, asks, sign: -1 });
  }
  const uses: Use[] = [];
  const has = { cpuMilli: 0, memoryMiB: 0 };
  const asked = { cpuMilli: 0, memoryMiB: 0 };
  for (const change of changes.sort((a, b) => a.i - b.i)) {
    has.cpuMilli += change.sign * change.has.cpuMilli;
    has.memoryMiB += change.sign * change.has.memoryMiB;
    asked.cpuMilli += change.sign * change.asks.cpuMilli;
    asked.memoryMiB += change.sign * change.asks.memoryMiB;
    if (uses.at(-1)?.tMs === change.tMs) uses.pop();
    uses.push({ tMs: change.tMs, cpu: share(asked.cpuMilli, has.cpuMilli), memory: share(asked.memoryMiB, has.memoryMiB) });
  }
  return uses;
}

function share(asked: number, has: number): number {
  return has <= 0 ? 0 : asked / has;
}
