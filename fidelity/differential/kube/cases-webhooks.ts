import type { ApiCase, Step } from './case.ts';
import { MUTATING, VALIDATING } from './cases-webhook-objects.ts';
import { configMap, deployment, namespacePath, newNamespace, patch, pod, post, remove, rule, within } from './policy-case.ts';
import { clientOf } from './webhook-answers.ts';

/*
 * Admission webhooks in force. Each case has a namespace, and webhooks that apply only to it. A webhook works a moment after it was
 * written, and so do all that were written before it: each case has two more, and asks until they refuse.
 */

/** A webhook, alone in a configuration. */
interface Hook {
  readonly kind: 'Mutating' | 'Validating';
  readonly path: string;
  /** New and changed ConfigMaps by default. */
  readonly rules?: readonly object[];
  readonly more?: object;
}

const validating = (path: string, more: object = {}, rules?: readonly object[]): Hook => ({
  kind: 'Validating',
  path,
  more,
  ...(rules && { rules }),
});
const mutating = (path: string, more: object = {}, rules?: readonly object[]): Hook => ({
  kind: 'Mutating',
  path,
  more,
  ...(rules && { rules }),
});

function webhookCase(id: string, hooks: readonly Hook[], steps: readonly Step[], before: readonly Step[] = []): ApiCase {
  const own = { matchLabels: { 'kubernetes.io/metadata.name': id } };
  const probe = (kind: Hook['kind']): Hook => ({
    kind,
    path: '/deny',
    rules: [rule('secrets')],
    more: { objectSelector: { matchLabels: { probe: kind } } },
  });
  const all = [...hooks, probe('Mutating'), probe('Validating')].map((hook, index) => ({
    ...hook,
    at: hook.kind === 'Mutating' ? MUTATING : VALIDATING,
    name: `${id}-${index + 1}`,
  }));
  const inNamespace = within(id);
  return {
    id,
    steps: [
      ...newNamespace(id),
      ...before.map(inNamespace),
      ...all.map(({ at, name, path, rules = [rule('configmaps')], more }): Step => {
        const webhook = {
          name: `${name}.example.com`,
          clientConfig: clientOf(path),
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          namespaceSelector: own,
          rules,
          ...more,
        };
        return post(at, { metadata: { name }, webhooks: [webhook] });
      }),
      ...(['Mutating', 'Validating'] as const).map((kind): Step => {
        const labels = { probe: kind };
        return { ...post(`${namespacePath(id)}/secrets?dryRun=All`, { metadata: { name: 'probe', labels } }), until: 400 };
      }),
      ...steps.map(inNamespace),
      ...all.map(({ at, name }) => remove(`${at}/${name}`)),
    ],
  };
}

const seen = (step: Step, ...look: readonly string[]): Step => ({ ...step, look });
const labels = { app: 'a' };
const ALL = ['CREATE', 'UPDATE', 'DELETE'];

/** One ConfigMap for each of these answers of a webhook. */
const answers = (id: string, kind: Hook['kind'], ...paths: readonly string[]): ApiCase =>
  webhookCase(
    id,
    paths.map((path, index) => ({ kind, path, more: { objectSelector: { matchLabels: { which: `w${index}` } } } })),
    paths.map((_path, index) => ({
      ...seen(configMap(`c${index}`, { key: 'value' }, { app: 'a', which: `w${index}` }), 'metadata.labels', 'data'),
      warnings: true,
    })),
  );

const KINDS = [
  ...['/kind-secret', '/kind-deployment', '/kind-unknown', '/kind-number', '/kind-empty', '/kind-removed'],
  ...['/version-unknown', '/version-empty', '/version-removed', '/version-v2'],
];

/** The answer to a custom object without a kind has the whole object in it. */
const WHOLE_KINDS = KINDS.filter((path) => !['/kind-empty', '/kind-removed', '/version-removed'].includes(path));

/** One webhook for each change of the type, and what it applies to. */
const kinds = (
  id: string,
  paths: readonly string[],
  resource: string,
  group: string,
  make: (labels: object, name: string) => Step[],
): ApiCase => {
  const hooks = paths.map((path, index) => {
    return mutating(path, { objectSelector: { matchLabels: { which: `w${index}` } } }, [rule(resource, ['CREATE', 'UPDATE'], group)]);
  });
  return webhookCase(
    id,
    hooks,
    paths.flatMap((_path, index) => make({ which: `w${index}` }, `a${index}`)),
  );
};

