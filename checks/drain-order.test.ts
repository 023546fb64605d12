import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { drainOrder } from './drain-order.ts';

/** A critical pod and another one are on a node from 10 ms on; bound launch-lag is 20 ms. */
function node(features: readonly string[] = ['drain-order'], webMs = 10): HistoryBuilder {
  const history = new HistoryBuilder().act();
  for (const [index, event] of history.events.entries())
    if (event.type === 'trial.begin') history.events[index] = { ...event, target: { ...event.target, features: [...features] } };
  return history
    .workload('web')
    .add({ type: 'workload', workload: 'dns', namespace: 'default', replicas: 1, truth: { kind: 'schedulable' }, critical: true, note: '' })
    .workload('agent', 0, { kind: 'daemon' })
    .at(10)
    .node('n-1', 'created', 'i-1')
    .pod('dns-1', 'created')
    .pod('dns-1', 'scheduled', 'n-1')
    .pod('agent-1', 'created')
    .pod('agent-1', 'scheduled', 'n-1')
    .at(webMs)
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'n-1')
    .at(100);
}

const evict = (history: HistoryBuilder, pod: string, operation = 'create pods/eviction'): HistoryBuilder =>
  history.request(history.events.length, operation, { object: `pods/default/${pod}` });

for (const { name, history, objects } of [
  { name: 'in order', history: evict(evict(evict(node(), 'web-1'), 'agent-1'), 'dns-1'), objects: [] },
  { name: 'the critical pod first', history: evict(evict(node(), 'dns-1'), 'web-1'), objects: ['pods/default/dns-1'] },
  { name: 'the pod of the DaemonSet first', history: evict(evict(node(), 'agent-1'), 'web-1'), objects: ['pods/default/agent-1'] },
  {
    name: 'the critical pod before that of the DaemonSet',
    history: evict(evict(node(), 'web-1'), 'dns-1'),
    objects: ['pods/default/dns-1'],
  },
  {
    name: 'the critical pod when the other has ended',
    history: evict(node().pod('web-1', 'ended', 'n-1').pod('agent-1', 'gone', 'n-1'), 'dns-1'),
    objects: [],
  },
  { name: 'the other had just arrived', history: evict(evict(node(['drain-order'], 81), 'agent-1'), 'dns-1'), objects: [] },
  { name: 'it is deleted, since its time is over', history: evict(node(), 'dns-1', 'delete pods'), objects: [] },
  { name: 'the other was told to leave by a deletion', history: evict(evict(node(), 'web-1', 'delete pods'), 'agent-1'), objects: [] },
  {
    name: 'an earlier pod of the same name was asked',
    history: evict(node(), 'web-1').pod('web-1', 'gone', 'n-1'),
    objects: [],
  },
]) {
  test(`who leaves first: ${name}`, () => {
    const result = drainOrder.judge(createView(history.finish().events));
    expect(result?.findings.map(({ object }) => object)).toEqual(objects);
  });
}

test('after pods were hidden from the target nothing is judged', () => {
  const hidden = node().arm('f').request(90, 'list pods').fire('f', 90);
  expect(drainOrder.judge(createView(evict(hidden, 'dns-1').finish().events))?.findings).toEqual([]);
});

test('a target that does not declare the order is not judged', () => {
  expect(drainOrder.judge(createView(evict(node([]), 'dns-1').finish().events))).toBeUndefined();
});
