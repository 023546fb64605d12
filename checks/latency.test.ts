import { expect, test } from '@playwright/test';
import type { LatencyStep } from '../history/events.ts';
import { createView } from '../history/view.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { latency } from './latency.ts';

function judge(builder: HistoryBuilder): ReturnType<typeof latency.judge> {
  return latency.judge(createView(builder.events));
}

/** Pods of `web` that are created at once. */
function created(pods: number, phase: { from?: LatencyStep; to?: LatencyStep; bound?: string } = {}): HistoryBuilder {
  const { from = 'pending', to = 'running', bound = 'provision' } = phase;
  const builder = new HistoryBuilder().act().workload('web', pods).expect({ kind: 'latency', workload: 'web', from, to, bound });
  for (let pod = 1; pod <= pods; pod += 1) builder.pod(`web-${pod}`, 'created');
  return builder;
}

test('nothing to judge without an expectation', () => {
  expect(judge(new HistoryBuilder().act().finish())).toBeUndefined();
});

test('a fast workload passes with its measurement', () => {
  expect(judge(soundHistory())).toMatchObject({
    verdict: 'pass',
    summary: 'web, pending -> running: p99 of 1 is 0.1 s (bound provision, 0.1 s)',
    measurements: [{ worst: 80, object: 'pods/default/web-1' }],
  });
});

test('exactly at the bound is fast enough, a millisecond later is not', () => {
  const runs = (ms: number): HistoryBuilder => created(2).at(50).pod('web-1', 'running').at(ms).pod('web-2', 'running').finish();
  expect(judge(runs(100))?.verdict).toBe('pass');
  const slow = judge(runs(101));
  expect(slow?.verdict).toBe('fail');
  expect(slow?.findings).toMatchObject([{ code: 'too-slow', object: 'pods/default/web-2' }]);
});

test('one of a hundred pods may be slow, according to the percentile', () => {
  const withSlow = (slow: number): HistoryBuilder => {
    const builder = created(100).at(50);
    for (let pod = slow + 1; pod <= 100; pod += 1) builder.pod(`web-${pod}`, 'running');
    builder.at(500);
    for (let pod = 1; pod <= slow; pod += 1) builder.pod(`web-${pod}`, 'running');
    return builder.finish();
  };
  expect(judge(withSlow(1))?.verdict).toBe('pass');
  expect(judge(withSlow(2))?.verdict).toBe('fail');
});

test('a pod that never ran counts with the time that it waited', () => {
  expect(judge(created(2).at(50).pod('web-1', 'running').at(400).finish())?.verdict).toBe('fail');
});

test('a phase of the launch', () => {
  const slow = new HistoryBuilder()
    .act()
    .workload('web')
    .expect({ kind: 'latency', workload: 'web', from: 'request', to: 'registered', bound: 'provision' });
  slow
    .at(10)
    .pod('web-1', 'created')
    .at(20)
    .launch(1, 'i-1')
    .at(121)
    .node('n', 'created', 'i-1')
    .pod('web-1', 'scheduled', 'n')
    .pod('web-1', 'running', 'n')
    .finish();
  expect(judge(slow)?.findings).toMatchObject([{ code: 'too-slow', object: 'pods/default/web-1' }]);
});

for (const { what, builder, summary } of [
  { what: 'no pod reached both steps', builder: created(1, { from: 'request' }).at(400).finish(), summary: /no pod reached both steps$/ },
  { what: 'an unknown bound', builder: created(1, { bound: 'patience' }).finish(), summary: /^the history has no bound "patience"$/ },
  {
    what: 'a history that ends too early',
    builder: created(2).at(50).pod('web-1', 'running'),
    summary: /while 1 more had not reached the second step$/,
  },
]) {
  test(`${what}: unknown`, () => {
    expect(judge(builder)).toMatchObject({ verdict: 'unknown', summary: expect.stringMatching(summary) });
  });
}

test('a history that ends too early fails only if fast pods could not change that', () => {
  // 1 slow pod of 100 is within the 99th percentile, whatever happens to the 99 that are still open.
  const one = created(1).at(150).pod('web-1', 'running');
  for (let pod = 2; pod <= 100; pod += 1) one.pod(`web-${pod}`, 'created');
  expect(judge(one)?.verdict).toBe('unknown');
  expect(judge(created(2).at(150).pod('web-1', 'running').pod('web-3', 'created'))?.verdict).toBe('fail');
});
