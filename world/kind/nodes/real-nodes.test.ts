import { mkdirSync, readdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { parse } from 'yaml';
import type { Node } from '../../../model/kube.ts';
import { formatProviderId } from '../../../model/provider-id.ts';
import { NodeFaults } from '../../nodes/node-faults.ts';
import type { NodeProblem } from '../../ports.ts';
import { M6I_LARGE, userData, withParts } from '../../testing/world-parts.ts';
import type { Bench } from '../../testing/world-parts.ts';
import { RealNodes } from './real-nodes.ts';
import { FakeDocker } from './testing/fake-docker.ts';

const CONFIG = '/var/lib/kubelet/config.yaml';
const NETWORK = '/etc/cni/net.d/10-scaleproof.conflist';
const NODE = 'ip-10-0-1-12.ec2.internal';
const NAME = 'one-i-1';
/** Nothing takes time here except waits caused by faults. */
const SOON_MS = 1_000;
const TYPES = new Map([M6I_LARGE, { ...M6I_LARGE, type: 'm6g.large', architecture: 'arm64' } as const].map((type) => [type.type, type]));

interface RealBench extends Bench {
  readonly docker: FakeDocker;
  readonly faults: NodeFaults;
  readonly struck: readonly string[];
  arm(problem: NodeProblem): () => void;
  /** Waits until it holds. */
  soon(what: string, holds: () => boolean): Promise<void>;
}

/** Real nodes of a cluster called `one`, on an in-memory docker whose kubelets register at once and are Ready. */
async function withRealNodes(testInfo: TestInfo, work: (bench: RealBench) => Promise<void>, docker = new FakeDocker()): Promise<void> {
  const faults = new NodeFaults();
  const struck: string[] = [];
  const folder = testInfo.outputPath('run');
  mkdirSync(folder, { recursive: true });
  const parts: Parameters<typeof withParts>[0] = (site) => {
    docker.onKubelet = ({ name, files }) => {
      const instance = site.instances.list().find(({ id }) => name.startsWith(`one-${id}`));
      if (instance === undefined) return;
      const conditions = [{ type: 'Ready', status: files.has(NETWORK) ? 'True' : 'False' }] as const;
      const node: Node = {
        metadata: { name: instance.privateDnsName },
        spec: { providerID: formatProviderId(instance) },
        status: { conditions: [...conditions], nodeInfo: { architecture: 'amd64', operatingSystem: 'linux', kubeletVersion: 'v1.34.4' } },
      };
      void site
        .port('node')
        .create<Node & { metadata: object }>('nodes', node)
        .catch(() => undefined);
    };
    const ref = { cluster: 'one', run: 'r1', folder };
    const common = {
      port: site.port('node'),
      instances: site.instances,
      clock: site.clock,
      random: site.random,
      onNeverRegisters: () => undefined,
    };
    return [
      new RealNodes({
        ...common,
        clusterName: 'test',
        securityGroupId: 'sg-test',
        instanceType: (type) => TYPES.get(type),
        faults,
        ref,
        programs: docker,
      }),
    ];
  };
  await withParts(parts, (bench) =>
    work({
      ...bench,
      docker,
      faults,
      struck,
      arm: (problem) => {
        const heal = faults.arm({ selector: {}, problem, fired: (id) => void struck.push(id) });
        return () => void heal();
      },
      soon: (what, holds) => bench.until(what, () => Promise.resolve(holds()), SOON_MS),
    }),
  );
  expect([...docker.containers.keys()]).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
}

test('a running instance is a container that joins with its id, labels, taints and size; a terminated one has none', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, soon, until, node }) => {
    const taints = [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }] as const;
    instances.set('i-1', { state: 'pending', userData: userData({ flags: ['--node-labels=tier=batch,a.b/c=d'], taints: [...taints] }) });
    instances.set('i-1', { state: 'running' });
    await until('it registers', async () => (await node(NODE)) !== undefined, SOON_MS);
    const container = docker.containers.get(NAME);
    expect(container?.image).toBe('sha256:node');
    expect(container?.labels).toEqual([
      'io.x-k8s.kind.cluster=one',
      'io.x-k8s.kind.role=worker',
      'scaleproof.run=r1',
      'scaleproof.node-of=one',
    ]);
    expect(parse(container?.files.get(CONFIG) ?? '')).toMatchObject({
      kind: 'KubeletConfiguration',
      cgroupDriver: 'systemd',
      providerID: 'aws:///us-east-1a/i-1',
      registerWithTaints: taints,
      maxPods: 29,
    });
    expect(container?.files.get('/var/lib/kubelet/kubeadm-flags.env')).toBe(
      `KUBELET_KUBEADM_ARGS="--hostname-override=${NODE} --cloud-provider=external --node-labels=tier=batch,a.b/c=d"\n`,
    );
    instances.set('i-1', { state: 'shutting-down' });
    await soon('it is removed', () => docker.containers.size === 0);
    // The cloud controller deletes the Node.
    expect(await node(NODE)).toBeDefined();
  });
});

