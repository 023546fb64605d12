import { expect, test } from '@playwright/test';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { createUnavailableOfferings } from './unavailable-offerings.ts';

const offering = { instanceType: 'm5.large', zone: 'a', capacityType: 'spot' } as const;

test('an offering is avoided for as long as was last set, but never shorter than before', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const unavailable = createUnavailableOfferings(clock);
  const work = async (): Promise<void> => {
    expect(unavailable.has(offering)).toBe(false);
    unavailable.mark(offering, 180_000);
    unavailable.mark(offering, 60_000);
    expect(unavailable.has({ ...offering, capacityType: 'on-demand' })).toBe(false);
    await clock.sleep(179_999);
    expect(unavailable.has(offering)).toBe(true);
    await clock.sleep(1);
    expect(unavailable.has(offering)).toBe(false);
  };
  await timeline.run(work());
});

test('an offering is avoided for as long if the clock is set ahead meanwhile', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const unavailable = createUnavailableOfferings(clock);
  const work = async (): Promise<void> => {
    unavailable.mark(offering, 180_000);
    clock.skew(600_000);
    await clock.sleep(179_999);
    expect(unavailable.has(offering)).toBe(true);
    await clock.sleep(1);
    expect(unavailable.has(offering)).toBe(false);
  };
  await timeline.run(work());
});
