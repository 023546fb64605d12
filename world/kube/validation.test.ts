import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from '../../model/defined.ts';
import { CLAIMS, CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';
import { UNTYPED } from './body-types.ts';
import { Observer } from './observer.ts';

const spread = (constraint: object, ...more: object[]): object => {
  const base = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
  return { topologySpreadConstraints: [{ ...base, ...constraint }, ...more] };
};
const container = (more: object): object => ({ containers: [{ name: 'main', image: 'pause', ...more }] });
const affinity = (nodeSelectorTerms: object[]): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

/** A pod's spec and the expected error. */
const specs: [object, string][] = [
  [spread({ maxSkew: -1 }), 'spec.topologySpreadConstraints[0].maxSkew: Invalid value: -1: must be greater than zero'],
  [spread({ maxSkew: 0 }), 'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero'],
  [spread({ topologyKey: '' }), 'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty'],
  [
    spread({ whenUnsatisfiable: 'Maybe' }),
    'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway"',
  ],
  [spread({ minDomains: 0 }), 'spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero'],
  [
    spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
    'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
  ],
  [
    spread({}, { maxSkew: 2, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }),
    'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{topology.kubernetes.io/zone, DoNotSchedule}"',
  ],
  [
    spread({ matchLabelKeys: ['a'] }),
    'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
  ],
  [
    spread({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    spread({ nodeTaintsPolicy: 'Sometimes' }),
    'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "Sometimes": supported values: "Honor", "Ignore"',
  ],
  [{ containers: [] }, 'spec.containers: Required value'],
  [{ containers: [{ image: 'x' }] }, 'spec.containers[0].name: Required value'],
  [{ containers: [{ name: 'a' }] }, 'spec.containers[0].image: Required value'],
  [
    {
      containers: [
        { name: 'a', image: 'x' },
        { name: 'a', image: 'x' },
      ],
    },
    'spec.containers[1].name: Duplicate value: "a"',
  ],
  [
    container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } }),
    'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m',
  ],
  [
    container({ resources: { requests: { memory: '-1Gi' } } }),
    'spec.containers[0].resources.requests[memory]: Invalid value: "-1Gi": must be greater than or equal to 0',
  ],
  [
    { tolerations: [{ operator: 'Equal' }] },
    'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ],
  [
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'Sometimes' }] },
    'spec.tolerations[0].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ],
  [
    { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }] },
    'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
  ],
  [
    affinity([]),
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
  ],
  [
    affinity([{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }]),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
  ],
];

for (const [spec, message] of specs) {
  test(`refused: ${message}`, async () => {
    await withServer(async ({ call }) => {
      const refused = await call('POST', PODS, pod('web', spec));
      expect(refused.body.message).toBe(`Pod "web" is invalid: ${message}`);
      expect(refused.body).toMatchObject({ reason: 'Invalid', code: 422, details: { name: 'web', kind: 'Pod' } });
      const replicaSet = {
        metadata: { name: 'web' },
        spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, ...pod('', spec) } },
      };
      const inTemplate = {
        ...replicaSet,
        spec: { ...replicaSet.spec, template: { ...replicaSet.spec.template, metadata: { labels: { a: 'b' } } } },
      };
      const template = await call('POST', '/apis/apps/v1/namespaces/default/replicasets', inTemplate);
      expect(template.body.message).toBe(`ReplicaSet.apps "web" is invalid: ${message.replace('spec.', 'spec.template.spec.')}`);
    });
  });
}

test('every invalid field is reported', async () => {
  await withServer(async ({ call }) => {
    const { body } = await call('POST', PODS, pod('Web', { ...spread({ maxSkew: 0, minDomains: -1 }) }));
    expect(body.message).toBe(
      'Pod "Web" is invalid: [metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must consist of lower case ' +
        "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " +
        "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), " +
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero, ' +
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: -1: must be greater than zero]',
    );
    expect(body.details).toMatchObject({
      causes: [
        { reason: 'FieldValueInvalid', field: 'metadata.name' },
        {
          reason: 'FieldValueInvalid',
          field: 'spec.topologySpreadConstraints[0].maxSkew',
          message: 'Invalid value: 0: must be greater than zero',
        },
        { field: 'spec.topologySpreadConstraints[0].minDomains' },
      ],
    });
  });
});

