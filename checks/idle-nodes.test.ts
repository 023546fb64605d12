import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { scaleIn } from './scale-in.ts';

/** The pod on the only node of the pool `default` leaves at 100, when idle nodes are expected to go; the bound is 50. */
function idle(pools: readonly string[] = ['default']): HistoryBuilder {
  return new HistoryBuilder()
    .begin()
    .act()
    .pool('default')
    .workload('web')
    .at(10)
    .launch(1, 'i-1')
    .node('n-1', 'created', 'i-1')
    .node('n-1', 'ready', 'i-1', { pool: 'default' })
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'n-1')
    .pod('web-1', 'running', 'n-1')
    .at(100)
    .expect({ kind: 'idle-removed', bound: 'scale-in', pools: [...pools] })
    .pod('web-1', 'gone', 'n-1');
}
const ended = (history: HistoryBuilder): HistoryBuilder => history.instance('i-1', 'shutting-down');
const used = (history: HistoryBuilder, pod: string): HistoryBuilder => history.pod(pod, 'created').pod(pod, 'scheduled', 'n-1');

for (const { name, history, verdict } of [
  { name: 'it goes exactly at the bound', history: ended(idle().at(150)), verdict: 'pass' },
  { name: 'it goes a moment late', history: ended(idle().at(151)), verdict: 'fail' },
  { name: 'it stays', history: idle(), verdict: 'fail' },
  { name: 'it stays, and its pool is not meant', history: idle(['other']), verdict: 'pass' },
  { name: 'a pod comes back in time', history: used(idle().at(140), 'web-2'), verdict: 'pass' },
  { name: 'a pod comes back too late', history: used(idle().at(160), 'web-2'), verdict: 'fail' },
  {
    name: 'a pod comes back in time and leaves again',
    history: used(idle().at(140), 'web-2').at(145).pod('web-2', 'gone', 'n-1'),
    verdict: 'fail',
  },
  {
    name: 'it becomes idle after the bound, when nothing is expected any more',
    history: used(idle().at(140), 'web-2').at(151).pod('web-2', 'gone', 'n-1'),
    verdict: 'pass',
  },
  {
    name: 'the trial is over before the bound has passed',
    history: idle().at(120).phase('heal').phase('settle').phase('remove'),
    verdict: 'unknown',
  },
]) {
  test(`an idle node: ${name}`, () => {
    const result = scaleIn.judge(createView(history.at(400).finish().events));
    expect(result?.verdict).toBe(verdict);
    expect(result?.findings.map(({ code, object }) => `${code} ${object}`)).toEqual(verdict === 'fail' ? ['not-ended instance/i-1'] : []);
  });
}

test('pods of DaemonSets do not need the node', () => {
  const history = idle().workload('agent', 0, { kind: 'daemon' });
  const name = 'agent-1';
  history.pod(name, 'created').pod(name, 'scheduled', 'n-1');
  const result = scaleIn.judge(createView(history.at(400).finish().events));
  expect(result?.verdict).toBe('fail');
});
