import type { ApiCase, Step } from './case.ts';
import { newNamespace, post, within } from './policy-case.ts';

/* Fields of pods beside those that matter to a scheduler: probes, environments, security, names and volumes. */

const CONTAINER = { name: 'c', image: 'pause' };
type Part = Readonly<Record<string, unknown>>;

const pod = (spec: Part): Step =>
  post('NAMESPACE/pods?dryRun=All', {
    metadata: { name: 'a' },
    spec: { serviceAccountName: 'mine', automountServiceAccountToken: false, containers: [CONTAINER], ...spec },
  });
const container = (more: Part): Step => pod({ containers: [{ ...CONTAINER, ...more }] });
const inTemplate = (spec: Part): Step =>
  post('/apis/apps/v1/namespaces/OWN/deployments?dryRun=All', {
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [CONTAINER], ...spec } },
    },
  });
const tcpSocket = { port: 80 };
const liveness = (probe: Part): Step => container({ livenessProbe: probe });
const readiness = (probe: Part): Step => container({ readinessProbe: { tcpSocket, ...probe } });
const variable = (one: Part): Step => container({ env: [one] });
const from = (valueFrom: Part): Step => variable({ name: 'A', valueFrom });
const volume = (source: Part): Step => pod({ volumes: [{ name: 'v', ...source }] });

function fieldCase(id: string, steps: readonly Step[]): ApiCase {
  return { id, steps: [...newNamespace(id), ...steps.map(within(id))] };
}

