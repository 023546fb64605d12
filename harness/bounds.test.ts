import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { PoolDisruption } from '../model/catalogue.ts';
import { EMBEDDED } from '../world/embedded.ts';
import { resolveBounds } from './bounds.ts';
import { quietTarget } from './testing/quiet-target.ts';

const { constants } = quietTarget();

test('every bound is positive, named, and printed with its numbers', () => {
  for (const [name, bound] of Object.entries(resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 }))) {
    expect(bound.name).toBe(name);
    expect(bound.value).toBeGreaterThan(0);
    if (bound.unit === 'ms') expect(bound.formula).toContain(`= ${bound.value / 1000} s`);
    expect(bound.reason.length).toBeGreaterThan(20);
  }
});

test("nodes beyond the capacity of EC2's request buckets wait for the refill", () => {
  const at = (nodes: number): ReturnType<typeof resolveBounds> =>
    resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes, offerings: 9 });
  expect(at(50).provision.value).toBe(at(10).provision.value);
  expect(at(100).provision.value - at(50).provision.value).toBe(10_000);
  expect(at(200)['scale-in'].value - at(100)['scale-in'].value).toBe(20_000);
});

test('longer constants or allowances never give a tighter bound', () => {
  const constantNames = Object.keys(constants) as (keyof typeof constants)[];
  const allowanceNames = Object.keys(EMBEDDED.allowances) as (keyof typeof EMBEDDED.allowances)[];
  fc.assert(
    fc.property(fc.constantFrom(...constantNames), fc.constantFrom(...allowanceNames), fc.nat(100_000), (constant, allowance, moreMs) => {
      const before = resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 });
      const after = resolveBounds({
        nodes: 10,
        offerings: 9,
        constants: { ...constants, [constant]: (constants[constant] ?? 0) + moreMs },
        allowances: { ...EMBEDDED.allowances, [allowance]: EMBEDDED.allowances[allowance] + moreMs },
      });
      for (const name of Object.keys(before) as (keyof typeof before)[]) {
        // A longer retry period means fewer repeats; more offerings per launch means fewer rounds.
        const isTighter = name.endsWith('-a-minute') || (name === 'fallback' && constant === 'offeringsPerLaunch');
        if (!isTighter) expect(after[name].value).toBeGreaterThanOrEqual(before[name].value);
      }
    }),
  );
});

const OWN = { ...constants, emptyAfterMs: 95_000, consolidationMs: 110_000, consolidateAfterMs: 30_000 };
const bounded = (...pools: readonly Omit<PoolDisruption, 'consolidation'>[]): ReturnType<typeof resolveBounds> =>
  resolveBounds({
    constants: OWN,
    allowances: EMBEDDED.allowances,
    nodes: 10,
    offerings: 9,
    mostNodes: 24,
    pools: pools.map((disruption) => ({ disruption: { consolidation: 'when-empty', ...disruption } })),
  });
const REMOVALS = ['scale-in', 'settle', 'consolidation'] as const;

test("the longest consolidateAfter of the pools replaces the target's own", () => {
  for (const name of REMOVALS) {
    const own = bounded()[name].value;
    expect(bounded({})[name].value).toBe(own);
    expect(bounded({ consolidateAfterMs: 0 }, { consolidateAfterMs: 300_000 })[name].value).toBe(own + 270_000);
    expect(bounded({ consolidateAfterMs: 0 })[name].value).toBe(own - 30_000);
    // A pool that sets none has the target's own.
    expect(bounded({ consolidateAfterMs: 0 }, {})[name].value).toBe(own);
    expect(bounded({ consolidateAfterMs: 'never' })[name].value).toBe(own);
  }
});

test('a target that declares no consolidateAfter gets that of the pools in addition', () => {
  const at = (consolidateAfterMs: number): number =>
    resolveBounds({
      constants,
      allowances: EMBEDDED.allowances,
      nodes: 10,
      offerings: 9,
      pools: [{ disruption: { consolidation: 'when-empty', consolidateAfterMs } }],
    })['scale-in'].value;
  expect(at(300_000) - at(0)).toBe(300_000);
});

