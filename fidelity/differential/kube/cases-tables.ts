import { defined } from '../../../model/defined.ts';
import type { ApiCase, Step } from './case.ts';

/** Objects as tables, as `kubectl get` shows them. Cells with an age are not compared. */

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const DEFAULT = 'namespaces/default/';

/**
 * Creates an object and reads it as a table.
 * @param root of its API, e.g. `/apis/apps/v1/`
 * @param age the column that shows an age
 */
function table(id: string, root: string, plural: string, columns: number, age: number | undefined, body: object, status?: object): ApiCase {
  const collection = `${root}${plural}`;
  const path = `${collection}/${id}`;
  const shown = [...Array(columns).keys()];
  const look = [
    ...shown.flatMap((index) => ['name', 'type', 'format', 'priority'].map((field) => `columnDefinitions.${index}.${field}`)),
    ...shown.filter((index) => index !== age).map((index) => `rows.0.cells.${index}`),
    'columnDefinitions.#',
    'rows.0.cells.#',
  ];
  const reported: Step[] =
    status === undefined
      ? []
      : [{ method: 'PATCH', path: `${path}/status`, contentType: 'application/merge-patch+json', body: { status } }];
  return {
    id,
    steps: [
      { method: 'POST', path: collection, body: { metadata: { name: id }, ...body } },
      ...reported,
      { method: 'GET', path, accept: TABLE, look },
    ],
  };
}

const backend = { service: { name: 'x', port: { number: 80 } } };
const rule = (host?: string): object => ({
  ...defined({ host }),
  http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
});
const ingress = (id: string, hosts: readonly (string | undefined)[], spec: object = {}, status?: object): ApiCase =>
  table(id, `/apis/networking.k8s.io/v1/${DEFAULT}`, 'ingresses', 6, 5, { spec: { rules: hosts.map(rule), ...spec } }, status);

const scaler = (id: string, metrics: readonly object[], spec: object = {}, status?: object): ApiCase =>
  table(
    id,
    `/apis/autoscaling/v2/${DEFAULT}`,
    'horizontalpodautoscalers',
    7,
    6,
    { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }, maxReplicas: 5, metrics, ...spec } },
    status,
  );
const share = (name: string, averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization } },
});
const queue = (target: object): object => ({ type: 'External', external: { metric: { name: 'queue' }, target } });

const endpoints = (id: string, subsets: readonly object[]): ApiCase => table(id, `/api/v1/${DEFAULT}`, 'endpoints', 3, 2, { subsets });
const address = (ip: string): object => ({ ip });
const slices = (id: string, ports: readonly object[], addresses: readonly string[]): ApiCase =>
  table(id, `/apis/discovery.k8s.io/v1/${DEFAULT}`, 'endpointslices', 5, 4, {
    addressType: 'IPv4',
    ports,
    endpoints: addresses.map((one) => ({ addresses: [one] })),
  });

const RBAC = '/apis/rbac.authorization.k8s.io/v1/';
const SUBJECTS = [
  { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'User', name: 'joe', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'Group', name: 'team', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'default' },
];
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

