import type { InstanceType, Pool } from '../model/catalogue.ts';
import type { PodTemplate } from '../model/kube.ts';
import { nodeAlternatives } from '../model/requirements.ts';
import { fits, podRequests } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { QuantityError } from '../model/quantity.ts';
import { REPELLING, untolerated } from '../model/taints.ts';
import type { Load } from './load.ts';
import { isUnmodelledLabel, suits } from './node-labels.ts';
import { offersOf } from './offers.ts';
import type { Market, Offers, Seat } from './offers.ts';
import { placementProblem } from './placement.ts';
import { labelProblem, sizeProblem } from './reasons.ts';

/** Whether the pools can serve a load without any faults. */
export type Feasibility =
  | { readonly kind: 'servable'; readonly seats: readonly Seat[] }
  /** Some of its pods can't be served, or it depends on which pods come first. */
  | { readonly kind: 'partly'; readonly seats: readonly Seat[]; readonly why: string }
  /** None of its pods can be served. */
  | { readonly kind: 'unservable'; readonly why: string }
  /** The user's cluster may serve it, but this world, or the scenarios for manifests, lack what it needs. */
  | { readonly kind: 'untestable'; readonly why: string };

/** Resources that every node in this world has. */
const NATIVE = ['cpu', 'memory', 'ephemeral-storage', 'pods'];
const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * Decides for each load, without an autoscaler, whether these pools could ever give it nodes: by their requirements, labels and
 * taints, the sizes of their types minus the DaemonSets' share, their limits, and the spread that it requests.
 */
export function judgeFeasibility(loads: readonly Load[], pools: readonly Pool[], market: Market): ReadonlyMap<string, Feasibility> {
  const daemons = loads.filter(({ isDaemon }) => isDaemon);
  const offers = pools.map((pool) => offersOf(pool, daemons, market));
  const known = new Map<Load, readonly Seat[]>();
  const seatsOf = (load: Load): readonly Seat[] => {
    const seats = known.get(load) ?? offers.flatMap((one) => searchPool(load.template, one).seats);
    known.set(load, seats);
    return seats;
  };
  return new Map(loads.map((load) => [load.name, judgeLoad(load, loads, offers, seatsOf)]));
}

function judgeLoad(load: Load, loads: readonly Load[], offers: readonly Offers[], seatsOf: (other: Load) => readonly Seat[]): Feasibility {
  const { template, isDaemon } = load;
  // One pod on each existing node: nothing is launched for it, and its share is reserved.
  if (isDaemon) return { kind: 'servable', seats: offers.flatMap(({ seats }) => seats) };
  const unsupported = unsupportedReason(load, offers);
  if (unsupported !== undefined) return unsupported;
  if (offers.length === 0) return { kind: 'unservable', why: 'there is no NodePool' };
  const searches = offers.map((one) => ({ pool: one.pool, ...searchPool(template, one) }));
  const seats = searches.flatMap((search) => search.seats);
  if (seats.length === 0) {
    return { kind: 'unservable', why: searches.map(({ pool, why }) => `pool ${pool.name}: ${why}`).join('; ') };
  }
  const problem = placementProblem(load, loads, seats, seatsOf);
  if (problem === undefined) return { kind: 'servable', seats };
  return problem.none ? { kind: 'unservable', why: problem.why } : { kind: 'partly', seats, why: problem.why };
}

