import { expect, test } from '@playwright/test';
import { parseNodeConfig } from '../../world/nodes/node-config.ts';
import { formatNodeConfig, joinNodeConfigs } from './node-config.ts';

const TAINT = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const;
const USERS = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config: { maxPods: 5, registerWithTaints: [] }
    flags: ["--node-labels=example.com/disk=fast"]`;

test("a node gets the user's labels and its pool's; the pool's settings win", () => {
  const own = formatNodeConfig({ clusterName: 'test', kubelet: { maxPods: 8 }, labels: { team: 'a' }, taints: [TAINT] });
  const config = parseNodeConfig(joinNodeConfigs([USERS, own]));
  expect(config).toMatchObject({
    clusterName: 'test',
    labels: { team: 'a', 'example.com/disk': 'fast' },
    taints: [TAINT],
    settings: { maxPods: 8 },
  });
});
