import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { withServer } from './testing/api-server.ts';
import type { Bench } from './testing/api-server.ts';

/* How policies act together with the world's own parts. Their answers are compared with a real server in `fidelity/differential/kube`. */

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function send({ server }: Bench, method: string, path: string, body?: object): Promise<number> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const request = { method, path, headers, ...defined({ body: body && JSON.stringify(body) }) };
  const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
  return (await server.backend.handle(request, server.backend.describe(request), caller)).status;
}

/** Denies an operation on ConfigMaps whose name is `bad`. @param spec other fields of the policy */
async function deny(bench: Bench, operation: string, spec: object = {}): Promise<void> {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: [operation], resources: ['configmaps'] }];
  const validations = [{ expression: "request.name != 'bad'" }];
  expect(
    await send(bench, 'POST', `${GROUP}/validatingadmissionpolicies`, {
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules }, validations, ...spec },
    }),
  ).toBe(201);
  expect(
    await send(bench, 'POST', `${GROUP}/validatingadmissionpolicybindings`, {
      metadata: { name: 'b' },
      spec: { policyName: 'p', validationActions: ['Deny'] },
    }),
  ).toBe(201);
}

test('a changed policy counts at once, and so does a policy that is gone', async () => {
  await withServer(async (bench) => {
    await deny(bench, 'CREATE');
    const create = (): Promise<number> => send(bench, 'POST', `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'bad' } });
    expect(await create()).toBe(422);
    const reason = { spec: { validations: [{ expression: "request.name != 'bad'", reason: 'Forbidden' }] } };
    expect(await send(bench, 'PATCH', `${GROUP}/validatingadmissionpolicies/p`, reason)).toBe(200);
    expect(await create()).toBe(403);
    expect(await send(bench, 'DELETE', `${GROUP}/validatingadmissionpolicies/p`)).toBe(200);
    expect(await create()).toBe(201);
  });
});

test("the world's own parts are judged too, and get a ClusterError", async () => {
  await withServer(async (bench) => {
    await deny(bench, 'CREATE');
    const port = bench.server.port('workloads');
    const metadata = { name: 'bad', namespace: 'default' };
    await expect(port.create('configmaps', { metadata } as never)).rejects.toMatchObject({ status: 422, reason: 'Invalid' });
  });
});

test('a namespace stays as long as a policy keeps an object in it', async () => {
  await withServer(async (bench) => {
    expect(await send(bench, 'POST', '/api/v1/namespaces', { metadata: { name: 'kept' } })).toBe(201);
    expect(await send(bench, 'POST', '/api/v1/namespaces/kept/configmaps', { metadata: { name: 'bad' } })).toBe(201);
    await deny(bench, 'DELETE');
    expect(await send(bench, 'DELETE', '/api/v1/namespaces/kept')).toBe(200);
    await bench.clock.sleep(30_000);
    expect(await send(bench, 'GET', '/api/v1/namespaces/kept')).toBe(200);
    expect(await send(bench, 'DELETE', `${GROUP}/validatingadmissionpolicybindings/b`)).toBe(200);
    await bench.clock.sleep(30_000);
    expect(await send(bench, 'GET', '/api/v1/namespaces/kept')).toBe(404);
  });
});

for (const name of ['constructor', 'prototype', 'toString', '__proto__']) {
  test(`a variable and a key may be named ${name}`, async () => {
    await withServer(async (bench) => {
      const variables = [{ name, expression: `object.data.${name}` }];
      const expression = `has(variables.${name}) && '${name}' in object.data && variables.${name} == 'good'`;
      await deny(bench, 'CREATE', { variables, validations: [{ expression }] });
      const data = (value: string): object => ({ data: Object.fromEntries([[name, value]]) });
      expect(await send(bench, 'POST', CONFIG_MAPS, { metadata: { name: 'a' }, ...data('good') })).toBe(201);
      expect(await send(bench, 'POST', CONFIG_MAPS, { metadata: { name: 'b' }, ...data('bad') })).toBe(422);
    });
  });
}
