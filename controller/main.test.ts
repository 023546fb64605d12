import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { resolveBounds } from '../harness/bounds.ts';
import type { Node, Pod, ReplicaSet } from '../model/kube.ts';
import { reference } from '../targets/reference.ts';
import { QUICK_MACHINES } from '../world/machine-delays.ts';
import { asking } from './testing/embedded.ts';
import { EXIT_LIMIT_MS, START_LIMIT_MS, stop, watchWorld, within, withProcess, withWorld } from './testing/process.ts';

test('as a separate process, on the world’s sockets in real time: one pod to one node and back', async ({}, info) => {
  await withWorld(info.outputPath('kubeconfig'), async (world, sockets, over, events) => {
    const { provision, teardown } = resolveBounds({ constants: reference.constants, allowances: world.allowances, nodes: 1, offerings: 9 });
    test.setTimeout(provision.value + teardown.value + EXIT_LIMIT_MS);
    expect(world.capabilities).not.toContain('time.virtual');
    expect(world.allowances.bootMs).toBe(QUICK_MACHINES.instances.pending.maxMs + QUICK_MACHINES.kubelets.start.maxMs);
    const port = world.port('scenario');
    const until = watchWorld(world, over.signal);
    const pods = (): Promise<Pod[]> => port.list<Pod>('pods', { namespace: 'default' });

    await withProcess(sockets.environment, async (started) => {
      void started.ended.then(() => over.abort(new Error(`the process ended too early:\n${started.said()}`)));
      await port.create<ReplicaSet>('replicasets', {
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: asking('1') },
        },
      });
      await until('the pod runs', provision, async () => (await pods()).some(({ status }) => status?.phase === 'Running'));
      const [node, ...others] = await port.list<Node>('nodes');
      expect(others).toEqual([]);
      expect((await pods()).map(({ spec }) => spec.nodeName)).toEqual([node?.metadata.name]);

      await port.patch({ resource: 'replicasets', namespace: 'default', name: 'web' }, { spec: { replicas: 0 } });
      await until('pod, node, claim and instance are gone', teardown, async () => {
        const objects = [...(await pods()), ...(await port.list('nodes')), ...(await port.list('nodeclaims'))];
        return objects.length === 0 && world.ports.instances.list().every(({ state }) => state === 'terminated');
      });
      expect(world.ports.instances.list()).toHaveLength(1);

      expect(await stop(started)).toEqual([0, null]);
      for (const line of started.said().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    });

    const requests = events.filter((event) => event.type === 'request.start');
    expect(new Set(requests.map(({ principal }) => principal))).toEqual(new Set(['target']));
    const operations = requests.map(({ operation }) => operation);
    expect(operations).toEqual(expect.arrayContaining(['watch pods', 'create nodeclaims', 'ec2:TerminateInstances']));
    expect(operations.filter((operation) => operation === 'ec2:CreateFleet')).toHaveLength(1);
  });
});

const COMPLETE = {
  AWS_REGION: 'us-east-1',
  CLUSTER_NAME: 'test',
  SUBNETS: 'us-east-1a=subnet-a',
  SECURITY_GROUP_ID: 'sg-1',
  IMAGE_IDS: 'x86_64=ami-x,arm64=ami-a',
};

for (const { what, kubeconfig, change, line } of [
  { what: 'no kubeconfig', kubeconfig: undefined, change: {}, line: /^KUBECONFIG: .*no such file/ },
  { what: 'a kubeconfig that is not YAML', kubeconfig: 'a: [', change: {}, line: /^KUBECONFIG: / },
  { what: 'a kubeconfig without a cluster', kubeconfig: '{}', change: {}, line: /^KUBECONFIG: .*names no cluster/ },
  { what: 'an empty name', kubeconfig: '{}', change: { CLUSTER_NAME: '' }, line: /^CLUSTER_NAME: is empty/ },
  { what: 'a subnet without its zone', kubeconfig: '{}', change: { SUBNETS: 'subnet-a' }, line: /^SUBNETS: must be KEY=VALUE pairs/ },
]) {
  test(`invalid configuration: exit code 2 and one line: ${what}`, async ({}, info) => {
    const path = info.outputPath('kubeconfig');
    if (kubeconfig !== undefined) await writeFile(path, kubeconfig);
    await withProcess({ ...COMPLETE, KUBECONFIG: path, ...change }, async ({ ended, said }) => {
      expect(await within(START_LIMIT_MS, 'the process ended', ended)).toEqual([2, null]);
      expect(said().trimEnd().split('\n')).toEqual([expect.stringMatching(line)]);
    });
  });
}

test('every missing variable has its own line', async () => {
  await withProcess({}, async ({ ended, said }) => {
    expect(await within(START_LIMIT_MS, 'the process ended', ended)).toEqual([2, null]);
    for (const name of ['KUBECONFIG', ...Object.keys(COMPLETE)]) expect(said()).toContain(`${name}: is missing`);
  });
});

test('SIGTERM stops it even while nothing responds', async ({}, info) => {
  const nowhere = 'http://127.0.0.1:1';
  const kubeconfig = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: nowhere } }],
    users: [{ name: 'a', user: {} }],
  };
  const path = info.outputPath('kubeconfig');
  await writeFile(path, JSON.stringify(kubeconfig));
  await withProcess({ ...COMPLETE, KUBECONFIG: path, AWS_ENDPOINT_URL: nowhere }, async (started) => {
    await within(START_LIMIT_MS, 'the first line', once(started.child.stderr ?? started.child, 'data'));
    expect(started.said()).toContain('ECONNREFUSED');
    expect(await stop(started)).toEqual([0, null]);
  });
});
