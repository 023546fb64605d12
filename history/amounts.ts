import type { NodeLife, PodLife } from './lives.ts';
import type { View } from './view.ts';

/** A change of an amount, at a moment in milliseconds since the start of the trial. */
export interface Change {
  readonly tMs: number;
  readonly by: number;
}

/** An amount from a moment on, in milliseconds since the start of the trial, until the next one. */
export interface Amount {
  readonly tMs: number;
  readonly value: number;
}

/** The sums of changes: one for each moment with a change, in order. Before the first it is 0. */
export function sumsOf(changes: readonly Change[]): Amount[] {
  const sums: Amount[] = [];
  let value = 0;
  for (const { tMs, by } of [...changes].sort((a, b) => a.tMs - b.tMs)) {
    value += by;
    if (sums.at(-1)?.tMs === tMs) sums.pop();
    sums.push({ tMs, value });
  }
  return sums;
}

/** At most `limit` of the amounts, with every peak and the last one: of neighbours that share a place, the highest and the last. */
export function thinned(amounts: readonly Amount[], limit: number): Amount[] {
  if (amounts.length <= limit) return [...amounts];
  const places = Math.max(1, Math.floor(limit / 2));
  return Array.from({ length: places }, (_, place) => {
    const own = amounts.slice(Math.floor((place * amounts.length) / places), Math.floor(((place + 1) * amounts.length) / places));
    const highest = own.reduce<Amount | undefined>((best, one) => (best === undefined || one.value > best.value ? one : best), undefined);
    const last = own.at(-1);
    return [highest, ...(last === highest ? [] : [last])].filter((one) => one !== undefined);
  }).flat();
}

/** How many nodes are Ready. */
export function readyNodes({ nodes }: View): Amount[] {
  return sumsOf(nodes.flatMap(readinessOf));
}

function readinessOf({ steps }: NodeLife): Change[] {
  const changes: Change[] = [];
  let isReady = false;
  for (const { t, to } of steps) {
    const isReadyNow: boolean = to === 'ready' || (isReady && to !== 'not-ready' && to !== 'gone');
    if (isReadyNow !== isReady) changes.push({ tMs: t, by: isReadyNow ? 1 : -1 });
    isReady = isReadyNow;
  }
  return changes;
}

/** How many pods exist and do not run yet, without those of DaemonSets: no node is launched for them. */
export function pendingPods({ pods, workloads }: View): Amount[] {
  return sumsOf(pods.filter(({ workload }) => workloads.get(workload ?? '')?.truth.kind !== 'daemon').flatMap(pendingOf));
}

function pendingOf({ created, running, ended, gone }: PodLife): Change[] {
  if (created === undefined) return [];
  const until = running ?? ended ?? gone;
  return [{ tMs: created.t, by: 1 }, ...(until === undefined ? [] : [{ tMs: until.t, by: -1 }])];
}
