import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { packageRoot } from '../../model/package-root.ts';
import { CRDS, withServer } from './testing/api-server.ts';
import type { Bench } from './testing/api-server.ts';
import { withDefaults } from './validation/custom/defaults.ts';
import { prune } from './validation/custom/prune.ts';
import type { Schema } from './validation/custom/schema.ts';
import { validateSchema } from './validation/custom/validate.ts';

const THINGS = '/apis/example.com/v1/namespaces/default/things';

/** A definition of things with this schema for their spec. */
function definition(spec: Schema, versions: readonly object[] = []): object {
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object', properties: { phase: { type: 'string' } } } } },
  };
  return {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }, ...versions],
    },
  };
}

function thing(spec: unknown, more: object = {}): object {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec, ...more };
}

const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const x = (schema: Schema): Schema => object({ x: schema });

/** A schema, a spec, and the expected error. */
const wrong: [Schema, unknown, string][] = [
  [x({ type: 'string' }), { x: 1 }, 'spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"'],
  [x({ type: 'integer' }), { x: '1' }, 'spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
  [x({ type: 'integer' }), { x: 1.5 }, 'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"'],
  [x({ type: 'boolean' }), { x: {} }, 'spec.x: Invalid value: "object": spec.x in body must be of type boolean: "object"'],
  [
    x({ type: 'array', items: { type: 'string' } }),
    { x: ['a', 1] },
    'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"',
  ],
  [
    x({ 'x-kubernetes-int-or-string': true }),
    { x: true },
    'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
  ],
  [object({ x: { type: 'string' } }, { required: ['x'] }), {}, 'spec.x: Required value'],
  [x({ type: 'string', enum: ['a', 'b'] }), { x: 'c' }, 'spec.x: Unsupported value: "c": supported values: "a", "b"'],
  [x({ type: 'string', pattern: '^a+$' }), { x: 'b' }, 'spec.x: Invalid value: "b": spec.x in body should match \'^a+$\''],
  [x({ type: 'string', minLength: 2 }), { x: 'a' }, 'spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long'],
  [x({ type: 'string', maxLength: 2 }), { x: 'abc' }, 'spec.x: Too long: may not be more than 2 bytes'],
  [x({ type: 'integer', minimum: 1 }), { x: 0 }, 'spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1'],
  [x({ type: 'integer', maximum: 9 }), { x: 10 }, 'spec.x: Invalid value: 10: spec.x in body should be less than or equal to 9'],
  [
    x({ type: 'integer', minimum: 1, exclusiveMinimum: true }),
    { x: 1 },
    'spec.x: Invalid value: 1: spec.x in body should be greater than 1',
  ],
  [x({ type: 'array', minItems: 1 }), { x: [] }, 'spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
  [x({ type: 'array', maxItems: 1, items: { type: 'integer' } }), { x: [1, 2] }, 'spec.x: Too many: 2: must have at most 1 item'],
  [
    x({ type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } }),
    { x: { a: 'b', c: 'd' } },
    'spec.x: Too many: 2: must have at most 1 item',
  ],
  [
    x({ type: 'object', additionalProperties: { type: 'string' } }),
    { x: { a: 1 } },
    'spec.x.a: Invalid value: "integer": spec.x.a in body must be of type string: "integer"',
  ],
  [
    x({ type: 'array', items: object({ k: { type: 'string' } }), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
    { x: [{ k: 'a' }, { k: 'a' }] },
    'spec.x[1]: Duplicate value: {"k":"a"}',
  ],
  [x({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }), { x: ['a', 'a'] }, 'spec.x[1]: Duplicate value: "a"'],
];

for (const [index, [schema, spec, message]] of wrong.entries()) {
  test(`refused ${index}: ${message}`, async () => {
    await withServer(async ({ call }) => {
      expect((await call('POST', CRDS, definition(schema))).status).toBe(201);
      const refused = await call('POST', THINGS, thing(spec));
      expect(refused.body.message).toBe(`Thing.example.com "t" is invalid: ${message}`);
      expect(refused.status).toBe(422);
    });
  });
}

test('a refusal mentions when rules were not checked', async () => {
  await withServer(async ({ call }) => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self.x > 1' }] };
    await call('POST', CRDS, definition(object({ x: { type: 'integer' } }, rules)));
    expect((await call('POST', THINGS, thing({ x: 'a' }))).body.message).toBe(
      'Thing.example.com "t" is invalid: [spec.x: Invalid value: "string": spec.x in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    );
    expect((await call('POST', THINGS, thing({ x: 1 }))).body.message).toBe(
      'Thing.example.com "t" is invalid: spec: Invalid value: "object": failed rule: self.x > 1',
    );
    expect((await call('POST', THINGS, thing({ x: 2 }))).status).toBe(201);
  });
});

test('unknown fields are dropped, defaults are set, and a default gets its own defaults', async () => {
  await withServer(async ({ call }) => {
    const schema = object({
      mode: { type: 'string', default: 'fast' },
      nested: object({ depth: { type: 'integer', default: 3 } }, { default: {} }),
      list: { type: 'array', items: object({ on: { type: 'boolean', default: true } }) },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: object({}) } },
      map: { type: 'object', additionalProperties: object({ a: { type: 'string' } }) },
    });
    await call('POST', CRDS, definition(schema));
    const spec = { gone: 1, list: [{}, { on: false, gone: 1 }], free: { any: 1, known: { gone: 1 } }, map: { k: { a: 'b', gone: 1 } } };
    const { body } = await call('POST', THINGS, thing(spec, { gone: true }));
    expect(body).not.toHaveProperty('gone');
    expect(body.spec).toEqual({
      mode: 'fast',
      nested: { depth: 3 },
      list: [{ on: true }, { on: false }],
      free: { any: 1, known: {} },
      map: { k: { a: 'b' } },
    });
  });
});

test('a status is validated and pruned separately', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', CRDS, definition(object({})));
    await call('POST', THINGS, thing({}));
    expect((await merge(`${THINGS}/t/status`, { status: { phase: 1 } })).body.message).toBe(
      'Thing.example.com "t" is invalid: status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    );
    expect((await merge(`${THINGS}/t/status`, { status: { phase: 'On', gone: 1 } })).body.status).toEqual({ phase: 'On' });
  });
});

