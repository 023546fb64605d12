import type { Catalogue } from '../model/instance-catalogue.ts';
import type { InstanceType, Offering, Pool } from '../model/catalogue.ts';
import type { PodTemplate } from '../model/kube.ts';
import { LABEL } from '../model/kube.ts';
import { allows, intersect, matchesLabels, nodeAlternatives, parseRequirements } from '../model/requirements.ts';
import type { NodeAlternative, Requirements } from '../model/requirements.ts';
import { addResources, fits, formatResources, podRequests, shortages, subtractResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { QuantityError } from '../model/quantity.ts';
import type { Labels } from '../model/selector.ts';
import { REPELLING, untolerated } from '../model/taints.ts';
import { NODE_POOL_LABEL, isKnownLabel, isUnmodelledLabel, offeringLabels } from './node-labels.ts';
import { placementProblem } from './placement.ts';

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
interface Offers {
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
  return { kind: 'untestable', why: `it asks for ${device}, which nodes of pool ${makers.join(', ')} may offer and nodes of this world don't` };
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

/** Whether a node with these labels, of a pool that states this, suits one alternative of a pod. */
function suits({ labels: asked, fields }: NodeAlternative, labels: Labels, stated: Requirements): boolean {
  if (fields.size > 0) return false;
  for (const [key, set] of asked) if (!allowsLabel(key, set, labels, stated)) return false;
  return true;
}

type ValueSet = Parameters<typeof allows>[0];

/** A label of the user's own, of which the pool leaves the value open, becomes what the pods ask for. */
function allowsLabel(key: string, set: ValueSet, labels: Labels, stated: Requirements): boolean {
  const open = stated.get(key);
  if (labels[key] !== undefined || isKnownLabel(key) || open === undefined) return allows(set, labels[key]);
  const both = intersect(new Map([[key, open]]), new Map([[key, set]])).get(key);
  return both !== undefined && (both.excluding || both.values.length > 0 || both.missing);
}

function labelProblem(alternatives: readonly NodeAlternative[], { stated, seats }: Offers): string {
  const reasons = alternatives.map(({ labels: asked, fields }) => {
    if (fields.size > 0) return 'it asks for one node by its name';
    const failing = [...asked].filter(([key, set]) => !seats.some(({ labels }) => allowsLabel(key, set, labels, stated)));
    if (failing.length === 0) return `none of its nodes is all that is asked for at once: ${[...asked.keys()].join(', ')}`;
    return failing.map(([key, set]) => `it has no nodes with ${describeAsked(key, set, seats)}`).join(' and ');
  });
  return reasons.length === 0 ? 'the node affinity has no terms, and so matches no node' : [...new Set(reasons)].join(', or ');
}

/** Values that a message names. */
const MAX_NAMED = 6;
const WORDS: Readonly<Record<string, string>> = {
  [LABEL.zone]: 'zone',
  [LABEL.arch]: 'architecture',
  [LABEL.capacityType]: 'capacity type',
  [LABEL.instanceType]: 'instance type',
  [LABEL.region]: 'region',
};

function describeAsked(key: string, set: ValueSet, seats: readonly Seat[]): string {
  const word = WORDS[key];
  const offered = [...new Set(seats.flatMap(({ labels }) => labels[key] ?? []))].sort();
  const has = offered.length === 0 ? (word === undefined ? ', a label that it does not set' : '') : offered.length > MAX_NAMED ? '' : ` (it has ${offered.join(', ')})`;
  const values = set.excluding || set.values.length === 0 ? 'as asked for' : set.values.join(' or ');
  return `${word ?? `label ${key}`} ${values}${has}`;
}

function sizeProblem(requests: Resources, seats: Offers['seats']): string {
  const largest = seats.reduce((best, seat) => (shortagesOf(requests, seat) < shortagesOf(requests, best) ? seat : best));
  const short = shortages(requests, largest.room);
  const pick = (resources: Resources): string =>
    Object.entries(formatResources(Object.fromEntries(short.map((name) => [name, Math.max(0, resources[name] ?? 0)]))))
      .map(([name, amount]) => `${amount} ${name}`)
      .join(' and ');
  const daemons = short.some((name) => (largest.daemons[name] ?? 0) > 0) ? `, ${pick(largest.daemons)} taken by DaemonSets` : '';
  return `it is too large: it asks for ${pick(requests)}, and a ${largest.type.type} has ${pick(largest.room)} for it${daemons}`;
}

/** How far a node is from enough: 0 if nothing is short. */
function shortagesOf(requests: Resources, { room }: { readonly room: Resources }): number {
  return shortages(requests, room).reduce((sum, name) => sum + 1 - Math.max(0, room[name] ?? 0) / (requests[name] ?? 1), 0);
}

function requestsOf({ spec }: PodTemplate): Resources {
  return podRequests(spec);
}
