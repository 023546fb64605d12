import { expect, test } from '@playwright/test';
import type { NewEvent } from '../../history/events.ts';
import { WORKLOAD_LABEL } from '../../model/kube.ts';
import type { KubeObject, Node, Pod } from '../../model/kube.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { createApiServer } from '../kube/api-server.ts';
import { NODE_CLAIM_CRD } from '../kube/testing/api-server.ts';
import { Observer } from '../kube/observer.ts';
import type { ClusterPort } from '../ports.ts';
import { Observation } from './observation.ts';

/** What two observers of one cluster recorded: the embedded world's, from inside, and a real world's, by watches. */
interface Both {
  readonly within: NewEvent[];
  readonly watched: NewEvent[];
}

/** Longer than any watch takes to deliver: a watch may skip a change that was undone at once. */
const SEEN_MS = 100;
const OWN = 'control-plane';

/** Records what `script` does, pausing after each step until every watch has delivered it. */
async function observed(script: readonly ((port: ClusterPort) => Promise<unknown>)[]): Promise<Both> {
  const random = createRandom(1);
  const timeline = createVirtualTimeline({ startMs: Date.parse('2026-01-01T00:00:00Z'), random: random.fork('timeline') });
  const server = createApiServer({ clock: timeline.scope('api'), random: random.fork('api') });
  const clock = timeline.scope('parts');
  const port = server.port('workloads');
  const both: Both = { within: [], watched: [] };
  const work = async (): Promise<void> => {
    await port.create<Node>('nodes', { metadata: { name: OWN } });
    await port.create<KubeObject>('customresourcedefinitions', NODE_CLAIM_CRD);
    await clock.sleep(SEEN_MS);
    server.onCommit(new Observer({ record: (event) => both.within.push(event) - 1 }, server.resources).observe);
    const recorder = { record: (event: NewEvent) => both.watched.push(event) - 1 };
    const observation = new Observation({ port: server.port('observer'), clock, recorder, isOwn: (node) => node === OWN });
    const stopping = new AbortController();
    const running = observation.run(stopping.signal);
    await clock.sleep(SEEN_MS);
    for (const step of script) {
      await step(port);
      await clock.sleep(SEEN_MS);
    }
    stopping.abort(new Error('the test is over'));
    await running;
  };
  try {
    await timeline.run(work());
  } finally {
    server.stop();
  }
  return both;
}

const WEB = { resource: 'pods', namespace: 'default', name: 'web' };
const NODE = { resource: 'nodes', name: 'n1' };
const CLAIM = { resource: 'nodeclaims', name: 'c1' };

function aPod(name: string, namespace = 'default'): Pod {
  return { metadata: { name, namespace, labels: { [WORKLOAD_LABEL]: 'front' } }, spec: { containers: [{ name: 'main', image: 'app' }] } };
}

function saying(name: string, namespace: string, about: string, message: string): KubeObject {
  const involvedObject = { kind: 'Pod', apiVersion: 'v1', namespace, name: about };
  return { metadata: { name, namespace }, involvedObject, reason: 'FailedScheduling', message, type: 'Warning' } as KubeObject;
}

const condition = (type: string, status: string, message = ''): object => ({ type, status, reason: `${type}Reason`, message });

const LIFE: readonly ((port: ClusterPort) => Promise<unknown>)[] = [
  (port) => port.create('pods', aPod('web')),
  (port) => port.patch(WEB, { status: { conditions: [condition('PodScheduled', 'False', 'no node fits')] } }, 'status'),
  (port) => port.create('events', saying('web.1', 'default', 'web', 'no node fits')),
  (port) =>
    port.create<KubeObject>('nodeclaims', {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'c1', finalizers: ['a.io/x'] },
    }),
  (port) => {
    const conditions = [condition('Launched', 'True'), condition('Registered', 'Unknown', 'no node yet')];
    return port.patch(CLAIM, { status: { providerID: 'aws:///us-east-1a/i-0123456789abcdef0', conditions } }, 'status');
  },
  (port) => port.create<Node>('nodes', { metadata: { name: 'n1', finalizers: ['a.io/x'] } }),
  (port) => port.patch(NODE, { spec: { providerID: 'aws:///us-east-1a/i-0123456789abcdef0' } }),
  (port) => port.patch(NODE, { status: { conditions: [condition('Ready', 'True')] } }, 'status'),
  (port) =>
    port.patch(
      CLAIM,
      { status: { nodeName: 'n1', conditions: [condition('Launched', 'True'), condition('Registered', 'True')] } },
      'status',
    ),
  (port) => port.bind(WEB, 'n1'),
  (port) => port.patch(WEB, { status: { phase: 'Running' } }, 'status'),
  (port) => port.patch(NODE, { spec: { unschedulable: true } }),
  (port) => port.delete(NODE),
  (port) => port.delete(CLAIM),
  (port) => port.delete(WEB),
  (port) => port.delete(WEB, { gracePeriodSeconds: 0 }),
  (port) => port.patch(NODE, { status: { conditions: [condition('Ready', 'Unknown')] } }, 'status'),
  (port) => port.patch(NODE, { metadata: { finalizers: [] } }),
  (port) => port.patch(CLAIM, { metadata: { finalizers: [] } }),
];