test('an update is not refused for invalid parts that it leaves unchanged', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', CRDS, definition(object({ x: { type: 'string' }, y: { type: 'string' } })));
    await call('POST', THINGS, thing({ x: 'old', y: 'a' }));
    const tighter = definition(object({ x: { type: 'string', enum: ['new'] }, y: { type: 'string' } })) as { spec: object };
    expect((await merge(`${CRDS}/things.example.com`, { spec: tighter.spec })).status).toBe(200);
    expect((await merge(`${THINGS}/t`, { spec: { y: 'b' } })).status).toBe(200);
    expect((await merge(`${THINGS}/t`, { spec: { x: 'other' } })).status).toBe(422);
  });
});

test('a new storage version: objects are shown in both, each without what it lacks; the old one stays in storedVersions and in spec', async () => {
  await withServer(async ({ call, merge }) => {
    const schemaOf = (spec: Schema): object => ({ openAPIV3Schema: { type: 'object', properties: { spec } } });
    const beta = { name: 'v1beta1', served: true, schema: schemaOf(object({ a: { type: 'integer' }, old: { type: 'string' } })) };
    const stable = {
      name: 'v1',
      served: true,
      schema: schemaOf(object({ a: { type: 'integer' }, b: { type: 'string', default: 'new' } })),
    };
    const names = { plural: 'things', kind: 'Thing' };
    const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [{ ...beta, storage: true }] };
    await call('POST', CRDS, { metadata: { name: 'things.example.com' }, spec });
    const betas = '/apis/example.com/v1beta1/namespaces/default/things';
    await call('POST', betas, { ...thing({ a: 1, old: 'x' }), apiVersion: 'example.com/v1beta1' });

    const both = await merge(`${CRDS}/things.example.com`, {
      spec: {
        versions: [
          { ...beta, storage: false },
          { ...stable, storage: true },
        ],
      },
    });
    expect(both.body.status).toMatchObject({ storedVersions: ['v1beta1', 'v1'] });
    // What is read has the defaults of the version in which it is stored, and no others.
    const shown = await call('GET', `${THINGS}/t`);
    expect([shown.body['apiVersion'], shown.body['spec']]).toEqual(['example.com/v1', { a: 1 }]);
    expect((await call('GET', `${betas}/t`)).body['spec']).toEqual({ a: 1, old: 'x' });
    // Written, it is stored in the new version.
    await merge(`${THINGS}/t`, { spec: { a: 2 } });
    expect((await call('GET', `${betas}/t`)).body['spec']).toEqual({ a: 2 });
    expect((await call('GET', `${THINGS}/t`)).body['spec']).toEqual({ a: 2, b: 'new' });
    expect((await call('GET', '/apis/example.com')).body).toMatchObject({
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
      preferredVersion: { version: 'v1' },
    });

    const dropped = await merge(`${CRDS}/things.example.com`, { spec: { versions: [{ ...stable, storage: true }] } });
    expect(dropped.status).toBe(422);
    expect(dropped.body['message']).toContain('status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions');
    expect((await merge(`${CRDS}/things.example.com/status`, { status: { storedVersions: ['v1'] } })).status).toBe(200);
    expect((await merge(`${CRDS}/things.example.com`, { spec: { versions: [{ ...stable, storage: true }] } })).status).toBe(200);
    expect((await call('GET', `${betas}/t`)).status).toBe(404);
  });
});

