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
    maxPods: 42,
  });
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
  expect(config.maxPods).toBe(42);
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
  'a taint without effect': YAML.replace('gone:NoExecute', 'gone'),
};

for (const [name, text] of Object.entries(REFUSED)) {
  test(`user data is refused: ${name}`, () => expect(() => parseNodeConfig(text)).toThrow(NodeConfigError));
}
