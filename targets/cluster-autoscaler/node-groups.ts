import { createHash } from 'node:crypto';
import { archOf } from '../../model/catalogue.ts';
import type { Arch, CapacityType, InstanceType, Pool } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import { typeLabels } from '../../model/instance-labels.ts';
import { GROUP_POOL_LABEL, LABEL } from '../../model/kube.ts';
import type { Taint } from '../../model/kube.ts';
import type { NodeSettings } from '../../model/node-settings.ts';
import { parseRequirements, permits } from '../../model/requirements.ts';
import type { Requirements } from '../../model/requirements.ts';

/** An Auto Scaling group of like nodes: one size, one architecture, one capacity type, in one zone; on demand also one type. */
export interface NodeGroup {
  readonly name: string;
  readonly pool: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly arch: Arch;
  /** The cheapest first. All have the same CPU, memory and GPUs. */
  readonly instanceTypes: readonly InstanceType[];
  /** What the kubelet registers beside what follows from the machine. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly settings?: NodeSettings;
  readonly minSize: number;
  readonly maxSize: number;
  /** Which group grows first if several could: the highest. */
  readonly priority: number;
}

/** The region that groups are made in. */
export interface GroupSite {
  readonly cluster: string;
  readonly zones: readonly string[];
  readonly types: Iterable<InstanceType>;
}

/** A group without a limit of its own: more nodes than any cluster has. */
const UNLIMITED = 5_000;

/** A pool that allows at most this many types gets groups of all of them. */
const MAX_TYPES_OF_POOL = 64;

/** The types of a pool that allows more. For spot there are a few like types for each size, as the documentation of EKS advises. */
const USUAL: ReadonlySet<string> = new Set(
  ['m5', 'm6i', 'm6a', 'c5', 'c6i', 'c6a', 'r5', 'r6i', 'r6a', 'm6g', 'm7g', 'c6g', 'c7g', 'r6g', 'r7g'].flatMap((family) =>
    ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge'].map((size) => `${family}.${size}`),
  ),
);

/** And those that it has on demand: one for each size. */
const USUAL_ON_DEMAND = /^[cmr](6i|7g)\./;

/** Most values of a pool's own labels, all combined: a group has one of each. */
const MAX_COMBINATIONS = 8;

/** Longest name of a group: with its suffix, that of its launch template fits into the 128 characters of CreateLaunchTemplate. */
const NAME_MAX = 100;
/** Digits of a hash in names. */
const NAME_DIGITS = 8;

/** Labels that a machine determines, or that a group has as such. */
const OF_MACHINES: ReadonlySet<string> = new Set([
  LABEL.zone,
  LABEL.region,
  LABEL.instanceType,
  LABEL.capacityType,
  LABEL.arch,
  LABEL.os,
  LABEL.hostname,
]);

/**
 * The groups that an operator would make for pools. A group can't choose between zones for a pod's volume, or between sizes for its
 * requests, so there is one for each zone, capacity type, architecture and size. Nor can it choose the type that a pod selects. That
 * is why there is one for each type on demand; a group of spot capacity has several, so that it finds some.
 * Source: https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/cloudprovider/aws/README.md, "Common Notes and
 * Gotchas" and "Using Mixed Instances Policies and Spot Instances".
 */
export function nodeGroupsOf(pools: readonly Pool[], { cluster, zones, types }: GroupSite): NodeGroup[] {
  const all = [...types];
  return pools.flatMap((pool) => {
    const required = parseRequirements(pool.requirements);
    const capacityTypes = (['spot', 'on-demand'] as const).filter((one) => permits(required, LABEL.capacityType, one));
    return ownLabels(pool, required).flatMap((own) =>
      capacityTypes.flatMap((capacityType) =>
        [...typesByGroup(pool, { required, all, capacityType })].flatMap(([like, types]) =>
          zones
            .filter((zone) => permits(required, LABEL.zone, zone))
            .flatMap((zone) => {
              const offered = types.filter((type) => type.zones.includes(zone) && type.usageClasses.includes(capacityType));
              return offered.length === 0
                ? []
                : [
                    groupOf(pool, {
                      name: nameOf([cluster, pool.name], own, [like, zone, capacityType]),
                      own,
                      zone,
                      capacityType,
                      offered,
                    }),
                  ];
            }),
        ),
      ),
    );
  });
}

