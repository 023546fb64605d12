import { expect, test } from '@playwright/test';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { Pacer } from './pacer.ts';

/** A token bucket like EC2's: a capacity and a refill rate per second. */
class Bucket {
  requests = 0;
  #tokens: number;
  #atMs: number;
  readonly #perSecond: number;
  readonly #capacity: number;

  constructor(capacity: number, perSecond: number, nowMs: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
    this.#atMs = nowMs;
  }

  take(nowMs: number): boolean {
    this.requests += 1;
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((nowMs - this.#atMs) / 1_000) * this.#perSecond);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

class Throttled extends Error {}

test('two hundred launches on a bucket of 50 and 5 a second: done soon, without flooding', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const pacer = new Pacer(clock, createRandom(2), 20);
  const bucket = new Bucket(50, 5, 0);
  const launch = async (): Promise<void> => {
    const isThrottled = (error: unknown): boolean => error instanceof Throttled;
    for (;;) {
      try {
        return await pacer.run(async () => {
          await clock.sleep(20);
          if (!bucket.take(clock.nowMs())) throw new Throttled();
        }, isThrottled);
      } catch {
        // It is tried again.
      }
    }
  };
  await timeline.run(Promise.all(Array.from({ length: 200 }, launch)));
  expect(clock.nowMs()).toBeLessThan(90_000);
  expect(bucket.requests).toBeLessThan(300);
});

test('there is no limit without throttling', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const pacer = new Pacer(clock, createRandom(2), 20);
  await timeline.run(
    Promise.all(
      Array.from({ length: 100 }, () =>
        pacer.run(
          () => clock.sleep(100),
          () => true,
        ),
      ),
    ),
  );
  expect(clock.nowMs()).toBe(500);
});
