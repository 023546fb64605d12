import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { MixWorkload } from './mix.ts';
import { deploymentManifest, mixOfDocuments, poolManifest } from './testing/mix.ts';

const POOL = poolManifest('{key: node.kubernetes.io/instance-type, operator: In, values: [m6i.large]}');

const quota = (hard: string, namespace = 'default'): string => `
apiVersion: v1
kind: ResourceQuota
metadata: {name: budget, namespace: ${namespace}}
spec: {hard: ${hard}}
`;
const range = (limit: string): string => `
apiVersion: v1
kind: LimitRange
metadata: {name: range}
spec: {limits: [${limit}]}
`;
/** Keeps the manifests testable. */
const OTHER = deploymentManifest('other', 1, '{requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 200m, memory: 128Mi}}').replace(
  'name: other}',
  'name: other, namespace: elsewhere}',
);

async function webOf(testInfo: TestInfo, ...documents: readonly string[]): Promise<MixWorkload> {
  const { workloads, companions } = await mixOfDocuments(testInfo, POOL, OTHER, ...documents);
  expect(companions.map(({ resource }) => resource)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^limitranges|resourcequotas$/)]),
  );
  const web = workloads.find(({ title }) => title === 'Deployment default/web');
  if (web === undefined) throw new Error('no web');
  return web;
}

test('a LimitRange sets what the containers of a template leave out', async ({}, testInfo) => {
  const web = await webOf(
    testInfo,
    range('{type: Container, defaultRequest: {cpu: 300m}, default: {memory: 1Gi}}'),
    deploymentManifest('web', 2),
  );
  expect(web.feasibility.kind).toBe('servable');
  expect(web.template.spec.containers[0]?.resources).toEqual({ requests: { cpu: '300m', memory: '1Gi' }, limits: { memory: '1Gi' } });
});

for (const { what, documents, kind, why } of [
  {
    what: 'a default request that no node can satisfy',
    documents: [range('{type: Container, defaultRequest: {cpu: 3}}'), deploymentManifest('web', 1)],
    kind: 'unservable',
    why: /it is too large: it requests 3 cpu/,
  },
  {
    what: 'a limit that the LimitRange does not allow',
    documents: [range('{type: Container, max: {cpu: 1}}'), deploymentManifest('web', 1, '{limits: {cpu: 2}}')],
    kind: 'unservable',
    why: /the API rejects its pods: .* maximum cpu usage per Container is 1, but limit is 2/,
  },
  { what: 'a quota with room', documents: [quota('{pods: 3}'), deploymentManifest('web', 3)], kind: 'servable' },
  {
    what: 'more replicas than the quota allows',
    documents: [quota('{pods: 2}'), deploymentManifest('web', 3)],
    kind: 'partly',
    why: /^the ResourceQuota budget of its namespace allows pods=2, and the pods there need pods=3$/,
  },
  {
    what: 'more than the quota allows, with another workload of the namespace',
    documents: [
      quota('{requests.cpu: 1}'),
      deploymentManifest('web', 1, '{requests: {cpu: 600m}}'),
      deploymentManifest('api', 1, '{requests: {cpu: 600m}}'),
    ],
    kind: 'partly',
    why: /allows requests.cpu=1, and the pods there need requests.cpu=1200m$/,
  },
  {
    what: 'a quota of CPUs, and containers without a request',
    documents: [quota('{cpu: 4}'), deploymentManifest('web', 1)],
    kind: 'unservable',
    why: /failed quota: budget: must specify cpu for: main/,
  },
  {
    what: 'a quota with room for all pods but those that are rejected anyway',
    documents: [
      quota('{pods: 3}'),
      range('{type: Container, max: {cpu: 1}}'),
      deploymentManifest('web', 3, '{limits: {cpu: 1}}'),
      deploymentManifest('bad', 2, '{limits: {cpu: 2}}'),
    ],
    kind: 'servable',
  },
  {
    what: 'a quota of limits, and a limit of the whole pod',
    documents: [
      quota('{limits.cpu: 4}'),
      deploymentManifest('web', 3).replace(
        '    spec:\n      containers',
        '    spec:\n      resources: {limits: {cpu: 3}}\n      containers',
      ),
    ],
    kind: 'partly',
    why: /allows limits.cpu=4, and the pods there need limits.cpu=9$/,
  },
  {
    what: 'a quota of another namespace',
    documents: [quota('{pods: 1}', 'elsewhere'), deploymentManifest('web', 3)],
    kind: 'servable',
  },
] as const)
  test(`quotas and limits of a namespace: ${what}`, async ({}, testInfo) => {
    const { feasibility } = await webOf(testInfo, ...documents);
    expect(feasibility).toMatchObject({ kind, ...('why' in { why } && why !== undefined && { why: expect.stringMatching(why) }) });
  });

test('an object that a quota refuses is a mistake in the manifests', async ({}, testInfo) => {
  await expect(webOf(testInfo, quota('{count/deployments.apps: 0}'), deploymentManifest('web', 1))).rejects.toThrow(
    /document 4 \(Deployment web\): the API rejects it: .*exceeded quota: budget, requested: count\/deployments.apps=1/,
  );
});
