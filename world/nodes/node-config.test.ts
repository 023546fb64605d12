import { expect, test } from '@playwright/test';
import { NodeConfigError, parseNodeConfig } from './node-config.ts';

const YAML = `
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: test
    apiServerEndpoint: https://example.com
  kubelet:
    config:
      maxPods: 42
      registerWithTaints:
        - key: karpenter.sh/unregistered
          effect: NoExecute
    flags:
      - --node-labels=karpenter.sh/nodepool=default,karpenter.sh/capacity-type=spot
      - --v=2
`;

test('a plain NodeConfig is parsed', () => {
  expect(parseNodeConfig(YAML)).toEqual({
    clusterName: 'test',
    labels: { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot' },
    taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
    settings: { maxPods: 42 },
    shutdown: { totalMs: 150_000, criticalMs: 30_000 },
  });
});

test('limits and shutdown periods come from the user data, key by key', () => {
  const config = parseNodeConfig(
    YAML.replace(
      '      maxPods: 42',
      '      kubeReserved: { memory: 1Gi }\n      evictionHard: { memory.available: "5%" }\n      shutdownGracePeriod: 1m30s\n      shutdownGracePeriodCriticalPods: 10s',
    ),
  );
  expect(config.settings).toEqual({ kubeReserved: { memory: '1Gi' }, evictionHard: { 'memory.available': '5%' } });
  expect(config.shutdown).toEqual({ totalMs: 90_000, criticalMs: 10_000 });
  expect(parseNodeConfig(YAML.replace('maxPods: 42', 'shutdownGracePeriod: 0s')).shutdown).toEqual({ totalMs: 0, criticalMs: 0 });
});

test('several NodeConfigs are merged: maps key by key, the later value counts', () => {
  const spec = (config: object, instance: object): string =>
    JSON.stringify({ apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec: { kubelet: { config }, instance } });
  const { settings, localDisks } = parseNodeConfig(
    spec({ maxPods: 5, podsPerCore: 2, kubeReserved: { cpu: '1', memory: '1Gi' } }, { localStorage: { strategy: 'RAID0' } }),
    YAML.replace('maxPods: 42', 'maxPods: 42\n      kubeReserved: { memory: 2Gi }'),
  );
  expect(settings).toEqual({ maxPods: 42, podsPerCore: 2, kubeReserved: { cpu: '1', memory: '2Gi' } });
  expect(localDisks).toBe('RAID0');
});

test('the NodeConfig parts of a MIME message are merged, scripts are skipped', () => {
  const more = 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags: ["--node-labels=more=yes"]\n';
  const message = [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="//"',
    '',
    '--//',
    'Content-Type: application/node.eks.aws',
    '',
    YAML,
    '--//',
    'Content-Type: text/x-shellscript; charset="us-ascii"',
    '',
    '#!/bin/bash',
    'echo hello',
    '--//',
    'Content-Type: application/node.eks.aws',
    '',
    more,
    '--//--',
  ].join('\r\n');
  const config = parseNodeConfig(message);
  expect(config.clusterName).toBe('test');
  expect(config.labels).toEqual({ 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot', more: 'yes' });
  expect(config.settings.maxPods).toBe(42);
});

/** As Karpenter writes it: MIME with its own NodeConfig last, in JSON's key order, and flags quoted as for a shell. */
const KARPENTER = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
curl --proxy x --//y

--//
Content-Type: application/node.eks.aws

# Karpenter Generated NodeConfig
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster:
    apiServerEndpoint: https://test.example.com
    certificateAuthority: Y2E=
    cidr: 172.20.0.0/16
    name: test
  containerd: {}
  instance:
    localStorage: {}
  kubelet:
    config:
      clusterDNS:
      - 172.20.0.10
      maxPods: 58
      registerWithTaints:
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default"

--//--
`;

test("Karpenter's user data is parsed, including quotes", () => {
  expect(parseNodeConfig(KARPENTER)).toEqual({
    clusterName: 'test',
    labels: { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot' },
    taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
    settings: { maxPods: 58 },
    shutdown: { totalMs: 150_000, criticalMs: 30_000 },
  });
});

for (const { what, flags, labels, taints } of [
  { what: 'single quotes', flags: [`--node-labels='a=b,c=d'`], labels: { a: 'b', c: 'd' } },
  { what: 'quotes around the whole flag', flags: [`"--node-labels=a=b"`], labels: { a: 'b' } },
  { what: 'a value in the next word', flags: ['--node-labels a=b', '--v', '2'], labels: { a: 'b' } },
  { what: 'two flags in one item', flags: ['--v=2 --node-labels="a=b"'], labels: { a: 'b' } },
  { what: 'labels of several flags', flags: ['--node-labels=a=b', '--node-labels=c=d'], labels: { a: 'b', c: 'd' } },
  {
    what: "taints, which replace the configuration's",
    flags: ['--register-with-taints="team=a:NoSchedule,gone:NoExecute"'],
    labels: {},
    taints: [
      { key: 'team', value: 'a', effect: 'NoSchedule' },
      { key: 'gone', effect: 'NoExecute' },
    ],
  },
  { what: 'an empty list of taints in a flag', flags: ['--register-with-taints='], labels: {}, taints: [] },
]) {
  test(`flags are parsed as the kubelet gets them: ${what}`, () => {
    const list = flags.map((flag) => `\n      - ${JSON.stringify(flag)}`).join('');
    const config = parseNodeConfig(`${YAML.slice(0, YAML.indexOf('    flags:'))}    flags:${list}\n`);
    expect(config.labels).toEqual(labels);
    expect(config.taints).toEqual(taints ?? [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }]);
  });
}

test('taints of a configuration may be null, as Go writes an empty list in JSON', () => {
  const config = parseNodeConfig(YAML.replace(/registerWithTaints:[^]*?effect: NoExecute/, 'registerWithTaints: null'));
  expect(config.taints).toEqual([]);
});

const REFUSED: Readonly<Record<string, string>> = {
  empty: '',
  'a script': '#!/bin/bash\n/etc/eks/bootstrap.sh test\n',
  'no YAML': 'a: [b',
  'another kind': YAML.replace('kind: NodeConfig', 'kind: Node'),
  'no cluster': 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n',
  'a MIME message without a NodeConfig': 'Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nhello\n--x--\n',
  'flags that are not a list': YAML.replace('    flags:', '    flags: 1\n    other:'),
  'a label that a kubelet may not set': YAML.replace('karpenter.sh/nodepool', 'node-role.kubernetes.io/worker'),
  'a duration without a unit': YAML.replace('maxPods: 42', "shutdownGracePeriod: '90'"),
  'less time for all pods than for critical ones': YAML.replace(
    'maxPods: 42',
    'shutdownGracePeriod: 10s\n      shutdownGracePeriodCriticalPods: 20s',
  ),
  'a reservation that is no quantity': YAML.replace('maxPods: 42', 'systemReserved: { memory: lots }'),
  'a threshold that is no percentage': YAML.replace('maxPods: 42', 'evictionHard: { memory.available: "x%" }'),
  'a negative reservation': YAML.replace('maxPods: 42', 'kubeReserved: { memory: -5Gi }'),
  'a threshold above 100 %': YAML.replace('maxPods: 42', 'evictionHard: { memory.available: "150%" }'),
  'a threshold of nothing': YAML.replace('maxPods: 42', 'evictionHard: { memory.available: "0" }'),
  'a label with an invalid key': YAML.replace('capacity-type=spot', 'bad!key=x'),
  'a label with an invalid value': YAML.replace('capacity-type=spot', 'capacity-type=a=b'),
  'a taint without effect': YAML.replace('--v=2', '--register-with-taints=gone'),
};

for (const [name, text] of Object.entries(REFUSED)) {
  test(`user data is refused: ${name}`, () => expect(() => parseNodeConfig(text)).toThrow(NodeConfigError));
}
