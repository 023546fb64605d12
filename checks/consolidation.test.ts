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

for (const { name, waiting, object } of [
  { name: 'no node is left whose pods fit elsewhere', waiting: [], object: undefined },
  { name: 'one is left', waiting: [{ object: 'nodes/n-1', why: 'all pods that keep it fit on node n-2' }], object: 'nodes/n-1' },
]) {
  test(`underused: ${name}`, () => {
    const history = new HistoryBuilder().act().at(10).node('n-1', 'created', 'i-1').at(100);
    history.expect({ kind: 'underused-removed', bound: 'scale-in' }).at(150);
    history.add({ type: 'convergence', phase: 'consolidate', waiting, ...(waiting.length === 0 ? { sinceMs: 140 } : {}) });
    const result = consolidation.judge(createView(history.finish().events));
    expect(result?.verdict).toBe(object === undefined ? 'pass' : 'fail');
    expect(result?.findings.map((one) => [one.code, one.object])).toEqual(object === undefined ? [] : [['underused-node', object]]);
  });
}

test('underused: unknown if the trial ended before that', () => {
  const history = new HistoryBuilder().act().expect({ kind: 'underused-removed', bound: 'scale-in' });
  expect(consolidation.judge(createView(history.events))?.verdict).toBe('unknown');
});

test('without an expectation there is nothing to judge', () => {
  expect(consolidation.judge(createView(new HistoryBuilder().act().finish().events))).toBeUndefined();
});
