import { expect, test } from '@playwright/test';
import type { ClockScope } from '../../runtime/clock.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { BACKOFF_MAX_MS } from '../constants.ts';
import { createQueue } from './queue.ts';
import type { Queue, Reconcile } from './queue.ts';

interface Bench {
  readonly queue: Queue;
  readonly clock: ClockScope;
  readonly log: string[];
  stop(): Promise<void>;
}

async function withQueue(reconcile: (clock: ClockScope) => Reconcile, work: (bench: Bench) => Promise<void>): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const stopping = new AbortController();
  const log: string[] = [];
  const runtime = {
    clock,
    random: createRandom(2),
    signal: stopping.signal,
    log: (level: string, message: string, fields: object = {}) => void log.push(`${level}: ${message} ${JSON.stringify(fields)}`),
  };
  const queue = createQueue(runtime, 'thing', reconcile(clock));
  const stop = (): Promise<void> => {
    stopping.abort(new Error('stopped'));
    return queue.done;
  };
  await timeline.run(work({ queue, clock, log, stop }));
}

test('one worker per key, which runs again for changes meanwhile; other keys do not wait', async () => {
  const trace: string[] = [];
  await withQueue(
    (clock) => async (key) => {
      trace.push(`${key} begins at ${clock.nowMs()}`);
      await clock.sleep(100);
      return undefined;
    },
    async ({ queue, clock, stop }) => {
      queue.add('a');
      queue.add('b');
      await clock.sleep(10);
      queue.add('a');
      queue.add('a');
      await clock.sleep(1_000);
      await stop();
    },
  );
  expect(trace).toEqual(['a begins at 0', 'b begins at 0', 'a begins at 100']);
});

test('a failing key is retried with increasing delays up to a limit, logged with its object, and affects no other', async () => {
  const bad: number[] = [];
  let good = 0;
  await withQueue(
    (clock) => async (key) => {
      if (key === 'good') {
        good += 1;
        return undefined;
      }
      bad.push(clock.nowMs());
      throw new Error('it is broken');
    },
    async ({ queue, clock, log, stop }) => {
      queue.add('bad');
      queue.add('good');
      await clock.sleep(10 * 60_000);
      await stop();
      expect(log[0]).toMatch(/^error: thing: it is broken \{"object":"bad"/);
    },
  );
  expect(good).toBe(1);
  const pauses = bad.slice(1).map((at, index) => at - (bad[index] ?? 0));
  expect(pauses[0]).toBeLessThanOrEqual(10);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(BACKOFF_MAX_MS + 1);
  expect(bad.length).toBeLessThan(60);
});

test('a bug in the reconciler is logged as a panic with its location, and the queue survives it', async () => {
  let calls = 0;
  await withQueue(
    () => async () => {
      calls += 1;
      throw new TypeError('undefined is no object');
    },
    async ({ queue, clock, log, stop }) => {
      queue.add('a');
      await clock.sleep(1_000);
      await stop();
      expect(log[0]).toMatch(/^panic: thing: undefined is no object \{"object":"a".*"at":".*queue\.test\.ts/);
    },
  );
  expect(calls).toBeGreaterThan(1);
});

test('a key can request a requeue; adding it before that cancels the timer', async () => {
  const times: number[] = [];
  await withQueue(
    (clock) => async () => {
      times.push(clock.nowMs());
      return times.length < 4 ? 1_000 : undefined;
    },
    async ({ queue, clock, stop }) => {
      queue.add('a');
      await clock.sleep(1_500);
      queue.add('a');
      await clock.sleep(10_000);
      await stop();
    },
  );
  expect(times).toEqual([0, 1_000, 1_500, 2_500]);
});

test('stopping waits for work in progress and starts nothing new', async () => {
  let ended = 0;
  await withQueue(
    (clock) => async () => {
      await clock.sleep(100);
      ended += 1;
      return 1;
    },
    async ({ queue, clock, stop }) => {
      queue.add('a');
      await clock.sleep(50);
      await stop();
      expect(ended).toBe(1);
      queue.add('b');
      await clock.sleep(1_000);
      expect(ended).toBe(1);
    },
  );
});