test("watches observe the same as the store's own hooks", async () => {
  const { within, watched } = await observed(LIFE);
  const steps = within.map((event) => ('to' in event ? `${event.type} ${String(event.to)}` : event.type));
  expect(steps).toEqual(
    expect.arrayContaining(['pod unschedulable', 'pod running', 'node ready', 'claim registered', 'node gone', 'said']),
  );
  expect(watched).toEqual(within);
});

test('existing nodes, and what the cluster itself runs, are not recorded', async () => {
  const { watched } = await observed([
    (port) => port.patch({ resource: 'nodes', name: OWN }, { status: { conditions: [condition('Ready', 'True')] } }, 'status'),
    (port) => port.create('pods', aPod('dns', 'kube-system')),
    (port) => port.create('events', saying('dns.1', 'kube-system', 'dns', 'no node fits')),
    (port) => port.create('pods', aPod('web')),
  ]);
  expect(watched.map((event) => (event.type === 'pod' ? event.pod : event.type))).toEqual(['default/web']);
});

for (const [what, managers, principal] of [
  ['a principal on a wire', [{ manager: 'scaleproof-target', time: '2026-01-01T00:00:01Z' }], 'target'],
  ['the scheduler', [{ manager: 'kube-scheduler', time: '2026-01-01T00:00:01Z' }], 'scheduler'],
  [
    'the last of several',
    [
      { manager: 'scaleproof-scenario', time: '2026-01-01T00:00:02Z' },
      { manager: 'scaleproof-node', time: '2026-01-01T00:00:01Z' },
    ],
    'scenario',
  ],
  ['a part of the cluster', [{ manager: 'kube-controller-manager', time: '2026-01-01T00:00:01Z' }], 'workloads'],
  ['nobody', [], 'workloads'],
] as const) {
  test(`the principal of an Event is read from its field managers: ${what}`, async () => {
    const events: NewEvent[] = [];
    const stopping = new AbortController();
    const said = { ...saying('a.1', 'default', 'web', 'no node fits') };
    const object = { ...said, metadata: { ...said.metadata, uid: 'u', managedFields: managers } };
    const port = {
      watch: (resource: string, _signal: AbortSignal, onChange: (change: { type: 'ADDED'; object: never }) => void) => {
        if (resource === 'events') onChange({ type: 'ADDED', object: object as never });
      },
    } as unknown as ClusterPort;
    const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
    const recorder = { record: (event: NewEvent) => events.push(event) - 1 };
    const running = new Observation({ port, clock: timeline.scope('test'), recorder, isOwn: () => false }).run(stopping.signal);
    stopping.abort(new Error('the test is over'));
    await running;
    expect(events).toMatchObject([{ type: 'said', about: 'pods/default/web', principal }]);
  });
}

test('Events from before the trial are not recorded, unless they are repeated', async () => {
  const random = createRandom(1);
  const timeline = createVirtualTimeline({ startMs: Date.parse('2026-01-01T00:00:00Z'), random: random.fork('timeline') });
  const server = createApiServer({ clock: timeline.scope('api'), random: random.fork('api') });
  const clock = timeline.scope('parts');
  const port = server.port('workloads');
  const event = (name: string) => ({
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'web' },
    reason: 'Waiting',
    message: name,
    type: 'Normal',
  });
  const watched: NewEvent[] = [];
  const recorder = { record: (one: NewEvent) => watched.push(one) - 1 };
  const work = async (): Promise<void> => {
    await port.create<KubeObject>('events', event('before'));
    await port.create<KubeObject>('events', event('again'));
    const observation = new Observation({ port: server.port('observer'), clock, recorder, isOwn: () => false });
    await observation.begin();
    const stopping = new AbortController();
    const running = observation.run(stopping.signal);
    await clock.sleep(SEEN_MS);
    expect(watched).toEqual([]);
    await port.patch({ resource: 'events', namespace: 'default', name: 'again' }, { count: 2 });
    await port.create<KubeObject>('events', event('now'));
    await clock.sleep(SEEN_MS);
    stopping.abort(new Error('the test is over'));
    await running;
  };
  try {
    await timeline.run(work());
  } finally {
    server.stop();
  }
  expect(watched.map((one) => ('message' in one ? one.message : one.type))).toEqual(['again', 'now']);
});
