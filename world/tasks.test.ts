import { expect, test } from '@playwright/test';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Clock } from '../runtime/clock.ts';
import { ClusterError } from './ports.ts';
import { Tasks, WorkQueue } from './tasks.ts';

async function withTasks(work: (tasks: Tasks, clock: Clock, stop: () => void) => Promise<void>): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const stopping = new AbortController();
  await timeline.run(work(new Tasks(clock, stopping.signal), clock, () => stopping.abort(new Error('over'))));
}

test('work runs after its delay, and not at all once stopped', async () => {
  await withTasks(async (tasks, clock, stop) => {
    const seen: number[] = [];
    tasks.after(10, () => void seen.push(clock.nowMs()));
    tasks.after(30, () => void seen.push(clock.nowMs()));
    tasks.every(4, () => void seen.push(-clock.nowMs()));
    await clock.sleep(20);
    stop();
    await tasks.done();
    await clock.sleep(100);
    tasks.after(1, () => void seen.push(0));
    await clock.sleep(100);
    expect(seen.filter((at) => at > 0)).toEqual([10]);
    expect(seen.filter((at) => at < 0).length).toBeGreaterThanOrEqual(4);
    expect(seen).not.toContain(0);
  });
});

test('a bug ends everything and is reported', async () => {
  await withTasks(async (tasks, clock) => {
    const seen: string[] = [];
    tasks.after(50, () => void seen.push('late'));
    tasks.after(10, () => {
      throw new Error('a bug');
    });
    await expect(tasks.done()).rejects.toThrow('a bug');
    await clock.sleep(100);
    expect(seen).toEqual([]);
  });
});

test('a queue reconciles once for many additions, never twice at the same time, and again after a refusal', async () => {
  await withTasks(async (tasks, clock, stop) => {
    let running = 0;
    let most = 0;
    const looks: string[] = [];
    let refusals = 3;
    const queue = new WorkQueue({
      tasks,
      random: createRandom(1),
      delay: { minMs: 1, maxMs: 3 },
      reconcile: async (key) => {
        looks.push(key);
        running += 1;
        most = Math.max(most, running);
        await clock.sleep(20);
        running -= 1;
        if (key === 'refused' && refusals > 0) {
          refusals -= 1;
          throw new ClusterError(409, 'Conflict', 'try again');
        }
      },
    });
    for (let count = 0; count < 5; count += 1) queue.add('a');
    await clock.sleep(10);
    for (let count = 0; count < 5; count += 1) queue.add('a');
    await clock.sleep(200);
    expect(looks).toEqual(['a', 'a']);
    expect(most).toBe(1);
    queue.add('refused');
    await clock.sleep(20_000);
    expect(looks.filter((key) => key === 'refused')).toHaveLength(4);
    stop();
    await tasks.done();
  });
});
