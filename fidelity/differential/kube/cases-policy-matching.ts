import type { ApiCase, Step } from './case.ts';
import { BINDINGS, POLICIES, configMap, deployment, patch, pod, policyCase, post, remove, rule } from './policy-case.ts';
import type { Spec } from './policy-case.ts';

/* ValidatingAdmissionPolicies in force: what they apply to, with which parameters. */

const PARAMS = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const paramRef = (more: Spec): { binding: Spec } => ({ binding: { paramRef: { parameterNotFoundAction: 'Deny', ...more } } });
/** A ConfigMap that no rule is about, since it is created before. */
const param = (name: string, data: Spec, labels: Spec = {}): Step => configMap(name, data, labels);

export const POLICY_MATCHING_CASES: readonly ApiCase[] = [
  policyCase(
    'policy-match-conditions',
    [
      {
        spec: {
          matchConditions: [
            { name: 'not-exempt', expression: "object.metadata.name != 'exempt'" },
            { name: 'has-level', expression: "object.data.level == 'high'" },
          ],
          validations: [{ expression: 'false', message: 'too high' }],
        },
      },
    ],
    [configMap('a', { level: 'high' }), configMap('b', { level: 'low' }), configMap('exempt'), configMap('c')],
  ),
  policyCase(
    'policy-match-conditions-ignore',
    [
      {
        spec: {
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'has-level', expression: "object.data.level == 'high'" }],
          validations: [{ expression: 'false', message: 'too high' }],
        },
      },
    ],
    [configMap('a', { level: 'high' }), configMap('c')],
  ),
  policyCase(
    'policy-params',
    [
      {
        spec: {
          ...PARAMS,
          validations: [
            {
              expression: 'object.metadata.name.size() <= int(params.data.longest)',
              messageExpression: "'at most ' + params.data.longest + ' by ' + params.metadata.name + params.kind",
            },
          ],
        },
        ...paramRef({ name: 'limits' }),
      },
    ],
    [configMap('abc'), configMap('abcdef')],
    [param('limits', { longest: '4' })],
  ),
  policyCase(
    'policy-params-missing',
    [{ spec: { ...PARAMS, validations: [{ expression: 'false' }] }, ...paramRef({ name: 'limits' }) }],
    [configMap('abc')],
  ),
  policyCase(
    'policy-params-missing-allowed',
    [{ spec: { ...PARAMS, validations: [{ expression: 'false' }] }, ...paramRef({ name: 'limits', parameterNotFoundAction: 'Allow' }) }],
    [configMap('abc')],
  ),
  policyCase(
    'policy-params-missing-ignored',
    [{ spec: { ...PARAMS, failurePolicy: 'Ignore', validations: [{ expression: 'false' }] }, ...paramRef({ name: 'limits' }) }],
    [configMap('abc')],
  ),
  policyCase(
    'policy-params-selector',
    [
      {
        spec: {
          ...PARAMS,
          validations: [{ expression: '!(params.data.word in object.data)', messageExpression: "'not ' + params.data.word" }],
        },
        ...paramRef({ selector: { matchLabels: { use: 'words' } } }),
      },
    ],
    [configMap('a', { one: 'x' }), configMap('b', { two: 'x' }), configMap('c', { three: 'x' })],
    [
      param('first', { word: 'one' }, { use: 'words' }),
      param('second', { word: 'two' }, { use: 'words' }),
      param('other', { word: 'three' }),
    ],
  ),
  policyCase(
    'policy-params-selector-empty',
    [{ spec: { ...PARAMS, validations: [{ expression: 'false' }] }, ...paramRef({ selector: { matchLabels: { use: 'none' } } }) }],
    [configMap('a')],
  ),
  policyCase(
    'policy-params-null',
    [
      {
        spec: {
          ...PARAMS,
          validations: [
            { expression: 'params == null', message: 'there are some' },
            { expression: "object.metadata.name != 'b' || params.data.x == 'y'" },
          ],
        },
      },
    ],
    [configMap('a'), configMap('b')],
  ),
  policyCase(
    'policy-params-elsewhere',
    [
      {
        spec: {
          ...PARAMS,
          validations: [
            {
              expression: 'params.metadata.namespace == object.metadata.namespace',
              messageExpression: "'it is from ' + params.metadata.namespace",
            },
          ],
        },
        ...paramRef({ name: 'policy-params-elsewhere', namespace: 'default' }),
      },
    ],
    [configMap('a')],
    [post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'policy-params-elsewhere' } })],
  ),
  policyCase(
    'policy-params-cluster',
    [
      {
        spec: {
          paramKind: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
          validations: [{ expression: 'params.value == 7', messageExpression: 'string(params.value)' }],
        },
        ...paramRef({ name: 'policy-params-cluster' }),
      },
    ],
    [configMap('a')],
    [post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'policy-params-cluster' }, value: 6 })],
  ),
  policyCase(
    'policy-params-cluster-namespace',
    [
      {
        spec: { paramKind: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }, validations: [{ expression: 'true' }] },
        ...paramRef({ name: 'any', namespace: 'default' }),
      },
    ],
    [configMap('a')],
  ),
  policyCase(
    'policy-params-unknown-kind',
    [
      {
        spec: { paramKind: { apiVersion: 'nowhere.example.com/v1', kind: 'Limit' }, validations: [{ expression: 'true' }] },
        ...paramRef({ name: 'x' }),
      },
    ],
    [configMap('a')],
  ),
  policyCase(
    'policy-object-selector',
    [
      {
        constraints: { objectSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold'] }] } },
        spec: { validations: [{ expression: 'false', message: 'no gold' }] },
      },
    ],
    [
      configMap('a', {}, { tier: 'gold' }),
      configMap('b', {}, { tier: 'iron' }),
      patch('NAMESPACE/configmaps/b', { metadata: { labels: { tier: 'gold' } } }),
      configMap('c'),
    ],
  ),
  policyCase(
    'policy-binding-resources',
    [
      {
        spec: { validations: [{ expression: 'false', message: 'not here' }] },
        binding: { matchResources: { namespaceSelector: { matchLabels: { team: 'red' } } } },
      },
      {
        spec: { validations: [{ expression: 'false', message: 'not b' }] },
        binding: { matchResources: { resourceRules: [{ ...rule('configmaps'), resourceNames: ['b'] }] } },
      },
    ],
    [configMap('a'), configMap('b')],
  ),
  policyCase(
    'policy-excluded',
    [
      {
        rules: [rule('*', ['*'], '*', { scope: 'Namespaced' })],
        constraints: {
          excludeResourceRules: [
            rule('secrets', ['*']),
            { ...rule('configmaps', ['*']), resourceNames: ['spared'] },
            rule('endpoints', ['CREATE']),
          ],
        },
        spec: { validations: [{ expression: 'false', message: 'nothing' }] },
      },
    ],
    [
      configMap('a'),
      configMap('spared'),
      remove('NAMESPACE/configmaps/spared'),
      post('NAMESPACE/endpoints', { metadata: { name: 'e' } }),
      patch('NAMESPACE/endpoints/e', { metadata: { labels: { a: 'b' } } }),
      post('/apis/coordination.k8s.io/v1/namespaces/OWN/leases', { metadata: { name: 'l' } }),
      post('/apis/authorization.k8s.io/v1/namespaces/OWN/localsubjectaccessreviews', {
        metadata: { namespace: 'policy-excluded' },
        spec: { user: 'a', resourceAttributes: { namespace: 'policy-excluded', verb: 'get', resource: 'pods' } },
      }),
    ],
  ),
  policyCase(
    'policy-scope',
    [
      {
        rules: [rule('*', ['CREATE'], '', { scope: 'Namespaced' })],
        constraints: { excludeResourceRules: [rule('secrets', ['*'])] },
        spec: { validations: [{ expression: "object.metadata.name != 'named'", message: 'namespaced' }] },
      },
      {
        rules: [rule('namespaces', ['UPDATE'], '', { scope: 'Cluster' })],
        spec: { validations: [{ expression: '!has(object.metadata.labels.stop)', messageExpression: "'cluster ' + request.namespace" }] },
      },
    ],
    [
      configMap('named'),
      configMap('other'),
      patch('NAMESPACE', { metadata: { labels: { stop: 'x' } } }),
      patch('NAMESPACE', { metadata: { labels: { go: 'x' } } }),
      patch('NAMESPACE/configmaps/other', { metadata: { labels: { stop: 'x' } } }),
    ],
  ),
  policyCase(
    'policy-cluster-scoped',
    [
      {
        rules: [
          { ...rule('priorityclasses', ['CREATE'], 'scheduling.k8s.io', { scope: 'Cluster' }), resourceNames: ['policy-cluster-scoped'] },
        ],
        constraints: { namespaceSelector: { matchLabels: { no: 'such' } } },
        spec: {
          validations: [
            { expression: 'namespaceObject == null && !has(request.namespace)', message: 'there is one' },
            { expression: 'object.value < 100', message: 'too much' },
          ],
        },
      },
    ],
    [
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'policy-cluster-scoped' }, value: 1000 }),
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'policy-cluster-scoped' }, value: 10 }),
    ],
  ),
  policyCase(
    'policy-equivalent',
    [
      {
        rules: [rule('events', ['CREATE'], 'events.k8s.io')],
        spec: {
          validations: [
            {
              expression: "!has(object.note) || object.note != 'stop'",
              messageExpression:
                "request.kind.group + ' ' + request.requestKind.group + ' ' + request.requestResource.resource + ' ' + object.apiVersion",
            },
          ],
        },
      },
      {
        rules: [rule('events', ['UPDATE'], 'events.k8s.io')],
        constraints: { matchPolicy: 'Exact' },
        spec: { validations: [{ expression: 'false', message: 'exact' }] },
      },
    ],
    [
      post('NAMESPACE/events', {
        metadata: { name: 'a' },
        involvedObject: { namespace: 'policy-equivalent' },
        message: 'stop',
        reason: 'x',
        type: 'Normal',
      }),
      post('NAMESPACE/events', {
        metadata: { name: 'b' },
        involvedObject: { namespace: 'policy-equivalent' },
        message: 'go',
        reason: 'x',
        type: 'Normal',
      }),
      patch('NAMESPACE/events/b', { message: 'stop' }),
    ],
  ),
  policyCase(
    'policy-status',
    [
      {
        rules: [rule('pods', ['UPDATE'])],
        spec: { validations: [{ expression: '!has(object.metadata.labels.stop)', message: 'no label' }] },
      },
      {
        rules: [rule('pods/status', ['UPDATE'])],
        spec: {
          validations: [{ expression: "request.subResource == 'status' && object.status.phase != 'Failed'", message: 'it must not fail' }],
        },
      },
    ],
    [
      pod('a'),
      patch('NAMESPACE/pods/a', { metadata: { labels: { stop: 'x' } } }),
      patch('NAMESPACE/pods/a/status', { status: { phase: 'Failed' } }),
      patch('NAMESPACE/pods/a/status', { status: { phase: 'Running' } }),
      patch('NAMESPACE/pods/a/status', { metadata: { labels: { stop: 'x' } } }),
    ],
  ),
  policyCase(
    'policy-pod-actions',
    [
      {
        rules: [rule('pods/eviction', ['CREATE'])],
        spec: {
          validations: [
            {
              expression: "object.metadata.name != 'a'",
              messageExpression: "request.kind.kind + ' ' + request.kind.group + ' ' + request.subResource + ' ' + request.name",
            },
          ],
        },
      },
      {
        rules: [rule('pods/binding', ['CREATE'])],
        spec: {
          validations: [
            {
              expression: "object.target.name != 'a'",
              messageExpression: "request.kind.kind + ' ' + request.name + ' ' + object.target.name",
            },
          ],
        },
      },
      { rules: [rule('pods', ['DELETE'])], spec: { validations: [{ expression: "oldObject.metadata.name != 'b'", message: 'not b' }] } },
    ],
    [
      pod('a'),
      pod('b'),
      post('NAMESPACE/pods/a/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }),
      post('NAMESPACE/pods/a/binding', { metadata: { name: 'a' }, target: { kind: 'Node', name: 'a' } }),
      remove('NAMESPACE/pods/b'),
      post('NAMESPACE/pods/b/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'b' } }),
      { method: 'GET', path: 'NAMESPACE/pods/b' },
      post('NAMESPACE/pods/none/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }),
    ],
  ),
  policyCase(
    'policy-scale',
    [
      {
        rules: [rule('deployments/scale', ['UPDATE'], 'apps')],
        spec: {
          validations: [
            {
              expression: 'object.spec.replicas <= 3',
              messageExpression:
                "request.kind.group + '/' + object.kind + ': from ' + string(oldObject.spec.replicas) + ' to ' + string(object.spec.replicas)",
            },
          ],
        },
      },
      {
        rules: [rule('deployments', ['CREATE', 'UPDATE'], 'apps')],
        spec: {
          validations: [
            {
              expression: 'object.spec.replicas <= 5 && object.spec.template.spec.containers.all(c, !has(c.resources.requests))',
              message: 'at most 5',
            },
          ],
        },
      },
    ],
    [
      deployment('a', 2),
      patch('/apis/apps/v1/namespaces/OWN/deployments/a/scale', { spec: { replicas: 4 } }),
      patch('/apis/apps/v1/namespaces/OWN/deployments/a/scale', { spec: { replicas: 3 } }),
      patch('/apis/apps/v1/namespaces/OWN/deployments/a', { spec: { replicas: 4 } }),
      patch('/apis/apps/v1/namespaces/OWN/deployments/a', { spec: { replicas: 6 } }),
      deployment('b', 6),
    ],
  ),
  policyCase(
    'policy-unbound',
    [{ spec: { validations: [{ expression: 'false', message: 'bound' }] } }],
    [configMap('a'), remove(`${BINDINGS}/policy-unbound-1`), { ...configMap('a'), until: 201 }],
  ),
  policyCase(
    'policy-exempt',
    [
      {
        rules: [rule('*', ['*'], 'admissionregistration.k8s.io'), rule('selfsubjectreviews', ['*'], 'authentication.k8s.io')],
        constraints: { namespaceSelector: {} },
        spec: { validations: [{ expression: 'false' }] },
      },
    ],
    [
      patch(`${POLICIES}/policy-exempt-1`, { metadata: { labels: { a: 'b' } } }, { look: ['metadata.generation'] }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}),
      remove(`${BINDINGS}/policy-exempt-1`),
    ],
  ),
];
