import type { ApiCase, Step } from './case.ts';
import { BINDINGS, POLICIES, post, rule } from './policy-case.ts';
import type { Spec } from './policy-case.ts';

/*
 * ValidatingAdmissionPolicies and their bindings as objects: what is stored, and what is refused. None of these policies is in force,
 * since those that are stored have no binding, or apply to nothing.
 */

const MATCH = { matchConstraints: { resourceRules: [rule('configmaps')] } };
const TRUE = { validations: [{ expression: 'true' }] };

/** A policy with a spec that is complete except for what is given. */
const policy = (name: string, spec: Spec): Step => post(POLICIES, { metadata: { name }, spec: { ...MATCH, ...TRUE, ...spec } });
const expressions = (name: string, ...all: readonly string[]): Step[] =>
  all.map((expression) => policy(name, { validations: [{ expression }] }));
const binding = (name: string, spec: Spec): Step => post(BINDINGS, { metadata: { name }, spec });
const matching = (name: string, ...all: readonly Spec[]): Step[] =>
  all.map((constraints) => policy(name, { matchConstraints: constraints }));
const rules = (name: string, ...all: readonly Spec[]): Step[] =>
  matching(name, ...all.map((changed) => ({ resourceRules: [{ ...rule('configmaps'), ...changed }] })));

