import { LABEL } from '../../../../model/kube.ts';
import type { Node, Pod, PodDisruptionBudget, PodSpec } from '../../../../model/kube.ts';
import { createRandom } from '../../../../runtime/random.ts';
import type { Random } from '../../../../runtime/random.ts';
import { namespace } from '../cases/case.ts';
import type { OtherObject } from '../cases/case.ts';
import { claim, csiNode, storageClass, volume } from '../cases/volumes.ts';
import type { OpenCase } from '../ours.ts';
import { NAMESPACES, situation } from '../random/situations.ts';

/** The seed of the recorded cases. */
export const STORAGE_SEED = 'storage-1';
export const STORAGE_CASES = 1_500;
/** Where most pods and all claims are. */
const NAMESPACE = NAMESPACES[0];
const ZONES = ['a', 'b', 'c'];
const IMAGE = 'registry.k8s.io/pause:3.10';
/** Start times differ: otherwise it is not determined which of two equal victims is evicted. */
const FIRST_START_MS = Date.parse('2025-12-31T00:00:00Z');
const HOUR_MS = 3_600_000;

/** Classes of storage: with any zone, with two zones, bound at once, and without a provisioner. */
const CLASSES = [
  storageClass('gp3'),
  storageClass('gp3-ab', { allowedTopologies: [{ matchLabelExpressions: [{ key: LABEL.zone, values: ['a', 'b'] }] }] }),
  storageClass('now', { volumeBindingMode: 'Immediate' }),
  storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
];
type Kind = 'bound' | 'zonal' | 'labelled' | 'single' | 'waiting' | 'zones' | 'now' | 'local' | 'missing';
const KINDS: readonly Kind[] = [
  'bound',
  'zonal',
  'zonal',
  'labelled',
  'single',
  'waiting',
  'waiting',
  'zones',
  'now',
  'local',
  'local',
  'missing',
];

/** Random clusters with one pod to place, which has volumes, or whose cluster has budgets, services or images. */
export function storageCases(seed: string = STORAGE_SEED, count: number = STORAGE_CASES): OpenCase[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => storageCase(random.fork(String(index)), `v${index}`));
}

function storageCase(random: Random, id: string): OpenCase {
  const { nodes, running, pending } = situation(random.fork('situation'), id);
  const [first] = pending;
  if (first === undefined) throw new Error(`${id} has no pod`);
  const objects: OtherObject[] = [...NAMESPACES.map((name) => namespace(name)), ...CLASSES];
  const claims = Array.from({ length: random.int(0, 3) }, (_, index) => {
    const kind = random.pick(KINDS);
    objects.push(...storageOf(random, `${id}-${kind}-${index}`, kind));
    return { name: `${id}-${kind}-${index}`, kind };
  });
  if (random.chance(0.3))
    objects.push(...nodes.flatMap(({ metadata: { name = '' } }) => (random.chance(0.6) ? [csiNode(name, random.int(1, 2))] : [])));
  if (random.chance(0.3)) objects.push(budget(random, id));
  if (random.chance(0.4)) objects.push(service(random, id));
  const inUse = claims.filter(({ kind }) => ['bound', 'zonal', 'labelled', 'single'].includes(kind));
  const taken = new Set<string>();
  const pods = running.map((one, index) => {
    const startTime = new Date(FIRST_START_MS + random.int(0, 9) * HOUR_MS + index * 1_000).toISOString().replace('.000', '');
    const status = { phase: 'Running' as const, startTime };
    const drawn = inUse.length > 0 && random.chance(0.15) ? random.pick(inUse) : undefined;
    // A ReadWriteOncePod claim never has two pods.
    const claimed = drawn === undefined || (drawn.kind === 'single' && taken.has(drawn.name)) ? [] : [drawn.name];
    for (const name of claimed) taken.add(name);
    return { ...withClaims(one, claimed), status };
  });
  const used = claims.filter(() => random.chance(0.7)).map(({ name }) => name);
  const pod = withContainers(random, urgent(random, withClaims(first, used)));
  return { id, nodes: nodes.map((one) => withImage(random, one)), objects, pods, pod };
}

