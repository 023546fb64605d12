import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { budgetsRespected } from './budgets-respected.ts';

/** A protected pod runs on the target's instance. */
function guarded(): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .pool('default', { terminationGracePeriodMs: 300_000 })
    .workload('web')
    .add({ type: 'budget', budget: 'web', workload: 'web', maxUnavailable: 1 })
    .at(10)
    .launch(1, 'i-1')
    .node('n-1', 'created', 'i-1')
    .node('n-1', 'ready', 'i-1')
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'n-1')
    .pod('web-1', 'running', 'n-1')
    .at(50);
}

const POD = { object: 'pods/default/web-1' };
const ended = (history: HistoryBuilder): HistoryBuilder =>
  history
    .request(2, 'ec2:TerminateInstances')
    .instance('i-1', 'shutting-down', { span: 2 })
    .effect(2, { kind: 'applied', ids: ['i-1'] });
const deleted = (history: HistoryBuilder, operation: string): HistoryBuilder =>
  history
    .request(2, operation, POD)
    .effect(2, { kind: 'applied', ids: ['pods/default/web-1'] })
    .pod('web-1', 'terminating');

for (const { name, history, codes } of [
  { name: 'evicted', history: deleted(guarded(), 'create pods/eviction'), codes: [] },
  { name: 'deleted', history: deleted(guarded(), 'delete pods'), codes: ['protected-pod-deleted'] },
  {
    name: 'deleted when it was already terminating',
    history: deleted(guarded().pod('web-1', 'terminating').at(60), 'delete pods'),
    codes: [],
  },
  {
    name: 'deleted when its node was about to reach its deadline',
    history: deleted(guarded().node('n-1', 'terminating', 'i-1').at(300_000), 'delete pods'),
    codes: [],
  },
  {
    name: 'deleted long before that deadline, which counts from the deletion of the node and not from its cordon',
    history: deleted(guarded().node('n-1', 'cordoned', 'i-1').at(100_000).node('n-1', 'terminating', 'i-1').at(301_000), 'delete pods'),
    codes: ['protected-pod-deleted'],
  },
  { name: 'its instance was terminated while it ran', history: ended(guarded()), codes: ['protected-pod-killed'] },
  { name: 'its instance was terminated after it had left', history: ended(guarded().pod('web-1', 'terminating').at(60)), codes: [] },
  {
    name: 'its instance was terminated long before an announced interruption',
    history: ended(guarded().add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 120 }).at(60)),
    codes: ['protected-pod-killed'],
  },
  {
    name: 'its instance was terminated when its interruption was due',
    history: ended(guarded().add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 10 }).at(60)),
    codes: [],
  },
  {
    name: 'its instance was terminated when its node was not ready',
    history: ended(guarded().node('n-1', 'not-ready', 'i-1').at(60)),
    codes: [],
  },
]) {
  test(`a protected pod: ${name}`, () => {
    const result = budgetsRespected.judge(createView(history.at(500_000).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
    expect(result?.verdict).toBe(codes.length === 0 ? 'pass' : 'fail');
  });
}

test('without budgets there is nothing to judge', () => {
  expect(budgetsRespected.judge(createView(new HistoryBuilder().act().finish().events))).toBeUndefined();
});
