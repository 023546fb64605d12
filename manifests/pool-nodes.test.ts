import { expect, test } from '@playwright/test';
import { pool } from '../harness/scenario.ts';
import { defined } from '../model/defined.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import type { ResourceList } from '../model/kube.ts';
import type { UserNodeClass } from '../model/node-class.ts';
import { judgeFeasibility } from './feasibility.ts';
import { poolNodes } from './pool-nodes.ts';

/** What a pool with this class can do for one pod: the kind, and why. */
function judge(requests: ResourceList, nodeClass?: UserNodeClass): string {
  const template = { metadata: {}, spec: { containers: [{ name: 'main', resources: { requests } }] } };
  const load = { name: 'web', namespace: 'default', replicas: 1, template, isDaemon: false };
  const general = { ...pool('general', { instanceTypes: ['m6i.large', 'm5d.large'] }), ...defined({ nodeClass }) };
  const found = judgeFeasibility([load], [general], { catalogue: loadCatalogue(), nodesOf: poolNodes }).get('web');
  return `${found?.kind ?? ''}${found !== undefined && 'why' in found ? `: ${found.why}` : ''}`;
}

const ROOT = (volumeSize: string, device: object = { deviceName: '/dev/xvda' }): UserNodeClass['spec'] => ({
  blockDeviceMappings: [{ ...device, ebs: { volumeSize } }],
});
const NODE_CONFIG = (kubelet: object): { readonly userData: string } => ({
  userData: JSON.stringify({ apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec: { kubelet } }),
});

for (const { what, spec, requests, says, ignored } of [
  {
    what: 'a large root volume has room for 60 GiB',
    spec: ROOT('100Gi'),
    requests: { 'ephemeral-storage': '60Gi' },
    says: /^servable$/,
    ignored: /^unservable: pool general: it is too large: it requests 60Gi ephemeral-storage/,
  },
  {
    what: 'another volume is not the root volume, whatever Karpenter plans',
    spec: ROOT('100Gi', { deviceName: '/dev/sdb', rootVolume: true }),
    requests: { 'ephemeral-storage': '60Gi' },
    says: /^unservable: .* has 17Gi ephemeral-storage/,
    ignored: /^unservable/,
  },
  {
    what: 'a root volume may be smaller than the image',
    spec: ROOT('10Gi'),
    requests: { cpu: '100m' },
    says: /pool general: its EC2NodeClass default: the root volume has 10 GiB, and the image needs 20$/,
    ignored: /^servable$/,
  },
  {
    what: "a size that only the definition's pattern takes for one",
    spec: ROOT('Ti', { deviceName: '/dev/sdb' }),
    requests: { cpu: '100m' },
    says: /pool general: its EC2NodeClass default: volumeSize "Ti" is no quantity$/,
    ignored: /^servable$/,
  },
  {
    what: 'local disks as one',
    spec: { instanceStorePolicy: 'RAID0' },
    requests: { 'ephemeral-storage': '50Gi' },
    says: /^servable$/,
    ignored: /^unservable/,
  },
  {
    what: 'memory reserved for the system',
    spec: { kubelet: { systemReserved: { memory: '4Gi' } } },
    requests: { memory: '4Gi' },
    says: /^unservable: .*requests 4Gi memory, and a m5d.large has 2\d*(\.\d+)?\w+ memory/,
    ignored: /^servable$/,
  },
  {
    what: 'memory that Karpenter does not plan with',
    spec: {},
    requests: { memory: '6910Mi' },
    says: /^unservable: .* has 6903Mi memory/,
    ignored: /^servable$/,
  },
  {
    what: 'user data that reserves what Karpenter does not know of',
    spec: NODE_CONFIG({ config: { kubeReserved: { memory: '6Gi' } } }),
    requests: { memory: '4Gi' },
    says: /^unservable: .*requests 4Gi memory/,
    ignored: /^servable$/,
  },
  {
    what: "the class's own settings override the user data",
    spec: { ...NODE_CONFIG({ config: { kubeReserved: { memory: '6Gi' } } }), kubelet: { kubeReserved: { memory: '500Mi' } } },
    requests: { memory: '4Gi' },
    says: /^servable$/,
    ignored: /^servable$/,
  },
  {
    what: 'a script as user data',
    spec: { userData: '#!/bin/bash\necho hello' },
    requests: { memory: '4Gi' },
    says: /^servable$/,
    ignored: /^servable$/,
  },
  {
    what: 'user data with which no kubelet starts',
    spec: NODE_CONFIG({ config: { systemReserved: { memory: 'lots' } } }),
    requests: { cpu: '100m' },
    says: /pool general: its EC2NodeClass default: nodes with its user data never register: .*must be a quantity/s,
    ignored: /^servable$/,
  },
  {
    what: 'no pods by its own settings',
    spec: { kubelet: { maxPods: 0 } },
    requests: { cpu: '100m' },
    says: /pool general: its EC2NodeClass default: kubelet\.maxPods is 0: no pod fits$/,
    ignored: /^servable$/,
  },
  {
    what: 'its own settings, with which no kubelet starts',
    spec: { kubelet: { evictionHard: { 'memory.available': '' } } },
    requests: { cpu: '100m' },
    says: /default: no kubelet starts with its settings: `kubelet\.evictionHard\.memory\.available` must be a quantity or a percentage, such as 500Mi or 5%, and is ""$/,
    ignored: /^servable$/,
  },
  {
    what: 'user data that drops the taint of new nodes',
    spec: NODE_CONFIG({ flags: ['--register-with-taints=a=b:NoSchedule'] }),
    requests: { cpu: '100m' },
    says: /default: --register-with-taints in its user data replaces the taint karpenter\.sh\/unregistered/,
    ignored: /^servable$/,
  },
]) {
  test(`what a class makes of feasibility: ${what}`, () => {
    expect(judge(requests, { name: 'default', spec })).toMatch(says);
    expect(judge(requests)).toMatch(ignored);
  });
}
