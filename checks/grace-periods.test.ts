import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { gracePeriods } from './grace-periods.ts';

/** A pod with 60 s to end runs on the target's instance; at 10 s its node has to go. */
function leaving(pool: { terminationGracePeriodMs?: number } = {}, more: { drain?: 'stays' } = {}): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .pool('default', pool)
    .add({
      type: 'workload',
      workload: 'web',
      namespace: 'default',
      replicas: 1,
      truth: { kind: 'schedulable' },
      note: '',
      graceSeconds: 60,
      ...more,
    })
    .launch(1, 'i-1')
    .node('n-1', 'created', 'i-1')
    .node('n-1', 'ready', 'i-1')
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'n-1')
    .pod('web-1', 'running', 'n-1')
    .at(10_000)
    .node('n-1', 'terminating', 'i-1');
}

const ended = (history: HistoryBuilder): HistoryBuilder =>
  history
    .request(2, 'ec2:TerminateInstances')
    .instance('i-1', 'shutting-down', { span: 2 })
    .effect(2, { kind: 'applied', ids: ['i-1'] });
const LIMIT = { terminationGracePeriodMs: 300_000 };

for (const { name, history, codes } of [
  {
    name: 'gone before its instance ends',
    history: ended(leaving().pod('web-1', 'terminating').at(12_000).pod('web-1', 'gone').at(13_000)),
    codes: [],
  },
  { name: 'there to the end of its grace period', history: ended(leaving().pod('web-1', 'terminating').at(70_000)), codes: [] },
  { name: 'cut short', history: ended(leaving().pod('web-1', 'terminating').at(40_000)), codes: ['grace-cut-short'] },
  {
    name: 'one that ends with its node',
    history: ended(leaving({}, { drain: 'stays' }).pod('web-1', 'terminating').at(40_000)),
    codes: [],
  },
  {
    name: 'cut short on an instance that was lost',
    history: ended(leaving().pod('web-1', 'terminating').node('n-1', 'not-ready', 'i-1').at(40_000)),
    codes: [],
  },
  {
    name: 'cut short by the last moment of its node, with less left from the beginning',
    history: ended(leaving({ terminationGracePeriodMs: 30_000 }).pod('web-1', 'terminating').at(40_000)),
    codes: [],
  },
  { name: 'asked in time', history: ended(leaving(LIMIT).at(249_000).pod('web-1', 'terminating').at(310_000)), codes: [] },
  { name: 'asked too late', history: ended(leaving(LIMIT).at(280_000).pod('web-1', 'terminating').at(310_000)), codes: ['asked-too-late'] },
  {
    name: 'asked too late, and killed before its instance ends',
    history: ended(leaving(LIMIT).at(280_000).pod('web-1', 'terminating').at(309_000).pod('web-1', 'gone').at(310_000)),
    codes: ['asked-too-late'],
  },
  { name: 'never asked', history: ended(leaving(LIMIT).at(310_000)), codes: ['asked-too-late'] },
  { name: 'never asked where nothing limits the drain', history: ended(leaving().at(310_000)), codes: [] },
]) {
  test(`the grace period of a pod: ${name}`, () => {
    const result = gracePeriods.judge(createView(history.at(400_000).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
    expect(result?.verdict).toBe(codes.length === 0 ? 'pass' : 'fail');
  });
}

test('where the target ended nothing there is nothing to judge', () => {
  expect(gracePeriods.judge(createView(leaving().finish().events))).toBeUndefined();
});
