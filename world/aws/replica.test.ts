import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { READ_LAG, Replica } from './replica.ts';

/** One step of a history: a change, a pause, or a fault that is armed or healed. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), id: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constant('sleep' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  fc.record({ kind: fc.constant('delay' as const), maxMs: fc.integer({ min: 1, max: 30_000 }) }),
  fc.record({ kind: fc.constant('heal' as const) }),
);

test('reads only move forward, lag at most as long as the fault allows, and converge', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer(), async (steps, seed) => {
      const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(seed) });
      const clock = timeline.scope('test');
      const replica = new Replica<number>(clock, createRandom(seed), READ_LAG);
      const truth = new Map<string, { value: number; atMs: number }>();
      const seen = new Map<string, number>();
      const heals: (() => void | Promise<void>)[] = [];
      let version = 0;
      const observe = (): void => {
        for (const [id, { value, atMs }] of truth) {
          const read = replica.read(id, 0) ?? 0;
          expect(read).toBeGreaterThanOrEqual(seen.get(id) ?? 0);
          expect(read).toBeLessThanOrEqual(value);
          if (clock.nowMs() - atMs > 32_000) expect(read).toBe(value);
          seen.set(id, read);
        }
      };
      await timeline.run(
        (async () => {
          for (const one of steps) {
            if (one.kind === 'write') {
              version += 1;
              truth.set(one.id, { value: version, atMs: clock.nowMs() });
              replica.write(one.id, version);
            } else if (one.kind === 'sleep') {
              await clock.sleep(one.ms);
            } else if (one.kind === 'delay') {
              heals.push(replica.delay({ maxMs: one.maxMs, mutations: false, fired: () => undefined }));
            } else {
              await heals.pop()?.();
            }
            observe();
          }
          for (const heal of heals) await heal();
          await clock.sleep(READ_LAG.maxMs);
          for (const [id, { value }] of truth) expect(replica.read(id, 0)).toBe(value);
        })(),
      );
    }),
    { numRuns: 60, seed: 1 },
  );
});

test('a deleted object stays visible for a while, and a fault fires only if it hid something', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const replica = new Replica<string>(clock, createRandom(1), { probability: 0, maxMs: 0 });
  const fired: number[] = [];
  await timeline.run(
    (async () => {
      replica.write('a', 'here');
      const heal = replica.delay({ maxMs: 60_000, mutations: false, fired: (span) => fired.push(span) });
      expect(replica.read('a', 1)).toBe('here');
      replica.write('a', undefined);
      expect(replica.read('a', 2)).toBe('here');
      expect(replica.knows('a', 3)).toBe(false);
      await heal();
      expect(replica.read('a', 4)).toBeUndefined();
      await Promise.resolve();
    })(),
  );
  expect(fired).toEqual([2]);
});