test('leftovers of an earlier trial are removed first, and everything when the world stops, including the token', async ({}, testInfo) => {
  const docker = new FakeDocker();
  const left = { labels: ['scaleproof.node-of=one'], image: '', isRunning: true, files: new Map<string, string>(), commands: [] };
  docker.containers.set('one-i-0', { ...left, name: 'one-i-0' });
  await withRealNodes(
    testInfo,
    async ({ instances, soon }) => {
      await soon('the old one is gone', () => !docker.containers.has('one-i-0'));
      instances.set('i-1', {});
      await soon('the new one runs', () => docker.containers.get(NAME)?.isRunning === true);
    },
    docker,
  );
  expect(docker.calls.at(-1)).toBe('exec one-control-plane kubeadm token delete abcdef.0123456789abcdef');
});

test('an instance terminated while its container is being created leaves none', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, soon }) => {
    const held = Promise.withResolvers<void>();
    docker.held = held.promise;
    instances.set('i-1', {});
    await soon('it is being created', () => docker.maxConcurrent === 1);
    instances.set('i-1', { state: 'shutting-down' });
    held.resolve();
    await soon('it is removed', () => docker.calls.some((line) => line.startsWith('rm') && line.endsWith(NAME)));
  });
});

test('containers are created four at a time', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, soon }) => {
    const held = Promise.withResolvers<void>();
    docker.held = held.promise;
    for (let index = 0; index < 9; index += 1) instances.set(`i-${index}`, { privateIp: `10.0.1.${index + 4}` });
    await soon('some are being created', () => docker.maxConcurrent > 0);
    held.resolve();
    await soon('all run', () => [...docker.containers.values()].filter(({ isRunning }) => isRunning).length === 9);
    expect(docker.maxConcurrent).toBe(4);
  });
});

test('a stopped instance boots again in another container', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, soon }) => {
    instances.set('i-1', {});
    await soon('it runs', () => docker.containers.has(NAME));
    instances.set('i-1', { state: 'stopping' });
    instances.set('i-1', { state: 'stopped' });
    instances.set('i-1', { state: 'running' });
    await soon('it runs again', () => docker.containers.has(`${NAME}-2`) && !docker.containers.has(NAME));
  });
});

for (const [what, change] of [
  ['a machine of another architecture', { instanceType: 'm6g.large' }],
  ['a machine of another cluster', { userData: userData({ cluster: 'other' }) }],
  ['a machine without user data', { userData: '' }],
] as const) {
  test(`${what} never becomes a node`, async ({}, testInfo) => {
    await withRealNodes(testInfo, async ({ docker, instances, clock }) => {
      instances.set('i-1', change);
      await clock.sleep(SOON_MS);
      expect(docker.containers.size).toBe(0);
    });
  });
}

test('a late kubelet is started late, in a running machine', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, struck, soon, clock, node }) => {
    arm({ kind: 'late-registration', delayMs: 60_000 });
    instances.set('i-1', {});
    await soon('it runs', () => docker.containers.get(NAME)?.isRunning === true);
    await clock.sleep(59_000);
    expect(struck).toEqual(['i-1']);
    expect(docker.containers.get(NAME)?.files.has(CONFIG)).toBe(false);
    await clock.sleep(2_000);
    expect(docker.containers.get(NAME)?.commands).toEqual(['systemctl start kubelet']);
    expect(await node(NODE)).toBeDefined();
  });
});

test('systemd may not answer yet: the command is repeated', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, soon, clock, node }) => {
    const heal = arm({ kind: 'late-registration' });
    instances.set('i-1', {});
    await soon('it runs', () => docker.containers.get(NAME)?.isRunning === true);
    docker.refusals.set(`exec ${NAME}`, 'Failed to connect to bus');
    heal();
    await clock.sleep(5_000);
    docker.refusals.clear();
    await clock.sleep(2_000);
    expect(await node(NODE)).toBeDefined();
  });
});

