import { expect, test } from '@playwright/test';
import type { NodeProblem } from '../ports.ts';
import { addPod, conditionIn, userData } from '../testing/world-parts.ts';
import { KUBELET_DELAYS } from './kubelet.ts';
import { NODE, NODE_AT, READY_MS, REGISTERED_MS, podRef, taintKeys, withKubelets } from './testing/kubelets.ts';
import { NodeFaults } from './node-faults.ts';
import { StartupAgent } from './startup-agent.ts';

const LONG_MS = 600_000;

/** Arms an problem for every instance, and collects the ids of those that it struck. */
function arm(faults: NodeFaults, problem: NodeProblem): { readonly struck: readonly string[]; heal(): void } {
  const struck: string[] = [];
  const heal = faults.arm({ selector: {}, problem, fired: (id) => void struck.push(id) });
  return { struck, heal: () => void heal() };
}

test('a late kubelet registers later', async () => {
  await withKubelets(async (bench) => {
    const { struck } = arm(bench.faults, { kind: 'late-registration', delayMs: LONG_MS });
    bench.instances.set('i-1', {});
    await bench.clock.sleep(LONG_MS);
    expect(await bench.node(NODE)).toBeUndefined();
    expect(struck).toEqual(['i-1']);
    await bench.until('it registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
  });
});

test('a kubelet that never registers does so once healed', async () => {
  await withKubelets(async (bench) => {
    const { heal } = arm(bench.faults, { kind: 'late-registration' });
    bench.instances.set('i-1', {});
    await bench.clock.sleep(LONG_MS);
    expect(await bench.node(NODE)).toBeUndefined();
    heal();
    await bench.clock.sleep(100);
    expect(await bench.node(NODE)).toBeDefined();
  });
});

test('only the first `count` selected instances are struck', async () => {
  const faults = new NodeFaults();
  const struck: string[] = [];
  faults.arm({ selector: { zones: ['us-east-1b'] }, count: 1, problem: { kind: 'never-ready' }, fired: (id) => void struck.push(id) });
  await withKubelets(async (bench) => {
    for (const [id, zone] of [
      ['i-1', 'us-east-1a'],
      ['i-2', 'us-east-1b'],
      ['i-3', 'us-east-1b'],
    ] as const) {
      bench.instances.set(id, { zone });
      const instance = bench.instances.get(id);
      if (instance === undefined) continue;
      expect(faults.strike('late-registration', instance)).toBeUndefined();
      faults.strike('never-ready', instance)?.fired();
    }
  });
  expect(struck).toEqual(['i-2']);
});

test('a node without a network never becomes Ready, until healed', async () => {
  await withKubelets(async (bench) => {
    const { heal, struck } = arm(bench.faults, { kind: 'never-ready' });
    bench.instances.set('i-1', {});
    await addPod(bench.port, 'p');
    await bench.port.bind(podRef('p'), NODE);
    await bench.clock.sleep(LONG_MS);
    expect(conditionIn(await bench.node(NODE), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: expect.stringContaining('NetworkPluginNotReady'),
    });
    expect(bench.clock.nowMs() - (bench.kubelets.lastHeartbeatMs(NODE) ?? 0)).toBeLessThan(15_000);
    expect(await bench.phase('p')).toBe('Pending');
    expect(struck).toEqual(['i-1']);
    heal();
    await bench.until('it is ready', async () => (await bench.readiness()) === 'True', 1_000);
    await bench.until('p runs', async () => (await bench.phase('p')) === 'Running', KUBELET_DELAYS.podStart.maxMs);
  });
});

test('a flapping node is NotReady for half of each period, the given number of times', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    const { struck } = arm(bench.faults, { kind: 'flapping', periodMs: 20_000, times: 2 });
    expect(struck).toEqual(['i-1']);
    const seen: (string | undefined)[] = [];
    for (let look = 0; look < 6; look += 1) {
      await bench.clock.sleep(look === 0 ? 5_000 : 10_000);
      seen.push(await bench.readiness());
    }
    expect(seen).toEqual(['False', 'True', 'False', 'True', 'True', 'True']);
  });
});

test('a foreign Node is adopted', async () => {
  await withKubelets(async (bench) => {
    const { struck } = arm(bench.faults, { kind: 'foreign-node', labels: { early: 'yes' }, taints: [], providerId: false });
    bench.instances.set('i-1', { userData: userData({ flags: ['--node-labels=pool=default'] }) });
    await bench.clock.sleep(100);
    expect(await bench.node(NODE)).toBeDefined();
    await bench.ready();
    const node = await bench.node(NODE);
    expect(node?.spec?.providerID).toBeUndefined();
    expect(node?.metadata.labels).toMatchObject({ early: 'yes' });
    expect(node?.metadata.labels?.['pool']).toBeUndefined();
    expect(taintKeys(node)).toEqual(['node.kubernetes.io/not-ready']);
    expect(struck).toEqual(['i-1']);
  });
});

test('a foreign Node is deleted when healed before the kubelet registers', async () => {
  await withKubelets(async (bench) => {
    const { heal } = arm(bench.faults, { kind: 'foreign-node', labels: {}, taints: [], providerId: true });
    bench.instances.set('i-1', {});
    await bench.clock.sleep(100);
    expect((await bench.node(NODE))?.spec?.providerID).toBe('aws:///us-east-1a/i-1');
    heal();
    await bench.clock.sleep(100);
    expect(await bench.node(NODE)).toBeUndefined();
  });
});

