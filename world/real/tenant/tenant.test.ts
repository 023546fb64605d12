import { expect, test } from '@playwright/test';
import { createKubeClient } from '../../../clients/kube.ts';
import type { KubeObject, Node, Pod, ReplicaSet } from '../../../model/kube.ts';
import { loadKubeTypes } from '../../../protocols/kube/types.ts';
import { readText } from '../../../wire/wire.ts';
import type { WireRequest } from '../../../wire/wire.ts';
import { pool } from '../../../harness/scenario.ts';
import { defined } from '../../../model/defined.ts';
import { NODE_CLAIM_CRD, CLAIMS, claim } from '../../kube/testing/api-server.ts';
import { ClusterError } from '../../ports.ts';
import { ApiFront } from '../api-front.ts';
import { createClientPort } from '../client-port.ts';
import { resourceOfPlural } from '../resources.ts';
import { withRealTimeServer } from '../testing/served.ts';
import type { RealTimeServer } from '../testing/served.ts';
import { cleanUp } from './clean.ts';
import { TenantFront } from './tenant-front.ts';
import { createTenantPort } from './tenant-port.ts';
import { RUN_LABEL, Tenant } from './tenant.ts';

const TENANCY = { run: 'r1', prefix: 'scaleproof' };
const NAMESPACE = 'scaleproof-r1';
const OF_RUN = { [RUN_LABEL]: 'r1' };
const TOLERATION = { key: RUN_LABEL, operator: 'Equal', value: 'r1', effect: 'NoSchedule' };

const aPod = (name: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'app' }] },
});

/** A cluster in which someone else has a waiting pod, a node, a claim and its definition. */
async function withOthers(work: (site: RealTimeServer & { readonly tenant: Tenant }) => Promise<void>): Promise<void> {
  await withRealTimeServer(async (server) => {
    const others = createClientPort({ ...server, resource: resourceOfPlural });
    await others.create('namespaces', { metadata: { name: NAMESPACE, labels: OF_RUN } });
    await others.create('pods', aPod('waits'));
    await others.create<Node>('nodes', { metadata: { name: 'theirs' } });
    await others.create<KubeObject>('customresourcedefinitions', NODE_CLAIM_CRD);
    await ask(server, 'POST', CLAIMS, claim('theirs'));
    await work({ ...server, tenant: new Tenant(TENANCY) });
  });
}

async function ask(
  { wire }: Pick<RealTimeServer, 'wire'>,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  for (;;) {
    const answer = await wire({ method, path, headers, ...defined({ body: JSON.stringify(body) }) });
    const text = await readText(answer.body);
    // A definition is served some moments after it was created.
    if (answer.status !== 404 || path !== CLAIMS) return { status: answer.status, body: JSON.parse(text) };
  }
}

function names(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name ?? '').sort();
}

test('pools and pods match only each other', () => {
  const tenant = new Tenant(TENANCY);
  expect(tenant.poolFor(pool('spot'), true)).toMatchObject({
    name: 'scaleproof-r1-spot',
    labels: OF_RUN,
    taints: [{ key: RUN_LABEL, value: 'r1', effect: 'NoSchedule' }],
  });
  expect(tenant.poolFor(pool('spot'), false).taints).toEqual([]);
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [], nodeSelector: { zone: 'a' } } };
  const object = { metadata: { name: 'web', namespace: 'default' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
  expect(tenant.adapt('replicasets', object)).toEqual({
    metadata: { name: 'web', namespace: NAMESPACE, labels: OF_RUN },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: { ...labels, ...OF_RUN } },
        spec: { containers: [], nodeSelector: { zone: 'a', ...OF_RUN }, tolerations: [TOLERATION] },
      },
    },
  });
});

test("a port shows the run's pods and nodes, creates objects in its namespace, and does not write to others' nodes", async () => {
  await withOthers(async (site) => {
    const port = createTenantPort(createClientPort({ ...site, resource: resourceOfPlural }), site.tenant);
    expect([await port.list('pods'), await port.list('nodes')]).toEqual([[], []]);
    await port.create('pods', aPod('web'));
    await port.create<Node>('nodes', { metadata: { name: 'ours' } });
    expect(names(await port.list('pods', { namespace: 'default' }))).toEqual(['web']);
    expect(await port.get({ resource: 'pods', namespace: 'default', name: 'web' })).toMatchObject({
      metadata: { namespace: NAMESPACE, labels: OF_RUN },
    });
    expect(names(await port.list('nodes'))).toEqual(['ours']);
    for (const work of [port.patch({ resource: 'nodes', name: 'theirs' }, {}), port.delete({ resource: 'nodes', name: 'theirs' })])
      await expect(work).rejects.toThrow(
        new ClusterError(403, 'Forbidden', 'nodes "theirs" is forbidden: it does not belong to run r1, which leaves it alone'),
      );
    await port.delete({ resource: 'nodes', name: 'ours' });
  });
});

