import { NODE_OPT_OUTS } from '../../model/drain.ts';
import { expect, test } from '@playwright/test';
import { eventSchema } from '../../history/events.ts';
import type { NewEvent } from '../../history/events.ts';
import { CLAIMS, CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';
import type { Bench } from './testing/api-server.ts';
import { Observer } from './observer.ts';

/** The events recorded during `work`, each checked against the history's schema. */
async function observed(work: (bench: Bench) => Promise<void>): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  const record = (event: NewEvent): number => events.push(event) - 1;
  await withServer(async (bench) => {
    bench.server.onCommit(new Observer({ record }, bench.server.resources).observe);
    await work(bench);
  });
  for (const [index, event] of events.entries()) eventSchema.parse({ i: index, t: 0, ...event });
  return events;
}

test('the steps of a pod, from creation to deletion', async () => {
  const events = await observed(async ({ call, merge }) => {
    await call('POST', PODS, pod('web', {}, { labels: { 'scaleproof.dev/workload': 'front' } }));
    const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/0 nodes are available' };
    await merge(`${PODS}/web/status`, { status: { conditions: [unschedulable] } });
    await merge(`${PODS}/web/status`, { status: { conditions: [unschedulable], note: 'again' } });
    await call('POST', `${PODS}/web/binding`, { metadata: { name: 'web' }, target: { name: 'n1' } });
    await merge(`${PODS}/web/status`, { status: { phase: 'Running' } });
    await call('DELETE', `${PODS}/web`);
    await call('DELETE', `${PODS}/web`, { gracePeriodSeconds: 0 });
  });
  const steps = events.filter((event) => event.type === 'pod');
  expect(steps.map(({ to }) => to)).toEqual(['created', 'unschedulable', 'scheduled', 'running', 'terminating', 'gone']);
  expect(steps.at(3)).toMatchObject({ pod: 'default/web', workload: 'front', node: 'n1' });
  expect(events.filter((event) => event.type === 'said')).toEqual([
    {
      type: 'said',
      by: 'condition',
      about: 'pods/default/web',
      level: 'False',
      reason: 'Unschedulable',
      message: '0/0 nodes are available',
      principal: 'target',
    },
  ]);
});

test('a pod that finishes by itself has ended; a deleted one ends while terminating', async () => {
  const events = await observed(async ({ call, merge }) => {
    for (const name of ['done', 'deleted']) {
      await call('POST', PODS, pod(name));
      await call('POST', `${PODS}/${name}/binding`, { metadata: { name }, target: { name: 'n1' } });
      await merge(`${PODS}/${name}/status`, { status: { phase: 'Running' } });
    }
    await call('DELETE', `${PODS}/deleted`);
    await merge(`${PODS}/deleted/status`, { status: { phase: 'Failed' } });
    await merge(`${PODS}/done/status`, { status: { phase: 'Succeeded' } });
    await merge(`${PODS}/done/status`, { status: { phase: 'Succeeded', message: 'again' } });
  });
  const stepsOf = (name: string): string[] =>
    events.flatMap((event) => (event.type === 'pod' && event.pod === `default/${name}` ? [event.to] : []));
  expect(stepsOf('done')).toEqual(['created', 'scheduled', 'running', 'ended']);
  expect(stepsOf('deleted')).toEqual(['created', 'scheduled', 'running', 'terminating']);
});

