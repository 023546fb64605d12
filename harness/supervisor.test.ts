import { expect, test } from '@playwright/test';
import { DEFAULT_LIMITS, timeLimitOf, turnLimitOf } from './supervisor.ts';
import { DEFAULT_NODES } from './trial-spec.ts';

for (const { what, spec, limit } of [
  {
    what: 'the default number of nodes',
    spec: { nodes: DEFAULT_NODES },
    limit: { cpuMs: 180_000, wallMs: 900_000, why: '180 s of processor time; in real time 5 times as long' },
  },
  {
    what: 'fewer nodes',
    spec: { nodes: 1 },
    limit: { cpuMs: 180_000, wallMs: 900_000, why: '180 s of processor time; in real time 5 times as long' },
  },
  {
    what: 'many nodes',
    spec: { nodes: 500 },
    limit: {
      cpuMs: 670_000,
      wallMs: 3_350_000,
      why: '180 s of processor time, and 1 s for each of 490 nodes beyond 10; in real time 5 times as long',
    },
  },
  {
    what: 'a heavy target',
    spec: { nodes: DEFAULT_NODES, heavy: true as const },
    limit: { cpuMs: 900_000, wallMs: 4_500_000, why: '900 s of processor time; in real time 5 times as long' },
  },
  { what: 'real time', spec: { nodes: 500, wallMs: 5_000 }, limit: { wallMs: 5_000, why: 'the sum of its bounds' } },
]) {
  test(`how long a trial may take: ${what}`, () => {
    expect(timeLimitOf(spec, DEFAULT_LIMITS)).toEqual(limit);
  });
}

test('how long a turn may take: longer with a heavy target and many nodes', () => {
  const usual = { turnCpuMs: 10_000, turnWallMs: 120_000 };
  expect(turnLimitOf({ nodes: 1_000 }, DEFAULT_LIMITS)).toEqual(usual);
  expect(turnLimitOf({ nodes: DEFAULT_NODES, heavy: true }, DEFAULT_LIMITS)).toEqual(usual);
  expect(turnLimitOf({ nodes: 1_000, heavy: true }, DEFAULT_LIMITS)).toEqual({ turnCpuMs: 109_000, turnWallMs: 615_000 });
});
