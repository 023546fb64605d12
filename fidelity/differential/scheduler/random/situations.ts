import { LABEL } from '../../../../model/kube.ts';
import type {
  LabelSelector,
  Node,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../../../model/kube.ts';
import { createRandom } from '../../../../runtime/random.ts';
import type { Random } from '../../../../runtime/random.ts';
import { node, pod } from '../cases/case.ts';
import type { PodOptions } from '../cases/case.ts';

/** A random cluster, and pods that are created one after another. */
export interface Situation {
  readonly id: string;
  readonly nodes: readonly Node[];
  /** Running pods, each with its node. */
  readonly running: readonly Pod[];
  readonly pending: readonly Pod[];
  /** Whether a pending pod has a required spread or anti-affinity. */
  readonly spreads: boolean;
}

/** The seed of the recorded situations. */
export const SEED = 'scheduler-1';
export const SITUATIONS = 500;
export const NAMESPACES = ['differential-pods', 'differential-others'] as const;
/** Every node of a situation has this taint and every pod tolerates it, to keep others out. */
export const TAINT: Taint = { key: 'differential', value: 'random', effect: 'NoSchedule' };
const TOLERATION: Toleration = { key: TAINT.key, operator: 'Exists' };
/** Label of all nodes and pods of situations. */
export const LABELS = { differential: 'random' };

const ZONES = ['a', 'b', 'c'];
const KEYS = [LABEL.zone, LABEL.hostname, 'rack'];

export function situations(seed: string = SEED, count: number = SITUATIONS): Situation[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => situation(random.fork(String(index)), `s${index}`));
}

export function situation(random: Random, id: string): Situation {
  const nodes = Array.from({ length: random.int(2, 6) }, (_, index) => randomNode(random, `${id}-n${index + 1}`));
  const names = nodes.map(({ metadata }) => metadata.name ?? '');
  const running = Array.from({ length: random.int(0, 9) }, (_, index) =>
    // Tolerates all taints, so that taint eviction leaves them alone.
    randomPod(random, `${id}-r${index + 1}`, {
      on: random.pick(names),
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      ...(random.chance(0.3) ? { priority: 100 } : {}),
      ...some(random, 0.12, () => anti(random)),
    }),
  );
  const spreads = random.chance(0.75);
  const pending = Array.from({ length: random.int(1, 3) }, (_, index) =>
    randomPod(random, `${id}-p${index + 1}`, demands(random, spreads)),
  );
  return { id, nodes, running, pending, spreads };
}

function randomNode(random: Random, name: string): Node {
  const taints: Taint[] = [TAINT];
  if (random.chance(0.2))
    taints.push({ key: 'team', value: random.pick(['x', 'y']), effect: random.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) });
  return node(name, {
    ...(random.chance(0.9) ? { zone: random.pick(ZONES) } : {}),
    ...(random.chance(0.05) ? { hostname: 'none' } : {}),
    labels: {
      ...LABELS,
      ...(random.chance(0.5) ? { rack: random.pick(['1', '2']) } : {}),
      arch: random.pick(['amd64', 'arm64']),
      size: random.pick(['1', '5', '9']),
    },
    cpu: random.pick(['1', '2', '4', '1500m']),
    memory: random.pick(['1Gi', '4Gi', '8Gi']),
    pods: random.pick(['2', '4', '110', '110']),
    ...(random.chance(0.15) ? { resources: { 'example.com/gpu': '2' } } : {}),
    taints,
    ...(random.chance(0.07) ? { unschedulable: true } : {}),
  });
}

function randomPod(random: Random, name: string, more: PodOptions): Pod {
  const { tolerations = [], ...options } = more;
  return pod(name, {
    namespace: random.chance(0.9) ? NAMESPACES[0] : NAMESPACES[1],
    labels: { ...LABELS, app: random.pick(['web', 'web', 'db']), version: random.pick(['1', '2']) },
    cpu: random.pick(['0', '100m', '300m', '700m', '1']),
    memory: random.pick(['0', '64Mi', '500Mi', '1Gi']),
    ...options,
    tolerations: [TOLERATION, ...tolerations],
  });
}

