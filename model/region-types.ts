import type { InstanceType, Pool } from './catalogue.ts';
import { typeLabels } from './instance-labels.ts';
import { parseRequirements, permits } from './requirements.ts';

/** One or two types of every kind. Some are cheaper than those that most pools allow, so buying one shows that a pool was ignored. */
const ALWAYS_INCLUDED: ReadonlySet<string> = new Set([
  ...['m6i', 'm7i', 'm6a', 'c6i', 'm6g'].flatMap((family) => ['large', 'xlarge', '2xlarge'].map((size) => `${family}.${size}`)),
  ...['t3.medium', 'r5.large', 'm7g.large', 'g4dn.xlarge', 'c5.metal'],
]);

/** What a pool gets that allows more than MAX_TYPES_OF_POOL types: families and sizes that most clusters use. */
const COMMON: ReadonlySet<string> = new Set([
  ...['m5', 'm5a', 'm5n', 'm6a', 'm6g', 'm6i', 'm7a', 'm7g', 'm7i', 'c5', 'c6g', 'c6i', 'c7g', 'c7i', 'r5', 'r6a', 'r6i', 'r7a'].flatMap(
    (family) => ['large', 'xlarge', '2xlarge', '4xlarge'].map((size) => `${family}.${size}`),
  ),
]);

/** Pods may need so many CPUs or GPUs at once: more than the common types have. */
const MANY_CPUS = [32, 64, 96];
const MANY_GPUS = [2, 4, 8];

/** A pool that allows at most this many types gets all of them. */
const MAX_TYPES_OF_POOL = 64;

/**
 * The types of a small region: those that pools allow, and some of each kind. For targets that spend much time on every type,
 * whatever their pools allow. For a pool that allows more than 64 types only the common ones are taken, and some that are larger.
 */
export function typesOfRegion(types: Iterable<InstanceType>, pools: readonly Pick<Pool, 'requirements'>[]): InstanceType[] {
  const all = [...types].map((type) => ({ type, labels: typeLabels(type) }));
  const names = new Set(ALWAYS_INCLUDED);
  for (const { requirements } of pools) {
    const required = parseRequirements(requirements);
    const suitable = all
      // Pools also select by other labels, such as zones and their own: types don't have those.
      .filter(({ labels }) => Object.entries(labels).every(([key, value]) => permits(required, key, value)))
      .map(({ type }) => type);
    const allowed = suitable.map(({ type }) => type);
    const common = allowed.filter((name) => COMMON.has(name));
    const taken = allowed.length > MAX_TYPES_OF_POOL && common.length > 0 ? [...common, ...largeOnes(suitable)] : allowed;
    for (const name of taken) names.add(name);
  }
  return all.filter(({ type }) => names.has(type.type)).map(({ type }) => type);
}

/** Of each architecture the cheapest with many CPUs or GPUs, and the one with most memory: what pods need that fit on no common type. */
function largeOnes(types: readonly InstanceType[]): string[] {
  const zones = Math.max(...types.map((type) => type.zones.length));
  const everywhere = types.filter(
    ({ bareMetal, usageClasses, zones: own }) => !bareMetal && usageClasses.length > 1 && own.length === zones,
  );
  const cheapest = (among: readonly InstanceType[]): string[] => {
    const [first] = among.toSorted((a, b) => a.onDemandUsdPerHour - b.onDemandUsdPerHour || (a.type < b.type ? -1 : 1));
    return first === undefined ? [] : [first.type];
  };
  return [...Map.groupBy(everywhere, ({ architecture }) => architecture).values()].flatMap((ofOne) => {
    const plain = ofOne.filter(({ gpu }) => gpu === undefined);
    const most = Math.max(...plain.map(({ memoryMiB }) => memoryMiB));
    const gpusOf = ({ gpu }: InstanceType): number => (gpu?.manufacturer === 'NVIDIA' ? gpu.count : 0);
    return [
      ...MANY_CPUS.flatMap((count) => cheapest(plain.filter(({ vcpu }) => vcpu >= count))),
      ...MANY_GPUS.flatMap((count) => cheapest(ofOne.filter((type) => gpusOf(type) >= count))),
      ...cheapest(plain.filter(({ memoryMiB }) => memoryMiB === most)),
    ];
  });
}