test('when a definition changes, watches of its objects end soon after, and others do not', async () => {
  await withServer(async ({ call, merge, watch, clock }) => {
    await call('POST', CRDS, definition(object({ a: { type: 'integer' } })));
    const [things, definitions] = [await watch('/apis/example.com/v1/things?watch=true'), await watch(`${CRDS}?watch=true`)];
    let ended = 0;
    for (const { done } of [things, definitions]) void done.then(() => (ended += 1));
    await merge(`${CRDS}/things.example.com`, { metadata: { labels: { a: 'b' } } });
    await clock.sleep(5_000);
    expect(ended).toBe(0);
    await merge(`${CRDS}/things.example.com`, { spec: (definition(object({})) as { spec: object }).spec });
    await things.done;
    await clock.sleep(5_000);
    expect(ended).toBe(1);
    definitions.stop();
  });
});

test('discovery prefers stable versions, and among these the highest', async () => {
  await withServer(async ({ call }) => {
    const versions = ['v1alpha1', 'foo', 'v2', 'v10', 'v3beta1', 'v11beta2', 'bar'].map((name, index) => ({
      ...{ name, served: true, storage: index === 0 },
      schema: { openAPIV3Schema: { type: 'object' } },
    }));
    const spec = { group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions };
    await call('POST', CRDS, { metadata: { name: 'things.example.com' }, spec });
    const { body } = await call('GET', '/apis/example.com');
    const found = (body['versions'] as { version: string }[]).map(({ version }) => version);
    expect(found).toEqual(['v10', 'v2', 'v11beta2', 'v3beta1', 'v1alpha1', 'bar', 'foo']);
  });
});

