import type { Bound } from '../history/events.ts';
import { LEAST_SAMPLES, growthOf, laterSlopeOf } from '../history/growth.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, unknownPart } from './parts.ts';
import type { Part } from './parts.ts';

/** Not one of the harness's bounds: it follows neither from the target nor from the world. */
const MOST_A_DAY: Bound = {
  name: 'memory-growth',
  value: 0.1,
  unit: 'ratio',
  formula: '10 % of the median a day',
  reason: 'a container whose memory limit is twice its use runs for at least ten days',
};

/**
 * Growth of what the target holds in memory while a load repeats itself: it fails if the whole interval of the slope is above the
 * limit, and that of the second half alone too, since a cache that fills up stops growing. It passes if the whole interval is within
 * the limit, and is unknown otherwise.
 */
export const memoryGrowth: Check = {
  name: 'memory-growth',
  summary: 'the target does not hold more and more in memory while the same work repeats itself',
  codes: { 'memory-grows': 'what the target holds in memory grows, without an end in the trial' },
  judge: (view) => {
    const stated = view.stated.filter(({ expectation }) => expectation.kind === 'steady-memory');
    return stated.length === 0 ? undefined : judgeGrowth(view, stated);
  },
};

function judgeGrowth(view: View, stated: View['stated']): Part {
  const samples = view.usage?.samples ?? [];
  const growth = growthOf({ samples });
  if (growth === undefined)
    return unknownPart(`${count(samples.length, 'sample')} of its memory, and one process needs ${LEAST_SAMPLES} to be judged`, [
      { bound: MOST_A_DAY },
    ]);
  const { medianMiB, miBPerDay, overMs } = growth;
  const { slope, lower, upper } = miBPerDay;
  const limit = MOST_A_DAY.value * medianMiB;
  const summary =
    `${slope.toFixed(1)} MiB a day (95 %: ${lower.toFixed(1)} to ${upper.toFixed(1)}), of ${medianMiB.toFixed(1)} MiB; ` +
    `at most ${limit.toFixed(1)}; ${count(growth.samples, 'sample')} over ${duration(overMs)}`;
  // What is certain: nothing grows faster than its limit by chance.
  const measurements = [{ bound: MOST_A_DAY, worst: Math.max(0, lower / medianMiB), object: 'target' }];
  const grew = lower > limit;
  if (grew && (laterSlopeOf({ samples })?.lower ?? 0) > limit) {
    const finding = {
      code: 'memory-grows',
      object: 'target',
      events: indexes(stated),
      message: `What the target holds in memory grows: ${summary}.`,
    };
    return { verdict: 'fail', summary, findings: [finding], measurements };
  }
  if (grew) return unknownPart(`${summary}: it grew, but may have stopped in the second half`, measurements);
  if (upper > limit) return unknownPart(`${summary}: growth is neither shown nor ruled out`, measurements);
  return { verdict: 'pass', summary, findings: [], measurements };
}
