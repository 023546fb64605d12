import { ZONES } from '../../model/instance-catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorRequirement, Taint } from '../../model/kube.ts';
import type { KubeletSettings, NodeSettings } from '../../model/node-settings.ts';
import { DISRUPTION_REASONS } from '../../model/disruption-budget.ts';
import type { DisruptionBudget } from '../../model/disruption-budget.ts';
import { defined } from '../../model/defined.ts';
import type { Random } from '../../runtime/random.ts';
import type { PoolData } from '../scenario-data.ts';
import { few, maybe, someOf, weighted } from './chance.ts';
import { has } from './site.ts';
import type { DrawSite } from './site.ts';

/** Types of different sizes, families and architectures: small ones, so that pods are refused some of them; two have GPUs. */
export const TYPES = [
  't3.small',
  't3.medium',
  'm5.large',
  'm6i.large',
  'm6a.large',
  'm7i.large',
  'c6i.large',
  'r6i.large',
  'm6i.xlarge',
  'c6i.2xlarge',
  'm6g.large',
  'c7g.xlarge',
  'g4dn.xlarge',
  'g5.12xlarge',
] as const;
/** Labels of a user's own, whose values pools set or leave open. */
export const OWN_LABELS = { 'example.com/team': ['red', 'blue'], 'example.com/tier': ['1', '2', '3'] } as const;
export const OWN_TAINT: Taint = { key: 'example.com/dedicated', value: 'batch', effect: 'NoSchedule' };
/** An agent removes it from each node. */
const STARTUP_TAINT: Taint = { key: 'example.com/agent-not-ready', effect: 'NoSchedule' };
const NAMES = ['a', 'b', 'c', 'd'];
const MINUTE_MS = 60_000;
const INSTANCE = 'karpenter.k8s.aws/instance-';

/** One to three pools, of which the first allows much: most scenarios can serve something. */
export function drawPools(random: Random, site: DrawSite): PoolData[] {
  return Array.from({ length: few(random, 3) }, (_one, index) => drawPool(random, NAMES[index] ?? `p${index}`, site));
}

/** A pool of this name. */
export function drawPool(random: Random, name: string, site: DrawSite): PoolData {
  // Karpenter refuses weights of pools of a fixed size, and limits other than of nodes.
  const replicas = has(site, 'static-capacity') ? maybe(random, 0.07, () => random.int(1, 3)) : undefined;
  return {
    name,
    ...defined({
      capacityTypes: has(site, 'spot') ? capacityTypesOf(random) : undefined,
      instanceTypes: maybe(random, 0.7, () => someOf(random, TYPES)),
      zones: maybe(random, 0.25, () => someOf(random, ZONES)),
      architectures: maybe(random, 0.15, () => someOf(random, ['amd64', 'arm64'] as const)),
      requirements: maybe(random, 0.35, () => requirementsOf(random, site)),
      labels: maybe(random, 0.15, () => ({ 'example.com/team': random.pick(OWN_LABELS['example.com/team']) })),
      taints: has(site, 'taints') ? maybe(random, 0.12, () => [OWN_TAINT]) : undefined,
      startupTaints: has(site, 'taints') ? maybe(random, 0.12, () => [STARTUP_TAINT]) : undefined,
      limits: replicas === undefined ? maybe(random, 0.15, () => limitsOf(random, site)) : undefined,
      weight: has(site, 'weights') && replicas === undefined ? maybe(random, 0.3, () => random.int(1, 100)) : undefined,
      expireAfterMs: has(site, 'expiry') ? maybe(random, 0.1, () => random.int(5, 40) * MINUTE_MS) : undefined,
      terminationGracePeriodMs: has(site, 'termination-grace') ? maybe(random, 0.15, () => random.int(1, 10) * MINUTE_MS) : undefined,
      minimumValues: has(site, 'minimum-values') ? maybe(random, 0.05, () => ({ [LABEL.instanceType]: random.int(1, 3) })) : undefined,
      disruption: maybe(random, 0.6, () => disruptionOf(random, site)),
      nodeSettings: has(site, 'node-settings') ? maybe(random, 0.1, () => nodeSettingsOf(random)) : undefined,
      replicas,
    }),
  };
}