test('every served version shows the same objects, stored in one version', async () => {
  await withServer(async ({ call, clock, watch }) => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const more = [
      { name: 'v1beta1', served: true, storage: false, schema },
      { name: 'v1alpha1', served: false, storage: false, schema },
    ];
    await call('POST', CRDS, definition(object({ a: { type: 'integer' } }), more));
    const beta = THINGS.replace('/v1/', '/v1beta1/');
    const watched = await watch(`${beta}?watch=1&resourceVersion=0`);
    const created = await call('POST', beta, { ...thing({ a: 1 }), apiVersion: 'example.com/v1beta1' });
    expect(created.body).toMatchObject({ apiVersion: 'example.com/v1beta1', metadata: { generation: 1 } });
    expect((await call('GET', `${THINGS}/t`)).body.apiVersion).toBe('example.com/v1');
    expect((await call('GET', beta)).body.items?.map(({ apiVersion }) => apiVersion)).toEqual(['example.com/v1beta1']);
    expect((await call('GET', THINGS.replace('/v1/', '/v1alpha1/'))).status).toBe(404);
    await call('DELETE', `${THINGS}/t`);
    await clock.sleep(100);
    watched.stop();
    await watched.done;
    expect(watched.lines.map(({ type, object }) => `${type} ${String(object.apiVersion)}`)).toEqual([
      'ADDED example.com/v1beta1',
      'DELETED example.com/v1beta1',
    ]);
  });
});

/** The definitions of Karpenter and its AWS provider 1.14.0, as users install them. */
const KARPENTER = ['karpenter.sh_nodepools', 'karpenter.sh_nodeclaims', 'karpenter.k8s.aws_ec2nodeclasses'];

async function installKarpenter({ call }: Bench): Promise<void> {
  for (const name of KARPENTER) {
    const text = readFileSync(join(packageRoot(), 'fixtures/data/karpenter', `${name}.yaml`), 'utf8');
    expect((await call('POST', CRDS, parse(text))).status).toBe(201);
  }
}

const POOLS = '/apis/karpenter.sh/v1/nodepools';
const nodePool = (spec: object): object => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
      },
    },
    ...spec,
  },
});

test("Karpenter's own definitions default and validate node pools", async () => {
  await withServer(async (bench) => {
    const { call } = bench;
    await installKarpenter(bench);
    const refused = await call('POST', POOLS, nodePool({ weight: 101, limits: { cpu: 'many' } }));
    expect(refused.body.message).toContain('spec.weight: Invalid value: 101: spec.weight in body should be less than or equal to 100');
    expect(refused.body.message).toContain('spec.limits.cpu: Invalid value: "many": spec.limits.cpu in body should match');
    const { body, status } = await call('POST', POOLS, nodePool({ limits: { cpu: 100, memory: '10Gi' } }));
    expect(status).toBe(201);
    expect(body.spec).toMatchObject({
      disruption: { budgets: [{ nodes: '10%' }], consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized' },
      template: { spec: { expireAfter: '720h' } },
    });
  });
});

const CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
const nodeClass = (spec: object): object => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { a: 'b' } }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    role: 'node',
    ...spec,
  },
});

test("the AWS provider's definition defaults and validates node classes", async () => {
  await withServer(async (bench) => {
    const { call } = bench;
    await installKarpenter(bench);
    const { message } = (await call('POST', CLASSES, nodeClass({ amiSelectorTerms: undefined, amiFamily: 'Plan9' }))).body;
    expect(message).toContain('spec.amiSelectorTerms: Required value');
    expect(message).toContain('spec.amiFamily: Unsupported value: "Plan9": supported values:');
    const { body } = await call('POST', CLASSES, nodeClass({}));
    expect(body.spec).toMatchObject({ metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1 } });
  });
});

