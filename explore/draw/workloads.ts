import { OPTED_OUT, endingSlowly } from '../../harness/shapes.ts';
import type { BudgetSpec, DaemonSetSpec } from '../../harness/scenario.ts';
import { ZONES } from '../../model/instance-catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { defined } from '../../model/defined.ts';
import type { Random } from '../../runtime/random.ts';
import type { SpreadData, WorkloadData } from '../scenario-data.ts';
import { isShared } from '../volumes.ts';
import type { VolumeData } from '../volumes.ts';
import { few, maybe, someOf, weighted } from './chance.ts';
import { OWN_LABELS, OWN_TAINT, TYPES } from './pools.ts';
import { has } from './site.ts';
import type { DrawSite } from './site.ts';

const NAMES = ['web', 'api', 'batch', 'cache', 'queue'];
const CPUS = ['50m', '250m', '600m', '900m', '1500m', '1900m', '3500m'] as const;
const MEMORIES = ['64Mi', '256Mi', '512Mi', '1Gi', '3Gi', '6Gi', '12Gi'] as const;
const MAX_GRACE_S = 600;
/** Shorter than any bound within which a world has to settle. */
const MAX_RUN_S = 300;

/** One to four workloads. */
export function drawWorkloads(random: Random, site: DrawSite): WorkloadData[] {
  const names = NAMES.slice(0, few(random, 4));
  return names.map((name) => drawWorkload(random, name, { site, others: names }));
}

/** A workload of this name. @param others names of all, which it may have to be near */
export function drawWorkload(
  random: Random,
  name: string,
  { site, others }: { readonly site: DrawSite; readonly others: readonly string[] },
): WorkloadData {
  const kind = weighted(random, [
    [3, undefined],
    [4, 'Deployment' as const],
    [2, 'StatefulSet' as const],
    [1.5, 'Job' as const],
  ]);
  const volume = has(site, 'volumes') ? maybe(random, 0.12, () => volumeOf(random, site)) : undefined;
  // Nothing is owed to several pods that share a volume.
  const most = random.chance(0.8) && isShared({ name, ...defined({ kind, volume }) }) ? 1 : Infinity;
  const replicas = Math.min(
    most,
    weighted(random, [
      [5, random.int(1, 3)],
      [4, random.int(4, 9)],
      [1, random.int(10, 25)],
    ]),
  );
  const opted = has(site, 'do-not-disrupt') && random.chance(0.12);
  const slow = maybe(random, 0.1, () => {
    const seconds = random.int(1, MAX_GRACE_S);
    return endingSlowly({ seconds, graceSeconds: random.int(1, MAX_GRACE_S) });
  });
  const annotations = { ...(opted ? OPTED_OUT : {}), ...slow?.annotations };
  const nodeSelector = maybe(random, 0.15, () => selectorOf(random, site));
  const nodeAffinityTerms = maybe(random, 0.06, () => [[affinityOf(random)], [affinityOf(random)]]);
  // What pods ask for in several ways may contradict itself.
  const further = nodeSelector === undefined && nodeAffinityTerms === undefined ? 1 : 3;
  return {
    name,
    replicas,
    cpu: random.pick(CPUS),
    memory: random.pick(MEMORIES),
    ...defined({
      kind,
      runSeconds:
        kind === 'Job' && site.capabilities.includes('pods.finish') ? maybe(random, 0.6, () => random.int(1, MAX_RUN_S)) : undefined,
      volume,
      gpus: canHaveGpus(site) ? maybe(random, 0.06, () => random.int(1, 2)) : undefined,
      schedulingGates: maybe(random, 0.04, () => ['example.com/quota']),
      schedulerName: maybe(random, 0.02, () => 'nobody'),
      ephemeralStorage: maybe(random, 0.08, () => random.pick(['1Gi', '8Gi', '14Gi'])),
      hostPort: maybe(random, 0.08, () => random.pick([8080, 9100])),
      priorityClassName: maybe(random, 0.06, () => 'system-cluster-critical'),
      nodeSelector,
      nodeAffinity: maybe(random, 0.13 * further, () => [affinityOf(random)]),
      nodeAffinityTerms,
      preferredAffinity: maybe(random, 0.08 * further, () => [affinityOf(random)]),
      tolerations: maybe(random, 0.2, () => [{ key: OWN_TAINT.key, operator: 'Exists' as const }]),
      apartOver: maybe(random, 0.1, () => random.pick([LABEL.hostname, LABEL.zone])),
      near: maybe(random, 0.06, () => ({ workload: random.pick(others), over: random.pick([LABEL.zone, LABEL.hostname]) })),
      spread: maybe(random, 0.25, () => spreadsOf(random, site)),
      graceSeconds: slow?.graceSeconds ?? maybe(random, 0.15, () => random.int(0, MAX_GRACE_S)),
      budget: maybe(random, 0.2, () => budgetOf(random, replicas)),
      annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
    }),
  };
}

