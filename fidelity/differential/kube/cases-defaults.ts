import type { ApiCase, Step } from './case.ts';
import { newNamespace, post, within } from './policy-case.ts';

/* Fields that the server fills in. */

const APPS = '/apis/apps/v1/namespaces/OWN';
const selector = { matchLabels: { app: 'a' } };
const ENV = [
  { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
  { name: 'C', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
];
const LIFECYCLE = { postStart: { httpGet: { port: 80 } }, preStop: { httpGet: { port: 'web', path: 'a', scheme: 'HTTPS' } } };
const container = (name: string): object => ({ name, image: 'pause', env: ENV, lifecycle: LIFECYCLE });
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const VOLUMES = [
  {
    name: 'downward',
    downwardAPI: {
      items: [
        { path: 'a', fieldRef: { fieldPath: 'metadata.labels' } },
        { path: 'b', resourceFieldRef: { containerName: 'c', resource: 'limits.cpu' } },
      ],
    },
  },
  {
    name: 'projected',
    projected: {
      sources: [
        { serviceAccountToken: { path: 't' } },
        { serviceAccountToken: { path: 'u', expirationSeconds: 600 } },
        { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { configMap: { name: 'x' } },
      ],
    },
  },
  { name: 'ephemeral', ephemeral: { volumeClaimTemplate: { spec: claim } } },
  { name: 'rbd', rbd: { monitors: ['a'], image: 'b' } },
  { name: 'iscsi', iscsi: { targetPortal: 'a', iqn: 'iqn.2001-04.com.example:storage', lun: 1 } },
  { name: 'azure', azureDisk: { diskName: 'a', diskURI: 'https://a.blob.core.windows.net/b/c.vhd' } },
  { name: 'scale', scaleIO: { gateway: 'a', system: 'b', secretRef: { name: 'c' }, volumeName: 'd' } },
  { name: 'image', image: { reference: 'a:latest' } },
  { name: 'image-tagged', image: { reference: 'a:b' } },
  { name: 'host', hostPath: { path: '/a' } },
];
const TEMPLATE = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [container('c')], initContainers: [{ ...container('i'), restartPolicy: 'Always' }], volumes: VOLUMES },
};
const COMPLETE = ['spec.template.spec.containers', 'spec.template.spec.initContainers', 'spec.template.spec.volumes'];
const workload = (kind: string, spec: object, look: readonly string[]): Step =>
  post(`${APPS}/${kind}`, { metadata: { name: 'a' }, spec: { selector, template: TEMPLATE, ...spec } }, look);
const policy = (name: string, spec: object): Step =>
  post('/apis/networking.k8s.io/v1/namespaces/OWN/networkpolicies', { metadata: { name }, spec }, ['spec', 'metadata.generation']);
const job = (name: string, spec: object): Step => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] } };
  return post('/apis/batch/v1/namespaces/OWN/jobs', { metadata: { name }, spec: { suspend: true, template, ...spec } }, [
    'spec.backoffLimit',
    'spec.backoffLimitPerIndex',
    'spec.maxFailedIndexes',
    'spec.podReplacementPolicy',
    'spec.podFailurePolicy',
    'spec.parallelism',
    'spec.completions',
  ]);
};
const failurePolicy = { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] };

