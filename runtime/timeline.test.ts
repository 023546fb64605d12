import { stat } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { SpinError, StalledError, never } from './clock.ts';
import { createRandom } from './random.ts';
import { createRealTimeline, createVirtualTimeline } from './timeline.ts';
import type { Clock, Timeline, TimelineHooks } from './clock.ts';

function virtual(seed = 1, hooks: TimelineHooks = {}, maxTurnsPerInstant = 10_000): Timeline {
  return createVirtualTimeline({ startMs: 1_000, random: createRandom(seed), hooks, maxTurnsPerInstant });
}

test('sleeps end in the order of their due times, at their due times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 40 }), async (delays) => {
      const timeline = virtual();
      const clock = timeline.scope('a');
      const woken: number[] = [];
      const sleepers = delays.map(async (ms) => {
        await clock.sleep(ms);
        expect(clock.nowMs()).toBe(1_000 + ms);
        woken.push(ms);
      });
      await timeline.run(Promise.all(sleepers));
      expect(woken).toEqual([...delays].sort((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});

test('the seed decides the order of timers that are due at the same instant', async () => {
  const order = async (seed: number): Promise<string> => {
    const timeline = virtual(seed);
    const clock = timeline.scope('a');
    const seen: number[] = [];
    await timeline.run(Promise.all(Array.from({ length: 8 }, (_, index) => clock.sleep(5).then(() => seen.push(index)))));
    return seen.join();
  };
  expect(await order(1)).toBe(await order(1));
  const orders = new Set(await Promise.all([1, 2, 3, 4, 5].map(order)));
  expect(orders.size).toBeGreaterThan(1);
});

test('time does not pass until a call has reached its wire, and passes while it is parked', async () => {
  // The default limit: how long the file system takes depends on the machine.
  const timeline = createVirtualTimeline({ startMs: 1_000, random: createRandom(1) });
  const clock = timeline.scope('a');
  const world = timeline.scope('world');
  let ticks = 0;
  const ticking = (async (): Promise<void> => {
    for (; ticks < 3; ticks += 1) await world.sleep(1);
  })();
  const seenAt = await timeline.run(
    clock.call('slow client', async () => {
      // A client that needs many turns of the event loop, as the SDK's first call does.
      for (let turn = 0; turn < 20; turn += 1) await eventLoopTurn();
      const arrivedMs = clock.nowMs();
      await clock.park(world.sleep(50));
      return arrivedMs;
    }),
  );
  expect(seenAt).toBe(1_000);
  expect(timeline.nowMs()).toBe(1_050);
  await timeline.run(ticking);
});

test('time does not pass while real work is held', async () => {
  const timeline = virtual();
  const clock = timeline.scope('a');
  const real = createRealTimeline().scope('real');
  let timerFired = false;
  void clock.sleep(1).then(() => (timerFired = true));
  await timeline.run(
    clock.hold(real.sleep(20)).then(() => {
      expect(timerFired).toBe(false);
    }),
  );
});

test('a stalled world is an error that names the calls in flight', async () => {
  const timeline = virtual();
  const clock = timeline.scope('target#1');
  const stuck = clock.call('kube: list pods', () => clock.park(never()));
  const error = await timeline.run(stuck).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StalledError);
  expect(String(error)).toContain('target#1: kube: list pods');
});

test('an owner that lets no time pass is named', async () => {
  const timeline = virtual();
  const clock = timeline.scope('target#1');
  const spin = async (): Promise<void> => {
    for (;;) await clock.sleep(0);
  };
  const error = await timeline.run(spin()).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SpinError);
  expect((error as SpinError).owner).toBe('target#1');
});

test('a killed owner gets no answer any more, and its calls leave the in-flight count', async () => {
  const timeline = virtual();
  const target = timeline.scope('target#1');
  const world = timeline.scope('world');
  const settled: string[] = [];
  const note = (name: string) => ({ then: () => settled.push(name) });
  target.sleep(10).then(note('sleep').then, note('sleep').then);
  target.call('never parked', () => world.sleep(20)).then(note('call').then, note('call').then);
  target
    .call('fails', async () => {
      await target.park(world.sleep(5));
      throw new Error('lost');
    })
    .then(note('failure').then, note('failure').then);
  target.kill();
  expect(target.killed).toBe(true);
  target.sleep(1).then(note('late').then, note('late').then);
  await timeline.run(world.sleep(100));
  expect(settled).toEqual([]);
});

