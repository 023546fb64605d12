import { expect, test } from '@playwright/test';
import { isInForce, nodesAllowed } from './disruption-budget.ts';

const at = (time: string): number => Date.parse(`2026-07-01T${time}Z`);

test('a budget holds from each beginning of its schedule for its duration', () => {
  const budget = { schedule: '30 * * * *', durationMs: 600_000 };
  expect(isInForce(budget, at('10:29:59'))).toBe(false);
  expect(isInForce(budget, at('10:30:00'))).toBe(true);
  expect(isInForce(budget, at('10:39:59'))).toBe(true);
  expect(isInForce(budget, at('10:40:00'))).toBe(false);
});

test('durations reach beyond the day', () => {
  expect(isInForce({ schedule: '@daily', durationMs: 36_000_000 }, at('09:59:59'))).toBe(true);
  expect(isInForce({ schedule: '@daily', durationMs: 36_000_000 }, at('10:00:00'))).toBe(false);
});

test('however long a budget holds, it is found out at once', () => {
  const years = 8_760 * 3_600_000;
  expect(isInForce({ schedule: '0 0 1 7 *', durationMs: years }, at('10:00:00'))).toBe(true);
  expect(isInForce({ schedule: '0 11 1 7 *', durationMs: years }, at('10:00:00'))).toBe(true);
  expect(isInForce({ schedule: '0 11 1 7 *', durationMs: years - 3_600_000 }, at('10:00:00'))).toBe(false);
  expect(isInForce({ schedule: '0 0 29 2 *', durationMs: 2 * years }, at('10:00:00'))).toBe(false);
  expect(isInForce({ schedule: '0 0 29 2 *', durationMs: 3 * years }, at('10:00:00'))).toBe(true);
});

// As Karpenter's: what has no next beginning counts as one that has passed.
test('one whose schedule never begins always holds', () => {
  expect(isInForce({ schedule: '0 0 30 2 *', durationMs: 60_000 }, at('10:00:00'))).toBe(true);
});

test('without a schedule, or with one that can not be read, it always holds', () => {
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

test('a schedule that can not be read lets none go', () => {
  expect(nodesAllowed({ nodes: '3', schedule: 'now and then' }, 10)).toBe(0);
});