const SCALES = [...KINDS, '/replicas-text', '/no-metadata'];

const LOOK = ['kind', 'apiVersion', 'metadata.labels.which'];
const GADGETS = '/apis/hook-kinds.example.com/v1/namespaces/OWN/gadgets';
const gadgetVersion = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
});
const DEFINITION = {
  metadata: { name: 'gadgets.hook-kinds.example.com' },
  spec: {
    group: 'hook-kinds.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [gadgetVersion('v1', true), gadgetVersion('v2', false)],
  },
};

const KIND_CASES: readonly ApiCase[] = [
  kinds('hook-kinds', KINDS, 'configmaps', '', (labels, name) => [
    seen(configMap(name, {}, { ...labels }), ...LOOK),
    post('NAMESPACE/configmaps', { metadata: { name: `${name}-b` } }),
    patch(`NAMESPACE/configmaps/${name}-b`, { metadata: { labels } }, { look: LOOK }),
  ]),
  kinds('hook-kinds-custom', WHOLE_KINDS, 'gadgets', 'hook-kinds.example.com', (labels, name) => [
    ...(name === 'a0' ? [post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION)] : []),
    {
      ...post(GADGETS, { kind: 'Gadget', apiVersion: 'hook-kinds.example.com/v1', metadata: { name, labels } }, LOOK),
      ...(name === 'a0' ? { patient: true as const } : {}),
    },
    post(GADGETS, { kind: 'Gadget', apiVersion: 'hook-kinds.example.com/v1', metadata: { name: `${name}-b` } }),
    patch(`${GADGETS}/${name}-b`, { metadata: { labels } }, { look: LOOK }),
  ]),
  webhookCase(
    'hook-kinds-scale',
    SCALES.map((path, index) =>
      mutating(path, { objectSelector: {}, matchConditions: [{ name: 'one', expression: `object.metadata.name == 's${index}'` }] }, [
        rule('deployments/scale', ALL, 'apps'),
      ]),
    ),
    SCALES.map((_path, index) =>
      seen(patch(`/apis/apps/v1/namespaces/OWN/deployments/s${index}/scale`, { spec: { replicas: 2 } }), 'spec.replicas', 'kind'),
    ),
    SCALES.map((_path, index) => deployment(`s${index}`, 1)),
  ),
];

const which = (value: string): object => ({ objectSelector: { matchLabels: { which: value } } });
const limited = (name: string, cpu: string, value: string, container = 'c'): Step =>
  seen(
    post('NAMESPACE/pods', {
      metadata: { name, labels: { which: value } },
      spec: { containers: [{ name: container, image: 'pause', resources: { limits: { cpu } } }] },
    }),
    'spec.containers.0.resources',
  );
const claim = (name: string, storage: string, value: string): Step =>
  seen(
    post('NAMESPACE/persistentvolumeclaims', {
      metadata: { name, labels: { which: value } },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage } } },
    }),
    'spec.resources',
  );

