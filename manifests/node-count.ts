import type { InstanceType } from '../model/catalogue.ts';
import { LABEL } from '../model/kube.ts';
import { addResources, fits, podRequests, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { nodeResources } from '../world/nodes/node-resources.ts';
import { loadOf } from './load.ts';
import type { MixWorkload } from './mix.ts';
import { isBoundTo } from './placement.ts';

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
  if (isBoundTo(LABEL.hostname, loadOf(workload))) return replicas;
  const types = new Set(feasibility.seats.map(({ type }) => type));
  const fewest = Math.min(...[...types].map((type) => podsOn(type, podRequests(template.spec), daemons)));
  return Math.ceil(replicas / Math.max(1, fewest));
}

function podsOn(type: InstanceType, requests: Resources, daemons: Resources): number {
  const room = subtractResources(nodeResources(type).allocatable, daemons);
  if (!fits(requests, room)) return 0;
  const most = Object.entries(requests).map(([resource, value]) => (value > 0 ? Math.floor((room[resource] ?? 0) / value) : Infinity));
  return Math.min(...most, room['pods'] ?? Infinity);
}