/** One that its pods may have to follow, wherever it is. */
function volumeOf(random: Random, { capabilities }: DrawSite): VolumeData {
  const some = defined({ zones: maybe(random, 0.4, () => someOf(random, ZONES)) });
  const created: readonly (readonly [number, VolumeData])[] = [
    [4, { is: 'created-with-pod', ...some }],
    [1, { is: 'created-at-once', ...some }],
  ];
  return weighted<VolumeData>(random, [
    [2, existingVolume(random)],
    [0.5, { is: 'of-missing-class' }],
    ...(capabilities.includes('volumes.create') ? created : []),
  ]);
}

function existingVolume(random: Random): VolumeData {
  const [zone = ZONES[0], ...others] = random.shuffle(ZONES);
  return { is: 'existing', zone, ...defined({ otherZones: maybe(random, 0.4, () => others.slice(0, random.int(1, others.length))) }) };
}

function canHaveGpus(site: DrawSite): boolean {
  return has(site, 'gpus') && site.capabilities.includes('nodes.devices');
}

function selectorOf(random: Random, site: DrawSite): Record<string, string> {
  return random.pick<() => Record<string, string>>([
    () => ({ [LABEL.zone]: random.pick(ZONES) }),
    () => ({ [LABEL.arch]: random.pick(['amd64', 'arm64']) }),
    () => ({ 'example.com/team': random.pick(OWN_LABELS['example.com/team']) }),
    // Without spot, nodes need not say what they are.
    ...(has(site, 'spot') ? [() => ({ [LABEL.capacityType]: random.pick(['spot', 'on-demand']) })] : []),
    () => ({ [LABEL.instanceType]: random.pick(TYPES) }),
  ])();
}

function affinityOf(random: Random): NodeSelectorRequirement {
  return random.pick<() => NodeSelectorRequirement>([
    () => ({ key: LABEL.zone, operator: random.pick(['In', 'NotIn'] as const), values: someOf(random, ZONES) }),
    () => ({ key: LABEL.instanceType, operator: random.pick(['In', 'NotIn'] as const), values: someOf(random, TYPES) }),
    () => ({ key: 'example.com/tier', operator: random.pick(['Gt', 'Lt'] as const), values: ['2'] }),
    () => ({ key: 'example.com/tier', operator: 'In', values: someOf(random, OWN_LABELS['example.com/tier']) }),
    () => ({ key: 'example.com/team', operator: random.pick(['Exists', 'DoesNotExist'] as const) }),
    () => ({ key: 'example.com/team', operator: 'In', values: [random.pick(OWN_LABELS['example.com/team'])] }),
  ])();
}

/** One constraint, or two, of which one is over nodes: whether others can be satisfied together depends on where the first pods go. */
function spreadsOf(random: Random, site: DrawSite): SpreadData[] {
  const keys = [LABEL.zone, LABEL.hostname, LABEL.arch, ...(has(site, 'spot') ? [LABEL.capacityType] : [])];
  const first = spreadOf(random, random.pick(keys));
  return random.chance(0.2) && first.topologyKey !== LABEL.hostname ? [first, spreadOf(random, LABEL.hostname)] : [first];
}

function spreadOf(random: Random, topologyKey: string): SpreadData {
  const whenUnsatisfiable = random.pick(['DoNotSchedule', 'ScheduleAnyway'] as const);
  const policies = ['Honor', 'Ignore'] as const;
  const labelSelector = maybe(random, 0.08, () => null);
  return {
    maxSkew: random.int(1, 2),
    topologyKey,
    whenUnsatisfiable,
    ...defined({
      labelSelector,
      // The API server refuses both otherwise.
      minDomains: whenUnsatisfiable === 'DoNotSchedule' ? maybe(random, 0.15, () => random.int(2, 4)) : undefined,
      matchLabelKeys: labelSelector === undefined ? maybe(random, 0.1, () => ['pod-template-hash']) : undefined,
      nodeAffinityPolicy: maybe(random, 0.15, () => random.pick(policies)),
      nodeTaintsPolicy: maybe(random, 0.15, () => random.pick(policies)),
    }),
  };
}

function budgetOf(random: Random, replicas: number): BudgetSpec {
  return random.pick<() => BudgetSpec>([() => ({ maxUnavailable: random.int(0, 2) }), () => ({ minAvailable: random.int(0, replicas) })])();
}

/** Usually none, at most two. */
export function drawDaemonSets(random: Random): DaemonSetSpec[] {
  const amount = weighted(random, [
    [6, 0],
    [3, 1],
    [1, 2],
  ]);
  return Array.from({ length: amount }, (_one, index) => ({
    name: `agent${index === 0 ? '' : index + 1}`,
    // The large ones find no room on many nodes that are there already.
    cpu: weighted(random, [
      [3, random.pick(['20m', '100m', '300m'])],
      [1, random.pick(['900m', '1900m'])],
    ]),
    memory: random.pick(['32Mi', '128Mi', '512Mi']),
    ...defined({
      nodeSelector: maybe(random, 0.2, () => agentSelector(random)),
      tolerations: maybe(random, 0.2, () => []),
      priorityClassName: maybe(random, 0.4, () => 'system-node-critical'),
    }),
  }));
}

/** Only some nodes get the DaemonSet's pod, also of one pool. */
function agentSelector(random: Random): Record<string, string> {
  return random.chance(0.6) ? { [LABEL.arch]: random.pick(['amd64', 'arm64']) } : { [LABEL.instanceType]: random.pick(TYPES) };
}
