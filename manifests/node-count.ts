import type { InstanceType, Pool } from '../model/catalogue.ts';
import { addResources, fits, podRequests, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { loadOf } from './load.ts';
import type { MixWorkload } from './mix.ts';
import type { Seat } from './offers.ts';
import { isAlone } from './placement.ts';
import { poolNodes } from './pool-nodes.ts';

/**
 * A generous estimate of the nodes that workloads may need at once: each uses the type on which the fewest of its pods fit, with every
 * DaemonSet on each node. Bounds depend on it: launches of many nodes wait for EC2's request token buckets.
 */
export function countNodes(workloads: readonly MixWorkload[]): number {
  const daemons = workloads
    .filter(({ kind }) => kind === 'DaemonSet')
    .reduce<Resources>((sum, { template }) => addResources(sum, podRequests(template.spec)), {});
  return workloads.reduce((sum, workload) => sum + nodesOf(workload, daemons), 0);
}

function nodesOf(workload: MixWorkload, daemons: Resources): number {
  const { kind, feasibility, replicas, template } = workload;
  if (kind === 'DaemonSet' || !('seats' in feasibility) || replicas === 0) return 0;
  if (isAlone(loadOf(workload))) return replicas;
  const fewest = Math.min(
    ...distinctNodes(feasibility.seats).map((allocatable) => podsOn(allocatable, podRequests(template.spec), daemons)),
  );
  return Math.ceil(replicas / Math.max(1, fewest));
}

/** What nodes of each pool and type have. */
function distinctNodes(seats: readonly Seat[]): Resources[] {
  const pools = new Map<Pool, Set<InstanceType>>();
  for (const { pool, type } of seats) pools.set(pool, (pools.get(pool) ?? new Set<InstanceType>()).add(type));
  return [...pools].flatMap(([pool, types]) => [...types].map(poolNodes(pool).allocatable));
}

function podsOn(allocatable: Resources, requests: Resources, daemons: Resources): number {
  const room = subtractResources(allocatable, daemons);
  if (!fits(requests, room)) return 0;
  const most = Object.entries(requests).map(([resource, value]) => (value > 0 ? Math.floor((room[resource] ?? 0) / value) : Infinity));
  return Math.min(...most, room['pods'] ?? Infinity);
}
