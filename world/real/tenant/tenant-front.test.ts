import { expect, test } from '@playwright/test';
import { defined } from '../../../model/defined.ts';
import { APPLY_TYPE, JSON_TYPE, MERGE_PATCH } from '../../../protocols/kube/body.ts';
import { loadKubeTypes } from '../../../protocols/kube/types.ts';
import { asText, readText } from '../../../wire/wire.ts';
import type { Wire } from '../../../wire/wire.ts';
import { ApiFront } from '../api-front.ts';
import { TenantFront } from './tenant-front.ts';
import { RUN_LABEL, Tenant } from './tenant.ts';

const OF_RUN = { [RUN_LABEL]: 'r1' };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const CONFIG_MAPS = '/api/v1/namespaces/kube-system/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const THEIRS = { metadata: { name: 'theirs' } };
const OURS = { metadata: { name: 'ours', labels: OF_RUN } };

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly labels: unknown;
}

/** Sends requests as the target, to a server that has these objects and accepts everything. */
function withObjects(objects: Readonly<Record<string, object | number>>) {
  const sent: Sent[] = [];
  const server: Wire = ({ method, path, body }) => {
    const headers = { 'content-type': JSON_TYPE };
    if (method === 'GET') {
      const object = objects[path] ?? 404;
      const status = typeof object === 'number' ? object : 200;
      return Promise.resolve({ status, headers, body: JSON.stringify(object) });
    }
    const { metadata } = JSON.parse(asText(body ?? '{}')) as { metadata?: { labels?: unknown } };
    sent.push({ method, path, labels: metadata?.labels });
    return Promise.resolve({ status: 200, headers, body: '{}' });
  };
  const front = new TenantFront({
    front: new ApiFront({ server, types: loadKubeTypes() }),
    server,
    tenant: new Tenant({ run: 'r1', prefix: 'scaleproof' }),
    keeps: () => true,
  });
  const speak = async (method: string, path: string, body?: object, type = JSON_TYPE) => {
    const request = { method, path, headers: { 'content-type': type }, ...defined({ body: JSON.stringify(body) }) };
    const answer = await front.handle(request, front.describe(request), { principal: 'target', incarnation: 1, span: 1 });
    return { status: answer.status, text: await readText(answer.body), effect: answer.effect };
  };
  return { speak, sent };
}

for (const [method, path] of [
  ['DELETE', `${CONFIG_MAPS}/coredns`],
  ['PATCH', `${CONFIG_MAPS}/coredns`],
  ['PUT', `${LEASES}/kube-scheduler`],
  ['DELETE', `${LEASES}/kube-scheduler`],
  ['DELETE', '/api/v1/namespaces/default/events/theirs.1'],
  ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token'],
] as const) {
  test(`${method} ${path} of others is refused and not forwarded`, async () => {
    const object = path.replace('/token', '');
    const { speak, sent } = withObjects({ [object]: THEIRS });
    expect(await speak(method, path, method === 'DELETE' ? undefined : THEIRS)).toMatchObject({
      status: 403,
      text: expect.stringContaining('was not made by run r1'),
      effect: { kind: 'rejected', code: 'Forbidden' },
    });
    expect(sent).toEqual([]);
  });
}

test('a lease that the target created is its own: it has the label, and keeps it through updates without it', async () => {
  const lease = { metadata: { name: 'leader' }, spec: { holderIdentity: 'me' } };
  const before = withObjects({});
  expect((await before.speak('POST', LEASES, lease)).status).toBe(200);
  const after = withObjects({ [`${LEASES}/leader`]: OURS });
  for (const [method, type] of [
    ['PUT', JSON_TYPE],
    ['PATCH', MERGE_PATCH],
    ['DELETE', JSON_TYPE],
  ] as const)
    expect((await after.speak(method, `${LEASES}/leader`, lease, type)).status).toBe(200);
  expect([...before.sent, ...after.sent].map(({ method, labels }) => [method, labels])).toEqual([
    ['POST', OF_RUN],
    ['PUT', OF_RUN],
    ['PATCH', undefined],
    ['DELETE', undefined],
  ]);
});

test('an object created by an update or apply has the label, too', async () => {
  const { speak, sent } = withObjects({});
  await speak('PUT', `${LEASES}/leader`, { metadata: { name: 'leader' } });
  await speak('PATCH', `${CONFIG_MAPS}/own?fieldManager=me`, { metadata: { name: 'own', labels: { app: 'x' } } }, APPLY_TYPE);
  expect(sent.map(({ labels }) => labels)).toEqual([OF_RUN, { app: 'x', ...OF_RUN }]);
});

for (const path of [
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  `${PODS}/ours/eviction`,
  `${PODS}/ours/binding`,
  '/api/v1/namespaces/default/bindings',
]) {
  test(`a request at ${path} is not an object, and gets no label`, async () => {
    const { speak, sent } = withObjects({ [`${PODS}/ours`]: OURS });
    expect((await speak('POST', path, { metadata: { name: 'ours' } })).status).toBe(200);
    expect(sent).toEqual([{ method: 'POST', path, labels: undefined }]);
  });
}

test('neither kind of binding binds a pod of others, and nothing passes if the check fails', async () => {
  const { speak, sent } = withObjects({ [`${PODS}/theirs`]: THEIRS, [`${LEASES}/leader`]: 500 });
  expect((await speak('POST', '/api/v1/namespaces/default/bindings', THEIRS)).status).toBe(403);
  expect((await speak('POST', `${PODS}/theirs/binding`, THEIRS)).status).toBe(403);
  expect((await speak('DELETE', `${LEASES}/leader`)).status).toBe(503);
  expect(sent).toEqual([]);
});

test('a pod of others on a node of the run may be changed, without getting a label', async () => {
  const { speak, sent } = withObjects({ [`${PODS}/theirs`]: { ...THEIRS, spec: { nodeName: 'ours' } }, '/api/v1/nodes/ours': OURS });
  expect((await speak('PUT', `${PODS}/theirs`, THEIRS)).status).toBe(200);
  expect(sent.map(({ labels }) => labels)).toEqual([undefined]);
});
