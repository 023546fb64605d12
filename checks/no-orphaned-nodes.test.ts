import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { noOrphanedNodes } from './no-orphaned-nodes.ts';

/** A node whose instance was terminated at 100; the bound is 60. */
function dead(): HistoryBuilder {
  return new HistoryBuilder().act().at(10).launch(1, 'i-1').node('n-1', 'created', 'i-1').at(100).instance('i-1', 'terminated');
}

for (const { name, history, verdict, objects } of [
  { name: 'it is removed at the bound', history: dead().at(160).node('n-1', 'gone').at(400).finish(), verdict: 'pass', objects: [] },
  {
    name: 'it is removed a moment late',
    history: dead().at(161).node('n-1', 'gone').at(400).finish(),
    verdict: 'fail',
    objects: ['nodes/n-1'],
  },
  {
    name: 'another instance with the same address takes it over',
    history: dead().at(150).node('n-1', 'ready', 'i-1').at(400).finish(),
    verdict: 'pass',
    objects: [],
  },
  {
    name: 'the cloud controller is down',
    history: dead()
      .arm('f', 'must-fire', { fault: 'cloud-controller', params: { what: 'down', controllers: ['cloud-node-lifecycle-controller'] } })
      .at(300)
      .heal('f')
      .at(360)
      .node('n-1', 'gone')
      .at(400)
      .finish(),
    verdict: 'pass',
    objects: [],
  },
  { name: 'it is never removed', history: dead().at(400).finish(), verdict: 'fail', objects: ['nodes/n-1'] },
  {
    name: 'a fault on the Kubernetes wire extends the bound',
    history: dead().arm('f').at(150).request(2, 'patch nodes').fire('f', 2).at(210).node('n-1', 'gone').at(400).finish(),
    verdict: 'pass',
    objects: [],
  },
  {
    name: 'a pause of the target extends the bound until its heal',
    history: dead().arm('f', 'must-fire', { fault: 'pause' }).fire('f').at(300).heal('f').at(360).node('n-1', 'gone').at(400).finish(),
    verdict: 'pass',
    objects: [],
  },
  {
    name: 'it is removed long after a pause',
    history: dead().arm('f', 'must-fire', { fault: 'pause' }).fire('f').at(300).heal('f').at(361).node('n-1', 'gone').at(400).finish(),
    verdict: 'fail',
    objects: ['nodes/n-1'],
  },
  {
    name: 'it is removed before its instance',
    history: new HistoryBuilder()
      .act()
      .launch(1, 'i-1')
      .node('n-1', 'created', 'i-1')
      .at(10)
      .node('n-1', 'gone')
      .at(300)
      .instance('i-1', 'terminated')
      .finish(),
    verdict: 'pass',
    objects: [],
  },
  { name: 'the trial is cut off before the bound', history: dead().at(120).phase('heal'), verdict: 'unknown', objects: [] },
]) {
  test(`a node of a terminated instance: ${name}`, () => {
    const result = noOrphanedNodes.judge(createView(history.events));
    expect(result?.verdict).toBe(verdict);
    expect(result?.findings.map(({ object }) => object)).toEqual(objects);
  });
}

test('without nodes there is nothing to judge', () => {
  expect(noOrphanedNodes.judge(createView(new HistoryBuilder().act().finish().events))).toBeUndefined();
});
