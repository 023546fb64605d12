import { expect, test } from '@playwright/test';
import { cronTimes, scheduleProblem } from './cron-schedule.ts';

for (const schedule of ['*/15 * * * *', '0 3 * * *', '0 0 1,15 JAN-JUN mon-fri', '5/10 ? * * 0', '@daily', '@every 1h30m', ' 1 2 3 4 5 ']) {
  test(`a schedule: ${schedule}`, () => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });
}

for (const [schedule, problem] of [
  ['0 3 * *', 'expected exactly 5 fields, found 4: [0 3 * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* 5-3 * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['@often', 'unrecognized descriptor: @often'],
  ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
] as const) {
  test(`no schedule: ${schedule}`, () => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
}

const JULY = { fromMs: Date.UTC(2026, 6, 1), toMs: Date.UTC(2026, 7, 1) };
const iso = (times: readonly number[]): string[] => times.map((atMs) => new Date(atMs).toISOString().slice(0, 16));

for (const [schedule, count, first] of [
  ['0 3 * * *', 31, '2026-07-01T03:00'],
  ['*/15 * * * *', 31 * 96, '2026-07-01T00:15'],
  ['0 0 13 * 5', 6, '2026-07-03T00:00'],
  ['0 0 1-7 * */1', 7, '2026-07-02T00:00'],
  ['0 0 */10 * 5', 8, '2026-07-03T00:00'],
  ['@weekly', 4, '2026-07-05T00:00'],
  ['@every 90m', 496, '2026-07-01T01:30'],
  ['0 0 30 2 *', 0, undefined],
  ['0 3 * *', 0, undefined],
] as const) {
  test(`runs in July 2026: ${schedule}`, () => {
    const times = iso(cronTimes(schedule, JULY));
    expect([times.length, times[0]]).toEqual([count, first]);
  });
}

test('a time zone moves the runs of a schedule', () => {
  expect(iso(cronTimes('30 9 1 * *', { ...JULY, timeZone: 'Asia/Kolkata' }))).toEqual(['2026-07-01T04:00']);
  expect(iso(cronTimes('0 9 6 * *', { ...JULY, timeZone: 'America/New_York' }))).toEqual(['2026-07-06T13:00']);
});
