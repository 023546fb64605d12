import type { InstanceTypeInfo, SpotPrice } from '@aws-sdk/client-ec2';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { CapacityType, InstanceType, Offering } from '../../model/catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { defined } from '../../model/defined.ts';
import { typeLabels } from '../../model/instance-labels.ts';
import { LABEL } from '../../model/kube.ts';
import { ofFrozen } from '../../model/of-frozen.ts';
import type { KubeletSettings } from '../../model/node-settings.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import type { Clock } from '../../runtime/clock.ts';
import { capacityOf, nodeSize } from './allocatable.ts';

/** An offering with its price or estimate. */
export interface PricedOffering extends Offering {
  readonly usdPerHour: number;
}

/** An instance type as the scheduling simulation needs it. */
export interface NodeType {
  readonly name: string;
  readonly architecture: InstanceType['architecture'];
  /** Bare metal, or with accelerators: only for pods that request it. */
  readonly isExotic: boolean;
  /** Labels that each node of the type has. */
  readonly labels: Labels;
  readonly capacity: Resources;
  /** What pods may use of it. */
  readonly allocatable: Resources;
  readonly offerings: readonly PricedOffering[];
}

/** Labels of a node of this offering, except its hostname, beside its pool's labels if these are given. */
export function offeringLabels({ labels }: NodeType, { zone, capacityType }: Offering, ofPool?: Labels): Labels {
  return { ...ofPool, ...labels, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType };
}

/** The instance types of the region in our subnets' zones, as EC2 last described them. */
export interface InstanceTypes {
  /** Sorted by name. @param settings of their kubelets, by default those of the image */
  list(settings?: KubeletSettings): readonly NodeType[];
  get(name: string, settings?: KubeletSettings): NodeType | undefined;
  /** Reads types and zones again, and spot prices if spot may be launched. If EC2 fails, it throws and keeps the old ones. */
  refresh(): Promise<void>;
  /** Spot may be launched now, but its prices have not been read yet. */
  lacksPrices(): boolean;
  /**
   * A real node of the type, with these settings, has these resources: if they are less than assumed, they are used from now on, until
   * no node showed that little for SIZES_KEPT_MS, since an image or a setting may have been mended. What nodes of all types seen so far lack,
   * at least two, is also assumed of types that were not seen yet: the cause is hardly the type, and each further type would be tried in
   * vain.
   * @returns whether it is smaller than described
   */
  learn(name: string, allocatable: Resources, settings?: KubeletSettings): boolean;
}

/** How often what a small node shows is learnt again while it exists. */
export const SIZE_RENEWAL_MS = 5 * 60_000;

/** So many types have to lack something before others are assumed to lack it, too. */
const TYPES_SHOW_ALL = 2;

/** As long as a node that never registers is waited for: rare enough for one more vain launch. */
const SIZES_KEPT_MS = 15 * 60_000;

/** @param isSpotAllowed whether spot may be launched now: its prices, one per type and zone, are a long list */
export function createInstanceTypes(clock: Clock, ec2: Ec2Client, cluster: ClusterConfig, isSpotAllowed: () => boolean): InstanceTypes {
  return new DescribedTypes(clock, ec2, cluster, isSpotAllowed);
}

class DescribedTypes implements InstanceTypes {
  readonly #clock: Clock;
  readonly #ec2: Ec2Client;
  readonly #cluster: ClusterConfig;
  readonly #isSpotAllowed: () => boolean;
  #hasPrices = false;
  /** By name, with the sizes of the image's settings and nothing learnt. */
  #described: ReadonlyMap<string, NodeType> = new Map();
  /** By settings. Bounded by the settings of classes since types were last read. */
  #sized = new Map<string, SizedTypes>();
  /** By settings and type. Bounded by their numbers. */
  readonly #seen = new Map<string, Map<string, Seen>>();

  constructor(clock: Clock, ec2: Ec2Client, cluster: ClusterConfig, isSpotAllowed: () => boolean) {
    this.#clock = clock;
    this.#ec2 = ec2;
    this.#cluster = cluster;
    this.#isSpotAllowed = isSpotAllowed;
  }

  list(settings?: KubeletSettings): readonly NodeType[] {
    return this.#with(settings).types;
  }