/** Invalid metadata and the expected error. */
const metadata: [object, string][] = [
  [{ name: '' }, 'metadata.name: Required value: name or generateName is required'],
  [{ name: 'x'.repeat(254) }, 'metadata.name: Invalid value: "' + 'x'.repeat(254) + '": must be no more than 253 characters'],
  [{ labels: { 'a b': 'c' } }, 'metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters'],
  [{ labels: { a: '-' } }, 'metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of'],
  [{ annotations: { '/a': 'c' } }, 'metadata.annotations: Invalid value: "/a": prefix part must be non-empty'],
  [{ finalizers: ['no/such/thing'] }, 'metadata.finalizers: Invalid value: "no/such/thing": a qualified name must consist of'],
  [
    { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n' }] },
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ],
];

for (const [change, message] of metadata) {
  test(`refused: ${message.slice(0, 90)}`, async () => {
    await withServer(async ({ call }) => {
      const { body, status } = await call('POST', PODS, pod('web', {}, change));
      expect(body.message).toContain(message);
      expect(status).toBe(422);
    });
  });
}

/** Bodies that the real decoder refuses. */
const undecodable: [unknown, string][] = [
  [pod('web', container({ resources: { requests: { cpu: 'two' } } })), "quantities must match the regular expression '^([+-]?[0-9.]+)"],
  [pod('web', { containers: 'none' }), 'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container'],
  [
    pod('web', spread({ maxSkew: '1' })),
    'json: cannot unmarshal string into Go struct field TopologySpreadConstraint.spec.topologySpreadConstraints.maxSkew of type int32',
  ],
  [pod('web', {}, { labels: { a: 1 } }), 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string'],
  [[], "the object provided is unrecognized (must be of type Pod): couldn't get version/kind"],
  ['{"kind":', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
];

for (const [body, message] of undecodable) {
  test(`undecodable: ${message.slice(0, 80)}`, async () => {
    await withServer(async ({ call }) => {
      const refused = await call('POST', PODS, body);
      expect(refused.body.message).toContain(message);
      expect(refused).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    });
  });
}

test('nulls count as absent, requests default to limits, quantities are stored in canonical form', async () => {
  await withServer(async ({ call }) => {
    const resources = { limits: { cpu: 1, memory: '1024Mi' }, requests: { cpu: '0.5' } };
    const { body } = await call('POST', PODS, pod('web', { nodeName: null, ...container({ resources }) }, { creationTimestamp: null }));
    expect(body.spec).not.toHaveProperty('nodeName');
    expect(body.spec?.containers).toEqual([
      {
        name: 'main',
        image: 'pause',
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
        imagePullPolicy: 'Always',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ]);
    expect(body.status).toEqual({ phase: 'Pending', qosClass: 'Burstable' });
  });
});

test("a pod's spec may gain tolerations and another image, nothing else", async () => {
  await withServer(async ({ call, merge }) => {
    const { body } = await call('POST', PODS, pod('web'));
    const tolerations = body.spec?.tolerations as object[];
    const add = await merge(`${PODS}/web`, { spec: { tolerations: [...tolerations, { key: 'a', operator: 'Exists' }] } });
    expect(add.body.metadata.generation).toBe(2);
    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'other' }];
    expect((await call('PATCH', `${PODS}/web`, image, { contentType: 'application/json-patch+json' })).status).toBe(200);
    const lost = await merge(`${PODS}/web`, { spec: { tolerations } });
    expect(lost.body.message).toContain(
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    );
    const moved = await merge(`${PODS}/web`, { spec: { nodeName: 'n1' } });
    expect(moved.body.message).toContain(
      'Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
    );
  });
});

test('a ReplicaSet must select its template, restarts always, and keeps its selector', async () => {
  await withServer(async ({ call, merge }) => {
    const path = '/apis/apps/v1/namespaces/default/replicasets';
    const replicaSet = (selector: object | undefined, labels: object, spec: object = {}): object => ({
      metadata: { name: 'web' },
      spec: { ...defined({ selector }), template: { ...pod('', spec), metadata: { labels } } },
    });
    const message = async (body: object): Promise<string | undefined> => (await call('POST', path, body)).body.message;
    expect(await message(replicaSet(undefined, { a: 'b' }))).toContain('spec.selector: Required value');
    expect(await message(replicaSet({}, { a: 'b' }))).toContain('empty selector is invalid for deployment');
    expect(await message(replicaSet({ matchLabels: { a: 'b' } }, { a: 'c' }))).toBe(
      'ReplicaSet.apps "web" is invalid: spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`',
    );
    expect(await message(replicaSet({ matchLabels: { a: 'b' } }, { a: 'b' }, { restartPolicy: 'Never' }))).toContain(
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    );
    const created = await call('POST', path, replicaSet({ matchLabels: { a: 'b' } }, { a: 'b' }));
    expect(created.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 0 }, metadata: { generation: 1 } });
    const other = { spec: { selector: { matchLabels: { a: 'c' } }, template: { metadata: { labels: { a: 'c' } } } } };
    expect((await merge(`${path}/web`, other)).body.message).toContain(
      'spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
    );
    expect((await merge(`${path}/web`, { spec: { replicas: -1 } })).body.message).toContain(
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });
});

test('taints of a node have known effects and are unique', async () => {
  await withServer(async ({ call }) => {
    const node = (taints: object[]): object => ({ metadata: { name: 'n1' }, spec: { taints } });
    const message = async (taints: object[]): Promise<string | undefined> =>
      (await call('POST', '/api/v1/nodes', node(taints))).body.message;
    expect(await message([{ key: 'a', effect: 'Sometimes' }])).toBe(
      'Node "n1" is invalid: metadata.taints[0].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    );
    expect(await message([{ key: 'a' }])).toContain('metadata.taints[0].effect: Required value');
    expect(
      await message([
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: 'b', effect: 'NoSchedule' },
      ]),
    ).toContain('taints must be unique by key and effect pair');
  });
});

test("an event must be in its object's namespace", async () => {
  await withServer(async ({ call }) => {
    const event = (namespace: string): object => ({
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace, name: 'p' },
      reason: 'R',
      message: 'm',
    });
    const refused = await call('POST', '/api/v1/namespaces/default/events', event('kube-system'));
    expect(refused.body.message).toBe(
      'Event "e" is invalid: involvedObject.namespace: Invalid value: "kube-system": does not match event.namespace',
    );
    expect((await call('POST', '/api/v1/namespaces/default/events', event('default'))).status).toBe(201);
  });
});

