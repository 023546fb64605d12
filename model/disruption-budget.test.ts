import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { isInForce, isInForceWithin, nodesAllowed, removalRounds } from './disruption-budget.ts';

const at = (time: string): number => Date.parse(`2026-07-01T${time}Z`);

test('a budget is active from each hit of its schedule for its duration', () => {
  const budget = { schedule: '30 * * * *', durationMs: 600_000 };
  expect(isInForce(budget, at('10:29:59'))).toBe(false);
  expect(isInForce(budget, at('10:30:00'))).toBe(true);
  expect(isInForce(budget, at('10:39:59'))).toBe(true);
  expect(isInForce(budget, at('10:40:00'))).toBe(false);
});

test('durations may exceed a day', () => {
  expect(isInForce({ schedule: '@daily', durationMs: 36_000_000 }, at('09:59:59'))).toBe(true);
  expect(isInForce({ schedule: '@daily', durationMs: 36_000_000 }, at('10:00:00'))).toBe(false);
});

test('long budgets are evaluated quickly', () => {
  const years = 8_760 * 3_600_000;
  expect(isInForce({ schedule: '0 0 1 7 *', durationMs: years }, at('10:00:00'))).toBe(true);
  expect(isInForce({ schedule: '0 11 1 7 *', durationMs: years }, at('10:00:00'))).toBe(true);
  expect(isInForce({ schedule: '0 11 1 7 *', durationMs: years - 3_600_000 }, at('10:00:00'))).toBe(false);
  expect(isInForce({ schedule: '0 0 29 2 *', durationMs: 2 * years }, at('10:00:00'))).toBe(false);
  expect(isInForce({ schedule: '0 0 29 2 *', durationMs: 3 * years }, at('10:00:00'))).toBe(true);
});

// As in Karpenter: a schedule without a next hit counts as active.
test('a budget whose schedule never hits is always active', () => {
  expect(isInForce({ schedule: '0 0 30 2 *', durationMs: 60_000 }, at('10:00:00'))).toBe(true);
});

test('without a schedule, or with an invalid one, a budget is always active', () => {
  expect(isInForce({}, at('10:00:00'))).toBe(true);
  expect(isInForce({ schedule: 'now and then', durationMs: 1 }, at('10:00:00'))).toBe(true);
});

for (const [nodes, total, allowed] of [
  ['0', 10, 0],
  ['3', 10, 3],
  ['10%', 11, 2],
  ['100%', 7, 7],
  ['many', 10, 0],
] as const) {
  test(`${nodes} of ${total} nodes`, () => {
    expect(nodesAllowed({ nodes }, total)).toBe(allowed);
  });
}

test('an invalid schedule allows no disruption', () => {
  expect(nodesAllowed({ nodes: '3', schedule: 'now and then' }, 10)).toBe(0);
});

test('a budget may become active within a period', () => {
  const budget = { schedule: '30 10 * * *', durationMs: 600_000 };
  const between = (from: string, to: string): boolean => isInForceWithin(budget, { fromMs: at(from), toMs: at(to) });
  expect(between('10:00:00', '10:29:59')).toBe(false);
  expect(between('10:00:00', '10:30:00')).toBe(true);
  expect(between('10:39:59', '11:00:00')).toBe(true);
  expect(between('10:40:00', '23:00:00')).toBe(false);
  expect(isInForceWithin({}, { fromMs: at('10:00:00'), toMs: at('10:00:00') })).toBe(true);
});

for (const { budgets, nodes, rounds } of [
  { budgets: [], nodes: 24, rounds: 1 },
  { budgets: [{ nodes: '100%' }], nodes: 24, rounds: 1 },
  { budgets: [{ nodes: '1' }], nodes: 24, rounds: 24 },
  { budgets: [{ nodes: '5' }], nodes: 24, rounds: 5 },
  // 24, 21, 18, 16, 14, 12, 10, and then one by one.
  { budgets: [{ nodes: '10%' }], nodes: 24, rounds: 16 },
  { budgets: [{ nodes: '50%' }, { nodes: '2' }], nodes: 8, rounds: 5 },
  {
    budgets: [
      { nodes: '1', reasons: ['drifted' as const] },
      { nodes: '4', reasons: ['empty' as const] },
    ],
    nodes: 8,
    rounds: 2,
  },
  { budgets: [{ nodes: '0' }], nodes: 24, rounds: undefined },
  { budgets: [{ nodes: '0%', reasons: ['empty' as const] }], nodes: 24, rounds: undefined },
  { budgets: [{ nodes: '0' }], nodes: 0, rounds: 0 },
]) {
  test(`${nodes} nodes with budgets of ${JSON.stringify(budgets)} go in ${rounds ?? 'no'} rounds`, () => {
    expect(removalRounds(budgets, 'empty', nodes)).toBe(rounds);
  });
}

test('rounds: never fewer with more nodes or another budget, and at most one for each node', () => {
  const budget = fc
    .record({ number: fc.integer({ min: 1, max: 100 }), isShare: fc.boolean() })
    .map(({ number, isShare }) => ({ nodes: isShare ? `${number}%` : `${number}` }));
  fc.assert(
    fc.property(fc.array(budget, { maxLength: 3 }), budget, fc.integer({ min: 1, max: 300 }), (budgets, other, nodes) => {
      const rounds = removalRounds(budgets, 'empty', nodes) ?? NaN;
      expect(rounds).toBeGreaterThanOrEqual(1);
      expect(rounds).toBeLessThanOrEqual(nodes);
      expect(removalRounds(budgets, 'empty', nodes + 1)).toBeGreaterThanOrEqual(rounds);
      expect(removalRounds([...budgets, other], 'empty', nodes)).toBeGreaterThanOrEqual(rounds);
    }),
  );
});