  get(name: string, settings?: KubeletSettings): NodeType | undefined {
    return this.#with(settings).byName.get(name);
  }

  async refresh(): Promise<void> {
    const infos = await this.#ec2.describeInstanceTypes({
      Filters: [{ Name: 'supported-virtualization-type', Values: ['hvm'] }],
    });
    const places = await this.#ec2.describeInstanceTypeOfferings({ LocationType: 'availability-zone' });
    const asksForPrices = this.#isSpotAllowed();
    const prices = asksForPrices ? await this.#readPrices() : [];
    const zones = Map.groupBy(
      places.filter(({ Location }) => Location !== undefined && Location in this.#cluster.subnets),
      ({ InstanceType }) => InstanceType as string,
    );
    const spotPrices = latestPrices(prices);
    const described = infos
      .flatMap((info) => {
        const names = (zones.get(info.InstanceType ?? '') ?? []).map(({ Location }) => Location ?? '').sort();
        const type = readType(info, names, spotPrices, this.#cluster.region);
        return type === undefined ? [] : [type];
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#described = new Map(described.map((type) => [type.name, type]));
    this.#sized = new Map();
    this.#hasPrices = asksForPrices;
  }

  lacksPrices(): boolean {
    return !this.#hasPrices && this.#isSpotAllowed();
  }

  /** From now on: the current prices, without their history. */
  #readPrices(): Promise<SpotPrice[]> {
    return this.#ec2.describeSpotPriceHistory({ ProductDescriptions: ['Linux/UNIX'], StartTime: new Date(this.#clock.nowMs()) });
  }

  learn(name: string, allocatable: Resources, settings?: KubeletSettings): boolean {
    const described = this.#described.get(name);
    if (described === undefined) return false;
    const key = keyOf(settings);
    const seen = this.#unforgotten(key);
    this.#seen.set(key, seen);
    const last = seen.get(name);
    const before = last?.shares ?? {};
    const assumed = settings === undefined ? described.allocatable : nodeSize(described.capacity, settings).allocatable;
    // What a node does not report it does not know yet.
    const shares = Object.entries(assumed).flatMap(([resource, amount]) => {
      const reported = allocatable[resource];
      if (reported === undefined || amount === 0) return [];
      return [[resource, Math.min(1, reported / amount), before[resource] ?? 1] as const];
    });
    const isSmall = shares.some(([, share]) => share < 1);
    const isNews = last === undefined || shares.some(([resource, share, known]) => share < known || !(resource in before));
    if (!isNews && shares.some(([, share, known]) => share > known)) return isSmall;
    const least = shares.map(([resource, ...both]) => [resource, Math.min(...both)] as const);
    // Shares that this node does not report are forgotten as if it had not been there.
    const isWhole = Object.keys(before).every((resource) => resource in allocatable);
    const untilMs = isWhole || last === undefined ? this.#clock.monotonicMs() + SIZES_KEPT_MS : last.untilMs;
    seen.set(name, { shares: { ...before, ...Object.fromEntries(least) }, untilMs });
    if (isNews) this.#sized = new Map();
    return isSmall;
  }

  #unforgotten(key: string): Map<string, Seen> {
    const nowMs = this.#clock.monotonicMs();
    return new Map([...(this.#seen.get(key) ?? [])].filter(([, { untilMs }]) => nowMs < untilMs));
  }

  #with(settings: KubeletSettings | undefined): SizedTypes {
    const key = keyOf(settings);
    const known = this.#sized.get(key);
    if (known !== undefined && this.#clock.monotonicMs() < known.untilMs) return known;
    const seen = this.#unforgotten(key);
    // What types lack under some settings they lack under others, too.
    const all = [...this.#seen.keys()].flatMap((one) => [...this.#unforgotten(one)]);
    const groups = Map.groupBy(all, ([name]) => name);
    const byType = new Map([...groups].map(([name, ones]) => [name, mostOf(ones.map(([, { shares }]) => shares))]));
    const common = commonShares([...byType.values()]);
    const types = [...this.#described.values()].map((type) => {
      const shares = { ...common, ...byType.get(type.name), ...seen.get(type.name)?.shares };
      const isAsDescribed = Object.values(shares).every((share) => share === 1);
      if (settings === undefined && isAsDescribed) return type;
      const { capacity, allocatable } = settings === undefined ? type : nodeSize(type.capacity, settings);
      return { ...type, capacity, allocatable: isAsDescribed ? allocatable : sharesOf(allocatable, shares) };
    });
    const untilMs = Math.min(Infinity, ...all.map(([, { untilMs: ms }]) => ms));
    const sized = { types, byName: new Map(types.map((type) => [type.name, type])), untilMs };
    this.#sized.set(key, sized);
    return sized;
  }
}

/** The share that the smallest node had of each resource, at most 1, and until when it is assumed, by the monotonic clock. */
interface Seen {
  readonly shares: Resources;
  readonly untilMs: number;
}

/** All types under the same kubelet settings. */
interface SizedTypes {
  /** Until when these sizes are assumed, by the monotonic clock. */
  readonly untilMs: number;
  readonly types: readonly NodeType[];
  readonly byName: ReadonlyMap<string, NodeType>;
}

/** What all types are assumed to have of each resource: the largest share, if so many types have shown theirs. */
function commonShares(seen: readonly Resources[]): Resources {
  return mostOf(seen, TYPES_SHOW_ALL);
}

/** The largest share of each resource that at least so many of them have. */
function mostOf(seen: readonly Resources[], least = 1): Resources {
  const names = new Set(seen.flatMap((one) => Object.keys(one)));
  return Object.fromEntries(
    [...names].flatMap((resource) => {
      const shares = seen.flatMap((one) => one[resource] ?? []);
      return shares.length < least ? [] : [[resource, Math.max(...shares)]];
    }),
  );
}

/** Rounded to whole units: that of a seen type is what its node reported. */
function sharesOf(allocatable: Resources, shares: Resources): Resources {
  return Object.fromEntries(
    Object.entries(allocatable).map(([resource, amount]) => [resource, Math.round(amount * (shares[resource] ?? 1))]),
  );
}

function keyOf(settings: KubeletSettings | undefined): string {
  return settings === undefined ? '' : JSON.stringify(settings);
}

/** A type without its offerings, and what those are made from. */
interface TypeFacts {
  readonly type: Omit<NodeType, 'offerings'>;
  readonly vcpu: number;
  readonly memoryMiB: number;
  readonly usages: readonly CapacityType[];
}

function readType(info: InstanceTypeInfo, zones: readonly string[], spotPrices: SpotPrices, region: string): NodeType | undefined {
  const facts = factsOf(info);
  if (facts === undefined) return undefined;
  const { type, vcpu, memoryMiB, usages } = facts;
  const instanceType = type.name;
  const prices = spotPrices.get(instanceType);
  const { made } = readingsOf(info);
  const key = [region, ...zones.map((zone) => `${zone} ${prices?.get(zone)?.usd ?? ''}`)].join();
  const known = made.get(key);
  if (known !== undefined) return known;
  const read = deepFreeze({
    ...type,
    labels: { ...type.labels, [LABEL.region]: region },
    offerings: zones.flatMap((zone) =>
      usages.map((capacityType) => priced({ instanceType, zone, capacityType }, vcpu, memoryMiB, spotPrices)),
    ),
  });
  if (made.size >= READINGS_MAX) made.clear();
  made.set(key, read);
  return read;
}

/** Most results for one description that are kept. */
const READINGS_MAX = 20;

/** What was made of a description before, by all else that it depends on: each trial in a process makes the same of it. */
const readingsOf = ofFrozen((_info: InstanceTypeInfo) => ({ made: new Map<string, NodeType>() }));

/** In a process with many trials, each of them gets the same descriptions. */
const factsOf = ofFrozen((info: InstanceTypeInfo): TypeFacts | undefined => {
  const name = info.InstanceType;
  const vcpu = info.VCpuInfo?.DefaultVCpus;
  const memoryMiB = info.MemoryInfo?.SizeInMiB;
  const architecture = (['x86_64', 'arm64'] as const).find((one) => info.ProcessorInfo?.SupportedArchitectures?.includes(one));
  if (name === undefined || vcpu === undefined || memoryMiB === undefined || architecture === undefined) return undefined;
  // Pods only get addresses of the default card's interfaces.
  const { NetworkCards: cards = [], DefaultNetworkCardIndex: card = 0, MaximumNetworkInterfaces: all = 1 } = info.NetworkInfo ?? {};
  const interfaces = cards[card]?.MaximumNetworkInterfaces ?? all;
  const addresses = info.NetworkInfo?.Ipv4AddressesPerInterface ?? 2;
  const capacity = { ...capacityOf({ vcpu, memoryMiB, networkInterfaces: interfaces, ipv4PerInterface: addresses }), ...gpusOf(info) };
  return {
    type: {
      name,
      architecture,
      isExotic: info.BareMetal === true || Object.keys(gpusOf(info)).length > 0,
      labels: labelsOf(info, name, architecture, vcpu, memoryMiB),
      ...nodeSize(capacity),
    },
    vcpu,
    memoryMiB,
    usages: (['spot', 'on-demand'] as const).filter((usage) => info.SupportedUsageClasses?.includes(usage)),
  };
});

/** The labels that Karpenter's AWS provider gives nodes by type. Source: its documentation, "Well-Known Labels". */
function labelsOf(
  info: InstanceTypeInfo,
  name: string,
  architecture: InstanceType['architecture'],
  vcpu: number,
  memoryMiB: number,
): Record<string, string> {
  const gpu = info.GpuInfo?.Gpus?.[0];
  return {
    ...typeLabels({ type: name, architecture, vcpu, memoryMiB }),
    'karpenter.k8s.aws/instance-hypervisor': info.Hypervisor ?? '',
    ...defined({
      'karpenter.k8s.aws/instance-gpu-name': gpu?.Name?.toLowerCase().replaceAll(' ', '-'),
      'karpenter.k8s.aws/instance-gpu-count': gpu?.Name === undefined ? undefined : String(gpu.Count ?? 0),
    }),
  };
}

/** GPUs, by the resource names of their manufacturers' device plugins. */
function gpusOf(info: InstanceTypeInfo): Resources {
  const counts: Record<string, number> = {};
  for (const { Manufacturer = '', Count = 0 } of info.GpuInfo?.Gpus ?? []) {
    const resource = { NVIDIA: 'nvidia.com/gpu', AMD: 'amd.com/gpu' }[Manufacturer];
    if (resource !== undefined && Count > 0) counts[resource] = (counts[resource] ?? 0) + Count;
  }
  return counts;
}

/** US dollars per hour for one vCPU and one GiB, close to the m and c families in us-east-1. */
const VCPU_USD = 0.034;
const GIB_USD = 0.0045;
/** The assumed spot price as a share of the on-demand price, if EC2 gave none. */
const SPOT_RATIO: Readonly<Record<CapacityType, number>> = { spot: 0.4, 'on-demand': 1 };

/**
 * EC2's API has spot prices but no on-demand prices: those are estimated from vCPUs and memory, which only serves to sort the
 * types. EC2 itself decides which of the requested offerings is cheapest. (Karpenter uses the Pricing API.)
 */
function priced({ instanceType, zone, capacityType }: Offering, vcpu: number, memoryMiB: number, spotPrices: SpotPrices): PricedOffering {
  const known = capacityType === 'spot' ? spotPrices.get(instanceType)?.get(zone)?.usd : undefined;
  const estimate = (vcpu * VCPU_USD + (memoryMiB / 1024) * GIB_USD) * SPOT_RATIO[capacityType];
  return { instanceType, zone, capacityType, usdPerHour: known ?? estimate };
}

/** The newest price of each type in each zone. */
type SpotPrices = ReadonlyMap<string, ReadonlyMap<string, { readonly atMs: number; readonly usd: number }>>;

function latestPrices(prices: readonly SpotPrice[]): SpotPrices {
  const latest = new Map<string, Map<string, { readonly atMs: number; readonly usd: number }>>();
  for (const { SpotPrice, InstanceType, AvailabilityZone, Timestamp } of prices) {
    const usd = Number(SpotPrice);
    if (InstanceType === undefined || AvailabilityZone === undefined || !(usd > 0)) continue;
    const ofType = latest.get(InstanceType) ?? new Map<string, { readonly atMs: number; readonly usd: number }>();
    latest.set(InstanceType, ofType);
    const atMs = Timestamp?.getTime() ?? 0;
    if (atMs >= (ofType.get(AvailabilityZone)?.atMs ?? 0)) ofType.set(AvailabilityZone, { atMs, usd });
  }
  return latest;
}
