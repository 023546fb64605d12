import type { ApiCase } from './case.ts';
import { patch, post } from './policy-case.ts';

/* Configurations of admission webhooks as objects: defaults, and what is refused. None of them applies to any object. */

const GROUP = '/apis/admissionregistration.k8s.io/v1';
export const VALIDATING = `${GROUP}/validatingwebhookconfigurations`;
export const MUTATING = `${GROUP}/mutatingwebhookconfigurations`;

const NOWHERE = { matchLabels: { no: 'such-namespace' } };

/** A valid webhook that applies to nothing. */
const webhook = (more: object = {}): object => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/check' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: NOWHERE,
  rules: [{ apiGroups: ['no.such'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
  ...more,
});

/** A configuration with these webhooks, of which none is stored. */
const dry = (id: string, paths: readonly string[], ...webhooks: readonly object[]): ApiCase => ({
  id,
  steps: paths.map((path) => post(`${path}?dryRun=All`, { metadata: { name: id }, webhooks }, ['webhooks', 'metadata.generation'])),
});

const both = [VALIDATING, MUTATING];
const withClient = (clientConfig: object): object => webhook({ clientConfig });

export const WEBHOOK_OBJECT_CASES: readonly ApiCase[] = [
  dry('webhook-defaults', both, webhook(), webhook({ name: 'b.example.com', clientConfig: { service: { name: 's', namespace: 'n' } } })),
  dry('webhook-nothing', both),
  dry('webhook-empty', both, {}),
  dry(
    'webhook-names',
    both,
    ...['', 'short', 'two.parts', 'Upper.example.com', 'a.example.com', 'a.example.com'].map((name) => webhook({ name })),
  ),
  dry('webhook-policies', both, webhook({ failurePolicy: 'Retry', matchPolicy: 'Like', sideEffects: 'Some', reinvocationPolicy: 'Often' })),
  dry('webhook-timeouts', both, webhook({ timeoutSeconds: 0 }), webhook({ name: 'b.example.com', timeoutSeconds: 31 })),
  dry(
    'webhook-versions',
    both,
    ...[[], ['v2'], ['v1', 'v1'], ['v1', 'V 1'], ['v2', 'v1beta1']].map((admissionReviewVersions, index) =>
      webhook({ name: `w${index}.example.com`, admissionReviewVersions }),
    ),
  ),
  dry(
    'webhook-urls',
    [VALIDATING],
    ...[
      'http://a.b/c',
      '127.0.0.1',
      'https:///path',
      'https://user:pw@a.b/c',
      'https://a.b/c?d=e',
      'https://a.b/c#d',
      'https://a.b',
      '',
    ].map((url, index) => ({ ...withClient({ url }), name: `w${index}.example.com` })),
  ),
  dry(
    'webhook-services',
    [VALIDATING],
    ...[
      {},
      { name: 's' },
      { namespace: 'n' },
      { name: 's', namespace: 'n', port: 0 },
      { name: 's', namespace: 'n', port: 65_536 },
      ...['/', '//', 'check', '/a//b', '/a/b/', '/A_b'].map((path) => ({ name: 's', namespace: 'n', path })),
    ].map((service, index) => ({ ...withClient({ service }), name: `w${index}.example.com` })),
  ),
  dry('webhook-clients', both, withClient({}), withClient({ url: 'https://a.b', service: { name: 's', namespace: 'n' } })),
  dry(
    'webhook-rules',
    [MUTATING],
    webhook({
      rules: [
        {},
        { apiGroups: ['*', 'a'], apiVersions: ['*', 'v1'], operations: ['*', 'CREATE'], resources: ['*/*', 'pods'] },
        { apiGroups: [''], apiVersions: [''], operations: ['READ', 'CONNECT'], resources: [''], scope: 'Everywhere' },
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/*', 'pods/status', '*/scale', 'a/scale'] },
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['*', 'pods'] },
      ],
    }),
  ),
  dry(
    'webhook-selectors',
    [VALIDATING],
    webhook({
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
      objectSelector: { matchLabels: { 'not ok': 'a', b: 'not ok' }, matchExpressions: [{ key: 'a', operator: 'Like' }] },
    }),
  ),
  dry(
    'webhook-conditions',
    both,
    webhook({
      matchConditions: [
        { name: 'ok', expression: "request.operation == 'CREATE' && object.metadata.name != 'x' && !has(oldObject.spec)" },
        { name: 'ok', expression: '1 + 1' },
        { name: '', expression: ' ' },
        { name: 'not ok', expression: 'params.x' },
        { name: 'variables', expression: 'variables.x' },
        { name: 'authorizer', expression: "authorizer.group('').resource('pods').check('create').allowed()" },
      ],
    }),
  ),
  {
    id: 'webhook-updates',
    steps: [
      post(VALIDATING, { metadata: { name: 'webhook-updates' }, webhooks: [webhook()] }, ['metadata.generation', 'webhooks']),
      patch(`${VALIDATING}/webhook-updates`, { metadata: { labels: { a: 'b' } } }, { look: ['metadata.generation'] }),
      patch(`${VALIDATING}/webhook-updates`, { webhooks: [webhook({ timeoutSeconds: 5 })] }, { look: ['metadata.generation'] }),
      patch(`${VALIDATING}/webhook-updates`, { webhooks: [webhook({ sideEffects: 'Some' })] }),
      { method: 'PUT', path: `${VALIDATING}/webhook-updates`, body: { metadata: { name: 'webhook-updates' }, webhooks: [] } },
      { method: 'DELETE', path: `${VALIDATING}/webhook-updates` },
    ],
  },
];
