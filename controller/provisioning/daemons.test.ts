import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { Node, PodSpec } from '../../model/kube.ts';
import type { DaemonSet } from '../state.ts';
import { ANY_POOL, asking, withEmbedded } from '../testing/embedded.ts';
import { Daemons } from './daemons.ts';

const GIB = 1024 ** 3;

function daemonSet(name: string, spec: Partial<PodSpec>): DaemonSet {
  const containers = [{ name: 'main', resources: { requests: { cpu: '100m', memory: '1Gi' } } }];
  return { metadata: { name }, spec: { template: { spec: { containers, ...spec } } } };
}

const LABELS = { [LABEL.arch]: 'amd64', [LABEL.zone]: 'us-east-1a', disk: 'fast' };
const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const;

function affinity(key: string, values: string[]): PodSpec['affinity'] {
  const nodeSelectorTerms = [{ matchExpressions: [{ key, operator: 'In' as const, values }] }];
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

for (const { what, spec, taints = [], counts } of [
  { what: 'no constraints', spec: {}, counts: true },
  { what: 'its selector matches', spec: { nodeSelector: { disk: 'fast' } }, counts: true },
  { what: 'its selector names another value', spec: { nodeSelector: { disk: 'slow' } }, counts: false },
  { what: 'its selector names a label that the node lacks', spec: { nodeSelector: { gpu: 'yes' } }, counts: false },
  { what: 'its selector names a label that nodes get later', spec: { nodeSelector: { 'karpenter.sh/registered': 'true' } }, counts: true },
  { what: 'its affinity matches', spec: { affinity: affinity(LABEL.zone, ['us-east-1a', 'us-east-1b']) }, counts: true },
  { what: 'its affinity matches another zone', spec: { affinity: affinity(LABEL.zone, ['us-east-1b']) }, counts: false },
  { what: 'it does not tolerate a taint', spec: {}, taints: [TAINT], counts: false },
  { what: 'it tolerates the taint', spec: { tolerations: [{ key: 'dedicated', operator: 'Exists' }] }, taints: [TAINT], counts: true },
  { what: 'it tolerates everything', spec: { tolerations: [{ operator: 'Exists' }] }, taints: [TAINT], counts: true },
  { what: 'a taint that is only a preference', spec: {}, taints: [{ ...TAINT, effect: 'PreferNoSchedule' }], counts: true },
  {
    what: 'its requests are invalid',
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: 'much' } } }] },
    counts: false,
  },
] as { what: string; spec: Partial<PodSpec>; taints?: (typeof TAINT)[]; counts: boolean }[]) {
  test(`a DaemonSet ${counts ? 'takes its share' : 'takes nothing'}: ${what}`, () => {
    const { requests } = new Daemons([daemonSet('agent', spec)]).shareOf(LABELS, taints);
    expect(requests).toEqual(counts ? { cpu: 100, memory: GIB, pods: 1 } : {});
  });
}

test('shares add up, with init containers, sidecars, overhead and host ports', () => {
  const requests = (cpu: string): { requests: { cpu: string } } => ({ requests: { cpu } });
  const daemons = new Daemons([
    daemonSet('plain', {}),
    daemonSet('init', { initContainers: [{ name: 'init', resources: requests('300m') }] }),
    daemonSet('sidecar', { initContainers: [{ name: 'sidecar', restartPolicy: 'Always', resources: requests('50m') }] }),
    daemonSet('overhead', { overhead: { cpu: '20m' } }),
    daemonSet('port', { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 8080 }] }] }),
    daemonSet('elsewhere', { nodeSelector: { disk: 'slow' } }),
  ]);
  const share = daemons.shareOf(LABELS, []);
  expect(share.requests).toEqual({ cpu: 100 + 300 + 150 + 120, memory: 4 * GIB, pods: 5 });
  expect(share.hostPorts).toEqual([expect.objectContaining({ port: 8080, protocol: 'TCP' })]);
});

test('nodes with the same DaemonSets share one object', () => {
  const daemons = new Daemons([daemonSet('fast', { nodeSelector: { disk: 'fast' } }), daemonSet('all', {})]);
  const first = daemons.shareOf(LABELS, []);
  expect(daemons.shareOf({ ...LABELS, [LABEL.zone]: 'us-east-1b' }, [])).toBe(first);
  expect(daemons.shareOf({ ...LABELS, disk: 'slow' }, [])).not.toBe(first);
});

test('a new node has room for its DaemonSets and the pod that it was launched for', async () => {
  await withEmbedded(1, [ANY_POOL], async ({ port, deploy, until, world }) => {
    const labels = { app: 'agent' };
    const template = { metadata: { labels }, spec: { ...asking('1500m'), tolerations: [{ operator: 'Exists' }] } };
    await port.create('daemonsets', {
      metadata: { name: 'agent', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template },
    } as DaemonSet);
    await deploy('web', 1, asking('1'));
    await until('both pods run', 5 * 60_000, async () => {
      const pods = await port.list<{ metadata: object; status?: { phase?: string } }>('pods', { namespace: 'default' });
      return pods.length === 2 && pods.every(({ status }) => status?.phase === 'Running');
    });
    expect(world.ports.instances.list()).toHaveLength(1);
    const [node] = await port.list<Node>('nodes');
    expect(Number(node?.status?.capacity?.['cpu'])).toBeGreaterThanOrEqual(3);
  });
});
