import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { describeKubeRequest } from './operation.ts';
import { parseKubeRequest } from './request.ts';

const paths: [string, string, string, Record<string, unknown>][] = [
  ['GET', '/api/v1/pods', 'list pods', {}],
  ['GET', '/api/v1/namespaces/default/pods?limit=5', 'list pods', { namespace: 'default', options: { limit: '5' } }],
  ['GET', '/api/v1/namespaces/default/pods/web-1', 'get pods', { namespace: 'default', name: 'web-1' }],
  ['GET', '/api/v1/nodes?watch=true&resourceVersion=7', 'watch nodes', { options: { resourceVersion: '7' } }],
  ['GET', '/api/v1/nodes?watch=1', 'watch nodes', {}],
  ['GET', '/api/v1/nodes?watch=false', 'list nodes', {}],
  ['GET', '/api/v1/watch/nodes', 'watch nodes', {}],
  ['GET', '/apis/apps/v1/watch/namespaces/a/deployments/web', 'watch deployments', { group: 'apps', namespace: 'a', name: 'web' }],
  ['GET', '/api/v1/watch/namespaces/a', 'watch namespaces', { name: 'a' }],
  ['POST', '/api/v1/namespaces/a/pods/web-1/eviction', 'create pods/eviction', { namespace: 'a', name: 'web-1', subresource: 'eviction' }],
  ['PATCH', '/apis/karpenter.sh/v1/nodeclaims/c1/status', 'patch nodeclaims/status', { group: 'karpenter.sh', name: 'c1' }],
  ['PUT', '/apis/apps/v1/namespaces/a/replicasets/web', 'update replicasets', { group: 'apps', namespace: 'a', name: 'web' }],
  ['DELETE', '/apis/karpenter.sh/v1/nodeclaims/c1', 'delete nodeclaims', { name: 'c1' }],
  ['DELETE', '/apis/karpenter.sh/v1/nodeclaims', 'deletecollection nodeclaims', {}],
  ['GET', '/api/v1/namespaces', 'list namespaces', {}],
  ['GET', '/api/v1/namespaces/default', 'get namespaces', { name: 'default' }],
  ['PUT', '/api/v1/namespaces/default/status', 'update namespaces/status', { name: 'default', subresource: 'status' }],
  ['GET', '/api/v1/nodes/ip-10-0-0-1%2Eec2.internal', 'get nodes', { name: 'ip-10-0-0-1.ec2.internal' }],
];

for (const [method, path, operation, expected] of paths) {
  test(`${method} ${path} is "${operation}"`, () => {
    expect(parseKubeRequest(method, path)).toMatchObject(expected);
    expect(describeKubeRequest({ method, path }).name).toBe(operation);
  });
}

for (const path of [
  '/version',
  '/healthz',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/api/v1',
  '/nowhere/v1/pods',
  '/api/v1/pods/%zz',
  '',
]) {
  test(`"${path}" names no resource`, () => {
    expect(parseKubeRequest('GET', path)).toBeUndefined();
    expect(describeKubeRequest({ method: 'GET', path })).toMatchObject({ name: `get ${path}`, mutating: false });
  });
}

test('reads, watches and dry runs do not mutate, everything else does', () => {
  const mutating = (method: string, path: string, body?: unknown): boolean => {
    return describeKubeRequest({ method, path, ...defined({ body: JSON.stringify(body) }) }).mutating;
  };
  expect(mutating('GET', '/api/v1/pods?watch=true')).toBe(false);
  expect(mutating('POST', '/api/v1/namespaces/a/pods')).toBe(true);
  expect(mutating('POST', '/api/v1/namespaces/a/pods?dryRun=All')).toBe(false);
  expect(mutating('DELETE', '/api/v1/namespaces/a/pods/p', { dryRun: ['All'] })).toBe(false);
  expect(mutating('POST', '/api/v1/namespaces/a/pods/p/eviction', { deleteOptions: { dryRun: ['All'] } })).toBe(false);
  expect(mutating('POST', '/api/v1/namespaces/a/pods/p/eviction', { deleteOptions: {} })).toBe(true);
});

test('a created object is named by its body; the input is the decoded body', () => {
  const body = JSON.stringify({ metadata: { name: 'web-1' } });
  expect(describeKubeRequest({ method: 'POST', path: '/api/v1/namespaces/a/pods', body })).toMatchObject({
    object: { resource: 'pods', namespace: 'a', name: 'web-1' },
    input: { metadata: { name: 'web-1' } },
  });
  const broken = describeKubeRequest({ method: 'POST', path: '/api/v1/namespaces/a/pods', body: new Uint8Array([0x6b, 0x38, 0x73, 0]) });
  expect(broken).toEqual({ wire: 'kube', name: 'create pods', mutating: true, object: { resource: 'pods', namespace: 'a' } });
});
