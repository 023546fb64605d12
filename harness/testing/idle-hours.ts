import { scenario } from '../scenario.ts';

const HOURS_MS = 6 * 3_600_000;

/** Nothing happens for some hours: what a target holds in memory should stay the same. */
export const idleHours = scenario({
  id: 'test/idle-hours',
  title: 'nothing happens for some hours',
  async run(t) {
    t.expect.steadyMemory();
    await t.pause({ minMs: HOURS_MS, maxMs: HOURS_MS });
  },
});
