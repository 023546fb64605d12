import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { resolveBounds } from '../harness/bounds.ts';
import type { Bound, NewEvent } from '../history/events.ts';
import type { Node, Pod, ReplicaSet } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { reference } from '../targets/reference.ts';
import { createEmbeddedWorld } from '../world/embedded.ts';
import { QUICK_MACHINES } from '../world/machine-delays.ts';
import { openSockets } from '../world/sockets.ts';
import type { Sockets } from '../world/sockets.ts';
import type { World } from '../world/world.ts';
import { Notifier } from './core/notifier.ts';
import { ANY_POOL, asking } from './testing/embedded.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
/** From a signal to the end of the process. */
const EXIT_LIMIT_MS = 10_000;
/** From its start to its first line, or to its end if it can't work. */
const START_LIMIT_MS = 30_000;

/** The autoscaler's process. */
interface Started {
  readonly child: ChildProcess;
  /** Exit code and signal. */
  readonly ended: Promise<unknown[]>;
  /** What it wrote to standard error. */
  said(): string;
}

const timeline = createRealTimeline();
const clock = timeline.scope('test');

/** Starts the process; it has ended in any case afterwards. */
async function withProcess(environment: Readonly<Record<string, string>>, work: (started: Started) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'ignore', 'pipe'], env: environment });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  try {
    await work({ child, ended, said: () => said });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function within<T>(limitMs: number, what: string, event: Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const late = clock.sleep(limitMs, waiting.signal).then(() => Promise.reject(new Error(`not within ${limitMs} ms: ${what}`)));
  return Promise.race([event, late]).finally(() => waiting.abort(new Error('waited for long enough')));
}

/** Asks a process to stop. @returns its exit code and signal */
function stop({ child, ended }: Started): Promise<unknown[]> {
  child.kill('SIGTERM');
  return within(EXIT_LIMIT_MS, 'the process stopped', ended);
}

/** A world in real time with the autoscaler installed, and the target's sockets to it. All is closed afterwards. */
async function withWorld(
  kubeconfigPath: string,
  work: (world: World, sockets: Sockets, over: AbortController, events: readonly NewEvent[]) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const fail = (error: Error): void => over.abort(error);
  const events: NewEvent[] = [];
  const world = createEmbeddedWorld(
    {
      timeline,
      random: createRandom(1),
      recorder: { record: (event) => events.push(event) - 1 },
      onKill: () => undefined,
      onFailure: fail,
      onFlood: (message) => fail(new Error(message)),
    },
    { delays: QUICK_MACHINES },
  );
  await world.start();
  try {
    await install(world);
    const sockets = await openSockets({ world, principal: 'target', kubeconfigPath, log: (_level, message) => fail(new Error(message)) });
    try {
      await work(world, sockets, over, events);
    } finally {
      await sockets.close();
    }
  } finally {
    over.abort(new Error('the test is over'));
    await world.stop();
  }
}

/** Installs the autoscaler and its pool as its operator would; an empty node may go at once. */
async function install(world: World): Promise<void> {
  const wires = world.open('scenario', 1, timeline.scope('operator'));
  const runtime = { clock, random: createRandom(2), signal: new AbortController().signal, log: () => undefined };
  const operator = { kube: wires.kube, aws: wires.aws, cluster: world.cluster, runtime };
  await reference.install(operator);
  await reference.applyPools(operator, [ANY_POOL]);
  wires.close();
  const pool = { resource: 'nodepools', name: ANY_POOL.name };
  await world.port('scenario').patch(pool, { spec: { disruption: { consolidateAfter: '0s' } } });
}

/** Waits for states of the world, looking whenever one of its objects or instances has changed. */
function watchWorld(world: World, signal: AbortSignal) {
  const news = new Notifier();
  for (const resource of ['pods', 'nodes', 'nodeclaims']) world.port('observer').watch(resource, signal, () => news.notify());
  world.ports.instances.onChange(() => news.notify());
  return async (what: string, { value: limitMs }: Bound, holds: () => Promise<boolean>): Promise<void> => {
    const endMs = clock.nowMs() + limitMs;
    while (!(await holds())) {
      if (!(await news.wait(clock, endMs - clock.nowMs(), signal))) throw new Error(`not within ${limitMs} ms: ${what}`);
    }
  };
}

test('as a process of its own, on the world’s sockets in real time: one pod to one node and back', async ({}, info) => {
  await withWorld(info.outputPath('kubeconfig'), async (world, sockets, over, events) => {
    const { provision, teardown } = resolveBounds({ constants: reference.constants, allowances: world.allowances, nodes: 1 });
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
  { what: 'a kubeconfig that is no YAML', kubeconfig: 'a: [', change: {}, line: /^KUBECONFIG: / },
  { what: 'a kubeconfig without a cluster', kubeconfig: '{}', change: {}, line: /^KUBECONFIG: .*names no cluster/ },
  { what: 'an empty name', kubeconfig: '{}', change: { CLUSTER_NAME: '' }, line: /^CLUSTER_NAME: is empty/ },
  { what: 'a subnet without its zone', kubeconfig: '{}', change: { SUBNETS: 'subnet-a' }, line: /^SUBNETS: must be KEY=VALUE pairs/ },
]) {
  test(`bad configuration ends it with exit code 2 and one line: ${what}`, async ({}, info) => {
    const path = info.outputPath('kubeconfig');
    if (kubeconfig !== undefined) await writeFile(path, kubeconfig);
    await withProcess({ ...COMPLETE, KUBECONFIG: path, ...change }, async ({ ended, said }) => {
      expect(await within(START_LIMIT_MS, 'the process ended', ended)).toEqual([2, null]);
      expect(said().trimEnd().split('\n')).toEqual([expect.stringMatching(line)]);
    });
  });
}

test('every variable that is missing has its line', async () => {
  await withProcess({}, async ({ ended, said }) => {
    expect(await within(START_LIMIT_MS, 'the process ended', ended)).toEqual([2, null]);
    for (const name of ['KUBECONFIG', ...Object.keys(COMPLETE)]) expect(said()).toContain(`${name}: is missing`);
  });
});

test('SIGTERM ends it also while nobody answers', async ({}, info) => {
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