test('removals go in as many rounds as the strictest budget requires', () => {
  const once = bounded();
  const round = bounded({ budgets: [{ nodes: '12' }] })['scale-in'].value - once['scale-in'].value;
  expect(round).toBeGreaterThan(OWN.emptyAfterMs - OWN.consolidateAfterMs);
  for (const [nodes, more] of [
    ['100%', 0],
    ['24', 0],
    ['10%', 15],
    ['1', 23],
    ['0', 0],
  ] as const) {
    const bounds = bounded({ budgets: [{ nodes: '50' }] }, { budgets: [{ nodes }] });
    expect(bounds['scale-in'].value).toBe(once['scale-in'].value + more * round);
    expect(bounds.settle.value).toBe(once.settle.value + more * round);
    expect(bounds.consolidation.value).toBeGreaterThanOrEqual(once.consolidation.value + more * round);
    // The deletion of a pool waits neither for its budgets nor for consolidateAfter.
    expect(bounds.teardown.value).toBe(once.teardown.value);
  }
});

test('a budget of 0 with a schedule leaves the rounds of the other budgets for the rest of the time', () => {
  const freeze = { nodes: '0', schedule: '0 9 * * *', durationMs: 3_600_000 };
  const frozen = bounded({ budgets: [{ nodes: '50%' }, freeze] });
  const open = bounded({ budgets: [{ nodes: '50%' }] });
  for (const name of REMOVALS) expect(frozen[name].value).toBe(open[name].value);
  expect(open['scale-in'].value).toBeGreaterThan(bounded()['scale-in'].value);
});

test('a pool that never removes its idle nodes adds no rounds', () => {
  const bounds = bounded({ consolidateAfterMs: 'never', budgets: [{ nodes: '1' }] });
  for (const name of REMOVALS) expect(bounds[name].value).toBe(bounded()[name].value);
});

test('a budget for underused nodes only does not slow down the removal of empty ones', () => {
  const bounds = bounded({ budgets: [{ nodes: '1', reasons: ['underutilized'] }] });
  expect(bounds['scale-in'].value).toBe(bounded()['scale-in'].value);
  expect(bounds.consolidation.value).toBeGreaterThan(bounded().consolidation.value);
});

test('longer settings of pools, more nodes and more pools never give a tighter bound', () => {
  const pool = fc.record({
    consolidateAfterMs: fc.nat(600_000),
    budgets: fc.array(
      fc.integer({ min: 1, max: 100 }).map((number) => ({ nodes: `${number}%` })),
      { maxLength: 2 },
    ),
  });
  fc.assert(
    fc.property(pool, pool, fc.nat(600_000), (one, other, moreMs) => {
      const before = bounded(one);
      for (const after of [bounded(one, other), bounded({ ...one, consolidateAfterMs: one.consolidateAfterMs + moreMs })])
        for (const name of REMOVALS) expect(after[name].value).toBeGreaterThanOrEqual(before[name].value);
    }),
  );
});

test('pods that take long to stop move the bounds that wait for the end of pods, and no others', () => {
  const size = { constants: OWN, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 };
  const before = resolveBounds(size);
  const after = resolveBounds({ ...size, podStopMs: 90_000 });
  for (const name of ['scale-in', 'settle', 'expiry'] as const) expect(after[name].value - before[name].value).toBe(90_000);
  for (const name of Object.keys(before) as (keyof typeof before)[]) {
    if (before[name].formula.includes('podEnd')) expect(after[name].value, name).toBeGreaterThanOrEqual(before[name].value + 90_000);
  }
  for (const name of ['provision', 'launch-lag', 'runaway'] as const) expect(after[name].value).toBe(before[name].value);
});
