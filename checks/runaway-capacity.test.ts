import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { runawayCapacity } from './runaway-capacity.ts';

/** One pod is pending; three instances per pod are allowed. */
const waiting = (): HistoryBuilder => new HistoryBuilder().act().countBound('runaway', 3).workload('web').pod('web-1', 'created');

function launches(history: HistoryBuilder, from: number, to: number): HistoryBuilder {
  for (let index = from; index <= to; index += 1) history.launch(index, `i-${index}`);
  return history;
}

for (const { name, history, objects } of [
  { name: 'three for one pod', history: launches(waiting(), 1, 3), objects: [] },
  { name: 'a fourth for one pod', history: launches(waiting(), 1, 4), objects: ['instance/i-4'] },
  {
    name: 'a fourth when one has been terminated',
    history: launches(launches(waiting(), 1, 3).instance('i-1', 'shutting-down'), 4, 4),
    objects: [],
  },
  {
    name: 'a fourth when the node of one is not Ready any more',
    history: launches(launches(waiting(), 1, 3).node('n-1', 'ready', 'i-1').node('n-1', 'not-ready', 'i-1'), 4, 4),
    objects: [],
  },
  {
    name: 'a fourth when the node of one has not been Ready for longer than repair waits',
    history: launches(launches(waiting(), 1, 3).node('n-1', 'ready', 'i-1').node('n-1', 'not-ready', 'i-1').at(1_900_000), 4, 4),
    objects: ['instance/i-4'],
  },
  {
    name: 'a fourth when the node of one is Ready again',
    history: launches(
      launches(waiting(), 1, 3).node('n-1', 'ready', 'i-1').node('n-1', 'not-ready', 'i-1').node('n-1', 'ready', 'i-1'),
      4,
      4,
    ),
    objects: ['instance/i-4'],
  },
  {
    name: 'a fourth when one never became Ready',
    history: launches(launches(waiting(), 1, 3).node('n-1', 'created', 'i-1'), 4, 4),
    objects: ['instance/i-4'],
  },
  { name: 'a fourth for two pods', history: launches(launches(waiting(), 1, 3).pod('web-2', 'created'), 4, 4), objects: [] },
  {
    name: 'a fourth when there were two pods earlier',
    history: launches(launches(waiting().pod('web-2', 'created').pod('web-2', 'gone'), 1, 3), 4, 4),
    objects: [],
  },
  { name: 'nine where a static pool wants two nodes', history: launches(waiting().pool('fixed', { replicas: 2 }), 1, 9), objects: [] },
  {
    name: 'a tenth where a static pool wants two nodes',
    history: launches(waiting().pool('fixed', { replicas: 2 }), 1, 10),
    objects: ['instance/i-10'],
  },
  {
    name: 'a tenth where a static pool wants two nodes and then one',
    history: launches(waiting().pool('fixed', { replicas: 2 }).pool('fixed', { replicas: 1 }), 1, 10),
    objects: ['instance/i-10'],
  },
  {
    name: 'a tenth where a static pool wanted two nodes and was withdrawn, and another wants two',
    history: launches(
      waiting()
        .pool('fixed', { replicas: 2 })
        .add({ type: 'pool', pool: { name: 'fixed', requirements: [], weight: 0 }, withdrawn: true })
        .pool('next', { replicas: 2 }),
      1,
      10,
    ),
    objects: ['instance/i-10'],
  },
  {
    name: "pods of a DaemonSet don't count",
    history: launches(waiting().workload('agent', 0, { kind: 'daemon' }).pod('agent-1', 'created'), 1, 4),
    objects: ['instance/i-4'],
  },
]) {
  test(`live at once: ${name}`, () => {
    const result = runawayCapacity.judge(createView(history.at(2_000_000).finish().events));
    expect(result?.findings.map(({ object }) => object)).toEqual(objects);
    expect(result?.verdict).toBe(objects.length === 0 ? 'pass' : 'fail');
  });
}

for (const { most, codes } of [
  { most: 3, codes: [] },
  { most: 2, codes: ['launched-twice'] },
]) {
  test(`three launches where ${most} are needed`, () => {
    const history = launches(waiting().add({ type: 'expectation', expectation: { kind: 'launched-at-most', instances: most } }), 1, 3);
    const result = runawayCapacity.judge(createView(history.at(10).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
  });
}

for (const { what, ran, codes, goneAt = 200 } of [
  { what: 'before it ran keeps its place while another is planned', ran: false, codes: [] },
  { what: 'that ran is no reason for another instance', ran: true, codes: ['launched-twice'] },
  { what: 'long before is no reason for another instance', ran: false, codes: ['launched-twice'], goneAt: 70 },
]) {
  test(`a pod deleted by the taint manager ${what}`, () => {
    const history = waiting().add({ type: 'expectation', expectation: { kind: 'launched-at-most', instances: 1 } });
    history.pod('web-2', 'created').pod('web-2', 'scheduled', 'node-1');
    if (ran) history.pod('web-2', 'running', 'node-1');
    history.pod('web-2', 'terminating', 'node-1', 'DeletionByTaintManager');
    if (goneAt < 100) history.at(goneAt).pod('web-2', 'gone', 'node-1');
    const result = runawayCapacity.judge(createView(launches(history.at(100), 1, 2).at(goneAt).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
  });
}