/** The scheduling requirements of a pending pod besides its requests. */
function demands(random: Random, spreads: boolean): PodOptions {
  const hard = random.pick<() => Partial<PodSpec>>([
    () => ({ topologySpreadConstraints: constraints(random, 'DoNotSchedule') }),
    () => ({ topologySpreadConstraints: constraints(random, 'DoNotSchedule') }),
    () => anti(random),
    () => ({ ...anti(random), topologySpreadConstraints: constraints(random, 'DoNotSchedule') }),
  ]);
  const { affinity, ...rest } = spreads ? hard() : {};
  const nodeAffinity = random.chance(0.25) ? { nodeAffinity: nodes(random) } : {};
  const podAffinity = random.chance(0.15) ? { podAffinity: pods(random) } : {};
  const all = { ...affinity, ...nodeAffinity, ...podAffinity };
  return {
    ...rest,
    ...(Object.keys(all).length === 0 ? {} : { affinity: all }),
    ...some<PodOptions>(random, spreads ? 0 : 0.3, () => ({ topologySpreadConstraints: constraints(random, 'ScheduleAnyway') })),
    ...some<PodOptions>(random, 0.15, () => ({
      nodeSelector: random.pick<Record<string, string>>([{ arch: 'arm64' }, { rack: '1' }, { [LABEL.zone]: 'a' }]),
    })),
    ...some<PodOptions>(random, 0.25, () => ({
      tolerations: [
        random.pick<Toleration>([
          { key: 'team', operator: 'Exists' },
          { key: 'team', value: 'x', effect: 'NoSchedule' },
          { operator: 'Exists' },
        ]),
      ],
    })),
    ...some<PodOptions>(random, 0.12, () => ({ container: { ports: [{ containerPort: 80, hostPort: 8080 }] } })),
    ...some<PodOptions>(random, 0.1, () => ({ requests: { 'example.com/gpu': random.pick(['1', '3']) } })),
    ...some<PodOptions>(random, 0.15, () => ({ cpu: random.pick(['2', '3500m', '6']) })),
    ...some<PodOptions>(random, 0.3, () => (random.chance(0.2) ? { priority: 1000, preemptionPolicy: 'Never' } : { priority: 1000 })),
  };
}

function some<T extends object>(random: Random, probability: number, make: () => T): Partial<T> {
  return random.chance(probability) ? make() : {};
}

function selector(random: Random): LabelSelector {
  return random.pick<LabelSelector>([
    { matchLabels: { app: 'web' } },
    { matchLabels: { app: 'db' } },
    { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    { matchExpressions: [{ key: 'version', operator: 'NotIn', values: ['2'] }] },
    {},
  ]);
}

function constraints(random: Random, whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable']): TopologySpreadConstraint[] {
  return random
    .shuffle(KEYS)
    .slice(0, random.pick([1, 1, 1, 2]))
    .map((topologyKey) => ({
      maxSkew: random.pick([1, 1, 1, 2]),
      topologyKey,
      whenUnsatisfiable,
      ...some(random, 0.9, () => ({ labelSelector: selector(random) })),
      ...some(random, whenUnsatisfiable === 'DoNotSchedule' ? 0.2 : 0, () => ({ minDomains: random.int(2, 4) })),
      ...some(random, 0.2, () => ({ nodeAffinityPolicy: 'Ignore' as const })),
      ...some(random, 0.2, () => ({ nodeTaintsPolicy: 'Honor' as const })),
    }));
}

function term(random: Random): PodAffinityTerm {
  return {
    topologyKey: random.pick(KEYS),
    labelSelector: selector(random),
    ...some(random, 0.2, () => random.pick<Partial<PodAffinityTerm>>([{ namespaces: [NAMESPACES[1]] }, { namespaceSelector: {} }])),
  };
}

function anti(random: Random): Partial<PodSpec> {
  return {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [term(random)],
        ...some(random, 0.2, () => ({ preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: term(random) }] })),
      },
    },
  };
}

function pods(random: Random): NonNullable<NonNullable<PodSpec['affinity']>['podAffinity']> {
  return random.chance(0.6)
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term(random)] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: random.int(1, 100), podAffinityTerm: term(random) }] };
}

function nodes(random: Random): NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']> {
  const preference = random.pick([
    { matchExpressions: [{ key: 'arch', operator: 'In' as const, values: ['amd64'] }] },
    { matchExpressions: [{ key: 'size', operator: 'Gt' as const, values: ['3'] }] },
    { matchExpressions: [{ key: 'rack', operator: 'DoesNotExist' as const }] },
    { matchExpressions: [{ key: LABEL.zone, operator: 'NotIn' as const, values: ['a'] }] },
  ]);
  return random.chance(0.6)
    ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [preference] } }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: random.int(1, 100), preference }] };
}