test('the steps of a node', async () => {
  const ready = (status: string): object => ({ status: { conditions: [{ type: 'Ready', status, reason: 'Kubelet' }] } });
  const events = await observed(async ({ call, merge }) => {
    const labels = { 'topology.kubernetes.io/zone': 'us-east-1a' };
    await call('POST', '/api/v1/nodes', { metadata: { name: 'n1', labels }, spec: { providerID: 'aws:///us-east-1a/i-0abc' } });
    await merge('/api/v1/nodes/n1/status', ready('True'));
    await merge('/api/v1/nodes/n1', { spec: { unschedulable: true } });
    await merge('/api/v1/nodes/n1', { spec: { unschedulable: false } });
    await merge('/api/v1/nodes/n1', { spec: { unschedulable: true } });
    await merge('/api/v1/nodes/n1', { metadata: { annotations: NODE_OPT_OUTS } });
    await merge('/api/v1/nodes/n1', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } } });
    await merge('/api/v1/nodes/n1/status', ready('Unknown'));
    await merge('/api/v1/nodes/n1', { metadata: { finalizers: ['a.io/x'] } });
    await call('DELETE', '/api/v1/nodes/n1');
    await merge('/api/v1/nodes/n1', { metadata: { finalizers: [] } });
  });
  expect(events.map((event) => (event.type === 'node' ? event.to : event.type))).toEqual([
    'created',
    'ready',
    'cordoned',
    'uncordoned',
    'cordoned',
    'opted-out',
    'opted-in',
    'not-ready',
    'terminating',
    'gone',
  ]);
  expect(events.at(1)).toMatchObject({ node: 'n1', instance: 'i-0abc', providerId: 'aws:///us-east-1a/i-0abc', zone: 'us-east-1a' });
});

test('a node that gets its provider id later is recorded again, with its instance', async () => {
  const events = await observed(async ({ call, merge }) => {
    await call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    await merge('/api/v1/nodes/n1/status', { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    await merge('/api/v1/nodes/n1', { spec: { providerID: 'aws:///us-east-1a/i-0abc' } });
  });
  expect(events).toMatchObject([{ to: 'created' }, { to: 'ready' }, { to: 'ready', instance: 'i-0abc' }]);
  expect(events[1]).not.toHaveProperty('instance');
});

test('the steps of a claim and the messages of its conditions', async () => {
  const events = await observed(async ({ call, merge }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    await call('POST', CLAIMS, claim('c'));
    const launched = { type: 'Launched', status: 'True' };
    const waiting = { type: 'Registered', status: 'Unknown', reason: 'NodeNotFound', message: 'Node not registered with cluster' };
    const status = { providerID: 'aws:///us-east-1a/i-0abc', conditions: [launched, waiting] };
    await merge(`${CLAIMS}/c/status`, { status });
    await merge(`${CLAIMS}/c/status`, { status: { nodeName: 'n1', conditions: [launched, { type: 'Registered', status: 'True' }] } });
    await call('DELETE', `${CLAIMS}/c`);
  });
  expect(events.map((event) => (event.type === 'claim' ? event.to : event.type))).toEqual([
    'created',
    'launched',
    'said',
    'registered',
    'gone',
  ]);
  expect(events.at(2)).toMatchObject({
    by: 'condition',
    about: 'nodeclaims/c',
    reason: 'NodeNotFound',
    message: 'Node not registered with cluster',
  });
  expect(events.at(3)).toMatchObject({ claim: 'c', instance: 'i-0abc', node: 'n1' });
});

test('Kubernetes Events are recorded once per object, reason and message', async () => {
  const events = await observed(async ({ call, merge }) => {
    const event = (name: string, involvedObject: object, message: string): object => {
      return { metadata: { name }, involvedObject, reason: 'FailedScheduling', message, type: 'Warning', count: 1 };
    };
    const path = '/api/v1/namespaces/default/events';
    await call('POST', path, event('a', { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: 'web' }, 'no room'));
    await merge(`${path}/a`, { count: 2 });
    await call('POST', path, event('b', { kind: 'Pod', namespace: 'default', name: 'web' }, 'no room'));
    await call('POST', path, event('c', { kind: 'Node', apiVersion: 'v1', name: 'n1' }, 'no room'));
    await merge(`${path}/a`, { message: 'still no room' });
    // Another pod of the same name.
    await call('POST', path, event('d', { kind: 'Pod', namespace: 'default', name: 'web', uid: 'uid-2' }, 'no room'));
  });
  expect(events.map((event) => (event.type === 'said' ? `${event.level} ${event.about} ${event.message}` : ''))).toEqual([
    'Warning pods/default/web no room',
    'Warning nodes/n1 no room',
    'Warning pods/default/web still no room',
    'Warning pods/default/web no room',
  ]);
});