test('a dead kubelet does nothing, and catches up when it is healed', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    await bench.port.patch(NODE_AT, { spec: { taints: null } });
    for (const name of ['deleted', 'new']) await addPod(bench.port, name, { cpu: '100m' });
    await bench.port.bind(podRef('deleted'), NODE);
    await bench.until('it runs', async () => (await bench.phase('deleted')) === 'Running', KUBELET_DELAYS.podStart.maxMs + 200);
    const { struck, heal } = arm(bench.faults, { kind: 'dead-kubelet', afterMs: 5_000 });
    await bench.clock.sleep(4_000);
    expect(struck).toEqual([]);
    await bench.clock.sleep(1_000);
    expect(struck).toEqual(['i-1']);
    const diedMs = bench.clock.nowMs();
    const before = await bench.node(NODE);
    await bench.port.delete(podRef('deleted'));
    await bench.port.bind(podRef('new'), NODE);
    await bench.clock.sleep(LONG_MS);
    expect((await bench.pod('deleted'))?.metadata.deletionTimestamp).toBeDefined();
    expect(await bench.phase('new')).toBe('Pending');
    expect(await bench.node(NODE)).toEqual(before);
    expect(bench.kubelets.lastHeartbeatMs(NODE)).toBeLessThanOrEqual(diedMs);
    heal();
    await bench.until('new runs', async () => (await bench.phase('new')) === 'Running', KUBELET_DELAYS.podStart.maxMs + 200);
    expect(await bench.pod('deleted')).toBeUndefined();
    expect(bench.clock.nowMs() - (bench.kubelets.lastHeartbeatMs(NODE) ?? 0)).toBeLessThan(10_000);
  });
});

test('a dead kubelet ends no pods when its instance powers off', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    arm(bench.faults, { kind: 'dead-kubelet', afterMs: 0 });
    await bench.clock.sleep(100);
    bench.instances.set('i-1', { state: 'shutting-down' });
    await bench.clock.sleep(100);
    expect(await bench.readiness()).toBe('True');
  });
});

test('a Node is deleted some time after Ready, and its kubelet does not create it again', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    const { struck } = arm(bench.faults, { kind: 'deleted-node', afterMs: 5_000 });
    await bench.clock.sleep(4_000);
    expect(await bench.node(NODE)).toBeDefined();
    await bench.clock.sleep(2_000);
    expect(struck).toEqual(['i-1']);
    expect(await bench.node(NODE)).toBeUndefined();
    await bench.clock.sleep(LONG_MS);
    expect(await bench.node(NODE)).toBeUndefined();
  });
});

test('no Node is deleted once it is healed', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    const { struck, heal } = arm(bench.faults, { kind: 'deleted-node', afterMs: 5_000 });
    await bench.clock.sleep(4_000);
    heal();
    await bench.clock.sleep(LONG_MS);
    expect(struck).toEqual([]);
    expect(await bench.node(NODE)).toBeDefined();
  });
});

test('a shortfall lasts from registration until it is healed', async () => {
  await withKubelets(async (bench) => {
    const { struck, heal } = arm(bench.faults, { kind: 'shortfall', cpu: 0.5, memory: 0 });
    bench.instances.set('i-1', {});
    await bench.until('it registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
    expect((await bench.node(NODE))?.status?.allocatable?.['cpu']).toBe('930m');
    expect(struck).toEqual(['i-1']);
    heal();
    await bench.clock.sleep(100);
    expect((await bench.node(NODE))?.status?.allocatable?.['cpu']).toBe('1930m');
  });
});

test('start-up taints are removed when the node is Ready, and no others', async () => {
  const agent = { key: 'ebs.csi.aws.com/agent-not-ready', effect: 'NoExecute' as const };
  const own = { key: 'team', effect: 'NoSchedule' as const };
  await withKubelets(
    async (bench) => {
      const { heal } = arm(bench.faults, { kind: 'never-ready' });
      bench.instances.set('i-1', { userData: userData({ taints: [agent, own] }) });
      await bench.clock.sleep(REGISTERED_MS + READY_MS + 60_000);
      expect(taintKeys(await bench.node(NODE))).toContain(agent.key);
      heal();
      await bench.until('the taint is gone', async () => !taintKeys(await bench.node(NODE)).includes(agent.key), 5_000);
      expect(taintKeys(await bench.node(NODE))).toContain(own.key);
    },
    { more: ({ port, clock, random }) => [new StartupAgent({ port: port('node'), clock, random: random.fork('agent') })] },
  );
});

test("agents that check once remove the start-up taints at the fault's time, Ready or not, and never again", async () => {
  const agent = { key: 'ebs.csi.aws.com/agent-not-ready', effect: 'NoExecute' as const };
  await withKubelets(
    async (bench) => {
      const { struck } = arm(bench.faults, { kind: 'startup-agents', afterMs: 1_000 });
      arm(bench.faults, { kind: 'never-ready' });
      bench.instances.set('i-1', { userData: userData({ taints: [agent] }) });
      await bench.until('it registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
      expect(taintKeys(await bench.node(NODE))).toContain(agent.key);
      await bench.until('the taint is gone', async () => !taintKeys(await bench.node(NODE)).includes(agent.key), 2_000);
      expect(struck).toEqual(['i-1']);
      const { spec } = (await bench.node(NODE)) ?? {};
      await bench.port.patch({ resource: 'nodes', name: NODE }, { spec: { taints: [...(spec?.taints ?? []), agent] } });
      await bench.clock.sleep(60_000);
      expect(taintKeys(await bench.node(NODE))).toContain(agent.key);
    },
    {
      more: ({ port, clock, random, faults, instances }) => [
        new StartupAgent({ port: port('node'), clock, random: random.fork('agent'), faults: { faults, instances } }),
      ],
    },
  );
});