export const WEBHOOK_CASES: readonly ApiCase[] = [
  answers(
    'hook-answers',
    'Validating',
    ...['/allow', '/allow-warning', '/deny', '/deny-warning', '/deny-bare', '/deny-reason', '/deny-code', '/deny-ok'],
  ),
  answers(
    'hook-broken',
    'Validating',
    ...['/no-response', '/other-uid', '/other-kind', '/patch-of-validating', '/empty', '/no-kind', '/text', '/close', '/no-such-path'],
  ),
  answers('hook-statuses', 'Validating', '/status-500', '/status-404', '/status-json', '/status-302'),
  answers('hook-mutations', 'Mutating', '/allow', '/label', '/deny', '/empty-patch', '/same', '/unknown-field', '/invalid-name'),
  answers(
    'hook-bad-patches',
    'Mutating',
    ...['/no-patch-type', '/no-patch', '/broken-patch', '/remove-missing', '/add-nowhere', '/test-fails'],
  ),
  webhookCase(
    'hook-unreachable',
    [
      validating('', { clientConfig: { url: 'https://127.0.0.1:1/check/' }, timeoutSeconds: 3 }),
      mutating('', { clientConfig: { url: 'https://127.0.0.1:1' }, objectSelector: { matchLabels: { app: 'mutated' } } }),
      mutating('', { clientConfig: { url: 'https://127.0.0.1:1' }, failurePolicy: 'Ignore' }),
      validating('', { clientConfig: { service: { name: 'missing', namespace: 'hook-unreachable' } } }, [rule('limitranges')]),
      validating('', { clientConfig: { service: { name: 'missing', namespace: 'hook-unreachable', path: '/a', port: 9 } } }, [
        rule('endpoints'),
      ]),
    ],
    [
      configMap('validated'),
      configMap('mutated', {}, { app: 'mutated' }),
      post('NAMESPACE/limitranges', { metadata: { name: 'a' }, spec: { limits: [] } }),
      post('NAMESPACE/endpoints', { metadata: { name: 'a' } }),
      post('NAMESPACE/configmaps?dryRun=All', { metadata: { name: 'dry' } }),
    ],
  ),
  webhookCase(
    'hook-timeout',
    [validating('/hang', { timeoutSeconds: 1 }), mutating('/hang', { timeoutSeconds: 1, failurePolicy: 'Ignore' })],
    [configMap('slow')],
  ),
  webhookCase('hook-authority', [validating('/allow', { clientConfig: { url: 'WEBHOOK_URL/allow' } })], [configMap('untrusted')]),
  webhookCase(
    'hook-reviews',
    [
      validating('/echo', {}, [
        rule('configmaps', ALL),
        rule('deployments/scale', ALL, 'apps'),
        rule('pods/*', ALL),
        rule('serviceaccounts/token', ALL),
      ]),
    ],
    [
      configMap('created', { a: 'b' }, labels),
      post('NAMESPACE/configmaps', { metadata: { generateName: 'made-' } }),
      post('NAMESPACE/configmaps?dryRun=All', { metadata: { name: 'dry' } }),
      patch('NAMESPACE/configmaps/before?fieldManager=me&fieldValidation=Strict', { data: { a: 'c' } }),
      { method: 'PUT', path: 'NAMESPACE/configmaps/before', body: { metadata: { name: 'before' }, data: { a: 'd' } } },
      remove('NAMESPACE/configmaps/before'),
      {
        ...remove('NAMESPACE/configmaps/before?propagationPolicy=Background'),
        body: { gracePeriodSeconds: 5, preconditions: { uid: 'x' } },
      },
      remove('NAMESPACE/configmaps/before?propagationPolicy=Background'),
      remove('NAMESPACE/configmaps'),
      patch('/apis/apps/v1/namespaces/OWN/deployments/before/scale', { spec: { replicas: 2 } }),
      post('NAMESPACE/pods/before/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'before' } }),
      post('NAMESPACE/pods/before/binding', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'before' },
        target: { kind: 'Node', name: 'n' },
      }),
      post('NAMESPACE/serviceaccounts/mine/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['a'], expirationSeconds: 600 },
      }),
    ],
    [configMap('before', { a: 'b' }), deployment('before', 1), pod('before')],
  ),
  webhookCase(
    'hook-mutating-reviews',
    [mutating('/echo', {}, [rule('configmaps', ALL)])],
    [
      configMap('created', { a: 'b' }, labels),
      post('NAMESPACE/configmaps', { metadata: { generateName: 'made-' } }),
      patch('NAMESPACE/configmaps/before', { data: { a: 'c' } }),
      patch('NAMESPACE/configmaps/before', { data: { a: 'b' } }),
      remove('NAMESPACE/configmaps/before'),
    ],
    [configMap('before', { a: 'b' })],
  ),
  webhookCase(
    'hook-matching',
    [
      validating('/deny', { matchConditions: [{ name: 'bad', expression: "object.metadata.name == 'bad'" }] }),
      validating('/deny-bare', { objectSelector: { matchLabels: { app: 'denied' } } }, [rule('*/*', ['UPDATE'])]),
      validating('/deny-reason', { matchConditions: [{ name: 'broken', expression: "object.data.missing == 'x'" }] }, [
        rule('secrets', ['UPDATE']),
      ]),
      validating('/deny', { failurePolicy: 'Ignore', matchConditions: [{ name: 'broken', expression: "object.spec.missing == 'x'" }] }, [
        rule('limitranges'),
      ]),
      validating('/deny', {}, [rule('endpoints', ['CREATE'], '', { scope: 'Cluster' })]),
      validating('/deny', { matchPolicy: 'Exact' }, [{ ...rule('events', ['CREATE']), apiGroups: ['events.k8s.io'] }]),
    ],
    [
      configMap('good'),
      configMap('bad'),
      configMap('denied', {}, { app: 'denied' }),
      patch('NAMESPACE/configmaps/denied', { data: { a: 'b' } }),
      patch('NAMESPACE/configmaps/denied', { metadata: { labels: { app: 'free' } } }),
      post('NAMESPACE/secrets', { metadata: { name: 'secret' } }),
      patch('NAMESPACE/secrets/secret', { stringData: { a: 'b' } }),
      post('NAMESPACE/limitranges', { metadata: { name: 'a' }, spec: { limits: [] } }),
      post('NAMESPACE/endpoints', { metadata: { name: 'a' } }),
    ],
  ),
  webhookCase(
    'hook-pods',
    [mutating('/defaults', {}, [rule('pods', ['CREATE'])])],
    [seen(pod('defaulted'), 'spec.containers.0.ports', 'metadata.generation')],
  ),
  webhookCase(
    'hook-scale',
    [mutating('/replicas', {}, [rule('deployments/scale', ALL, 'apps')])],
    [
      seen(patch('/apis/apps/v1/namespaces/OWN/deployments/scaled/scale', { spec: { replicas: 2 } }), 'spec.replicas'),
      seen({ method: 'GET', path: '/apis/apps/v1/namespaces/OWN/deployments/scaled' }, 'spec.replicas', 'metadata.generation'),
    ],
    [deployment('scaled', 1)],
  ),
  ...KIND_CASES,
  webhookCase(
    'hook-limits',
    [
      mutating('/cpu-1', which('lower'), [rule('pods', ['CREATE'])]),
      mutating('/cpu-9', which('higher'), [rule('pods', ['CREATE'])]),
      mutating('/storage-1', which('lower'), [rule('persistentvolumeclaims')]),
      mutating('/storage-9', which('higher'), [rule('persistentvolumeclaims')]),
      validating('/deny', which('denied'), [rule('pods'), rule('persistentvolumeclaims')]),
    ],
    [
      limited('lowered', '5', 'lower'),
      limited('raised', '2', 'higher'),
      limited('plain', '5', 'none'),
      limited('denied', '5', 'denied'),
      limited('invalid', '5', 'none', 'Not valid'),
      claim('lowered', '5Gi', 'lower'),
      claim('raised', '2Gi', 'higher'),
      claim('denied', '5Gi', 'denied'),
      claim('invalid@', '5Gi', 'none'),
      patch('NAMESPACE/persistentvolumeclaims/large', {}),
      patch('NAMESPACE/persistentvolumeclaims/large', { metadata: { annotations: { a: 'b' } } }),
      remove('NAMESPACE/persistentvolumeclaims/large'),
      patch('NAMESPACE/persistentvolumeclaims/large', { metadata: { annotations: { a: 'b' } } }),
    ],
    [
      claim('large', '5Gi', 'none'),
      post('NAMESPACE/limitranges', {
        metadata: { name: 'range' },
        spec: {
          limits: [
            { type: 'Container', max: { cpu: '3' }, default: { cpu: '2' }, defaultRequest: { cpu: '1' } },
            { type: 'PersistentVolumeClaim', max: { storage: '3Gi' } },
          ],
        },
      }),
    ],
  ),
  webhookCase(
    'hook-reinvocation',
    [
      mutating('/count', { reinvocationPolicy: 'IfNeeded' }),
      mutating('/label'),
      mutating('/count', { objectSelector: { matchLabels: { labelled: 'yes' } }, reinvocationPolicy: 'IfNeeded' }),
    ],
    [seen(configMap('counted', {}, labels), 'metadata.labels')],
  ),
  webhookCase(
    'hook-order',
    [
      validating('/deny'),
      mutating('/label', { objectSelector: { matchLabels: { app: 'a' } } }),
      mutating('/deny-bare', { objectSelector: { matchLabels: { labelled: 'no' } } }),
    ],
    [configMap('both', {}, { labelled: 'no' }), configMap('one', {}, labels), configMap('not valid', {}, labels)],
  ),
  webhookCase(
    'hook-deletions',
    [mutating('/label', {}, [rule('configmaps', ['DELETE'])]), validating('/deny', {}, [rule('secrets', ['DELETE'])])],
    [remove('NAMESPACE/configmaps/before'), remove('NAMESPACE/secrets/before'), remove('NAMESPACE/secrets')],
    [configMap('before'), post('NAMESPACE/secrets', { metadata: { name: 'before' } })],
  ),
];
