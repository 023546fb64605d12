import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { consolidation } from './consolidation.ts';

/** Two instances run, and the scenario says that one is enough; bound scale-in is 50 ms. */
function surplus(): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .at(10)
    .launch(1, 'i-1')
    .launch(2, 'i-2')
    .at(100)
    .expect({ kind: 'consolidated', instances: 1, bound: 'scale-in' });
}

const ended = (history: HistoryBuilder, id: string): HistoryBuilder => history.instance(id, 'shutting-down');

for (const { name, history, verdict } of [
  { name: 'in time', history: ended(surplus().at(140), 'i-2').at(200), verdict: 'pass' },
  { name: 'too late', history: ended(surplus().at(160), 'i-2').at(200), verdict: 'fail' },
  { name: 'never', history: surplus().at(200), verdict: 'fail' },
  {
    name: 'in time, but another one is launched',
    history: ended(surplus().at(140), 'i-2').at(180).launch(3, 'i-3').at(200),
    verdict: 'fail',
  },
  {
    name: 'a replacement is beside it for a moment',
    history: ended(ended(surplus().at(110).launch(3, 'i-3').at(140), 'i-1'), 'i-2').at(200),
    verdict: 'pass',
  },
  { name: 'the trial ends before the bound has passed', history: surplus().at(120), verdict: 'unknown' },
]) {
  test(`consolidated: ${name}`, () => {
    const result = consolidation.judge(createView(history.finish().events));
    expect(result?.verdict).toBe(verdict);
    expect(result?.findings.map(({ code }) => code)).toEqual(verdict === 'fail' ? ['not-consolidated'] : []);
  });
}

test('without an expectation there is nothing to judge', () => {
  expect(consolidation.judge(createView(new HistoryBuilder().act().finish().events))).toBeUndefined();
});
