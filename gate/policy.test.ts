import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { nextLook, notesOnLaxer, parsePolicy, plannedLooks } from './policy.ts';

test('an empty file is the default policy', () => {
  const policy = parsePolicy(null);
  expect(policy).toEqual(parsePolicy({}));
  expect(policy).toEqual({
    success: { p0: 0.999, p1: 0.95, alpha: 0.05, beta: 0.05 },
    latency: {
      alpha: 0.025,
      marginRatio: 0.1,
      tailMarginRatio: 0.25,
      phases: ['pending -> running', 'healed -> running'],
      quantile: 0.95,
    },
    budgets: { alpha: 0.025, costRatio: 1.1, requestsRatio: 1.25 },
    episodes: { seeds: 3, first: 75, step: 75, max: 300 },
    existing: { failures: 'reject' },
    unknown: { maxShare: 0.05 },
  });
});

test('a given value replaces only its own default', () => {
  const policy = parsePolicy({ latency: { phases: ['pending -> request'] } });
  expect(policy.latency).toEqual({ ...parsePolicy({}).latency, phases: ['pending -> request'] });
});

for (const [what, value, message] of [
  ['an unknown section', { sucess: {} }, 'p.yaml: it has no field sucess; did you mean success?'],
  ['an unknown key', { latency: { margin: 1 } }, 'latency has no field margin; did you mean marginRatio?'],
  ['a text for a number', { budgets: { costRatio: '10 %' } }, 'budgets.costRatio must be a ratio to the baseline'],
  ['a budget below the baseline', { budgets: { costRatio: 0.1 } }, 'budgets.costRatio must be at least 1'],
  ['a list for a map', { episodes: [1] }, 'episodes must be a map of fields'],
  ['a text for the file', 'first: 3', 'it must be a map of fields'],
  ['a p1 above p0', { success: { p0: 0.9 } }, 'success must have a p1 less than p0'],
  [
    'a success that the allowed episodes cannot show',
    { success: { p1: 0.99 } },
    'success needs 326 clean episodes, and episodes.max is 300',
  ],
  ['a quantile that needs too many episodes', { latency: { quantile: 0.99 } }, 'latency.quantile of 0.99 needs 368 episodes'],
  ['a first above max', { episodes: { first: 400 } }, 'episodes must have a first of max at most'],
  ['too many looks', { episodes: { step: 1 } }, 'episodes must look at most 50 times'],
  ['an unknown phase', { latency: { phases: ['pending -> done'] } }, 'not "pending -> done"'],
  ['phases that count a pod twice', { latency: { phases: ['pending -> request', 'pending -> running'] } }, 'must not count a pod twice'],
  ['no phases', { latency: { phases: [] } }, 'latency.phases must name a phase'],
] as const) {
  test(`${what} is refused with its place`, () => {
    expect(() => parsePolicy(value, 'p.yaml')).toThrow(message);
  });
}

test('notes list laxer values with their defaults, and no stricter ones', () => {
  const noteOf = (value: unknown): string[] => notesOnLaxer(parsePolicy(value));
  expect(noteOf({})).toEqual([]);
  expect(
    noteOf({
      success: { p0: 0.02, p1: 0.01, alpha: 0.01, beta: 0.1 },
      latency: { alpha: 0.05, marginRatio: 1000, tailMarginRatio: 1000, phases: ['pending -> request'], quantile: 0.9 },
      budgets: { alpha: 0.05, costRatio: 1e9, requestsRatio: 'none' },
      episodes: { first: 74, max: 1_000 },
      unknown: { maxShare: 0.99 },
      existing: { failures: 'accept' },
    }),
  ).toEqual([
    'laxer than the default: success.p0 0.02 (0.999), success.p1 0.01 (0.95), success.alpha 0.01 (0.05), success.beta 0.1 (0.05), ' +
      'latency.alpha 0.05 (0.025), latency.marginRatio 1000 (0.1), latency.tailMarginRatio 1000 (0.25), ' +
      'latency.phases [pending -> request] ([pending -> running, healed -> running]), latency.quantile 0.9 (0.95), ' +
      'budgets.alpha 0.05 (0.025), budgets.costRatio 1000000000 (1.1), budgets.requestsRatio none (1.25), ' +
      'episodes.first 74 (75), unknown.maxShare 0.99 (0.05), existing.failures accept (reject)',
  ]);
  const stricter = {
    success: { p0: 0.9999, p1: 0.98, alpha: 0.1, beta: 0.01 },
    latency: { alpha: 0.02, marginRatio: 0.05, tailMarginRatio: 0.2, phases: ['healed -> running', 'pending -> running'], quantile: 0.96 },
    budgets: { alpha: 0.02, costRatio: 1, requestsRatio: 1 },
    episodes: { first: 100, step: 50, max: 500 },
    unknown: { maxShare: 0 },
  };
  expect(noteOf(stricter)).toEqual([]);
});

test('looks are planned from first to max', () => {
  const plan = { first: 75, step: 75, max: 300 };
  expect(plannedLooks(plan)).toBe(4);
  expect([0, 74, 75, 100, 225, 299, 300, 301].map((seen) => nextLook(plan, seen))).toEqual([
    75,
    75,
    150,
    150,
    300,
    300,
    undefined,
    undefined,
  ]);
  const sizes = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(sizes, sizes, sizes, (first, step, more) => {
      const some = { first, step, max: first + more };
      let [looks, seen] = [0, 0];
      for (let next = nextLook(some, 0); next !== undefined; next = nextLook(some, next)) [looks, seen] = [looks + 1, next];
      expect([looks, seen]).toEqual([plannedLooks(some), some.max]);
    }),
  );
});

test('the documentation has every key with its default, and its example is valid', () => {
  const page = readFileSync(new URL('../docs/gate.md', import.meta.url), 'utf8');
  const shown = Object.fromEntries(
    [...page.matchAll(/^\| `(\w+\.\w+)` \| ([^|]+) \|/gm)].map(([, key = '', value = '']) => [
      key,
      parse(value.replaceAll('`', '')) as unknown,
    ]),
  );
  const defaults = Object.entries(parsePolicy({})).flatMap(([section, keys]) =>
    Object.entries(keys).map(([key, value]) => [`${section}.${key}`, value as unknown] as const),
  );
  expect(shown).toEqual(Object.fromEntries(defaults));
  const [, example = ''] = /```yaml\n([^`]+)```/.exec(page) ?? [];
  expect(parsePolicy(parse(example)).episodes.max).toBe(450);
});
