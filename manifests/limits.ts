import type { Pool } from '../model/catalogue.ts';
import { podRequests } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import type { Feasibility } from './feasibility.ts';
import type { Seat } from './offers.ts';
import type { Load } from './load.ts';
import { LABEL } from '../model/kube.ts';
import { isAlone, placementProblem } from './placement.ts';

const MIB = 2 ** 20;
/** Nodes are never completely full. */
const PACKING = 1.5;
/** Autoscalers take cheap types, but not always the cheapest: at most so many times its price for the same pods. */
const DEARER = 2;
/** While a node is replaced, both nodes count. */
const REPLACEMENT = 2;

/**
 * Judges loads again that depend on pools whose limits all workloads together may reach: then it depends on the order which pods are
 * served. The estimate is generous, since different autoscalers choose different nodes.
 */
export function judgeLimits(loads: readonly Load[], judged: ReadonlyMap<string, Feasibility>): ReadonlyMap<string, Feasibility> {
  const seatsOf = (load: Load): readonly Seat[] => {
    const found = judged.get(load.name);
    return !load.isDaemon && (found?.kind === 'servable' || found?.kind === 'partly') ? found.seats : [];
  };
  const scarce = new Set<string>();
  for (const pool of new Set(loads.flatMap((load) => seatsOf(load).map((seat) => seat.pool)))) {
    const users = loads
      .map((load) => ({ load, seats: seatsOf(load).filter((seat) => seat.pool === pool) }))
      .filter(({ seats }) => seats.length > 0);
    if (mayBeReached(pool, users)) scarce.add(pool.name);
  }
  return new Map(
    [...judged].map(([name, found]): [string, Feasibility] => {
      if (found.kind !== 'servable') return [name, found];
      const load = loads.find((one) => one.name === name);
      if (load === undefined || load.isDaemon) return [name, found];
      const left = found.seats.filter(({ pool }) => !scarce.has(pool.name));
      if (left.length === found.seats.length) return [name, found];
      // The seats of other pools are enough, unless pods must be apart or spread, also over zones that only pools with limits have.
      const isEnough = left.length > 0 && !losesDomain(load, found.seats, left);
      if (isEnough && placementProblem(load, loads, left, seatsOf) === undefined) return [name, found];
      const pools = [...new Set(found.seats.flatMap(({ pool }) => (scarce.has(pool.name) ? [pool.name] : [])))];
      const why = `the limits of pool ${pools.join(', ')} may be reached, and then it depends on the order which pods are served`;
      return [name, { kind: 'partly', seats: found.seats, why }];
    }),
  );
}

/** Whether too few values of a label are left for pods that must be apart or spread over it. */
function losesDomain({ replicas, template: { spec } }: Load, seats: readonly Seat[], left: readonly Seat[]): boolean {
  const rules = [
    ...(spec.topologySpreadConstraints ?? [])
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
      .map(({ topologyKey, maxSkew }) => ({ key: topologyKey, mostEach: maxSkew })),
    ...(spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(({ topologyKey }) => ({
      key: topologyKey,
      mostEach: 1,
    })),
  ];
  return rules.some(({ key, mostEach }) => {
    const remaining = new Set(left.map(({ labels }) => labels[key]));
    const isLost = key !== LABEL.hostname && seats.some(({ labels }) => !remaining.has(labels[key]));
    return isLost && replicas > remaining.size * mostEach;
  });
}

interface User {
  readonly load: Load;
  readonly seats: readonly Seat[];
}

function mayBeReached({ limits }: Pool, users: readonly User[]): boolean {
  if (limits === undefined) return false;
  const need = users.map(needOf);
  const sum = (pick: (need: ReturnType<typeof needOf>) => number): number =>
    need.reduce((total, one) => total + pick(one), 0) * REPLACEMENT;
  return (
    sum(({ cpu }) => cpu) > (limits.cpu ?? Infinity) ||
    sum(({ memoryMiB }) => memoryMiB) > (limits.memoryMiB ?? Infinity) ||
    sum(({ nodes }) => nodes) > (limits.nodes ?? Infinity)
  );
}

function needOf({ load, seats }: User): { readonly cpu: number; readonly memoryMiB: number; readonly nodes: number } {
  const requests = podRequests(load.template.spec);
  const { cpu = 0, memory = 0 } = requests;
  const smallestCpu = Math.min(...seats.map(({ type }) => type.vcpu));
  const smallestMiB = Math.min(...seats.map(({ type }) => type.memoryMiB));
  const { replicas } = load;
  // What one resource leaves of the others on full nodes is wasted.
  const nodesOn = (seat: Seat): number => Math.ceil(replicas / podsOn(seat.room, requests));
  const priceOn = (seat: Seat): number => nodesOn(seat) * seat.type.onDemandUsdPerHour;
  const lowest = Math.min(...seats.map(priceOn));
  const likely = seats.filter((seat) => priceOn(seat) <= lowest * DEARER);
  const onFullNodes = (size: (seat: Seat) => number): number => Math.max(...likely.map((seat) => nodesOn(seat) * size(seat)));
  const alone = isAlone(load);
  return {
    cpu: alone
      ? replicas * smallestCpu
      : Math.max(
          onFullNodes(({ type }) => type.vcpu),
          (replicas * cpu * PACKING) / 1_000,
        ),
    memoryMiB: alone
      ? replicas * smallestMiB
      : Math.max(
          onFullNodes(({ type }) => type.memoryMiB),
          (replicas * memory * PACKING) / MIB,
        ),
    // At worst, one node for each pod.
    nodes: replicas,
  };
}

/** How many of the pods fit on a node, at least one. */
function podsOn(room: Resources, requests: Resources): number {
  const most = Object.entries({ ...requests, pods: 1 }).map(([name, amount]) =>
    amount > 0 ? Math.floor((room[name] ?? 0) / amount) : Infinity,
  );
  return Math.max(1, Math.min(...most));
}
