import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { scaleIn } from './scale-in.ts';

/** Two instances run, and from 100 on nothing needs them; the bound is 50. */
function needless(): HistoryBuilder {
  return new HistoryBuilder().begin().act().at(10).launch(1, 'i-1').launch(2, 'i-2').at(100).expect({ kind: 'emptied', bound: 'scale-in' });
}

const judge = (builder: HistoryBuilder): ReturnType<typeof scaleIn.judge> => scaleIn.judge(createView(builder.events));

for (const { name, history, verdict, objects } of [
  {
    name: 'both start to terminate exactly at the bound',
    history: needless().at(120).instance('i-1', 'shutting-down').at(150).instance('i-2', 'shutting-down').at(400),
    verdict: 'pass',
    objects: [],
  },
  {
    name: 'one is a moment late',
    history: needless().at(120).instance('i-1', 'shutting-down').at(151).instance('i-2', 'shutting-down').at(400),
    verdict: 'fail',
    objects: ['instance/i-2'],
  },
  {
    name: 'one is never terminated',
    history: needless().at(120).instance('i-1', 'shutting-down').at(400).phase('over'),
    verdict: 'fail',
    objects: ['instance/i-2'],
  },
  {
    name: 'the history ends before the bound has passed',
    history: needless().at(120).instance('i-1', 'shutting-down').at(130).phase('heal'),
    verdict: 'unknown',
    objects: [],
  },
  {
    name: "later launches don't count",
    history: needless().instance('i-1', 'shutting-down').instance('i-2', 'shutting-down').at(110).launch(3, 'i-3').at(400).phase('over'),
    verdict: 'pass',
    objects: [],
  },
  {
    name: 'nothing had been launched',
    history: new HistoryBuilder().begin().act().at(100).expect({ kind: 'emptied', bound: 'scale-in' }),
    verdict: 'unknown',
    objects: [],
  },
]) {
  test(`scale-in: ${name}`, () => {
    const result = judge(history);
    expect(result?.verdict).toBe(verdict);
    expect(result?.findings.map(({ object }) => object)).toEqual(objects);
  });
}

test('without an expectation scale-in judges nothing', () => {
  expect(judge(new HistoryBuilder().begin().act())).toBeUndefined();
});
