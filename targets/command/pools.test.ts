import { expect, test } from '@playwright/test';
import { CLUSTER } from '../../world/aws/testing/ec2.ts';
import { pool } from '../../harness/scenario.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import type { WireRequest } from '../../wire/wire.ts';
import type { TargetSite } from '../target.ts';
import { karpenterPools } from './pools.ts';
import type { Operations } from './pools.ts';

const OWN = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    amiFamily: 'AL2023',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    instanceProfile: '${CLUSTER_NAME}-nodes',
    subnetSelectorTerms: [{ tags: { cluster: '${CLUSTER_NAME}' } }],
    securityGroupSelectorTerms: [{ id: '${SECURITY_GROUP_ID}' }],
    kubelet: { maxPods: 20 },
  },
};
const KINDS = { 'karpenter.k8s.aws': ['ec2nodeclasses', 'EC2NodeClass'], 'karpenter.sh': ['nodepools', 'NodePool'] } as const;
const USERS = { name: 'dense', spec: { kubelet: { podsPerCore: 2 }, userData: 'echo ${HOME}' } };
const POOLS = [pool('plain'), { ...pool('dense'), nodeClass: USERS }, { ...pool('also-dense'), nodeClass: USERS }];

interface Applied {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What an operator creates and deletes, in order. */
async function requestsOf(
  work: (operations: Operations, site: TargetSite) => Promise<void>,
  cluster = CLUSTER,
): Promise<{ created: Applied[]; deleted: string[] }> {
  const [created, deleted]: [Applied[], string[]] = [[], []];
  const kube = ({ method, path, body = '' }: WireRequest): ReturnType<TargetSite['kube']> => {
    const [plural, kind] = KINDS[path.startsWith('/apis/karpenter.sh') ? 'karpenter.sh' : 'karpenter.k8s.aws'];
    if (method === 'POST') created.push(JSON.parse(String(body)) as Applied);
    if (method === 'DELETE') deleted.push(path.split('/').slice(-2).join('/'));
    const answer = path.split('/').length > 4 ? {} : { resources: [{ name: plural, kind, namespaced: false }] };
    return Promise.resolve({ status: 200, headers: {}, body: method === 'GET' ? JSON.stringify(answer) : String(body || '{}') });
  };
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const runtime = {
    clock: timeline.scope('operator'),
    random: createRandom(1),
    log: () => undefined,
    signal: new AbortController().signal,
  };
  await timeline.run(work(karpenterPools(OWN, [], 30_000), { runtime, kube, aws: kube, cluster }));
  return { created, deleted };
}

test("a pool's class is applied as it was written, with what belongs to the cluster from the target's own", async () => {
  const { created } = await requestsOf((operations, site) => operations.applyPools(site, POOLS));
  const cluster = {
    amiFamily: 'AL2023',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    instanceProfile: 'test-nodes',
    subnetSelectorTerms: [{ tags: { cluster: 'test' } }],
    securityGroupSelectorTerms: [{ id: CLUSTER.securityGroupId }],
  };
  expect(created.filter(({ kind }) => kind === 'EC2NodeClass').map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
    ['default', { ...cluster, kubelet: { maxPods: 20 } }],
    ['dense', { ...USERS.spec, ...cluster }],
  ]);
  const pools = created.filter(({ kind }) => kind === 'NodePool');
  expect(pools.map(({ metadata, spec }) => [metadata.name, spec])).toMatchObject([
    ['plain', { template: { spec: { nodeClassRef: { kind: 'EC2NodeClass', name: 'default' } } } }],
    ['dense', { template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', name: 'dense' } } } }],
    ['also-dense', { template: { spec: { nodeClassRef: { name: 'dense' } } } }],
  ]);
});

test('a class is removed with the last of its pools, and has the prefix of a shared cluster', async () => {
  const [plain, dense, alsoDense] = POOLS as [(typeof POOLS)[0], (typeof POOLS)[0], (typeof POOLS)[0]];
  const { deleted } = await requestsOf((operations, site) => operations.removePools(site, [plain, dense], [alsoDense]));
  expect(deleted).toEqual(['nodepools/plain', 'nodepools/dense', 'ec2nodeclasses/default']);
  const shared = { ...CLUSTER, objectPrefix: 'run-1-' };
  const last = await requestsOf((operations, site) => operations.removePools(site, [alsoDense], []), shared);
  expect(last.deleted).toEqual(['nodepools/also-dense', 'ec2nodeclasses/run-1-dense']);
});
