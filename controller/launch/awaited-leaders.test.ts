import { expect, test } from '@playwright/test';
import { FLEET_ANSWERS_MAX, FLEET_LEADER_LIMIT_MS, FLEET_LEADER_POLL_MS } from '../constants.ts';
import { AwaitedLeaders } from './awaited-leaders.ts';

function leadersAt(): { leaders: AwaitedLeaders; pass: (ms: number) => void } {
  let nowMs = 0;
  return {
    leaders: new AwaitedLeaders({ monotonicMs: () => nowMs }),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

test('claims that wait for one leader share its reads, and each interval has its own', async () => {
  const { leaders, pass } = leadersAt();
  const requests: string[] = [];
  const look = (token: string) =>
    leaders.read(token, () => {
      requests.push(token);
      return Promise.resolve(undefined);
    });
  await Promise.all([look('a'), look('a'), look('b')]);
  pass(FLEET_LEADER_POLL_MS - 1);
  await look('a');
  expect(requests).toEqual(['a', 'b']);
  pass(1);
  await Promise.all([look('a'), look('a')]);
  expect(requests).toEqual(['a', 'b', 'a']);
});

test('patience ends after its limit, however many leaders are awaited', () => {
  const { leaders, pass } = leadersAt();
  const tokens = Array.from({ length: 3 * FLEET_ANSWERS_MAX }, (_none, index) => `token ${index}`);
  const look = () => new Set(tokens.map((token) => leaders.isPatient(token)));
  expect(look()).toEqual(new Set([true]));
  pass(FLEET_LEADER_LIMIT_MS - 1);
  expect(look()).toEqual(new Set([true]));
  pass(1);
  expect(look()).toEqual(new Set([false]));
});
