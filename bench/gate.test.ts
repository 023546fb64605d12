import { expect, test } from '@playwright/test';
import { parsePolicy } from '../gate/policy.ts';
import { GOOD, simulateGate, tally } from './gate-simulation.ts';

const policy = parsePolicy({});

test('a simulated gate is deterministic, and runs to its last look', () => {
  const question = { baseline: GOOD, candidate: { ...GOOD, latency: 1.1 }, paired: true, scenarios: 2 };
  const [one, other] = [simulateGate(question, policy, 'x'), simulateGate(question, policy, 'x')];
  expect(one).toEqual(other);
  expect(one.decision.verdict !== 'inconclusive' || one.used === policy.episodes.max).toBe(true);
});

test('planted regressions are found by their criteria', () => {
  const found = (change: Partial<typeof GOOD>, scenarios = 2) =>
    tally({ name: 'planted', paired: true, scenarios, candidate: { ...GOOD, ...change }, gates: 1, promises: [] }, 3, policy);
  expect(found({ success: 0.8 })).toMatchObject({ rejected: 3, failedBy: { success: 3 } });
  expect(found({ latency: 1.3 })).toMatchObject({ rejected: 3, failedBy: { 'latency-shift': 3 } });
  expect(found({ cost: 1.3 })).toMatchObject({ rejected: 3, failedBy: { cost: 3 } });
  expect(found({ breaksScenario: true }, 60)).toMatchObject({ rejected: 3, failedBy: { scenarios: 3 } });
});
