import { expect, test } from '@playwright/test';
import { DEFAULT_LIMITS, wallLimitOf } from './supervisor.ts';
import { DEFAULT_NODES } from './trial-spec.ts';

for (const { what, spec, limit } of [
  { what: 'the nodes of most trials', spec: { nodes: DEFAULT_NODES }, limit: { ms: 180_000, why: '180 s' } },
  { what: 'fewer nodes', spec: { nodes: 1 }, limit: { ms: 180_000, why: '180 s' } },
  { what: 'many nodes', spec: { nodes: 500 }, limit: { ms: 670_000, why: '180 s, and 1 s for each of 490 nodes beyond 10' } },
  { what: 'real time', spec: { nodes: 500, wallMs: 5_000 }, limit: { ms: 5_000, why: 'as long as all of its bounds together' } },
]) {
  test(`how long a trial may take: ${what}`, () => {
    expect(wallLimitOf(spec, DEFAULT_LIMITS)).toEqual(limit);
  });
}
