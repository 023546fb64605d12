import { expect, test } from '@playwright/test';
import { isInForce, nodesAllowed } from './disruption-budget.ts';

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
