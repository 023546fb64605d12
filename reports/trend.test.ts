import { expect, test } from '@playwright/test';
import { buildReport } from './build-report.ts';
import type { RunReport } from './run-report.ts';
import { sampleRun } from './testing/sample-run.ts';
import { trendOf, trendSourceSchema } from './trend.ts';

const own = buildReport(sampleRun({ trials: 2 }));

/** The same report of an earlier run. */
function earlier(day: number, run: Partial<RunReport['run']> = {}, rest: Partial<RunReport> = {}): RunReport {
  return { ...own, ...rest, run: { ...own.run, id: `night-${day}`, startedAt: `2025-12-0${day}T00:00:00.000Z`, ...run } };
}

const whyNot = (one: RunReport): readonly string[] | undefined => trendOf(own, [one])[0]?.notComparable;

test('runs are in the order of their start, the newest last, with their figures', () => {
  const trend = trendOf(own, [earlier(3), earlier(1), earlier(2)]);
  expect(trend.map(({ run, isThis }) => [run, isThis])).toEqual([
    ['night-1', false],
    ['night-2', false],
    ['night-3', false],
    [own.run.id, true],
  ]);
  const last = trend.at(-1);
  expect(last).toMatchObject({ verdict: 'fail', notComparable: [], failed: { scenarios: 2, trials: 3 } });
  expect(last?.profiles.map(({ name, passed, judged }) => [name, passed, judged])).toEqual([
    ['core', 2, 3],
    ['extended', 1, 1],
    ['robustness', 0, 1],
  ]);
  const wait = own.totals.waits?.find(({ phase }) => phase === 'pending -> running');
  expect(last?.waits.find(({ phase }) => phase === 'pending -> running')).toEqual({
    phase: 'pending -> running',
    p50Ms: wait?.p50Ms,
  });
  expect(wait?.p95Ms, 'too many pods were never served').toBeUndefined();
});

test('a report that was read from its file gives the same trend', () => {
  expect(trendOf(own, [trendSourceSchema.parse(JSON.parse(JSON.stringify(earlier(1))))])).toEqual(trendOf(own, [earlier(1)]));
});

test('a bound that was not kept comes first; a number that was used up is not close', () => {
  const { closest } = trendOf(own, [earlier(1)])[0] ?? {};
  expect(closest?.isBroken).toBe(true);
  const limit = { name: 'limit of nodes', value: 5, unit: 'count', formula: '5', reason: 'for this test' } as const;
  const [scenario] = own.scenarios;
  if (scenario === undefined) throw new Error('the sample has scenarios');
  const ms = { ...limit, name: 'provision', unit: 'ms', value: 100 } as const;
  const bounds = [
    { check: 'limits', bound: limit, worst: 5 },
    { check: 'success-rate', bound: ms, worst: 60 },
  ];
  const kept = { ...scenario, bounds, results: [] };
  expect(trendOf(own, [earlier(1, {}, { scenarios: [kept] })])[0]?.closest).toMatchObject({
    ratio: 0.6,
    bound: 'provision',
    isBroken: false,
  });
});

test('the reasons why runs are not comparable are told; another version of the target is none', () => {
  expect(whyNot(earlier(1))).toEqual([]);
  expect(whyNot(earlier(1, { target: { ...own.run.target, digest: 'ab'.repeat(32) } }))).toEqual([]);
  expect(whyNot(earlier(1, { seed: 100 })), 'other seeds, but as many').toEqual([]);
  expect(whyNot(earlier(1, { target: { ...own.run.target, name: 'plain' } }))).toEqual(['target plain, not reference']);
  expect(whyNot(earlier(1, { versions: { ...own.run.versions, scaleproof: '0.0.9' } }))).toEqual(['scaleproof 0.0.9, not 0.1.0']);
  expect(whyNot(earlier(1, { trials: 20 }))).toEqual(['trials of each scenario: 20, not 2']);
  expect(whyNot(earlier(1, { world: { ...own.run.world, name: 'kind' } }))).toEqual(['world kind, not embedded']);
  expect(whyNot(earlier(1, { shard: { number: 1, of: 2 } }))).toEqual(['shard 1 of 2, not none']);
  const [first, second, ...others] = own.run.scenarios;
  if (first === undefined || second === undefined) throw new Error('the sample has scenarios');
  const changed = [{ ...first, id: 'a/new' }, { ...second, digest: 'ff'.repeat(32) }, ...others];
  expect(whyNot(earlier(1, { scenarios: changed }))).toEqual(['1 scenario more', '1 scenario fewer', '1 scenario in another version']);
});

test('a report of an older version has no waits, and is still a run of the trend', () => {
  const { waits: _waits, ...totals } = own.totals;
  expect(trendOf(own, [earlier(1, {}, { totals })])[0]).toMatchObject({ waits: [], failed: { scenarios: 2 } });
});
