import { expect, test } from '@playwright/test';
import { parseSchedulerStat, parseThreadStat, processorTime } from './processor-time.ts';

for (const { what, name } of [
  { what: 'a plain name', name: 'node' },
  { what: 'a name with blanks and brackets', name: 'a (b) c' },
]) {
  test(`user and system time of a thread: ${what}`, () => {
    expect(parseThreadStat(`17 (${name}) R 1 17 17 0 -1 4194304 90 0 0 0 250 50 0 0 20 0 11 0 9 1 2`)).toBe(3_000);
  });
}

test('anything but a line of /proc is refused', () => {
  expect(() => parseThreadStat('17 (node) R')).toThrow('not a line of /proc/PID/stat: 17 (node) R');
  expect(() => parseSchedulerStat('933050')).toThrow('not a line of /proc/PID/schedstat: 933050');
});

test('the time that a thread waited for a processor is the second figure, in nanoseconds', () => {
  expect(parseSchedulerStat('933050 2447000000 17\n')).toBe(2_447);
});

test('a busy thread uses processor time, and the process at least as much', () => {
  const before = processorTime();
  let now = before;
  while (now.mainCpuMs < before.mainCpuMs + 50) now = processorTime();
  expect(now.cpuMs).toBeGreaterThan(before.cpuMs);
});
