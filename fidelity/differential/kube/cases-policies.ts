import type { ApiCase } from './case.ts';
import { checks, configMap, patch, pod, policyCase, post, remove, rule, served } from './policy-case.ts';

/* ValidatingAdmissionPolicies in force: their expressions and answers. */

export const POLICY_CASES: readonly ApiCase[] = [
  policyCase(
    'policy-deny',
    [
      {
        spec: {
          validations: [
            { expression: "!object.metadata.name.startsWith('bad')" },
            { expression: "!has(object.data) || !('secret' in object.data)", message: ' no secrets in here ' },
          ],
        },
      },
    ],
    [
      configMap('good'),
      configMap('bad'),
      configMap('worse', { secret: 'x' }),
      configMap('bad-too', { secret: 'x' }),
      patch('NAMESPACE/configmaps/good', { data: { secret: 'x' } }),
      { method: 'PUT', path: 'NAMESPACE/configmaps/good', body: { metadata: { name: 'good' }, data: { secret: 'y' } } },
      {
        ...patch(
          'NAMESPACE/configmaps/applied?fieldManager=me',
          JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { secret: 'z' } }),
        ),
        contentType: 'application/apply-patch+yaml',
      },
      patch('NAMESPACE/configmaps/good', { data: { open: 'x' } }),
      post('NAMESPACE/configmaps?dryRun=All', { metadata: { name: 'bad' } }),
      remove('NAMESPACE/configmaps/good'),
      configMap('bad'),
    ],
  ),
  policyCase(
    'policy-reasons',
    [
      {
        spec: {
          validations: ['Forbidden', 'Invalid', 'RequestEntityTooLarge'].map((reason) => ({
            expression: `object.metadata.name != '${reason.toLowerCase()}'`,
            reason,
          })),
        },
      },
    ],
    ['forbidden', 'invalid', 'requestentitytoolarge', 'fine'].map((name) => configMap(name)),
  ),
  policyCase(
    'policy-message-expression',
    [
      {
        spec: {
          validations: [
            { expression: "object.metadata.name != 'made'", message: 'plain', messageExpression: "'it is called ' + object.metadata.name" },
            { expression: "object.metadata.name != 'failing'", message: 'plain', messageExpression: 'object.nothing' + " + 'x'" },
            { expression: "object.metadata.name != 'lines'", message: 'plain', messageExpression: String.raw`'a\nb'` },
            { expression: "object.metadata.name != 'blank'", messageExpression: "'  '" },
          ],
        },
      },
    ],
    ['made', 'failing', 'lines', 'blank', 'fine'].map((name) => configMap(name)),
  ),
  policyCase(
    'policy-variables',
    [
      {
        spec: {
          variables: [
            { name: 'data', expression: 'has(object.data) ? object.data : {}' },
            { name: 'size', expression: 'variables.data.size()' },
            { name: 'unused', expression: 'object.nothing.at.all' },
            { name: 'broken', expression: 'int(variables.data.number)' },
          ],
          validations: [
            { expression: 'variables.size <= 2', messageExpression: "'there are ' + string(variables.size)" },
            { expression: "!('number' in variables.data) || variables.broken < 5" },
          ],
        },
      },
    ],
    [
      configMap('a', { a: '1', b: '2' }),
      configMap('b', { a: '1', b: '2', c: '3' }),
      configMap('c', { number: '3' }),
      configMap('d', { number: '7' }),
      configMap('e', { number: 'seven' }),
    ],
  ),
  policyCase(
    'policy-runtime-errors',
    [
      {
        spec: {
          validations: [
            { expression: "object.metadata.name != 'key' || object.data.level == 'high'" },
            { expression: "object.metadata.name != 'type' || object.data.level > 3" },
            { expression: "object.metadata.name != 'zero' || 1 / size(object.metadata.labels) == 3" },
            { expression: "object.metadata.name != 'index' || object.metadata.finalizers[1] == 'x'" },
            { expression: "object.metadata.name != 'old' || oldObject.data.level == 'high'" },
            { expression: "object.metadata.name != 'bool' || object.data" },
          ],
        },
      },
    ],
    [
      configMap('key'),
      configMap('type', { level: '4' }),
      configMap('zero'),
      post('NAMESPACE/configmaps', { metadata: { name: 'index', finalizers: ['a/b'] } }),
      configMap('old'),
      configMap('bool', { a: 'b' }),
      configMap('fine'),
    ],
  ),
  policyCase(
    'policy-failure-ignore',
    [
      {
        spec: {
          failurePolicy: 'Ignore',
          validations: [{ expression: "object.data.level == 'high'" }, { expression: "object.metadata.name != 'b'" }],
        },
      },
    ],
    [configMap('a'), configMap('b'), configMap('c', { level: 'low' })],
  ),
  policyCase(
    'policy-old-object',
    [
      {
        rules: [rule('configmaps', ['UPDATE'])],
        spec: { validations: [{ expression: 'object.data.size() >= oldObject.data.size()', message: 'it must not shrink' }] },
      },
    ],
    [
      configMap('a', { a: '1', b: '2' }),
      patch('NAMESPACE/configmaps/a', { data: { a: null } }),
      patch('NAMESPACE/configmaps/a', { data: { c: '3' } }),
      // Unchanged.
      patch('NAMESPACE/configmaps/a', {}),
    ],
  ),
  policyCase(
    'policy-unchanged',
    [{ rules: [rule('configmaps', ['UPDATE'])], spec: { validations: [{ expression: 'false', message: 'no updates' }] } }],
    [
      configMap('a'),
      patch('NAMESPACE/configmaps/a', {}),
      { method: 'PUT', path: 'NAMESPACE/configmaps/a', body: { metadata: { name: 'a' } } },
    ],
  ),
  policyCase(
    'policy-delete',
    [
      {
        rules: [rule('configmaps', ['DELETE'])],
        spec: {
          validations: [
            {
              expression: "object == null && oldObject.metadata.labels['keep'] != 'yes'",
              messageExpression: "'keep ' + oldObject.metadata.name + request.operation",
            },
          ],
        },
      },
    ],
    [
      configMap('a', {}, { keep: 'yes' }),
      configMap('b', {}, { keep: 'no' }),
      remove('NAMESPACE/configmaps/a'),
      remove('NAMESPACE/configmaps/a?dryRun=All'),
      remove('NAMESPACE/configmaps/b'),
      remove('NAMESPACE/configmaps?labelSelector=keep%3Dyes'),
      remove('NAMESPACE/configmaps/none'),
      { method: 'DELETE', path: 'NAMESPACE/configmaps/a', body: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } } },
    ],
  ),
  policyCase(
    'policy-request',
    [
      {
        spec: {
          validations: [
            "request.operation == (oldObject == null ? 'CREATE' : 'UPDATE') && request.name == object.metadata.name",
            "request.kind.kind == 'ConfigMap' && request.kind.group == '' && request.kind.version == 'v1'",
            "request.resource.resource == 'configmaps' && request.requestResource == request.resource",
            "request.namespace == 'policy-request' && !has(request.subResource) && !has(request.requestSubResource)",
            "request.userInfo.username != '' && request.userInfo.groups.size() > 0",
            '!request.dryRun && !has(request.options.dryRun)',
            "request.options.kind == (request.operation == 'UPDATE' ? 'UpdateOptions' : 'CreateOptions') && request.options.apiVersion == 'meta.k8s.io/v1'",
            "object.metadata.name != 'missing' || request.subResource == ''",
          ].map((expression) => ({ expression })),
        },
      },
    ],
    [configMap('a'), patch('NAMESPACE/configmaps/a', { data: { x: 'y' } }), configMap('missing')],
  ),
  policyCase(
    'policy-request-dry-run',
    [checks('request.dryRun', "has(request.options.dryRun) && request.options.dryRun == ['All']")],
    [configMap('a'), post('NAMESPACE/configmaps?dryRun=All', { metadata: { name: 'a' } })],
  ),
  policyCase(
    'policy-generated-name',
    [checks("request.name == object.metadata.name && object.metadata.name.size() == 10 && object.metadata.generateName == 'made-'")],
    [post('NAMESPACE/configmaps', { metadata: { generateName: 'made-' } }), configMap('made-12345')],
  ),
  policyCase(
    'policy-namespace-object',
    [
      {
        spec: {
          matchConditions: [{ name: 'none-here', expression: 'namespaceObject == null' }],
          validations: [
            { expression: "namespaceObject.metadata.labels['team'] == 'blue'" },
            { expression: "namespaceObject.status.phase == 'Active' && namespaceObject.spec.finalizers == ['kubernetes']" },
            { expression: 'has(namespaceObject.metadata.creationTimestamp) && !has(namespaceObject.metadata.generateName)' },
            { expression: "object.metadata.name != 'a' || namespaceObject.metadata.annotations['x'] == 'y'" },
          ],
        },
      },
    ],
    [configMap('a'), configMap('b')],
  ),
  policyCase(
    'policy-warn',
    [
      {
        spec: {
          validations: [
            { expression: "!('a' in object.data)", message: 'a is old' },
            { expression: "!('b' in object.data)", message: 'b is "old"' },
          ],
        },
        binding: { validationActions: ['Warn', 'Audit'] },
      },
      { spec: { validations: [{ expression: "!('c' in object.data)", message: 'c is gone' }] } },
      {
        spec: { validations: [{ expression: "!('d' in object.data)", message: 'd is noted' }] },
        binding: { validationActions: ['Audit'] },
      },
    ],
    [
      configMap('a', { a: '1' }),
      configMap('b', { a: '1', b: '2' }),
      configMap('c', { a: '1', c: '2' }),
      configMap('d', { d: '1' }),
      configMap('e', { e: '1' }),
    ].map((step) => ({ ...step, warnings: true })),
  ),
  policyCase(
    'policy-audit-annotations',
    [
      {
        spec: {
          auditAnnotations: [
            { key: 'level', valueExpression: "'level ' + object.data.level" },
            { key: 'none', valueExpression: "object.metadata.name == 'x' ? 'x' : ''" },
          ],
        },
      },
    ],
    [configMap('a', { level: 'high' }), configMap('b')],
  ),
  policyCase(
    'policy-authorizer',
    [
      checks(
        "authorizer.group('').resource('configmaps').namespace(object.metadata.namespace).name('x').check('create').allowed()",
        "authorizer.requestResource.check('delete').allowed() && authorizer.path('/healthz').check('get').allowed()",
        "authorizer.group('apps').resource('deployments').subresource('scale').check('update').errored() == false",
        "object.metadata.name != 'b' || authorizer.group('').resource('pods').check('get').error() != ''",
      ),
    ],
    [configMap('a'), configMap('b')],
  ),
  policyCase(
    'policy-order',
    [
      {
        rules: [rule('pods', ['CREATE'])],
        spec: {
          validations: [
            {
              expression: "object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits)",
              message: 'every container needs a memory limit',
            },
            { expression: "object.spec.priority == 0 && object.spec.tolerations.size() == 2 && object.spec.serviceAccountName == 'mine'" },
            { expression: "object.metadata.name != 'denied'", message: 'denied' },
          ],
        },
      },
    ],
    [
      pod('a'),
      pod('invalid', {}, { restartPolicy: 'Sometimes' }),
      pod('denied', {}, { restartPolicy: 'Sometimes' }),
      pod('denied', { requests: { memory: '3Gi' }, limits: { memory: '3Gi' } }),
      pod('large', { requests: { memory: '3Gi' }, limits: { memory: '3Gi' } }),
      pod('a'),
      pod('denied', { requests: { memory: '1Mi' } }),
    ],
    [
      post('NAMESPACE/limitranges', {
        metadata: { name: 'l' },
        spec: { limits: [{ type: 'Container', default: { memory: '1Gi' }, min: { memory: '2Mi' } }] },
      }),
      post('NAMESPACE/resourcequotas', { metadata: { name: 'q' }, spec: { hard: { 'limits.memory': '2Gi' } } }),
      patch('NAMESPACE/resourcequotas/q/status', { status: { hard: { 'limits.memory': '2Gi' }, used: { 'limits.memory': '0' } } }),
    ],
  ),
  policyCase(
    'policy-quota-first',
    [
      {
        rules: [rule('pods', ['CREATE'])],
        spec: {
          validations: [
            {
              expression:
                'has(object.spec.containers[0].resources) && !has(object.spec.containers[0].resources.limits) && has(object.status) && has(object.metadata.creationTimestamp)',
            },
          ],
        },
      },
    ],
    [pod('a')],
  ),
  policyCase(
    'policy-functions',
    [
      checks(
        "object.metadata.name != 'a' || quantity(object.data.memory).isLessThan(quantity('1Gi'))",
        "object.metadata.name != 'b' || object.data.image.matches('^registry.example.com/.+:[0-9.]+$')",
        "object.metadata.name != 'c' || object.data.hosts.split(',').all(h, h.endsWith('.example.com'))",
        "object.metadata.name != 'd' || object.?data[?'level'].orValue('none') == 'high'",
        "object.metadata.name != 'e' || object.metadata.labels.exists_one(key, key.startsWith('team'))",
        "object.metadata.name != 'f' || [object.data.a, object.data.b].isSorted() || ip(object.data.a).family() == 4",
      ),
    ],
    [
      configMap('a', { memory: '2Gi' }),
      configMap('a', { memory: '200Mi' }),
      configMap('b', { image: 'docker.io/x:1' }),
      configMap('b', { image: 'registry.example.com/x:1.2' }),
      configMap('c', { hosts: 'a.example.com,b.example.org' }),
      configMap('d'),
      configMap('e', {}, { team: 'a', 'team.b': 'c' }),
      configMap('f', { a: '2', b: '1' }),
      configMap('f', { a: '1', b: '2' }),
    ],
  ),
  policyCase(
    'policy-numbers',
    [
      {
        rules: [rule('pods', ['CREATE'])],
        spec: {
          variables: [{ name: 'ports', expression: 'object.spec.containers[0].ports' }],
          validations: [
            { expression: 'variables.ports.all(p, p.containerPort < 1000)', message: 'below 1000' },
            { expression: 'variables.ports.map(p, p.containerPort).exists(p, p == 80.0 || p == 81)', message: 'eighty' },
            {
              expression:
                'type(object.spec.containers[0].readinessProbe.httpGet.port) == string || object.spec.containers[0].readinessProbe.httpGet.port == 80',
              messageExpression: "'port ' + string(object.spec.containers[0].readinessProbe.httpGet.port)",
            },
            {
              expression: 'int(object.spec.containers[0].ports[0].containerPort) / 2 * 2 == 80 && object.spec.priority + 1 == 1',
              message: 'even',
            },
          ],
        },
      },
    ],
    [served('a', 8080, 80), served('b', 82, 80), served('c', 80, 81), served('d', 80, 'web'), served('e', 81, 80)],
  ),
];
