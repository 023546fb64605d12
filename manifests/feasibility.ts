import type { Catalogue } from '../model/instance-catalogue.ts';
import type { InstanceType, Offering, Pool } from '../model/catalogue.ts';
import type { PodTemplate } from '../model/kube.ts';
import { matchesLabels, nodeAlternatives, parseRequirements } from '../model/requirements.ts';
import type { Requirements } from '../model/requirements.ts';
import { addResources, fits, podRequests, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { QuantityError } from '../model/quantity.ts';
import type { Labels } from '../model/selector.ts';
import { REPELLING, untolerated } from '../model/taints.ts';
import { NODE_POOL_LABEL, isKnownLabel, isUnmodelledLabel, offeringLabels, suits } from './node-labels.ts';
import { placementProblem } from './placement.ts';
import { labelProblem, sizeProblem } from './reasons.ts';

/** What is to be placed. */
export interface Load {
  readonly name: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly template: PodTemplate;
  /** A pod for each node. */
  readonly isDaemon: boolean;
}

/** An offering of a pool on which a pod of a load could run. */
export interface Seat {
  readonly pool: Pool;
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly labels: Labels;
}

/** What of a load can be served by the pools if nothing ever goes wrong. */
export type Feasibility =
  | { readonly kind: 'servable'; readonly seats: readonly Seat[] }
  /** Some of its pods can't be, or whether they can depends on who comes first. */
  | { readonly kind: 'partly'; readonly seats: readonly Seat[]; readonly why: string }
  /** None of its pods can be. */
  | { readonly kind: 'unservable'; readonly why: string }
  /** The user's own cluster may serve it; this world lacks what it takes. */
  | { readonly kind: 'untestable'; readonly why: string };

/** What the computation needs of the world. */
export interface Market {
  readonly catalogue: Catalogue;
  /** What pods may take of a node of this type. */
  readonly allocatable: (type: InstanceType) => Resources;
}

/** What a node of this world has for pods. */
const NATIVE = ['cpu', 'memory', 'ephemeral-storage', 'pods'];
const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * Finds out for each load, without any autoscaler, whether these pools could ever give it nodes: by their requirements,
 * labels and taints, the sizes of their types less the DaemonSets' share, their limits, and the spread that it asks for.
 */
export function judgeFeasibility(loads: readonly Load[], pools: readonly Pool[], market: Market): ReadonlyMap<string, Feasibility> {
  const daemons = loads.filter(({ isDaemon }) => isDaemon);
  const offers = pools.map((pool) => offersOf(pool, daemons, market));
  return new Map(loads.map((load) => [load.name, judgeLoad(load, loads, offers)]));
}

/** What a pool may launch, with the room on each node. */
export interface Offers {
  readonly pool: Pool;
  readonly stated: Requirements;
  readonly seats: readonly (Seat & { readonly room: Resources; readonly daemons: Resources })[];
}

function offersOf(pool: Pool, daemons: readonly Load[], { catalogue, allocatable }: Market): Offers {
  const stated = parseRequirements(pool.requirements);
  const decided = new Map([...stated].filter(([key]) => isKnownLabel(key)));
  const tolerant = daemons.filter(({ template }) => untolerated(pool.taints, template.spec.tolerations, REPELLING) === undefined);
  const shares = tolerant.map(({ template }) => ({ alternatives: nodeAlternatives(template.spec), requests: requestsOf(template) }));
  const seats: Offers['seats'][number][] = [];
  for (const type of catalogue.types.values()) {
    const whole = allocatable(type);
    for (const capacityType of type.usageClasses) {
      for (const zone of type.zones) {
        const offering = { instanceType: type.type, zone, capacityType };
        const labels = { ...pool.labels, ...offeringLabels(type, offering, catalogue.region), [NODE_POOL_LABEL]: pool.name };
        if (!matchesLabels(decided, labels)) continue;
        const daemonsHere = shares
          .filter(({ alternatives }) => alternatives.some((one) => suits(one, labels, stated)))
          .reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});
        seats.push({ pool, type, offering, labels, daemons: daemonsHere, room: subtractResources(whole, daemonsHere) });
      }
    }
  }
  return { pool, stated, seats };
}

function judgeLoad(load: Load, loads: readonly Load[], offers: readonly Offers[]): Feasibility {
  const { template, isDaemon } = load;
  // One for each node that is there: nothing is launched for it, and its share is kept free.
  if (isDaemon) return { kind: 'servable', seats: offers.flatMap(({ seats }) => seats) };
  const strange = strangeness(load, offers);
  if (strange !== undefined) return strange;
  if (offers.length === 0) return { kind: 'unservable', why: 'there is no NodePool' };
  const searches = offers.map((one) => ({ pool: one.pool, ...searchPool(template, one) }));
  const seats = searches.flatMap((search) => search.seats);
  if (seats.length === 0) {
    return { kind: 'unservable', why: searches.map(({ pool, why }) => `pool ${pool.name}: ${why}`).join('; ') };
  }
  const problem = placementProblem(load, loads, seats);
  if (problem === undefined) return { kind: 'servable', seats };
  return problem.none ? { kind: 'unservable', why: problem.why } : { kind: 'partly', seats, why: problem.why };
}

