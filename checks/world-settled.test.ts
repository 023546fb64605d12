import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { worldSettled } from './world-settled.ts';

function judge(builder: HistoryBuilder): ReturnType<typeof worldSettled.judge> {
  return worldSettled.judge(createView(builder.events));
}

const expecting = (bound = 'settle'): HistoryBuilder => new HistoryBuilder().act().expect({ kind: 'settled', bound });

test('nothing to judge without an expectation', () => {
  expect(judge(new HistoryBuilder().act().finish())).toBeUndefined();
});

test('a world that settles and empties passes with both measurements', () => {
  expect(judge(soundHistory())).toMatchObject({
    verdict: 'pass',
    measurements: [
      { bound: { name: 'settle' }, worst: 0 },
      { bound: { name: 'teardown' }, worst: 0 },
    ],
  });
});

test('names what is pending, with the evidence from the history', () => {
  const builder = expecting().at(10).pod('web-1', 'created').at(300);
  builder.finish({
    settle: [{ object: 'pods/default/web-1', why: 'it has no node' }],
    remove: [{ object: 'instance/i-1', why: 'it is running' }],
  });
  const result = judge(builder);
  expect(result?.verdict).toBe('fail');
  expect(result?.findings.map(({ code, object }) => [code, object])).toEqual([
    ['not-settled', 'pods/default/web-1'],
    ['not-removed', 'instance/i-1'],
  ]);
  expect(result?.findings[0]?.message).toMatch(
    /^pods\/default\/web-1 should have settled within 0\.3 s .* but had not after 0 s: it has no node\.$/,
  );
  expect(result?.findings[0]?.events.map((index) => builder.events[index]?.type)).toEqual(['pod', 'phase', 'convergence']);
});

test('settled exactly at the bound passes, later does not', () => {
  const settles = (ms: number): HistoryBuilder =>
    expecting()
      .phase('settle')
      .at(ms)
      .add({ type: 'convergence', phase: 'settle', waiting: [] })
      .phase('remove')
      .add({ type: 'convergence', phase: 'remove', waiting: [] })
      .phase('over');
  expect(judge(settles(300))?.verdict).toBe('pass');
  expect(judge(settles(301))?.findings).toMatchObject([{ code: 'not-settled', object: 'world' }]);
});

test('a history that ends early: what was found stands, the rest is unknown', () => {
  expect(judge(expecting().phase('settle').at(100_000))?.verdict).toBe('unknown');
  expect(judge(expecting().phase('settle').add({ type: 'convergence', phase: 'settle', waiting: [] }).phase('remove'))).toMatchObject({
    verdict: 'unknown',
    summary: 'settled after 0 s; the trial ended before the end of its removal',
  });
  const waiting = [{ object: 'nodes/n', why: 'no pod needs it' }];
  expect(judge(expecting().phase('settle').add({ type: 'convergence', phase: 'settle', waiting }))?.verdict).toBe('fail');
});

test('an unknown bound', () => {
  expect(judge(expecting('patience').finish())).toMatchObject({
    verdict: 'unknown',
    summary: expect.stringContaining('no bound "patience"'),
  });
});
