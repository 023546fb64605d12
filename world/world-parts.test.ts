import { expect, test } from '@playwright/test';
import type { Node, Pod, ReplicaSet } from '../model/kube.ts';
import { CloudController } from './controllers/cloud-controller.ts';
import { CloudHolds } from './controllers/cloud-holds.ts';
import { createControllerManager } from './controllers/controller-manager.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { Kubelets } from './nodes/kubelets.ts';
import type { WorldPart } from './tasks.ts';
import { M6I_LARGE, makePod, withParts } from './testing/world-parts.ts';
import type { Bench, PartSite } from './testing/world-parts.ts';

function allParts({ port, clock, random, instances }: PartSite): readonly WorldPart[] {
  const fork = (name: string): Omit<PartSite, 'port' | 'instances'> => ({ clock, random: random.fork(name) });
  const kubelets = new Kubelets({
    ...fork('kubelets'),
    port: port('node'),
    instances,
    onNeverRegisters: () => undefined,
    clusterName: 'test',
    securityGroupId: 'sg-test',
    instanceType: () => M6I_LARGE,
  });
  return [
    kubelets,
    new Scheduler({ ...fork('scheduler'), port: port('scheduler') }),
    new CloudController({ ...fork('cloud'), port: port('cloud'), instances, holds: new CloudHolds() }),
    createControllerManager({ ...fork('controller-manager'), port: port('workloads'), heartbeats: kubelets }),
  ];
}

async function deploy(bench: Bench, replicas: number): Promise<void> {
  const labels = { app: 'web' };
  await bench.port.create<ReplicaSet>('replicasets', {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: makePod('x', { cpu: '500m' }).spec },
    },
  });
}

const running = (pods: readonly Pod[]): Pod[] => pods.filter(({ status }) => status?.phase === 'Running');

test('pods run on new nodes, and move when an instance dies', async () => {
  await withParts(allParts, async (bench) => {
    await deploy(bench, 5);
    for (const [id, privateIp] of Object.entries({ 'i-1': '10.0.1.1', 'i-2': '10.0.1.2' })) bench.instances.set(id, { privateIp });
    await bench.until('5 pods run', async () => running(await bench.pods()).length === 5, 120_000);
    const nodes = await bench.port.list<Node>('nodes');
    expect(nodes.map(({ spec }) => spec?.taints ?? [])).toEqual([[], []]);

    bench.instances.set('i-1', { state: 'shutting-down' });
    bench.instances.set('i-1', { state: 'terminated' });
    bench.instances.set('i-3', { privateIp: '10.0.1.3' });
    const survivors = new Set(['ip-10-0-1-2.ec2.internal', 'ip-10-0-1-3.ec2.internal']);
    const moved = async (): Promise<boolean> => {
      const pods = await bench.pods();
      return running(pods).length === 5 && pods.length === 5 && pods.every(({ spec }) => survivors.has(spec.nodeName ?? ''));
    };
    await bench.until('all pods run on live nodes', moved, 300_000);
    expect((await bench.port.list<Node>('nodes')).map(({ metadata }) => metadata.name)).toEqual([...survivors]);
  });
});

test('the same seed gives the same world, byte for byte', async () => {
  const world = async (seed: number): Promise<string> => {
    let state = '';
    await withParts(
      allParts,
      async (bench) => {
        await deploy(bench, 8);
        for (let id = 1; id <= 3; id += 1) bench.instances.set(`i-${id}`, { privateIp: `10.0.1.${id}` });
        await bench.clock.sleep(40_000);
        bench.instances.set('i-2', { state: 'terminated' });
        await bench.clock.sleep(200_000);
        const objects = ['nodes', 'pods', 'replicasets', 'events'].map((resource) => bench.port.list(resource));
        state = JSON.stringify(await Promise.all(objects));
      },
      seed,
    );
    return state;
  };
  expect(await world(1)).toBe(await world(1));
  expect(new Set(await Promise.all([1, 2, 3, 4].map(world))).size).toBe(4);
});

test('a part that writes a field of a wrong type, or an unknown one, fails its test', async () => {
  const careless = ({ port }: PartSite): readonly WorldPart[] => [
    {
      run: async () => {
        await port('node').create('nodes', { metadata: { name: 'n1' }, spec: { providerID: 7, podCidr: '10.0.0.0/24' } });
      },
    },
  ];
  const trial = withParts(careless, (bench) => bench.until('the node is there', async () => (await bench.node('n1')) !== undefined, 1_000));
  await expect(trial).rejects.toThrow(/Node: .*providerID[^]*Node: spec.podCidr/);
});
