import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { between, latenciesOf, percentile, podTimes } from './latency.ts';
import { HistoryBuilder, soundHistory } from './testing/history-builder.ts';
import { createView } from './view.ts';

test('every step of a pod that waited for a new node', () => {
  expect(latenciesOf(createView(soundHistory().events)).map(({ phase, count, p99Ms }) => [phase, count, p99Ms])).toEqual([
    ['pending -> request', 1, 10],
    ['request -> instance', 1, 20],
    ['instance -> registered', 1, 20],
    ['registered -> ready', 1, 10],
    ['ready -> running', 1, 20],
    ['pending -> running', 1, 80],
  ]);
});

test('a pod created after the launch, or that found a node, only has its total latency', () => {
  const builder = new HistoryBuilder().workload('web').at(5).launch(1, 'i-1').at(10).pod('web-1', 'created');
  builder
    .at(20)
    .node('n', 'created', 'i-1')
    .node('n', 'ready', 'i-1')
    .at(30)
    .pod('web-1', 'scheduled', 'n')
    .at(35)
    .pod('web-1', 'running', 'n');
  expect(latenciesOf(createView(builder.events)).map(({ phase, p50Ms }) => [phase, p50Ms])).toEqual([['pending -> running', 25]]);
});

test('impossible pods have no latency; steps out of order take no time', () => {
  const builder = new HistoryBuilder()
    .workload('big', 1, { kind: 'impossible', why: 'too big' })
    .pod('big-1', 'created')
    .pod('big-1', 'running');
  expect(latenciesOf(createView(builder.events))).toEqual([]);
  expect(between({ instance: 20, registered: 10 }, 'instance', 'registered')).toBe(0);
});

test('the latency of pods that need the heal starts at the heal', () => {
  const builder = new HistoryBuilder().workload('web', 1, { kind: 'schedulable-after-heal', why: 'no capacity' });
  builder.at(10).pod('web-1', 'created').at(100).phase('heal').at(130).pod('web-1', 'running');
  const view = createView(builder.events);
  expect(view.pods.map((pod) => podTimes(view, pod))).toEqual([{ pending: 100, running: 130 }]);
  expect(latenciesOf(view).map(({ phase, p50Ms }) => [phase, p50Ms])).toEqual([['healed -> running', 30]]);
});

test('percentiles by nearest rank', () => {
  expect(percentile([15, 20, 35, 40, 50], 30)).toBe(20);
  expect(percentile([15, 20, 35, 40, 50], 50)).toBe(35);
  expect(percentile([15, 20, 35, 40, 50], 99)).toBe(50);
  expect(percentile([7], 1)).toBe(7);
});

test('a percentile is the smallest value that enough of them do not exceed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 100 }), (values, rank) => {
      const sorted = values.sort((a, b) => a - b);
      const value = percentile(sorted, rank);
      const within = (limit: number): number => sorted.filter((one) => one <= limit).length / sorted.length;
      expect(within(value)).toBeGreaterThanOrEqual(rank / 100);
      expect(within(value - 1)).toBeLessThan(rank / 100);
    }),
  );
});