export const DEFAULT_CASES: readonly ApiCase[] = [
  {
    id: 'default-templates',
    steps: [
      ...newNamespace('default-templates'),
      ...[
        workload('deployments', { replicas: 0, paused: true }, COMPLETE),
        workload('statefulsets', { replicas: 0, serviceName: 'a' }, COMPLETE),
        post('/api/v1/namespaces/OWN/podtemplates', { metadata: { name: 'a' }, template: TEMPLATE }, [
          'template.spec',
          'template.metadata.labels',
          'metadata.generation',
        ]),
        post(
          '/api/v1/namespaces/OWN/pods?dryRun=All',
          { metadata: { name: 'a' }, spec: { ...TEMPLATE.spec, serviceAccountName: 'mine', automountServiceAccountToken: false } },
          ['spec.containers', 'spec.initContainers', 'spec.volumes'],
        ),
        post(
          '/apis/batch/v1/namespaces/OWN/cronjobs',
          {
            metadata: { name: 'a' },
            spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } } },
          },
          ['spec.jobTemplate.spec.template.spec.containers', 'spec.jobTemplate.spec.template.spec.volumes'],
        ),
      ].map(within('default-templates')),
    ],
  },
  {
    id: 'default-claim-templates',
    steps: [
      ...newNamespace('default-claim-templates'),
      ...[
        workload('statefulsets', { replicas: 0, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] }, [
          'spec.volumeClaimTemplates',
        ]),
        {
          method: 'PUT' as const,
          path: `${APPS}/statefulsets/a`,
          body: {
            metadata: { name: 'a' },
            spec: { selector, template: TEMPLATE, replicas: 0, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] },
          },
          look: ['metadata.generation', 'spec.volumeClaimTemplates'],
        },
        post(
          '/api/v1/namespaces/OWN/persistentvolumeclaims',
          {
            metadata: { name: 'limited' },
            spec: { ...claim, resources: { requests: { storage: '1024Mi' }, limits: { storage: '2048Mi' } } },
          },
          ['spec.resources', 'spec.volumeMode', 'status'],
        ),
      ].map(within('default-claim-templates')),
    ],
  },
  {
    id: 'default-network-policies',
    steps: [
      ...newNamespace('default-network-policies'),
      ...[
        policy('empty', { podSelector: {} }),
        policy('none', {}),
        policy('in', {
          podSelector: {},
          ingress: [{ from: [{ podSelector: selector }], ports: [{ port: 80 }, { port: 'dns', protocol: 'UDP' }] }],
        }),
        policy('out', { podSelector: {}, egress: [{ ports: [{ port: 80 }, {}] }] }),
        policy('out-only', { podSelector: {}, policyTypes: ['Egress'] }),
        policy('out-empty', { podSelector: {}, egress: [] }),
      ].map(within('default-network-policies')),
    ],
  },
  {
    id: 'default-endpoints',
    steps: [
      ...newNamespace('default-endpoints'),
      ...[
        post(
          '/apis/discovery.k8s.io/v1/namespaces/OWN/endpointslices',
          {
            metadata: { name: 'a' },
            addressType: 'IPv4',
            endpoints: [{ addresses: ['10.0.0.1'] }],
            ports: [{ port: 80 }, { name: 'dns', port: 53, protocol: 'UDP' }],
          },
          ['endpoints', 'ports', 'addressType'],
        ),
        {
          ...post(
            '/api/v1/namespaces/OWN/endpoints',
            {
              metadata: { name: 'a' },
              subsets: [
                {
                  addresses: [{ ip: '10.0.0.1' }],
                  ports: [
                    { name: 'web', port: 80 },
                    { name: 'dns', port: 53, protocol: 'UDP' },
                  ],
                },
              ],
            },
            ['subsets'],
          ),
        },
        post(
          '/api/v1/namespaces/OWN/endpoints',
          { metadata: { name: 'b' }, subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
          ['subsets'],
        ),
      ].map(within('default-endpoints')),
    ],
  },
  {
    id: 'default-drivers',
    steps: [
      post('/apis/storage.k8s.io/v1/csidrivers?dryRun=All', { metadata: { name: 'default-driver' }, spec: {} }, ['spec']),
      post('/apis/storage.k8s.io/v1/csidrivers?dryRun=All', { metadata: { name: 'default-driver' } }, ['spec']),
      post(
        '/apis/storage.k8s.io/v1/csidrivers?dryRun=All',
        {
          metadata: { name: 'default-driver' },
          spec: { attachRequired: false, fsGroupPolicy: 'File', volumeLifecycleModes: ['Ephemeral'], tokenRequests: [{ audience: 'a' }] },
        },
        ['spec'],
      ),
    ],
  },
  {
    id: 'default-jobs',
    steps: [
      ...newNamespace('default-jobs'),
      ...[
        job('plain', {}),
        job('indexed', { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 }),
        job('indexed-limit', { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1, backoffLimit: 3, maxFailedIndexes: 1 }),
        job('unindexed', { backoffLimitPerIndex: 1 }),
        job('policy', { podFailurePolicy: failurePolicy }),
        job('codes', { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] } }),
        job('parallel', { parallelism: 2 }),
      ].map(within('default-jobs')),
    ],
  },
];