export const TABLE_CASES: readonly ApiCase[] = [
  ingress('table-ingress', ['a.example', 'b.example'], { ingressClassName: 'nginx', tls: [{ hosts: ['a.example'] }] }),
  ingress('table-ingress-many', ['a.example', undefined, 'b.example', 'c.example', 'd.example']),
  ingress('table-ingress-any', [undefined], {}, { loadBalancer: { ingress: [{ ip: '10.0.0.2' }, { hostname: 'lb.example' }] } }),
  table('table-ingress-class', '/apis/networking.k8s.io/v1/', 'ingressclasses', 4, 3, {
    spec: { controller: 'example.com/x', parameters: { apiGroup: 'example.com', kind: 'Settings', name: 'main' } },
  }),
  scaler('table-scaler', [share('cpu', 50)], { minReplicas: 2 }),
  scaler('table-scaler-many', [
    share('cpu', 50),
    share('memory', 60),
    queue({ type: 'Value', value: '10' }),
    queue({ type: 'AverageValue', averageValue: '5' }),
  ]),
  scaler('table-scaler-external', [queue({ type: 'Value', value: '10' }), queue({ type: 'AverageValue', averageValue: '5' })]),
  scaler('table-scaler-default', []),
  endpoints('table-endpoints', [
    {
      addresses: [address('10.0.0.1'), address('10.0.0.2')],
      ports: [
        { port: 80, name: 'web' },
        { port: 443, name: 'tls' },
      ],
    },
  ]),
  endpoints('table-endpoints-few', [{ addresses: [address('10.0.0.1')], ports: [{ port: 80 }] }]),
  endpoints('table-endpoints-none', []),
  slices('table-slice', [{ port: 80, protocol: 'TCP' }], ['10.0.0.1', '10.0.0.2']),
  slices('table-slice-many', [{ name: 'any' }], ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']),
  slices('table-slice-empty', [], []),
  table(
    'table-quota',
    `/api/v1/${DEFAULT}`,
    'resourcequotas',
    4,
    3,
    {},
    {
      hard: { 'limits.cpu': '2', 'requests.cpu': '1', pods: '5' },
      used: { 'requests.cpu': '500m' },
    },
  ),
  table('table-limits', `/api/v1/${DEFAULT}`, 'limitranges', 2, 1, {
    spec: { limits: [{ type: 'Container', max: { 'example.com/x': '1' } }] },
  }),
  table('table-service-name', `/api/v1/${DEFAULT}`, 'services', 7, 5, { spec: { type: 'ExternalName', externalName: 'x.example' } }),
  table('table-service-headless', `/api/v1/${DEFAULT}`, 'services', 7, 5, {
    spec: {
      clusterIP: 'None',
      selector: { b: 'c', a: 'b' },
      ports: [{ port: 80 }, { port: 53, protocol: 'UDP', name: 'dns' }],
      externalIPs: ['192.0.2.1'],
    },
  }),
  table('table-pod-template', `/api/v1/${DEFAULT}`, 'podtemplates', 4, undefined, {
    template: {
      metadata: { labels: { a: 'b' } },
      spec: {
        containers: [
          { name: 'x', image: 'y' },
          { name: 'z', image: 'y' },
        ],
      },
    },
  }),
  table('table-role', `${RBAC}${DEFAULT}`, 'roles', 2, 1, { rules: [] }),
  table('table-role-binding', `${RBAC}${DEFAULT}`, 'rolebindings', 6, 2, { roleRef: ROLE, subjects: SUBJECTS }),
  table('table-cluster-role-binding', RBAC, 'clusterrolebindings', 6, 2, { roleRef: ROLE, subjects: SUBJECTS.slice(0, 1) }),
  table('table-network-policy', `/apis/networking.k8s.io/v1/${DEFAULT}`, 'networkpolicies', 3, 2, {
    spec: { podSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d', 'e'] }] } },
  }),
  table('table-runtime-class', '/apis/node.k8s.io/v1/', 'runtimeclasses', 3, 2, { handler: 'runsc' }),
  table('table-csi-driver', '/apis/storage.k8s.io/v1/', 'csidrivers', 8, 7, {
    spec: {
      attachRequired: false,
      podInfoOnMount: true,
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      tokenRequests: [{ audience: 'a' }],
    },
  }),
  table('table-attributes-class', '/apis/storage.k8s.io/v1/', 'volumeattributesclasses', 3, 2, {
    driverName: 'x.example',
    parameters: { a: 'b' },
  }),
  table('table-claim', `/apis/resource.k8s.io/v1/${DEFAULT}`, 'resourceclaims', 3, 2, {
    spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'x' } }] } },
  }),
  table('table-webhook', '/apis/admissionregistration.k8s.io/v1/', 'validatingwebhookconfigurations', 3, 2, { webhooks: [] }),
  table('table-mutating-webhook', '/apis/admissionregistration.k8s.io/v1/', 'mutatingwebhookconfigurations', 3, 2, {}),
  table('table-policy', '/apis/admissionregistration.k8s.io/v1/', 'validatingadmissionpolicies', 4, 3, {
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [{ apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
      },
      validations: [{ expression: 'true' }],
    },
  }),
  table('table-policy-binding', '/apis/admissionregistration.k8s.io/v1/', 'validatingadmissionpolicybindings', 4, 3, {
    spec: {
      policyName: 'table-policy',
      validationActions: ['Warn'],
      paramRef: { selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Allow' },
    },
  }),
];