/** What this world does otherwise than the user's cluster. */
function strangeness({ template }: Load, offers: readonly Offers[]): Feasibility | undefined {
  const { spec } = template;
  const { schedulerName = DEFAULT_SCHEDULER, schedulingGates = [] } = spec;
  if (schedulerName !== DEFAULT_SCHEDULER) return { kind: 'untestable', why: `the scheduler ${schedulerName} is not part of this world` };
  if (schedulingGates.length > 0) return { kind: 'untestable', why: 'nobody here removes its scheduling gates' };
  const asked = nodeAlternatives(spec).flatMap(({ labels }) => [...labels.keys()]);
  const unmodelled = asked.find(isUnmodelledLabel);
  if (unmodelled !== undefined) return { kind: 'untestable', why: `nodes of this world have no label ${unmodelled}` };
  let requests: Resources;
  try {
    requests = requestsOf(template);
  } catch (error) {
    if (error instanceof QuantityError) return { kind: 'unservable', why: error.message };
    throw error;
  }
  const device = Object.keys(requests).find((name) => !NATIVE.includes(name) && (requests[name] ?? 0) > 0);
  if (device === undefined) return undefined;
  const makers = offers.filter(({ seats }) => seats.some(({ type }) => mayOffer(type, device))).map(({ pool }) => pool.name);
  if (makers.length === 0) return { kind: 'unservable', why: `it asks for ${device}, and no pool allows a type that offers it` };
  return {
    kind: 'untestable',
    why: `it asks for ${device}, which nodes of pool ${makers.join(', ')} may offer and nodes of this world don't`,
  };
}

/** By whose device plugin a type may offer a resource; of what the catalogue doesn't tell apart, any may. */
function mayOffer({ type, gpu }: InstanceType, device: string): boolean {
  if (device === 'nvidia.com/gpu') return gpu?.manufacturer === 'NVIDIA' && gpu.count > 0;
  if (device === 'amd.com/gpu') return gpu?.manufacturer === 'AMD';
  if (device.startsWith('aws.amazon.com/neuron')) return /^(inf|trn)/.test(type);
  if (device === 'habana.ai/gaudi') return type.startsWith('dl1');
  return device === 'vpc.amazonaws.com/efa' || device === 'vpc.amazonaws.com/pod-eni';
}

interface Search {
  readonly seats: readonly Seat[];
  /** Why there are none. */
  readonly why: string;
}

function searchPool(template: PodTemplate, { pool, stated, seats }: Offers): Search {
  if (seats.length === 0) return { seats, why: 'it allows no instance type of this region' };
  const taint = untolerated(pool.taints, template.spec.tolerations, REPELLING);
  if (taint !== undefined) {
    const { key, value, effect } = taint;
    return { seats: [], why: `its taint ${key}${value === undefined ? '' : `=${value}`}:${effect} is not tolerated` };
  }
  const alternatives = nodeAlternatives(template.spec);
  const suitable = seats.filter(({ labels }) => alternatives.some((one) => suits(one, labels, stated)));
  if (suitable.length === 0) return { seats: [], why: labelProblem(alternatives, { pool, stated, seats }) };
  const requests = requestsOf(template);
  const roomy = suitable.filter(({ room }) => fits(requests, room));
  if (roomy.length === 0) return { seats: [], why: sizeProblem(requests, suitable) };
  const affordable = roomy.filter(({ type }) => isWithin(type, pool.limits));
  if (affordable.length > 0) return { seats: affordable, why: '' };
  const { cpu, memoryMiB, nodes } = pool.limits ?? {};
  const limits = [
    ...(cpu === undefined ? [] : [`${cpu} CPU`]),
    ...(memoryMiB === undefined ? [] : [`${memoryMiB} MiB`]),
    ...(nodes === undefined ? [] : [`${nodes} nodes`]),
  ];
  return { seats: [], why: `its limits (${limits.join(', ')}) are below the smallest node on which it fits` };
}

function isWithin({ vcpu, memoryMiB }: InstanceType, limits: Pool['limits'] = {}): boolean {
  return vcpu <= (limits.cpu ?? Infinity) && memoryMiB <= (limits.memoryMiB ?? Infinity) && (limits.nodes ?? 1) >= 1;
}

function requestsOf({ spec }: PodTemplate): Resources {
  return podRequests(spec);
}