const COLLECTIONS = [
  PODS,
  '/api/v1/nodes',
  '/api/v1/namespaces',
  '/api/v1/namespaces/default/events',
  '/apis/apps/v1/namespaces/default/replicasets',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  CRDS,
  CLAIMS,
];

test('any body gets an answer, and never a 500', async () => {
  const keys = fc.constantFrom(
    ...['apiVersion', 'kind', 'metadata', 'name', 'labels', 'finalizers', 'ownerReferences', 'spec', 'containers', 'template', 'selector'],
    ...['tolerations', 'topologySpreadConstraints', 'taints', 'status', 'conditions', 'names', 'versions', 'providerID', 'affinity', 'key'],
  );
  const leaf = fc.oneof(fc.constantFrom('', 'x', 'v1', 'Pod', -1, 0, 1.5, true, null), fc.string());
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5, withCrossShrink: true }, leaf, fc.array(tie('value'), { maxLength: 2 }), tie('object')),
    object: fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
  })).value;
  await withServer(async ({ server, call, merge }) => {
    server.onCommit(new Observer({ record: () => 0 }, server.resources).observe);
    await call('POST', CRDS, NODE_CLAIM_CRD);
    await call('POST', CLAIMS, claim('c'));
    await call('POST', PODS, pod('web'));
    await call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...COLLECTIONS), json, async (collection, body) => {
        const named = { ...(typeof body === 'object' ? body : {}), metadata: { name: 'fuzz' } };
        const deleted = await call('DELETE', `${collection}/fuzz`, body);
        // To a deletion whose body is not JSON, a real server answers 500, too.
        const isUnreadable = deleted.body.message?.startsWith(`${UNTYPED}: `) === true;
        const answers = [
          ...(isUnreadable ? [] : [deleted]),
          await call('POST', collection, body),
          await call('POST', collection, named),
          ...(await Promise.all(
            [`${PODS}/web`, `${PODS}/web/status`, '/api/v1/nodes/n1/status', `${CLAIMS}/c`, `${CLAIMS}/c/status`].map((path) =>
              merge(path, body),
            ),
          )),
          await call('PATCH', `${PODS}/web`, body, { contentType: 'application/json-patch+json' }),
          await call('POST', `${PODS}/web/eviction?dryRun=All`, body),
        ];
        if (isUnreadable) expect(deleted.status).toBe(500);
        for (const { status } of answers) expect(status).toBeLessThan(500);
        const binding = await call('POST', `${PODS}/web/binding?dryRun=All`, body);
        // The real server has no Status for an invalid binding.
        expect(binding.status < 500 || /^\[?target\./.test(binding.body.message ?? '')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

test('services get addresses and node ports of their own, and keep them', async () => {
  await withServer(async ({ call, merge }) => {
    const services = '/api/v1/namespaces/default/services';
    const create = async (name: string, spec: object): Promise<Record<string, unknown>> => {
      const { status, body } = await call('POST', services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
      expect(status).toBe(201);
      return body.spec ?? {};
    };
    const made = [await create('a', {}), await create('b', { type: 'NodePort' }), await create('c', { type: 'LoadBalancer' })];
    for (const { clusterIP, clusterIPs, ipFamilies } of made) {
      expect(clusterIP).toMatch(/^10\.100\.\d+\.\d+$/);
      expect([clusterIPs, ipFamilies]).toEqual([[clusterIP], ['IPv4']]);
    }
    expect(new Set(made.map(({ clusterIP }) => clusterIP)).size).toBe(3);
    const nodePorts = made.map(({ ports }) => (ports as { nodePort?: number }[])[0]?.nodePort);
    expect(nodePorts[0]).toBeUndefined();
    for (const port of nodePorts.slice(1)) expect(port).toBeGreaterThanOrEqual(30_000);
    expect(nodePorts[1]).not.toBe(nodePorts[2]);
    expect(await create('headless', { clusterIP: 'None' })).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
    expect(await create('elsewhere', { type: 'ExternalName', externalName: 'example.com' })).not.toHaveProperty('clusterIP');

    const changed = await merge(`${services}/b`, { spec: { selector: { app: 'web' } } });
    expect(changed.body.spec).toMatchObject({ clusterIP: made[1]?.['clusterIP'], ports: made[1]?.['ports'] });

    const unselected = { selector: null, ipFamilies: null, ipFamilyPolicy: null };
    await create('selecting', { clusterIP: 'None', selector: { app: 'web' } });
    const without = await merge(`${services}/selecting`, { spec: unselected });
    expect(without.body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });
});
