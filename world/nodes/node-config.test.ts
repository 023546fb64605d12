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
      - --register-with-taints=team=a:NoSchedule,gone:NoExecute
      - --v=2
`;

test('a plain NodeConfig is read', () => {
  expect(parseNodeConfig(YAML)).toEqual({
    clusterName: 'test',
    labels: { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot' },
    taints: [
      { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
      { key: 'team', value: 'a', effect: 'NoSchedule' },
      { key: 'gone', effect: 'NoExecute' },
    ],
    limits: { maxPods: 42 },
    shutdown: { totalMs: 150_000, criticalMs: 30_000 },
  });
});

test('limits and shutdown periods are those of the user data, key by key', () => {
  const config = parseNodeConfig(
    YAML.replace(
      '      maxPods: 42',
      '      kubeReserved: { memory: 1Gi }\n      evictionHard: { memory.available: "5%" }\n      shutdownGracePeriod: 1m30s\n      shutdownGracePeriodCriticalPods: 10s',
    ),
  );
  expect(config.limits).toEqual({ kubeReserved: { memory: '1Gi' }, evictionHard: { 'memory.available': '5%' } });
  expect(config.shutdown).toEqual({ totalMs: 90_000, criticalMs: 10_000 });
  expect(parseNodeConfig(YAML.replace('maxPods: 42', 'shutdownGracePeriod: 0s')).shutdown).toEqual({ totalMs: 0, criticalMs: 0 });
});

test('the NodeConfig parts of a MIME message are merged, scripts are passed over', () => {
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
  expect(config.limits.maxPods).toBe(42);
});

const REFUSED: Readonly<Record<string, string>> = {
  empty: '',
  'a script': '#!/bin/bash\n/etc/eks/bootstrap.sh test\n',
  'no YAML': 'a: [b',
  'another kind': YAML.replace('kind: NodeConfig', 'kind: Node'),
  'no cluster': 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n',
  'a MIME message without a NodeConfig': 'Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nhello\n--x--\n',
  'flags that are no list': YAML.replace('    flags:', '    flags: 1\n    other:'),
  'a label that a kubelet may not set': YAML.replace('karpenter.sh/nodepool', 'node-role.kubernetes.io/worker'),
  'a duration without a unit': YAML.replace('maxPods: 42', "shutdownGracePeriod: '90'"),
  'less time for all pods than for the critical ones': YAML.replace(
    'maxPods: 42',
    'shutdownGracePeriod: 10s\n      shutdownGracePeriodCriticalPods: 20s',
  ),
  'a taint without effect': YAML.replace('gone:NoExecute', 'gone'),
};

for (const [name, text] of Object.entries(REFUSED)) {
  test(`user data is refused: ${name}`, () => expect(() => parseNodeConfig(text)).toThrow(NodeConfigError));
}