export const POD_FIELD_CASES: readonly ApiCase[] = [
  fieldCase('pod-probes', [
    liveness({ tcpSocket: { port: 99_999 } }),
    liveness({ tcpSocket: { port: 0 } }),
    liveness({ tcpSocket: { port: 'NOT_A_PORT' } }),
    liveness({ tcpSocket: { port: 'web' } }),
    liveness({ tcpSocket, httpGet: { port: 80 } }),
    liveness({ tcpSocket, exec: { command: ['a'] }, grpc: { port: 1 } }),
    liveness({}),
    liveness({ exec: {} }),
    liveness({ grpc: { port: 0 } }),
    liveness({ httpGet: { port: 99_999, scheme: 'FTP', httpHeaders: [{ name: 'a b', value: '' }] } }),
    liveness({ httpGet: { port: 80, path: '' } }),
    liveness({ tcpSocket, periodSeconds: -1, timeoutSeconds: -1, initialDelaySeconds: -1, failureThreshold: -1, successThreshold: -1 }),
    liveness({ tcpSocket, successThreshold: 2 }),
    liveness({ tcpSocket, terminationGracePeriodSeconds: 0 }),
    liveness({ tcpSocket, terminationGracePeriodSeconds: 5 }),
    readiness({ terminationGracePeriodSeconds: 5 }),
    readiness({ successThreshold: 2 }),
    readiness({ periodSeconds: 0, failureThreshold: 0 }),
    container({ startupProbe: { tcpSocket, successThreshold: 2, terminationGracePeriodSeconds: -1 } }),
    container({ lifecycle: { postStart: {}, preStop: { tcpSocket, exec: { command: ['a'] } } } }),
    container({ lifecycle: { preStop: { sleep: { seconds: 60 } } } }),
    container({ lifecycle: { preStop: { sleep: { seconds: -1 } } } }),
    container({ lifecycle: { preStop: { httpGet: { port: 'BAD_PORT' } } } }),
    pod({ initContainers: [{ name: 'i', image: 'pause', restartPolicy: 'Always', livenessProbe: { tcpSocket: { port: 99_999 } } }] }),
    pod({ initContainers: [{ name: 'i', image: 'pause', restartPolicy: 'Always', lifecycle: { preStop: {} }, startupProbe: {} }] }),
    inTemplate({ containers: [{ ...CONTAINER, livenessProbe: { tcpSocket: { port: 99_999 } } }] }),
  ]),
  fieldCase('pod-environments', [
    variable({ value: 'x' }),
    variable({ name: '', value: 'x' }),
    variable({ name: 'a=b', value: 'x' }),
    variable({ name: 'a b', value: 'x' }),
    variable({ name: '1', value: 'x' }),
    variable({ name: 'ä', value: 'x' }),
    variable({ name: 'A' }),
    variable({ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
    from({}),
    from({ fieldRef: { fieldPath: 'status.nope' } }),
    from({ fieldRef: { fieldPath: '' } }),
    from({ fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v2' } }),
    from({ fieldRef: { fieldPath: 'metadata.labels' } }),
    from({ fieldRef: { fieldPath: "metadata.labels['app']" } }),
    from({ fieldRef: { fieldPath: "metadata.labels['a b']" } }),
    from({ fieldRef: { fieldPath: "metadata.annotations['a b']" } }),
    from({ fieldRef: { fieldPath: "metadata.annotations['A/b']" } }),
    from({ fieldRef: { fieldPath: "spec.nodeName['a']" } }),
    from({ fieldRef: { fieldPath: 'status.hostIPs' } }),
    from({ fieldRef: { fieldPath: 'metadata.nope' } }),
    from({ fieldRef: { fieldPath: 'metadata.name' }, configMapKeyRef: { name: 'a', key: 'b' } }),
    from({ configMapKeyRef: { name: 'a', key: '' } }),
    from({ configMapKeyRef: { name: '', key: 'b' } }),
    from({ secretKeyRef: { name: 'a', key: 'b c' } }),
    from({ secretKeyRef: { name: 'A_', key: 'b' } }),
    from({ resourceFieldRef: { resource: 'limits.nope' } }),
    from({ resourceFieldRef: { resource: '' } }),
    from({ resourceFieldRef: { resource: 'requests.cpu', divisor: '3' } }),
    from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }),
    from({ resourceFieldRef: { resource: 'requests.hugepages-2Mi' } }),
    container({ envFrom: [{}] }),
    container({ envFrom: [{ configMapRef: { name: 'a' }, secretRef: { name: 'b' } }] }),
    container({ envFrom: [{ prefix: 'a=', configMapRef: { name: '' } }] }),
    container({ envFrom: [{ prefix: 'A_', secretRef: { name: 'a' } }] }),
  ]),
  fieldCase('pod-dns', [
    pod({ dnsPolicy: 'None' }),
    pod({ dnsPolicy: 'None', dnsConfig: {} }),
    pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.1'] } }),
    pod({ dnsConfig: { nameservers: ['x', '1.1.1.1', '1.1.1.2', '1.1.1.3'] } }),
    pod({ dnsConfig: { searches: ['a b', 'example.com.', '.', ''] } }),
    pod({ dnsConfig: { options: [{ name: '' }, { name: 'ndots', value: '2' }] } }),
    pod({ dnsConfig: { searches: Array.from({ length: 33 }, (_one, index) => `a${index}.example.com`) } }),
    pod({ hostAliases: [{ ip: 'x', hostnames: ['a'] }] }),
    pod({ hostAliases: [{ ip: '', hostnames: ['a b'] }] }),
    pod({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['foo.local', 'bar'] }] }),
    inTemplate({ dnsPolicy: 'None' }),
    inTemplate({ hostAliases: [{ ip: 'x', hostnames: ['a'] }] }),
  ]),
  fieldCase('pod-security', [
    pod({ securityContext: { runAsUser: -5, runAsGroup: -5, fsGroup: -5, supplementalGroups: [1, -5] } }),
    container({ securityContext: { runAsUser: -5, runAsGroup: -5 } }),
    container({ securityContext: { capabilities: { add: ['CAP_SYS_ADMIN'] }, allowPrivilegeEscalation: false } }),
    container({ securityContext: { procMount: 'Other' } }),
    container({ securityContext: { procMount: 'Unmasked' } }),
    container({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
    container({ securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } } }),
    container({ securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: '../a' } } }),
    container({ securityContext: { seccompProfile: { type: 'Other' } } }),
    container({ securityContext: { seccompProfile: { type: '' } } }),
    pod({ securityContext: { seccompProfile: { type: 'Other' }, fsGroupChangePolicy: 'Never' } }),
    pod({ securityContext: { supplementalGroupsPolicy: 'Other' } }),
    pod({
      securityContext: {
        sysctls: [
          { name: 'a b', value: '1' },
          { name: '', value: '1' },
          { name: 'kernel.a', value: '1' },
          { name: 'kernel.a', value: '2' },
        ],
      },
    }),
    pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.a', value: '1' }] } }),
    pod({ hostPID: true, shareProcessNamespace: true }),
    pod({ hostUsers: false, hostNetwork: true }),
    pod({ securityContext: { appArmorProfile: { type: 'Other' } } }),
    container({ securityContext: { appArmorProfile: { type: 'Localhost' } } }),
    inTemplate({ securityContext: { runAsUser: -5 } }),
    inTemplate({ containers: [{ ...CONTAINER, securityContext: { runAsUser: -5 } }] }),
  ]),
  fieldCase('pod-names', [
    container({ image: ' pause' }),
    container({ image: 'pause ' }),
    container({ image: ' ' }),
    container({ terminationMessagePolicy: 'Never' }),
    container({
      ports: [
        { containerPort: 1, name: 'TOO_LONG_AND_BAD' },
        { containerPort: 2, hostIP: 'x', hostPort: 2 },
      ],
    }),
    container({
      ports: [
        { containerPort: 1, name: 'a--b' },
        { containerPort: 2, name: '123' },
      ],
    }),
    container({
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'Never' },
        { resourceName: 'x', restartPolicy: 'NotRequired' },
      ],
    }),
    pod({ readinessGates: [{ conditionType: 'a b' }, { conditionType: '' }] }),
    pod({ readinessGates: [{ conditionType: 'example.com/ready' }] }),
    pod({ imagePullSecrets: [{ name: '' }, { name: 'a' }] }),
    pod({ os: { name: 'plan9' } }),
    pod({ os: { name: '' } }),
    pod({ terminationGracePeriodSeconds: -1 }),
    inTemplate({ containers: [{ ...CONTAINER, image: ' pause' }] }),
    inTemplate({ readinessGates: [{ conditionType: 'a b' }] }),
  ]),
  fieldCase('pod-volumes', [
    volume({ hostPath: { path: '' } }),
    volume({ hostPath: { path: '/a/../b', type: 'Other' } }),
    volume({ hostPath: { path: '/a', type: 'DirectoryOrCreate' } }),
    volume({ emptyDir: { sizeLimit: '-1' } }),
    volume({ emptyDir: { medium: 'HugePages-' } }),
    volume({ secret: { secretName: '' } }),
    volume({
      secret: {
        secretName: 'a',
        defaultMode: 99_999,
        items: [
          { key: '', path: '' },
          { key: 'a', path: '../b', mode: -1 },
        ],
      },
    }),
    volume({ secret: { secretName: 'a', items: [{ key: 'a b', path: '/b' }] } }),
    volume({ configMap: { name: '', defaultMode: -1 } }),
    volume({ configMap: { name: 'a', items: [{ key: 'a', path: '..' }] } }),
    volume({ persistentVolumeClaim: { claimName: '' } }),
    volume({ nfs: { server: '', path: 'a/..' } }),
    volume({ nfs: { server: 'a', path: 'b' } }),
    volume({ csi: { driver: '' } }),
    volume({ csi: { driver: 'a b', nodePublishSecretRef: { name: '' } } }),
    volume({ downwardAPI: { defaultMode: 99_999, items: [{ path: 'a' }, { path: '', fieldRef: { fieldPath: 'metadata.name' } }] } }),
    volume({ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'status.podIP' } }] } }),
    volume({ downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] } }),
    volume({
      downwardAPI: {
        items: [
          { path: 'a', mode: 99_999, fieldRef: { fieldPath: 'metadata.name' }, resourceFieldRef: { containerName: 'c', resource: 'x' } },
        ],
      },
    }),
    volume({ projected: {} }),
    volume({ projected: { sources: [{}] } }),
    volume({ projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'b' } }] } }),
    volume({ projected: { defaultMode: 99_999, sources: [{ serviceAccountToken: { path: '', expirationSeconds: 1 } }] } }),
    volume({
      projected: { sources: [{ serviceAccountToken: { path: 'a' } }, { secret: { name: '', items: [{ key: 'a', path: 'a' }] } }] },
    }),
    volume({
      projected: {
        sources: [
          { configMap: { name: 'a', items: [{ key: 'a', path: 'a' }] } },
          { secret: { name: 'b', items: [{ key: 'b', path: 'a' }] } },
        ],
      },
    }),
    volume({ ephemeral: {} }),
    volume({ ephemeral: { volumeClaimTemplate: { spec: {} } } }),
    volume({
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: 'a' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    }),
    container({ volumeMounts: [{ name: 'none', mountPath: '/a' }] }),
    ...[
      [{ mountPath: '/a' }, { mountPath: '/a' }],
      [{ mountPath: '/a', subPath: '../b' }],
      [{ mountPath: '/a', subPath: '/b' }],
      [{ mountPath: '/a', subPath: 'b', subPathExpr: 'c' }],
      [{ mountPath: '/a', subPathExpr: '../c' }],
      [{ mountPath: '/a', mountPropagation: 'Other' }],
      [{ mountPath: '/a', mountPropagation: 'Bidirectional' }],
      [{ mountPath: '/a', recursiveReadOnly: 'Other' }],
      [{ mountPath: '/a', recursiveReadOnly: 'Enabled' }],
    ].map((mounts) =>
      pod({
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ ...CONTAINER, volumeMounts: mounts.map((mount) => ({ name: 'v', ...mount })) }],
      }),
    ),
    inTemplate({ volumes: [{ name: 'v', hostPath: { path: '' } }] }),
  ]),
  {
    id: 'pod-accounts',
    steps: [
      ...newNamespace('pod-accounts'),
      ...[
        { ...post('NAMESPACE/serviceaccounts', { metadata: { name: 'default' } }), until: 409 },
        pod({ serviceAccountName: 'none' }),
        pod({ serviceAccount: 'none' }),
        pod({ serviceAccountName: 'mine' }),
        pod({ serviceAccountName: 'default' }),
        inTemplate({ serviceAccountName: 'none' }),
        pod({ serviceAccountName: 'none', containers: [{ ...CONTAINER, image: '' }] }),
      ].map(within('pod-accounts')),
    ],
  },
];
