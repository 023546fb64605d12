import { expect, test } from '@playwright/test';
import { defined } from '../model/defined.ts';
import { instancesAsked } from './launch-requests.ts';
import { measuresOf } from './measures.ts';
import { HistoryBuilder, soundHistory } from './testing/history-builder.ts';
import { createView } from './view.ts';

const HOUR_MS = 3_600_000;

test('a normal trial: every phase, the cost, and the cluster when all pods ran', () => {
  const { waits, launches, pods, usd, requests, full, kinds } = measuresOf(createView(soundHistory().events));
  expect(waits.map(({ phase, valuesMs, censoredMs }) => [phase, valuesMs, censoredMs])).toEqual([
    ['pending -> request', [10], []],
    ['request -> instance', [20], []],
    ['instance -> registered', [20], []],
    ['registered -> ready', [10], []],
    ['ready -> running', [20], []],
    ['pending -> running', [80], []],
  ]);
  expect(launches).toEqual({ asked: 1, failed: 0, instances: 1 });
  expect(pods).toBe(1);
  expect(usd).toBeCloseTo((0.1 * 210) / HOUR_MS, 12);
  expect(requests).toBe(2);
  expect(full).toEqual({ pods: 1, instances: 1, usdPerHour: 0.1 });
  expect(kinds).toEqual({ spot: false, spread: false, faulty: false });
});

test('any prefix of a history has measures', () => {
  const { events } = soundHistory();
  for (let length = 0; length <= events.length; length += 1) expect(() => measuresOf(createView(events.slice(0, length)))).not.toThrow();
});

test('a pod past its bound counts in the step that it did not reach; one deleted earlier does not', () => {
  const { events } = new HistoryBuilder()
    .act()
    .workload('web', 3)
    .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
    .at(10)
    .pod('web-1', 'created')
    .pod('web-2', 'created')
    .pod('web-3', 'created')
    .at(20)
    .launch(1, 'i-1')
    .at(40)
    .instance('i-1', 'running')
    .at(50)
    .pod('web-3', 'terminating')
    .at(60)
    .node('node-1', 'created', 'i-1')
    .pod('web-2', 'scheduled', 'node-1')
    .at(500)
    .pod('web-1', 'terminating')
    .pod('web-2', 'terminating')
    .finish();
  const { waits, full } = measuresOf(createView(events));
  expect(waits.map(({ phase, valuesMs, censoredMs }) => [phase, valuesMs, censoredMs])).toEqual([
    ['pending -> request', [10], [490]],
    ['request -> instance', [20], []],
    ['instance -> registered', [20], []],
    ['registered -> ready', [], [440]],
    ['pending -> running', [], [490, 490]],
  ]);
  expect(full).toBeUndefined();
});

test('utilisation is what all pods request over what nodes have; instances without a node count too', () => {
  const requests = { cpuMilli: 500, memoryMiB: 256 };
  const history = new HistoryBuilder()
    .act()
    .pool('spot', { requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }] })
    .add(
      {
        type: 'workload',
        workload: 'web',
        namespace: 'default',
        replicas: 2,
        truth: { kind: 'schedulable' },
        note: '',
        requests,
        spreadOver: ['zone'],
      },
      { type: 'workload', workload: 'agent', namespace: 'default', replicas: 0, truth: { kind: 'daemon' }, note: '', requests },
    )
    .at(10)
    .launch(1, 'i-1', 'a', { vcpu: 2, memoryMiB: 1_024 })
    .launch(2, 'i-2', 'b', { vcpu: 2, memoryMiB: 1_024, usdPerHour: 0.3 });
  for (const pod of ['web-1', 'web-2', 'agent-1']) history.pod(pod, 'created');
  history.node('node-1', 'created', 'i-1').add({
    type: 'node',
    node: 'node-1',
    uid: 'uid-node-1',
    to: 'ready',
    instance: 'i-1',
    allocatable: { cpuMilli: 2_000, memoryMiB: 1_000 },
  });
  for (const pod of ['web-1', 'web-2', 'agent-1']) history.pod(pod, 'scheduled', 'node-1').pod(pod, 'running', 'node-1');
  const { full, kinds } = measuresOf(createView(history.finish().events));
  expect(full).toMatchObject({ pods: 2, instances: 2 });
  expect(full?.usdPerHour).toBeCloseTo(0.4, 12);
  // The daemon's pod ran after that moment, but already existed.
  expect(full?.utilisation?.cpu).toBeCloseTo(1_000 / 4_000, 12);
  expect(full?.utilisation?.memory).toBeCloseTo(512 / 2_024, 12);
  expect(kinds).toEqual({ spot: true, spread: true, faulty: false });
});