/** A claim, and volumes that it is or may be bound to. */
function storageOf(random: Random, name: string, kind: Kind): OtherObject[] {
  const metadata = { namespace: NAMESPACE };
  const zone = random.pick(ZONES);
  const size = random.pick(['1Gi', '2Gi']);
  const boundTo = (options: Parameters<typeof volume>[1]): OtherObject[] => [
    claim(name, 'gp3', {
      volume: `pv-${name}`,
      metadata: { name, namespace: NAMESPACE, uid: `uid-${name}` },
      accessMode: options?.accessMode ?? 'ReadWriteOnce',
    }),
    inNamespace(volume(`pv-${name}`, { claim: name, ...options })),
  ];
  const waiting = (className: string): OtherObject => claim(name, className, { size, metadata: { name, ...metadata, uid: `uid-${name}` } });
  switch (kind) {
    case 'bound':
      return boundTo({});
    case 'zonal':
      return boundTo({ zone });
    case 'labelled':
      return boundTo({ labels: { [LABEL.zone]: random.pick([zone, `${zone}__${random.pick(ZONES)}`]) } });
    case 'single':
      return boundTo({ accessMode: 'ReadWriteOncePod' });
    case 'waiting':
      return [waiting('gp3')];
    case 'zones':
      return [waiting('gp3-ab')];
    case 'now':
      return random.chance(0.3) ? [waiting('now')] : boundTo({ zone });
    case 'local':
      return [
        waiting('local'),
        ...Array.from({ length: random.int(0, 2) }, (_, index) =>
          volume(`pv-${name}-${index}`, { zone: random.pick(ZONES), storageClassName: 'local', size: random.pick(['1Gi', '2Gi', '4Gi']) }),
        ),
      ];
    case 'missing':
      return random.chance(0.5) ? [] : boundTo({ zone });
  }
}

/** A volume's claim is in the namespace of the pods. */
function inNamespace({ resource, object }: OtherObject): OtherObject {
  const { spec, ...rest } = object as { spec: { claimRef: object } } & OtherObject['object'];
  return {
    resource,
    object: { ...rest, spec: { ...spec, claimRef: { ...spec.claimRef, namespace: NAMESPACE } } } as OtherObject['object'],
  };
}

function budget(random: Random, id: string): OtherObject {
  const allowed = random.int(0, 2);
  const object: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `${id}-budget`, namespace: NAMESPACE },
    spec: { selector: { matchLabels: { app: random.pick(['web', 'db']) } }, minAvailable: 1 },
    status: { disruptionsAllowed: allowed, currentHealthy: 1 + allowed, desiredHealthy: 1, expectedPods: 1 + allowed },
  };
  return { resource: 'poddisruptionbudgets', object };
}

/** Pods of a service are spread by default. */
function service(random: Random, id: string): OtherObject {
  const spec = { selector: { app: random.pick(['web', 'db']) }, ports: [{ port: 80 }] };
  const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: `${id}-service`, namespace: NAMESPACE }, spec };
  return { resource: 'services', object };
}

function withImage(random: Random, node: Node): Node {
  if (!random.chance(0.2)) return node;
  return { ...node, status: { ...node.status, images: [{ names: [IMAGE], sizeBytes: random.pick([100, 400, 900]) * 2 ** 20 }] } };
}

function withClaims(pod: Pod, claims: readonly string[]): Pod {
  const metadata = { ...pod.metadata, ...(claims.length > 0 ? { namespace: NAMESPACE } : {}) };
  const volumes: PodSpec['volumes'] = claims.map((claimName) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } }));
  return claims.length === 0 ? pod : { ...pod, metadata, spec: { ...pod.spec, volumes } };
}

/** Many pods may evict others. */
function urgent(random: Random, pod: Pod): Pod {
  return pod.spec.priority === undefined && random.chance(0.5)
    ? { ...pod, spec: { ...pod.spec, priority: 1_000, priorityClassName: 'priority-1000' } }
    : pod;
}

/** Containers that run before the others, or beside them. */
function withContainers(random: Random, pod: Pod): Pod {
  const container = (name: string, cpu: string): { name: string; image: string; resources: { requests: { cpu: string } } } => ({
    name,
    image: IMAGE,
    resources: { requests: { cpu } },
  });
  const initContainers = [
    ...(random.chance(0.15) ? [container('first', random.pick(['500m', '1500m', '3']))] : []),
    ...(random.chance(0.15) ? [{ ...container('beside', random.pick(['200m', '1'])), restartPolicy: 'Always' as const }] : []),
  ];
  return initContainers.length === 0 ? pod : { ...pod, spec: { ...pod.spec, initContainers } };
}