export const POLICY_OBJECT_CASES: readonly ApiCase[] = [
  {
    id: 'policy-stored',
    steps: [
      post(POLICIES, { metadata: { name: 'policy-stored' }, spec: { ...MATCH, ...TRUE }, status: { observedGeneration: 7 } }, [
        'spec',
        'metadata.generation',
        'status',
      ]),
      {
        method: 'PATCH',
        path: `${POLICIES}/policy-stored`,
        contentType: 'application/merge-patch+json',
        body: { spec: { matchConstraints: { excludeResourceRules: [rule('secrets')] } } },
        look: ['spec', 'metadata.generation'],
      },
      {
        method: 'PATCH',
        path: `${POLICIES}/policy-stored`,
        contentType: 'application/merge-patch+json',
        body: { spec: { failurePolicy: 'Never' } },
      },
      { method: 'PUT', path: `${POLICIES}/policy-stored`, body: { metadata: { name: 'policy-stored' }, spec: { ...MATCH, ...TRUE } } },
      { method: 'PUT', path: `${POLICIES}/policy-none`, body: { metadata: { name: 'policy-none' }, spec: { ...MATCH, ...TRUE } } },
      post(
        BINDINGS,
        {
          metadata: { name: 'policy-stored' },
          spec: {
            policyName: 'policy-none',
            validationActions: ['Warn'],
            matchResources: {},
            paramRef: { name: 'a', parameterNotFoundAction: 'Deny' },
          },
        },
        ['spec', 'metadata.generation'],
      ),
      {
        method: 'PATCH',
        path: `${BINDINGS}/policy-stored`,
        contentType: 'application/merge-patch+json',
        body: { spec: { validationActions: ['Audit'] } },
        look: ['spec', 'metadata.generation'],
      },
      { method: 'DELETE', path: `${BINDINGS}/policy-stored` },
      { method: 'DELETE', path: `${POLICIES}/policy-stored` },
    ],
  },
  {
    id: 'policy-empty',
    steps: [
      post(POLICIES, { metadata: { name: 'policy-empty' } }),
      post(POLICIES, { metadata: { name: 'policy-empty' }, spec: { matchConstraints: {}, validations: [] } }),
      post(POLICIES, { metadata: { name: 'Policy_Empty' }, spec: { ...MATCH, ...TRUE } }),
      policy('policy-empty', { failurePolicy: 'Warn' }),
      post(BINDINGS, { metadata: { name: 'policy-empty' } }),
    ],
  },
  {
    id: 'policy-param-kinds',
    steps: [
      {},
      { apiVersion: 'v1', kind: 'Config_Map' },
      { apiVersion: 'a/b/c', kind: 'X' },
      { apiVersion: 'A.b/V1', kind: 'X' },
      { apiVersion: 'apps/', kind: 'X' },
    ].map((paramKind) => policy('policy-param-kinds', { paramKind })),
  },
  {
    id: 'policy-bad-rules',
    steps: [
      ...rules(
        'policy-bad-rules',
        { apiGroups: [], apiVersions: [], resources: [], operations: [] },
        { apiGroups: ['', '*'], apiVersions: ['*', 'v1'], operations: ['*', 'CREATE'] },
        { apiVersions: [''], resources: [''], operations: ['READ'] },
        { resources: ['*', 'pods'] },
        { resources: ['*/*', 'pods/status'] },
        { resources: ['pods/*', 'pods/status'] },
        { resources: ['*/status', 'pods/status'] },
        { scope: 'World' },
        { resourceNames: ['a', 'a', 'b/c'] },
      ),
      ...matching(
        'policy-bad-rules',
        { resourceRules: [rule('configmaps')], matchPolicy: 'Similar' },
        {
          resourceRules: [rule('configmaps')],
          namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
          objectSelector: { matchLabels: { 'a b': 'c d' } },
        },
        { resourceRules: [], excludeResourceRules: [{}] },
      ),
    ],
  },
  {
    id: 'policy-bad-conditions',
    steps: [
      policy('policy-bad-conditions', {
        matchConditions: [
          { name: 'a', expression: 'true' },
          { name: 'a', expression: ' ' },
          { name: 'b c', expression: 'x' },
          { name: '', expression: '1' },
        ],
      }),
      policy('policy-bad-conditions', {
        matchConditions: Array.from({ length: 65 }, (_, index) => ({ name: `n${index}`, expression: 'true' })),
      }),
      policy('policy-bad-conditions', {
        variables: [{ name: 'x', expression: '1' }],
        matchConditions: [{ name: 'a', expression: 'variables.x == 1' }],
      }),
      policy('policy-bad-conditions', { matchConditions: [{ name: 'a', expression: 'params.x == 1' }] }),
    ],
  },
  {
    id: 'policy-bad-variables',
    steps: [
      policy('policy-bad-variables', {
        variables: [
          { name: 'for', expression: '1' },
          { name: 'a-b', expression: '1' },
          { name: ' ', expression: ' ' },
        ],
      }),
      policy('policy-bad-variables', {
        variables: [
          { name: 'a', expression: 'variables.b' },
          { name: 'b', expression: '1' },
        ],
      }),
      policy('policy-bad-variables', {
        variables: [{ name: 'a', expression: 'nothing' }],
        validations: [{ expression: 'variables.a == 1' }],
      }),
      policy('policy-bad-variables', {
        variables: [{ name: 'a', expression: '"x"' }],
        validations: [{ expression: 'variables.a == 1' }, { expression: 'variables.c' }, { expression: 'variables.a' }],
      }),
      policy('policy-bad-variables', {
        variables: [
          { name: 'a', expression: '[1]' },
          { name: 'b', expression: '{"a": true}' },
        ],
        validations: [{ expression: 'variables.a' }, { expression: 'variables.b' }, { expression: 'variables.b["a"]' }],
      }),
    ],
  },
  {
    id: 'policy-bad-validations',
    steps: [
      policy('policy-bad-validations', {
        validations: [
          { expression: ' ' },
          { expression: 'true', message: ' ', messageExpression: ' ' },
          { expression: 'true', message: 'a\nb' },
          { expression: 'true', reason: 'Gone' },
          { expression: 'true', messageExpression: '1' },
          { expression: 'true', messageExpression: 'object' },
        ],
      }),
      policy('policy-bad-validations', { validations: [{ expression: 'true\n|| false' }] }),
      policy('policy-bad-validations', { validations: [{ expression: '\n  foo' }] }),
    ],
  },
  {
    id: 'policy-bad-annotations',
    steps: [
      policy('policy-bad-annotations', {
        auditAnnotations: [
          { key: 'a', valueExpression: "'x'" },
          { key: 'a', valueExpression: 'null' },
          { key: 'a b', valueExpression: ' ' },
          { key: 'c', valueExpression: '1' },
          { key: 'd', valueExpression: 'object.metadata' },
          { key: 'e', valueExpression: 'foo' },
        ],
      }),
      policy('policy-bad-annotations', {
        auditAnnotations: Array.from({ length: 21 }, (_, index) => ({ key: `k${index}`, valueExpression: "'x'" })),
      }),
    ],
  },
  {
    id: 'policy-undeclared',
    steps: expressions(
      'policy-undeclared',
      'self.x == 1',
      'object.metadata.name == other',
      'foo(object)',
      'object.metadata.name.foo()',
      'params == null',
      'variables.x == 1',
      'oldSelf == null',
    ),
  },
  {
    id: 'policy-types',
    steps: expressions(
      'policy-types',
      '1',
      '"a"',
      'null',
      'object.spec',
      '[1]',
      '{"a": 1}',
      'request',
      'request.kind',
      'namespaceObject',
      'authorizer',
      'duration("1s")',
      'timestamp("2024-01-01T00:00:00Z")',
      'quantity("1")',
      'object.?spec',
    ),
  },
  {
    id: 'policy-request-types',
    steps: expressions(
      'policy-request-types',
      'request.name == 1',
      'request.object == null',
      'request.userInfo.name == ""',
      'request.kind.resource == ""',
      'namespaceObject.metadata.ownerReferences == []',
      'namespaceObject.data == null',
      'request.dryRun == "x"',
      'request.userInfo.extra["a"] == "b"',
      'authorizer.group("a").check("x").allowed()',
      'authorizer.requestResource == 1',
    ),
  },
  {
    id: 'policy-message-authorizer',
    steps: [
      policy('policy-message-authorizer', {
        validations: [{ expression: 'true', messageExpression: "authorizer.path('/x').check('get').reason()" }],
      }),
    ],
  },
  { id: 'policy-syntax', steps: expressions('policy-syntax', 'object.', 'object.metadata.name ==', "'a") },
  {
    id: 'policy-bad-bindings',
    steps: [
      binding('policy-bad-bindings', { policyName: 'A_b', validationActions: ['Deny', 'Warn'] }),
      binding('policy-bad-bindings', { policyName: 'a', validationActions: ['Deny', 'Deny', 'Log'] }),
      binding('policy-bad-bindings', { policyName: 'a', validationActions: ['Deny'], paramRef: {} }),
      binding('policy-bad-bindings', {
        policyName: 'a',
        validationActions: ['Deny'],
        paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Warn' },
      }),
      binding('policy-bad-bindings', {
        policyName: 'a',
        validationActions: ['Deny'],
        paramRef: { name: 'a/b', parameterNotFoundAction: 'Deny' },
      }),
      binding('policy-bad-bindings', {
        policyName: 'a',
        validationActions: ['Deny'],
        paramRef: { selector: { matchLabels: { a: 'b c' } }, parameterNotFoundAction: 'Allow' },
      }),
      binding('policy-bad-bindings', {
        policyName: 'a',
        validationActions: ['Deny'],
        matchResources: { matchPolicy: 'Other', resourceRules: [{ operations: ['CREATE'] }] },
      }),
    ],
  },
];
