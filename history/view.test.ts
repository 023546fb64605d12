import { expect, test } from '@playwright/test';
import { HistoryBuilder, soundHistory } from './testing/history-builder.ts';
import { createView, dueFromMs } from './view.ts';

test('a history in one view', () => {
  const view = createView(soundHistory().events);
  expect(view).toMatchObject({ complete: true, truncated: false, endMs: 302 });
  expect(view.begin?.seed).toBe(1);
  expect(view.bounds.get('provision')?.value).toBe(100);
  expect([...view.phases].map(([phase, { t }]) => [phase, t])).toEqual([
    ['set-up', 0],
    ['act', 0],
    ['heal', 300],
    ['settle', 300],
    ['remove', 301],
    ['over', 302],
  ]);
  const [pod] = view.workloads.get('web')?.pods ?? [];
  expect(pod).toMatchObject({
    object: 'pods/default/web-1',
    created: { t: 10 },
    scheduled: { t: 80 },
    running: { t: 90 },
    gone: { t: 200 },
  });
  expect(pod?.node).toMatchObject({ object: 'nodes/node-1', instance: 'i-1', created: { t: 60 }, ready: { t: 70 }, gone: { t: 260 } });
  expect(view.instances[0]).toMatchObject({ launched: { t: 20, span: 1 }, running: { t: 40 }, ending: { t: 250 }, terminated: { t: 260 } });
  expect(view.claims[0]).toMatchObject({ object: 'nodeclaims/claim-1', instance: 'i-1', gone: { t: 260 } });
  expect(view.requests.get(1)).toMatchObject({
    start: { operation: 'ec2:CreateFleet' },
    effect: { effect: { kind: 'applied' } },
    end: { outcome: 'ok' },
  });
  expect(view.incarnations).toMatchObject([{ number: 1, ready: { t: 0 }, exit: undefined }]);
});

test('a reused name: a pod belongs to the node that existed at its time', () => {
  const { events } = new HistoryBuilder()
    .add({ type: 'node', node: 'ip-1', uid: 'a', to: 'created', instance: 'i-1' })
    .add({ type: 'node', node: 'ip-1', uid: 'a', to: 'gone' })
    .add({ type: 'node', node: 'ip-1', uid: 'b', to: 'created', instance: 'i-2' })
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'ip-1')
    .add({ type: 'node', node: 'ip-1', uid: 'c', to: 'created', instance: 'i-3' });
  expect(createView(events).pods[0]?.node?.uid).toBe('b');
});

test('a fault and its life', () => {
  const { events } = new HistoryBuilder().arm('a').arm('b').at(5).fire('a').fire('a').at(9).heal('a');
  expect(createView(events).faults).toMatchObject([
    { armed: { fault: { id: 'a' } }, fired: [{ t: 5 }, { t: 5 }], healed: { t: 9 } },
    { armed: { fault: { id: 'b' } }, fired: [], healed: undefined },
  ]);
});

test('waiting counts from the creation, or from the heal for pods that need it', () => {
  const builder = new HistoryBuilder()
    .workload('now')
    .workload('later', 1, { kind: 'schedulable-after-heal', why: 'no capacity' })
    .at(10)
    .pod('now-1', 'created')
    .pod('later-1', 'created');
  const due = (): (number | undefined)[] => {
    const view = createView(builder.events);
    return view.pods.map((pod) => dueFromMs(view, pod));
  };
  expect(due()).toEqual([10, undefined]);
  builder.at(50).phase('heal');
  expect(due()).toEqual([10, 50]);
});

test('a notice is delivered by the first response that arrives', () => {
  const notice = { type: 'notice', instance: 'i-1', kind: 'spot-interruption' } as const;
  const builder = new HistoryBuilder().at(10).add({ ...notice, to: 'sent', endsInMs: 100 });
  for (const [span, atMs, outcome] of [
    [1, 20, 'info'],
    [2, 40, 'ok'],
    [3, 60, 'ok'],
  ] as const) {
    builder
      .at(atMs)
      .request(span, 'sqs:ReceiveMessage')
      .add({ ...notice, to: 'received', span })
      .at(atMs + 5)
      .answer(span, outcome);
  }
  builder.add({ ...notice, kind: 'rebalance', to: 'sent' });
  expect(createView(builder.events).notices).toMatchObject([
    {
      instance: 'i-1',
      kind: 'spot-interruption',
      sent: { t: 10 },
      endsAtMs: 110,
      receptions: [{ t: 20 }, { t: 40 }, { t: 60 }],
      delivered: { t: 45 },
    },
    { kind: 'rebalance', endsAtMs: undefined, receptions: [], delivered: undefined },
  ]);
});

test('every prefix of a history has a view', () => {
  const { events } = soundHistory();
  for (let length = 0; length <= events.length; length += 1) {
    const view = createView(events.slice(0, length));
    expect(view.complete).toBe(length >= events.length - 1);
  }
});