/** Inputs that the CEL rules of Karpenter's definitions refuse or accept. */
const requirement = (more: object): object => ({
  template: {
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [{ key: 'example.com/a', ...more }],
    },
  },
});
const poolRules: [object, string | undefined][] = [
  [
    requirement({ operator: 'In', values: [] }),
    'spec.template.spec.requirements: Invalid value: "array": requirements with operator \'In\'',
  ],
  [requirement({ operator: 'Gt', values: ['x'] }), "type conversion error from 'string' to 'int' evaluating rule: requirements operator"],
  [requirement({ operator: 'In', values: ['a'], minValues: 2 }), "requirements with 'minValues' must have at least that many values"],
  [requirement({ key: 'kubernetes.io/hostname', operator: 'Exists' }), 'spec.template.spec.requirements[0].key: Invalid value: "string"'],
  [requirement({ key: 'karpenter.sh/other', operator: 'Exists' }), 'label domain "karpenter.sh" is restricted'],
  [requirement({ operator: 'Gt', values: ['1'] }), undefined],
  [{ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1', schedule: '@daily' }] } }, "'schedule' must be set with 'duration'"],
  [{ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1', schedule: '@daily', duration: '1h' }] } }, undefined],
  [{ replicas: 1, weight: 1 }, "'weight' is not supported on static NodePools"],
];
const classRules: [object, string | undefined][] = [
  [{ instanceProfile: 'x' }, "must specify exactly one of ['role', 'instanceProfile']"],
  [{ role: undefined, instanceProfile: 'x' }, undefined],
  [{ amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }] }, 'spec.amiSelectorTerms: Invalid value: "array"'],
  [{ amiSelectorTerms: [{ id: 'ami-1' }] }, 'must specify amiFamily if amiSelectorTerms does not contain an alias'],
  [{ amiSelectorTerms: [{ id: 'ami-1' }], amiFamily: 'AL2023' }, undefined],
  [{ amiSelectorTerms: [{ alias: 'al2023' }] }, 'spec.amiSelectorTerms[0].alias: Invalid value: "string"'],
  [{ tags: { 'karpenter.sh/nodepool': 'x' } }, 'spec.tags: Invalid value: "object"'],
  [{ kubelet: { evictionSoft: { 'memory.available': '5%' } } }, 'no such key: evictionSoftGracePeriod evaluating rule:'],
];

test("the rules of Karpenter's definitions refuse invalid objects", async () => {
  await withServer(async (bench) => {
    const { call, merge } = bench;
    await installKarpenter(bench);
    const ask = async (path: string, body: object, message: string | undefined): Promise<void> => {
      const answer = await call('POST', path, body);
      if (message === undefined) expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      else expect(answer.body.message).toContain(message);
      await call('DELETE', `${path}/default`);
    };
    for (const [spec, message] of poolRules) await ask(POOLS, nodePool(spec), message);
    for (const [spec, message] of classRules) await ask(CLASSES, nodeClass(spec), message);

    const claims = '/apis/karpenter.sh/v1/nodeclaims';
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    const claim = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'a' }, spec: { nodeClassRef, requirements: [] } };
    expect((await call('POST', claims, claim)).status).toBe(201);
    expect((await merge(`${claims}/a`, { spec: { expireAfter: '1h' } })).body.message).toContain('spec is immutable');
    expect((await merge(`${claims}/a/status`, { status: { providerID: 'x' } })).status).toBe(200);
  });
});

test('pruning and defaulting are idempotent, and valid objects don’t change otherwise', () => {
  const leaf = fc.constantFrom<Schema>(
    { type: 'string' },
    { type: 'integer', default: 7 },
    { type: 'string', default: 'd', nullable: true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  );
  const { schema } = fc.letrec<{ schema: Schema; node: Schema }>((tie) => ({
    schema: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')).map((properties) => ({ type: 'object', properties })),
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie('schema'),
      tie('schema').map((items): Schema => ({ type: 'array', items })),
    ),
  }));
  const value = fc.object({
    key: fc.constantFrom('a', 'b', 'c', 'z'),
    maxDepth: 4,
    values: [fc.integer(), fc.string(), fc.constant(null)],
  });
  fc.assert(
    fc.property(schema, value, (one, raw) => {
      const input = raw;
      const once = withDefaults(prune(input, one), one);
      expect(withDefaults(prune(once, one), one)).toEqual(once);
      expect(validateSchema(once, one, '', once)).toEqual([]);
    }),
  );
});
