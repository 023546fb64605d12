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

test('when many types of a capacity type lack capacity in a zone at once, the others there are avoided too', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const unavailable = createUnavailableOfferings(clock, 3);
  const typed = (instanceType: string) => ({ ...offering, instanceType });
  const work = async (): Promise<void> => {
    unavailable.mark(typed('m5.large'), 60_000);
    unavailable.mark(typed('m5.xlarge'), 60_000);
    await clock.sleep(60_000);
    // The first two are forgotten.
    unavailable.mark(typed('c5.large'), 60_000);
    unavailable.mark(typed('c5.xlarge'), 60_000);
    expect(unavailable.has(typed('r5.large'))).toBe(false);
    unavailable.mark(typed('c5.2xlarge'), 60_000);
    expect(unavailable.has(typed('r5.large'))).toBe(true);
    expect(unavailable.has({ ...typed('r5.large'), zone: 'b' })).toBe(false);
    expect(unavailable.has({ ...typed('r5.large'), capacityType: 'on-demand' })).toBe(false);
    await clock.sleep(60_000);
    expect(unavailable.has(typed('r5.large'))).toBe(false);
  };
  await timeline.run(work());
});
