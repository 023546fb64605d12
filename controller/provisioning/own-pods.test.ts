import { expect, test } from '@playwright/test';
import type { NodeSelectorRequirement, Pod, PodSpec, Taint } from '../../model/kube.ts';
import { KARPENTER } from '../api.ts';
import type { NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { EVERY_POOL, scopeOf } from '../scope.ts';
import type { PoolScope } from '../scope.ts';
import { ownPods } from './own-pods.ts';

interface PoolParts {
  readonly requirements?: NodeSelectorRequirement[];
  readonly labels?: Record<string, string>;
  readonly taints?: Taint[];
}

function pool(name: string, { requirements = [], labels = {}, taints = [] }: PoolParts = {}): NodePool {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return { metadata: { name }, spec: { template: { metadata: { labels }, spec: { requirements, taints, nodeClassRef } } } };
}

function isOurs(spec: Partial<PodSpec>, pools: readonly NodePool[], scope: PoolScope = scopeOf(['ours'])): boolean {
  const state = {
    pools: { list: () => pools.filter(({ metadata }) => scope.owns(metadata.name ?? '')) },
    poolsOfOthers: () => pools.filter(({ metadata }) => !scope.owns(metadata.name ?? '')),
  } as unknown as Context['state'];
  const pod: Pod = { metadata: { name: 'web' }, spec: { containers: [], ...spec } };
  return ownPods({ state, scope }, [pod]).length === 1;
}

function affinity(...terms: NodeSelectorRequirement[][]): Partial<PodSpec> {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

const named = (operator: 'In' | 'NotIn', ...values: string[]): NodeSelectorRequirement => ({ key: KARPENTER.nodePool, operator, values });
const arch = (value: string): NodeSelectorRequirement => ({ key: 'kubernetes.io/arch', operator: 'In', values: [value] });
const tainted: Taint[] = [{ key: 'team', value: 'x', effect: 'NoSchedule' }];
const two = [pool('ours'), pool('theirs')];
const theirsIsTainted = [pool('ours'), pool('theirs', { taints: tainted })];
const oursIsTainted = [pool('ours', { taints: tainted }), pool('theirs')];

for (const { name, spec = {}, pools = two, ours } of [
  { name: 'one that both may serve', ours: true },
  { name: 'one that names ours', spec: { nodeSelector: { [KARPENTER.nodePool]: 'ours' } }, ours: true },
  { name: 'one that names theirs', spec: { nodeSelector: { [KARPENTER.nodePool]: 'theirs' } }, ours: false },
  { name: 'one that names an unknown pool', spec: { nodeSelector: { [KARPENTER.nodePool]: 'gone' } }, ours: false },
  { name: 'one that names both', spec: affinity([named('In', 'ours', 'theirs')]), ours: true },
  { name: 'one that names either', spec: affinity([named('In', 'ours')], [named('In', 'theirs')]), ours: true },
  { name: 'one that names theirs or any of an architecture', spec: affinity([named('In', 'theirs')], [arch('arm64')]), ours: true },
  { name: 'one that names all but ours', spec: affinity([named('NotIn', 'ours')]), ours: false },
  { name: 'one that only theirs allows', pools: oursIsTainted, ours: false },
  { name: 'one that only ours allows', pools: theirsIsTainted, ours: true },
  { name: 'one that no pool allows', pools: [...oursIsTainted.slice(0, 1), ...theirsIsTainted.slice(1)], ours: true },
  {
    name: 'one that requires a label of theirs',
    spec: { nodeSelector: { tier: 'gold' } },
    pools: [pool('ours'), pool('theirs', { labels: { tier: 'gold' } })],
    ours: false,
  },
  {
    name: 'one that requires what only theirs has',
    spec: { nodeSelector: { 'kubernetes.io/arch': 'arm64' } },
    pools: [pool('ours', { requirements: [arch('amd64')] }), pool('theirs', { requirements: [arch('arm64')] })],
    ours: false,
  },
  { name: 'one that requires what types decide', spec: { nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '4' } }, ours: true },
  { name: 'one that requires what no pool has', spec: { nodeSelector: { tier: 'gold' } }, ours: true },
] satisfies { name: string; spec?: Partial<PodSpec>; pools?: readonly NodePool[]; ours: boolean }[]) {
  test(`${name} is ${ours ? 'ours' : 'theirs'}`, () => {
    expect(isOurs(spec, pools)).toBe(ours);
    expect(isOurs(spec, pools, EVERY_POOL), 'a single autoscaler has them all').toBe(true);
  });
}