function groupOf(
  pool: Pool,
  {
    name,
    own,
    zone,
    capacityType,
    offered,
  }: {
    readonly name: string;
    readonly own: Readonly<Record<string, string>>;
    readonly zone: string;
    readonly capacityType: CapacityType;
    readonly offered: readonly InstanceType[];
  },
): NodeGroup {
  const instanceTypes = offered.toSorted((a, b) => a.onDemandUsdPerHour - b.onDemandUsdPerHour);
  const [first] = instanceTypes;
  return {
    name,
    pool: pool.name,
    zone,
    capacityType,
    arch: first === undefined ? 'amd64' : archOf(first),
    instanceTypes,
    labels: {
      ...commonLabels(instanceTypes),
      [LABEL.capacityType]: capacityType,
      [GROUP_POOL_LABEL]: pool.name,
      ...own,
      ...pool.labels,
    },
    taints: pool.taints,
    startupTaints: pool.startupTaints,
    minSize: 0,
    maxSize: maxSizeOf(pool, instanceTypes),
    // Heavier pools first. In each of them bare metal last, because only few pods need it, and otherwise spot first.
    priority: pool.weight * 4 + (first?.bareMetal === true ? 0 : 2) + (capacityType === 'spot' ? 2 : 1),
    ...defined({ settings: pool.nodeSettings }),
  };
}

/** Values of labels may be long, or look like a part of another pool's name: a hash tells such groups apart. */
function nameOf(pool: readonly string[], own: Readonly<Record<string, string>>, like: readonly string[]): string {
  const values = Object.values(own);
  const name = [...pool, ...values, ...like].join('-');
  if (values.length === 0 && name.length <= NAME_MAX) return name;
  const hash = createHash('sha256')
    .update(JSON.stringify([pool, own, like]))
    .digest('hex')
    .slice(0, NAME_DIGITS);
  return `${name.slice(0, NAME_MAX - NAME_DIGITS - 1)}-${hash}`;
}

/** `2x8-amd64`, with GPUs `4x16-amd64-1xt4`: the name of a size. */
function sizeOf({ vcpu, memoryMiB, gpu, bareMetal, ...type }: InstanceType): string {
  const gpus = gpu === undefined ? '' : `-${gpu.count}x${gpu.name.toLowerCase()}`;
  return `${vcpu}x${Math.round(memoryMiB / 1_024)}-${archOf(type)}${gpus}${bareMetal ? '-metal' : ''}`;
}

/** The types of each group, by what they have in common. */
function typesByGroup(
  pool: Pool,
  {
    required,
    all,
    capacityType,
  }: { readonly required: Requirements; readonly all: readonly InstanceType[]; readonly capacityType: CapacityType },
): ReadonlyMap<string, readonly InstanceType[]> {
  const isSpot = capacityType === 'spot';
  return Map.groupBy(typesFor(pool, required, all, isSpot), isSpot ? sizeOf : ({ type }) => type);
}

function typesFor(pool: Pool, required: Requirements, all: readonly InstanceType[], isSpot: boolean): InstanceType[] {
  const allowed = all.filter((type) => Object.entries(typeLabels(type)).every(([key, value]) => permits(required, key, value)));
  if (allowed.length <= MAX_TYPES_OF_POOL) return allowed;
  // An operator offers another architecture than the usual one only on purpose.
  const namesArch = pool.requirements.some(({ key }) => key === LABEL.arch);
  const usual = allowed.filter(
    (type) => USUAL.has(type.type) && (isSpot || USUAL_ON_DEMAND.test(type.type)) && (namesArch || archOf(type) === 'amd64'),
  );
  return usual.length > 0 ? usual : allowed.toSorted((a, b) => a.onDemandUsdPerHour - b.onDemandUsdPerHour).slice(0, MAX_TYPES_OF_POOL);
}

/** The combinations of values that a pool allows for labels of its own; those that it leaves open are on no node. */
function ownLabels(pool: Pool, required: Requirements): Readonly<Record<string, string>>[] {
  const open = pool.requirements.filter(
    ({ key, operator }) => operator === 'In' && !OF_MACHINES.has(key) && !key.startsWith('karpenter.k8s.aws/'),
  );
  let combinations: Readonly<Record<string, string>>[] = [{}];
  for (const { key, values = [] } of open) {
    const allowed = values.filter((value) => permits(required, key, value));
    combinations = combinations.flatMap((one) => allowed.map((value) => ({ ...one, [key]: value }))).slice(0, MAX_COMBINATIONS);
  }
  return combinations;
}

/** What all types of a group say of themselves, without what the kubelet or the cloud controller set. */
function commonLabels(types: readonly InstanceType[]): Record<string, string> {
  const [first = {}, ...others] = types.map(typeLabels);
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => !OF_MACHINES.has(key) && others.every((labels) => labels[key] === value)),
  );
}

/** As far as the limits of a pool hold for one group alone: what they mean for several is the CapacityQuota's part. */
function maxSizeOf(
  { limits: { cpu = Infinity, memoryMiB = Infinity, nodes = Infinity } = {} }: Pool,
  types: readonly InstanceType[],
): number {
  const most = types.map((type) => Math.min(nodes, Math.floor(cpu / type.vcpu), Math.floor(memoryMiB / type.memoryMiB)));
  return Math.min(UNLIMITED, ...most);
}