test('a node that never becomes Ready has no network until the fault is healed', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, soon }) => {
    const heal = arm({ kind: 'never-ready' });
    instances.set('i-1', {});
    await soon('it runs', () => docker.containers.get(NAME)?.isRunning === true);
    expect(docker.containers.get(NAME)?.files.has(NETWORK)).toBe(false);
    heal();
    await soon('it has a network', () => docker.containers.get(NAME)?.files.has(NETWORK) === true);
  });
});

test('a shortfall is withheld from pods until healed', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, soon }) => {
    const reserved = (): number => {
      const config = parse(docker.containers.get(NAME)?.files.get(CONFIG) ?? '{}') as { systemReserved?: { memory: string } };
      return Number(config.systemReserved?.memory ?? NaN);
    };
    const heal = arm({ kind: 'shortfall', cpu: 0, memory: 0.25 });
    instances.set('i-1', {});
    await soon('it runs', () => docker.containers.get(NAME)?.isRunning === true);
    const before = reserved();
    heal();
    await soon('its kubelet is restarted', () => docker.containers.get(NAME)?.commands.includes('systemctl restart kubelet') === true);
    // A quarter of what an m6i.large has, in whole MiB.
    expect(before - reserved()).toBe(1_899 * 2 ** 20);
  });
});

test('a dead kubelet is stopped once its node was Ready, and started when healed', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, soon, clock }) => {
    const heal = arm({ kind: 'dead-kubelet', afterMs: 10_000 });
    instances.set('i-1', {});
    await clock.sleep(9_000);
    expect(docker.containers.get(NAME)?.commands).toEqual([]);
    await clock.sleep(2_000);
    expect(docker.containers.get(NAME)?.commands).toEqual(['systemctl stop kubelet']);
    heal();
    await soon('it is started', () => docker.containers.get(NAME)?.commands.at(-1) === 'systemctl start kubelet');
  });
});

test('a fault that is armed later strikes nodes that are Ready', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, soon, clock }) => {
    instances.set('i-1', {});
    await clock.sleep(SOON_MS);
    arm({ kind: 'flapping', periodMs: 20_000, times: 2 });
    await soon('its network is gone', () => docker.containers.get(NAME)?.files.has(NETWORK) === false);
    await clock.sleep(11_000);
    expect(docker.containers.get(NAME)?.files.has(NETWORK)).toBe(true);
    await clock.sleep(40_000);
    expect(docker.containers.get(NAME)?.commands.filter((line) => line.startsWith('rm'))).toHaveLength(2);
    expect(docker.containers.get(NAME)?.files.has(NETWORK)).toBe(true);
  });
});

test('a foreign Node exists before the kubelet registers, and is deleted when healed before that', async ({}, testInfo) => {
  await withRealNodes(testInfo, async ({ docker, instances, arm, until, node }) => {
    const held = Promise.withResolvers<void>();
    docker.held = held.promise;
    const heal = arm({ kind: 'foreign-node', labels: { by: 'somebody' }, taints: [], providerId: false });
    instances.set('i-1', {});
    await until('it is there', async () => (await node(NODE))?.metadata.labels?.['by'] === 'somebody', SOON_MS);
    heal();
    await until('it is gone', async () => (await node(NODE)) === undefined, SOON_MS);
    held.resolve();
    await until('the kubelet registers its own', async () => (await node(NODE)) !== undefined, SOON_MS);
  });
});

test('an error of docker ends the part with its message', async ({}, testInfo) => {
  const docker = new FakeDocker();
  docker.refusals.set('create', 'no space left on device');
  await expect(
    withRealNodes(
      testInfo,
      async ({ instances, clock }) => {
        instances.set('i-1', {});
        await clock.sleep(60_000);
      },
      docker,
    ),
  ).rejects.toThrow("can't create the container one-i-1: the disk is full");
});

test('more nodes than the machine has room for is an error at once', async ({}, testInfo) => {
  await expect(
    withRealNodes(testInfo, async ({ instances, clock }) => {
      for (let index = 0; index < 10; index += 1) instances.set(`i-${index}`, { privateIp: `10.0.1.${index + 4}` });
      await clock.sleep(60_000);
    }),
  ).rejects.toThrow(/more than 9 real nodes at the same time .* raise fs.inotify.max_user_instances to 512/);
});

test('an engine of another architecture is refused before anything is created', async ({}, testInfo) => {
  const docker = new FakeDocker();
  docker.architecture = 'arm64';
  await expect(withRealNodes(testInfo, ({ clock }) => clock.sleep(60_000), docker)).rejects.toThrow(
    'real nodes need machines of amd64, but the node image is for arm64',
  );
});