function capacityTypesOf(random: Random): PoolData['capacityTypes'] {
  return weighted<PoolData['capacityTypes']>(random, [
    [3, undefined],
    [2, ['spot']],
    [3, ['spot', 'on-demand']],
    [1, ['on-demand']],
  ]);
}

/** Requirements of every operator, also ones that leave a label open for pods. */
function requirementsOf(random: Random, site: DrawSite): NodeSelectorRequirement[] {
  const openLabels = [
    (): NodeSelectorRequirement => ({ key: 'example.com/team', operator: 'Exists' }),
    (): NodeSelectorRequirement => ({ key: 'example.com/tier', operator: 'In', values: someOf(random, OWN_LABELS['example.com/tier']) }),
    (): NodeSelectorRequirement => ({ key: 'example.com/tier', operator: 'NotIn', values: ['3'] }),
  ];
  const makers = [
    (): NodeSelectorRequirement => ({ key: LABEL.zone, operator: 'NotIn', values: [random.pick(ZONES)] }),
    (): NodeSelectorRequirement => ({
      key: `${INSTANCE}cpu`,
      operator: random.pick(['Gt', 'Lt'] as const),
      values: [random.pick(['1', '3', '5'])],
    }),
    (): NodeSelectorRequirement => ({ key: `${INSTANCE}category`, operator: 'In', values: someOf(random, ['c', 'm', 'r', 't']) }),
    (): NodeSelectorRequirement => ({ key: `${INSTANCE}generation`, operator: 'Gt', values: [random.pick(['2', '5'])] }),
    (): NodeSelectorRequirement => ({ key: 'example.com/tier', operator: 'DoesNotExist' }),
    ...(has(site, 'open-labels') ? openLabels : []),
  ];
  const made = someOf(random, makers).map((make) => make());
  // A label has one requirement, so that a reader sees at once what it allows.
  return made.filter(({ key }, index) => made.findIndex((one) => one.key === key) === index);
}

function limitsOf(random: Random, site: DrawSite): PoolData['limits'] {
  const kinds = [
    () => ({ cpu: random.int(2, 40) }),
    () => ({ memoryMiB: random.int(4, 160) * 1_024 }),
    ...(has(site, 'node-limits') ? [() => ({ nodes: random.int(1, 8) })] : []),
  ];
  return random.pick(kinds)();
}

function disruptionOf(random: Random, site: DrawSite): NonNullable<PoolData['disruption']> {
  const consolidation =
    has(site, 'consolidation') && random.chance(0.65) ? ('when-empty-or-underutilized' as const) : ('when-empty' as const);
  const after = weighted<() => number | 'never' | undefined>(random, [
    [4, () => undefined],
    [3, () => random.int(0, 120) * 1_000],
    [1, () => random.int(2, 20) * MINUTE_MS],
    [1, () => 'never'],
  ]);
  const budgets = has(site, 'disruption-budgets') ? maybe(random, 0.35, () => [budgetOf(random)]) : undefined;
  return { consolidation, ...defined({ consolidateAfterMs: after(), budgets }) };
}

function budgetOf(random: Random): DisruptionBudget {
  return {
    nodes: random.pick(['0', '1', '2', '10%', '50%', '100%']),
    ...defined({ reasons: maybe(random, 0.4, () => someOf(random, DISRUPTION_REASONS)) }),
  };
}

/** Smaller nodes than usual for the same type, and a label that no pool has. */
function nodeSettingsOf(random: Random): NodeSettings {
  const kinds: readonly (() => KubeletSettings)[] = [
    () => ({ maxPods: random.int(4, 20) }),
    () => ({ kubeReserved: { cpu: random.pick(['200m', '600m']), memory: random.pick(['700Mi', '2Gi']) } }),
    () => ({ systemReserved: { memory: random.pick(['256Mi', '1Gi']) } }),
    () => ({ evictionHard: { 'memory.available': random.pick(['500Mi', '10%']) } }),
  ];
  const kubelet = someOf(random, kinds).reduce<KubeletSettings>((settings, make) => ({ ...settings, ...make() }), {});
  return { kubelet, ...defined({ userDataLabels: maybe(random, 0.3, () => ({ 'example.com/disk': 'fast' })) }) };
}