/** What the load needs that this world or its scenarios, unlike the user's cluster, do not support. */
function unsupportedReason({ template }: Load, offers: readonly Offers[]): Feasibility | undefined {
  const { spec } = template;
  const { schedulerName = DEFAULT_SCHEDULER, schedulingGates = [] } = spec;
  if (schedulerName !== DEFAULT_SCHEDULER) return { kind: 'untestable', why: `the scheduler ${schedulerName} is not part of this world` };
  if (schedulingGates.length > 0) return { kind: 'untestable', why: 'nothing in this world removes its scheduling gates' };
  const keys = nodeAlternatives(spec).flatMap(({ labels }) => [...labels.keys()]);
  const unmodelled = keys.find(isUnmodelledLabel);
  if (unmodelled !== undefined) return { kind: 'untestable', why: `nodes of this world have no label ${unmodelled}` };
  let requests: Resources;
  try {
    requests = podRequests(template.spec);
  } catch (error) {
    if (error instanceof QuantityError) return { kind: 'unservable', why: error.message };
    throw error;
  }
  const isOffered = (name: string): boolean => offers.some(({ seats }) => seats.some(({ room }) => (room[name] ?? 0) > 0));
  const device = Object.keys(requests).find((name) => !NATIVE.includes(name) && (requests[name] ?? 0) > 0 && !isOffered(name));
  if (device === undefined) return undefined;
  const providers = offers.filter(({ seats }) => seats.some(({ type }) => mayOffer(type, device))).map(({ pool }) => pool.name);
  if (providers.length === 0) return { kind: 'unservable', why: `it requests ${device}, and no pool allows a type that offers it` };
  return {
    kind: 'untestable',
    why: `it requests ${device}, which nodes of pool ${providers.join(', ')} may offer, but these scenarios don't wait for device plugins`,
  };
}

/** Whether a type may offer a resource through a device plugin. True for any type if the catalogue does not say. */
function mayOffer({ type, gpu }: InstanceType, device: string): boolean {
  if (device === 'nvidia.com/gpu') return gpu?.manufacturer === 'NVIDIA' && gpu.count > 0;
  if (device === 'amd.com/gpu') return gpu?.manufacturer === 'AMD';
  if (device.startsWith('aws.amazon.com/neuron')) return /^(inf|trn)/.test(type);
  if (device === 'habana.ai/gaudi') return type.startsWith('dl1');
  return device === 'vpc.amazonaws.com/efa' || device === 'vpc.amazonaws.com/pod-eni';
}

interface Search {
  readonly seats: readonly Seat[];
  /** Why there are no seats. */
  readonly why: string;
}

function searchPool(template: PodTemplate, { pool, stated, problem, seats }: Offers): Search {
  if (seats.length === 0) return { seats, why: problem ?? 'it allows no instance type of this region' };
  const taint = untolerated(pool.taints, template.spec.tolerations, REPELLING);
  if (taint !== undefined) {
    const { key, value, effect } = taint;
    return { seats: [], why: `its taint ${key}${value === undefined ? '' : `=${value}`}:${effect} is not tolerated` };
  }
  const alternatives = nodeAlternatives(template.spec);
  const suitable = seats.filter(({ labels }) => alternatives.some((one) => suits(one, labels, stated)));
  if (suitable.length === 0) return { seats: [], why: labelProblem(alternatives, { pool, stated, seats }) };
  const requests = podRequests(template.spec);
  const roomy = suitable.filter(({ room }) => fits(requests, room));
  if (roomy.length === 0) return { seats: [], why: sizeProblem(requests, suitable) };
  const affordable = roomy.filter(({ type }) => isWithin(type, pool.limits));
  const scarce = Object.entries(pool.minimumValues ?? {}).find(([key, least]) => valuesOf(key, affordable).size < least);
  if (scarce !== undefined && affordable.length > 0) {
    const [key, least] = scarce;
    return {
      seats: [],
      why: `minValues asks for ${least} values of ${key}, and the nodes on which it fits have ${valuesOf(key, affordable).size}`,
    };
  }
  if (affordable.length > 0) return { seats: affordable, why: '' };
  const { cpu, memoryMiB, nodes } = pool.limits ?? {};
  const limits = [
    ...(cpu === undefined ? [] : [`${cpu} CPU`]),
    ...(memoryMiB === undefined ? [] : [`${memoryMiB} MiB`]),
    ...(nodes === undefined ? [] : [`${nodes} nodes`]),
  ];
  return { seats: [], why: `its limits (${limits.join(', ')}) are below the smallest node on which it fits` };
}

function valuesOf(key: string, seats: readonly Seat[]): ReadonlySet<string> {
  return new Set(seats.flatMap(({ labels }) => labels[key] ?? []));
}

function isWithin({ vcpu, memoryMiB }: InstanceType, limits: Pool['limits'] = {}): boolean {
  return vcpu <= (limits.cpu ?? Infinity) && memoryMiB <= (limits.memoryMiB ?? Infinity) && (limits.nodes ?? 1) >= 1;
}