test('no more pods are requested than the plan allows', async () => {
  await withOthers(async (site) => {
    const port = createTenantPort(createClientPort({ ...site, resource: resourceOfPlural }), site.tenant);
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app' }] } };
    const web = (replicas: number): ReplicaSet & { metadata: { name: string } } => ({
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas, selector: { matchLabels: { app: 'web' } }, template },
    });
    await expect(port.create('replicasets', web(3_001))).rejects.toThrow('more than the 3000 pods that the plan allows');
    await port.create('replicasets', web(3_000));
    await expect(port.patch({ resource: 'replicasets', namespace: 'default', name: 'web' }, { spec: { replicas: 3_001 } })).rejects.toThrow(
      'more than',
    );
  });
});

test("callers on its wires see only the run's pools and claims, and change nothing of others", async () => {
  await withOthers(async (site) => {
    const { tenant, wire } = site;
    const front = new TenantFront({
      front: new ApiFront({ server: wire, types: loadKubeTypes() }),
      server: wire,
      tenant,
      keeps: (principal) => principal === 'target',
    });
    const speak = async (principal: 'target' | 'scenario', method: string, path: string, body?: object) => {
      const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
      const request: WireRequest = { method, path, headers, ...defined({ body: JSON.stringify(body) }) };
      const answer = await front.handle(request, front.describe(request), { principal, incarnation: 1, span: 1 });
      return {
        status: answer.status,
        body: JSON.parse(await readText(answer.body)) as { items?: KubeObject[]; message?: string },
        effect: answer.effect,
      };
    };
    expect((await speak('target', 'POST', CLAIMS, claim('ours'))).body).toMatchObject({ metadata: { labels: OF_RUN } });
    expect(names((await speak('target', 'GET', `${CLAIMS}?limit=500`)).body.items ?? [])).toEqual(['ours']);
    expect(names((await speak('scenario', 'GET', CLAIMS)).body.items ?? [])).toEqual(['ours', 'theirs']);
    for (const [method, path] of [
      ['DELETE', `${CLAIMS}/theirs`],
      ['PATCH', `${CLAIMS}/theirs`],
      ['PATCH', '/api/v1/nodes/theirs/status'],
      ['DELETE', '/api/v1/nodes/theirs'],
      ['POST', '/api/v1/namespaces/default/pods/waits/eviction'],
    ] as const) {
      const { status, body, effect } = await speak('target', method, path, method === 'DELETE' ? undefined : {});
      expect({ path, status, effect }).toEqual({ path, status: 403, effect: { kind: 'rejected', code: 'Forbidden' } });
      expect(body.message).toContain('it was not made by run r1 of Scaleproof, which leaves it alone');
    }
    const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NODE_CLAIM_CRD.metadata.name}`;
    const patched = await speak('target', 'PATCH', definition, { metadata: { labels: { mine: 'now' } } });
    expect(patched).toMatchObject({ status: 200, effect: { kind: 'none' } });
    expect(JSON.stringify(patched.body)).not.toContain('mine');
    expect((await speak('target', 'DELETE', `${CLAIMS}/ours`)).status).toBe(200);
  });
});

test('cleaning up removes objects with the label, whatever their finalizers, and nothing else', async () => {
  await withOthers(async (site) => {
    const { tenant, wire, clock } = site;
    const port = createTenantPort(createClientPort({ ...site, resource: resourceOfPlural }), tenant);
    await port.create('pods', aPod('web'));
    await port.create<Node>('nodes', { metadata: { name: 'ours', finalizers: ['karpenter.sh/termination'] } });
    await ask(
      site,
      'POST',
      CLAIMS,
      claim('ours', { metadata: { name: 'ours', labels: OF_RUN, finalizers: ['karpenter.sh/termination'] } }),
    );
    // From a target's own manifests: kinds that trials don't know.
    for (const labels of [OF_RUN, {}]) {
      const name = labels === OF_RUN ? 'ours' : 'theirs';
      await ask(site, 'POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name, labels } });
    }
    const client = createKubeClient({ wire, clock });
    const cleaning = { client, clock, owner: tenant, timeoutMs: 0 };
    expect(await cleanUp({ ...cleaning, removeFinalizers: false, runContinues: true })).toEqual(
      expect.arrayContaining(['nodeclaims/ours', 'nodes/ours']),
    );
    expect(await cleanUp({ ...cleaning, removeFinalizers: true, runContinues: true })).toEqual([]);
    const all = createClientPort({ ...site, resource: resourceOfPlural });
    expect(names(await all.list('pods'))).toEqual(['waits']);
    expect(names(await all.list('nodes'))).toEqual(['theirs']);
    expect(names(await all.list('nodeclaims'))).toEqual(['theirs']);
    expect(names(await all.list('leases', { namespace: 'default' }))).toEqual(['theirs']);
    expect(names(await all.list('namespaces'))).toContain(NAMESPACE);
    expect(names(await all.list('customresourcedefinitions'))).toEqual([NODE_CLAIM_CRD.metadata.name]);
    const left = await cleanUp({ ...cleaning, timeoutMs: 5_000, removeFinalizers: true, runContinues: false });
    expect(left).toEqual([]);
    expect(names(await all.list('namespaces'))).not.toContain(NAMESPACE);
  });
});
