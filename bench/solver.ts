import { createSimulator } from '../controller/scheduling/simulator.ts';
import type { PoolOptions } from '../controller/scheduling/types.ts';
import { LABEL } from '../model/kube.ts';
import type { Pod, PodSpec } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import type { Random } from '../runtime/random.ts';
import { KARPENTER, measureKarpenter } from './karpenter.ts';
import type { BenchSite } from './site.ts';
import { median } from './table.ts';
import type { Measured, Row } from './table.ts';

/** Karpenter's own benchmark goes to 20,000 pods, which take it minutes. */
const SIZES = [
  { pods: 1_000, anchor: true, repeats: 3 },
  { pods: 5_000, anchor: true, repeats: 3 },
  { pods: 10_000, anchor: false, repeats: 1 },
  { pods: 50_000, anchor: false, repeats: 1 },
] as const;
const TYPES = 400;
/** A size that may take longer is left out. */
const MAX_CPU_MS = 300_000;
/** Times have grown with powers of 1.7 to 2.3 of the pods. */
const MOST_GROWTH = 2.5;
const MIB = 2 ** 20;

/** The instance types of Karpenter's benchmark (`pkg/cloudprovider/fake`): the i-th has i processors, 2 i GiB, room for 10 i pods. */
function pool(): PoolOptions {
  const zones = { spot: ['test-zone-1', 'test-zone-2'], 'on-demand': ['test-zone-1', 'test-zone-2', 'test-zone-3'] } as const;
  const options = Array.from({ length: TYPES }, (_none, index) => {
    const [name, vcpu] = [`fake-it-${index}`, index + 1];
    const room = { cpu: vcpu * 1_000, memory: vcpu * 2_048 * MIB, pods: vcpu * 10 };
    const labels = { [LABEL.instanceType]: name, [LABEL.arch]: 'amd64', [LABEL.os]: 'linux' };
    const usdPerHour = 0.1 * vcpu + (0.1 * room.memory) / 1e9;
    const offerings = (['spot', 'on-demand'] as const).flatMap((capacityType) =>
      zones[capacityType].map((zone) => ({ instanceType: name, zone, capacityType, usdPerHour, labels: {} })),
    );
    const type = { name, architecture: 'x86_64', isExotic: false, labels, capacity: room, allocatable: room, offerings } as const;
    return offerings.map((offering) => ({
      type,
      offering,
      usdPerHour,
      labels: { ...labels, [LABEL.zone]: offering.zone, [LABEL.capacityType]: offering.capacityType },
      room,
    }));
  });
  return {
    name: 'default',
    weight: 0,
    taints: [],
    options: options.flat(),
    unavailable: [],
    probes: [],
    hostPorts: [],
    open: new Map(),
    minimums: new Map(),
    remaining: { cpu: 1e10, memory: 1e7 * 1_024 * MIB },
  };
}

/** The pods of Karpenter's benchmark (`makeDiversePods`): a fifth each plain, spread over zones or hosts, together in a zone, and apart. */
function diversePods(count: number): Pod[] {
  const random = createRandom(42);
  const label = (): string => random.pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const mine = (): Record<string, string> => ({ 'my-label': label() });
  const spread = (topologyKey: string) => (): Kind => ({
    labels: mine(),
    spec: {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: mine() } }],
    },
  });
  const kinds: readonly (() => Kind)[] = [
    () => ({ labels: mine(), spec: {} }),
    spread(LABEL.zone),
    spread(LABEL.hostname),
    () => {
      const labels = { 'my-affinity': label() };
      const term = { labelSelector: { matchLabels: labels }, topologyKey: LABEL.zone };
      return { labels, spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } };
    },
    () => {
      const labels = { app: 'nginx' };
      const term = { labelSelector: { matchLabels: labels }, topologyKey: LABEL.hostname };
      return { labels, spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } } };
    },
  ];
  return kinds.flatMap((kind, index) =>
    Array.from({ length: count / kinds.length }, (_none, number) => podOf(`pod-${index}-${number}`, kind(), random)),
  );
}

interface Kind {
  readonly labels: Record<string, string>;
  readonly spec: Partial<PodSpec>;
}

function podOf(name: string, { labels, spec }: Kind, random: Random): Pod {
  const requests = {
    cpu: `${random.pick([100, 250, 500, 1_000, 1_500])}m`,
    memory: `${random.pick([100, 256, 512, 1_024, 2_048, 4_096])}Mi`,
  };
  return {
    metadata: { name, namespace: 'default', uid: name, labels },
    spec: { containers: [{ name: 'main', resources: { requests } }], ...spec },
  };
}

/** @returns pods a second of processor time @throws if a pod is refused */
function solve(pods: readonly Pod[], pools: readonly PoolOptions[]): number {
  const before = process.cpuUsage();
  const { refusals } = createSimulator().simulate({ pods, nodes: [], pools, namespaces: new Map() });
  const { user, system } = process.cpuUsage(before);
  if (refusals[0] !== undefined) throw new Error(`a pod was refused: ${refusals[0].reason}`);
  return (pods.length / (user + system)) * 1e6;
}

/** The reference's solver beside Karpenter's: the benchmark of Karpenter, with the same types and kinds of pods. */
export async function measureSolver({ scale, say }: BenchSite): Promise<Row[]> {
  const pools = [pool()];
  solve(diversePods(1_000), pools);
  const rows: Row[] = [];
  let lastMs: { readonly count: number; readonly ms: number } | undefined;
  for (const { pods: size, anchor: hasAnchor, repeats } of SIZES) {
    const count = Math.max(5, Math.round((size * scale) / 5) * 5);
    const what = `solver, ${TYPES} types, ${count} pods: pods a CPU-second`;
    const expectedMs = lastMs === undefined ? 0 : lastMs.ms * (count / lastMs.count) ** MOST_GROWTH;
    let ours: Measured = { absent: `it may take more than ${MAX_CPU_MS / 60_000} minutes` };
    if (expectedMs <= MAX_CPU_MS) {
      say(`solver: ${count} pods`);
      const pods = diversePods(count);
      ours = median(Array.from({ length: repeats }, () => solve(pods, pools)));
      lastMs = { count, ms: (count / ours) * 1_000 };
    }
    const value: Measured = hasAnchor && scale === 1 ? await measureKarpenter(size, say) : { absent: 'not measured at this size' };
    rows.push({ what, ours, anchor: { name: KARPENTER, value } });
  }
  return rows;
}