test("raises of a group's desired capacity are launches, and have failed if the group did not reach it; lowerings are none", () => {
  const history = new HistoryBuilder().act();
  const size = (desired: number, to: 'created' | 'changed', span?: number): HistoryBuilder =>
    history.add({ type: 'group', group: 'g', to, min: 0, max: 10, desired, ...defined({ span }) });
  const ask = (span: number, DesiredCapacity: number): HistoryBuilder =>
    history.request(span, 'autoscaling:SetDesiredCapacity', { wire: 'aws', input: { AutoScalingGroupName: 'g', DesiredCapacity } });
  const resize = (span: number, desired: number): void => {
    ask(span, desired);
    size(desired, 'changed', span).answer(span, 'ok');
  };
  size(0, 'created');
  resize(1, 1);
  // The instances of both raises come with the second.
  resize(2, 3);
  for (const id of ['i-1', 'i-2', 'i-3']) history.instance(id, 'pending', { span: 2, group: 'g' });
  resize(3, 5);
  history.instance('i-4', 'pending', { span: 3, group: 'g' });
  resize(4, 4);
  ask(5, 20).answer(5, 'fail', 'ValidationError');
  ask(6, 4).answer(6, 'ok');
  const view = createView(history.events);
  expect([...view.requests.values()].map((request) => instancesAsked(view, request))).toEqual([1, 2, 2, 0, 16, 0]);
  expect(measuresOf(view).launches).toEqual({ asked: 4, failed: 2, instances: 4 });
});

test('a launch that returned too few, was refused or got no response failed; a retry with its token did not', () => {
  const fleet = (count: number, token: string): { input: Record<string, unknown> } => ({
    input: { ClientToken: token, TargetCapacitySpecification: { TotalTargetCapacity: count } },
  });
  const history = new HistoryBuilder().act();
  const ask = (span: number, count: number, token = `t-${span}`): HistoryBuilder =>
    history.add({
      type: 'request.start',
      span,
      wire: 'aws',
      principal: 'target',
      incarnation: 1,
      operation: 'ec2:CreateFleet',
      mutating: true,
      ...fleet(count, token),
    } as Parameters<HistoryBuilder['add']>[0]);
  ask(1, 2).instance('i-1', 'pending', { span: 1, token: 't-1' }).answer(1, 'ok');
  ask(2, 1).answer(2, 'fail', 'RequestLimitExceeded');
  ask(3, 1).instance('i-2', 'pending', { span: 3, token: 't-3' }).answer(3, 'info');
  ask(4, 1, 't-3').answer(4, 'ok');
  ask(5, 1);
  expect(measuresOf(createView(history.events)).launches).toEqual({ asked: 5, failed: 4, instances: 2 });
});

test('without observed requests there are no request counts', () => {
  expect(measuresOf(createView(new HistoryBuilder(['wire.kube']).act().finish().events)).requests).toBeUndefined();
});

test('a disruption is a running pod that the target evicts or deletes, each once', () => {
  const history = new HistoryBuilder(['wire.kube']).act().workload('web', 5);
  for (const n of [1, 2, 3, 4, 5]) history.pod(`web-${n}`, 'created');
  for (const n of [1, 2, 3, 4]) history.pod(`web-${n}`, 'running', 'node-1');
  const remove = (span: number, operation: string, n: number, principal: 'target' | 'workloads' = 'target'): HistoryBuilder =>
    history.request(span, operation, { object: `pods/default/web-${n}`, principal });
  remove(1, 'create pods/eviction', 1).effect(1, { kind: 'applied', ids: [] }).answer(1, 'ok').pod('web-1', 'terminating');
  remove(2, 'create pods/eviction', 1).effect(2, { kind: 'applied', ids: [] }).answer(2, 'ok').pod('web-1', 'gone');
  remove(3, 'delete pods', 2).effect(3, { kind: 'applied', ids: [] }).answer(3, 'ok').pod('web-2', 'gone');
  // Refused by a budget; of another client; and a pod that never ran.
  remove(4, 'create pods/eviction', 3).effect(4, { kind: 'rejected', code: 'TooManyRequests' }).answer(4, 'fail', 'TooManyRequests');
  remove(5, 'delete pods', 4, 'workloads').effect(5, { kind: 'applied', ids: [] }).answer(5, 'ok').pod('web-4', 'gone');
  remove(6, 'delete pods', 5).effect(6, { kind: 'applied', ids: [] }).answer(6, 'ok').pod('web-5', 'gone');
  expect(measuresOf(createView(history.finish().events)).disruptions).toBe(2);
});

test('pending and stopped instances cost nothing', () => {
  const { events } = new HistoryBuilder()
    .act()
    .launch(1, 'i-1')
    .at(HOUR_MS)
    .instance('i-1', 'running')
    .at(2 * HOUR_MS)
    .instance('i-1', 'stopping')
    .at(5 * HOUR_MS)
    .instance('i-1', 'running')
    .at(7 * HOUR_MS)
    .finish();
  expect(measuresOf(createView(events)).usd).toBeCloseTo(0.3, 6);
});