test('an aborted sleep rejects with the reason and leaves no timer', async () => {
  for (const timeline of [virtual(), createRealTimeline()]) {
    const clock = timeline.scope('a');
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(timeline.run(sleeping)).rejects.toThrow('enough');
    expect(timeline.nowMs()).toBeLessThan(Number.MAX_SAFE_INTEGER);
  }
});

test('the hook is called with the owner that runs next', async () => {
  const seen: string[] = [];
  const timeline = virtual(1, { onHandover: (owner) => seen.push(owner) });
  const a = timeline.scope('a');
  const b = timeline.scope('b');
  await timeline.run(Promise.all([a.sleep(1), b.sleep(2)]));
  expect(seen).toEqual(['a', 'b']);
});

/** One turn of the event loop or more, by real I/O, like a client's own asynchronous work. */
async function eventLoopTurn(): Promise<void> {
  await stat(import.meta.filename);
}

test('timers and answers for a paused owner wait, and are delivered in order when it resumes', async () => {
  const timeline = virtual();
  const clock = timeline.scope('a');
  const world = timeline.scope('world');
  const seen: string[] = [];
  const held: number[] = [];
  const note = (what: string) => (): unknown => seen.push(`${what} at ${clock.nowMs()}`);
  await timeline.run(
    (async (): Promise<void> => {
      const answered = clock.call('asked', () => clock.park(world.sleep(20))).then(note('answer'));
      const timers = [clock.sleep(10).then(note('first')), clock.sleep(30).then(note('second'))];
      const resume = clock.pause(() => held.push(timeline.nowMs()));
      await world.sleep(100);
      expect(seen).toEqual([]);
      resume();
      await Promise.all([answered, ...timers]);
    })(),
  );
  expect(seen.map((one) => one.split(' ')[0]).sort()).toEqual(['answer', 'first', 'second']);
  expect(seen.every((one) => one.endsWith('at 1100'))).toBe(true);
  expect(held).toEqual([1_010, 1_020, 1_030]);
});

test('an owner that was paused twice resumes after both pauses, and never if it was killed meanwhile', async () => {
  const timeline = virtual();
  const clock = timeline.scope('a');
  const dead = timeline.scope('b');
  const world = timeline.scope('world');
  let woken = 0;
  await timeline.run(
    (async (): Promise<void> => {
      const [first, second, last] = [clock.pause(() => undefined), clock.pause(() => undefined), dead.pause(() => undefined)];
      void clock.sleep(1).then(() => (woken += 1));
      void dead.sleep(1).then(() => (woken += 1));
      await world.sleep(5);
      first();
      await world.sleep(5);
      expect(woken).toBe(0);
      second();
      dead.kill();
      last();
      await world.sleep(5);
    })(),
  );
  expect(woken).toBe(1);
});

test('what is to happen after a while happens once, unless it is cancelled or its owner is killed, also while the owner is paused', async () => {
  const timeline = virtual();
  const clock = timeline.scope('a');
  const dead = timeline.scope('b');
  const world = timeline.scope('world');
  const seen: string[] = [];
  const plan = (scope: Clock, ms: number, what: string): (() => void) => scope.after(ms, () => seen.push(`${what} at ${timeline.nowMs()}`));
  await timeline.run(
    (async (): Promise<void> => {
      plan(clock, 9.5, 'rounded up');
      plan(clock, 20, 'cancelled')();
      plan(dead, 20, 'dead');
      dead.kill();
      plan(dead, 20, 'dead before');
      await world.sleep(50);
      const resume = clock.pause(() => undefined);
      plan(clock, 10, 'held');
      const cancel = plan(clock, 10, 'cancelled while it was held');
      await world.sleep(50);
      cancel();
      resume();
      cancel();
    })(),
  );
  expect(seen).toEqual(['rounded up at 1010', 'held at 1100']);
  expect(() => clock.after(Number.NaN, () => undefined)).toThrow(RangeError);
});

test('a skewed clock shows another time and sleeps as long', async () => {
  const timeline = virtual();
  const clock = timeline.scope('a');
  clock.skew(-600);
  expect(clock.nowMs()).toBe(400);
  await timeline.run(clock.sleep(50));
  expect([clock.nowMs(), timeline.nowMs()]).toEqual([450, 1_050]);
  // Durations are not affected.
  const before = clock.monotonicMs();
  clock.skew(5_000);
  expect(clock.monotonicMs() - before).toBe(0);
});
