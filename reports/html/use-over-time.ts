import type { Compute } from '../../history/compute.ts';
import type { View } from '../../history/view.ts';

/** How far the target's nodes are used from a moment on: requested over allocatable, 0 to 1. */
export interface Use {
  readonly tMs: number;
  readonly cpu: number;
  readonly memory: number;
}

/** What is said where it can't be told. */
export const NO_COMPUTE_KNOWN = 'The history does not tell what pods request or what nodes have for them, so use is not known';

/**
 * Requests of the pods on nodes over what the nodes have for pods, from each change on. A node counts from ready to gone, a
 * pod from its binding to its end. Undefined where no node says what it has: older histories do not.
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
