import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { Roster } from './roster.ts';

test('has its members in the order in which they joined, whoever leaves', () => {
  const steps = fc.array(fc.oneof(fc.constant('join' as const), fc.nat(20)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const roster = new Roster<number>();
      const leaving: (() => void)[] = [];
      const expected = new Set<number>();
      for (const step of all) {
        if (step === 'join') {
          expected.add(leaving.length);
          leaving.push(roster.join(leaving.length));
        } else {
          // Also some who have left already.
          leaving[step]?.();
          expected.delete(step);
        }
        expect([...roster]).toEqual([...expected]);
      }
    }),
  );
});

test('can be gone through while its members leave and join', () => {
  const roster = new Roster<() => void>();
  const seen: string[] = [];
  const leaveFirst = roster.join(() => {
    seen.push('first');
    leaveFirst();
    roster.join(() => seen.push('late'));
  });
  roster.join(() => seen.push('second'));
  for (const call of roster) call();
  expect(seen).toEqual(['first', 'second']);
});
