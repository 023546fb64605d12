import { expect, test } from '@playwright/test';
import { hitsWithin, isHit, nextHit, parseCron } from './cron.ts';
import { defined } from './defined.ts';

for (const [schedule, hits, misses] of [
  ['* * * * *', ['2026-07-01T00:00:00Z', '2026-07-01T13:59:59Z'], []],
  ['@daily', ['2026-07-01T00:00:30Z'], ['2026-07-01T00:01:00Z', '2026-07-01T01:00:00Z']],
  ['@hourly', ['2026-07-01T05:00:00Z'], ['2026-07-01T05:30:00Z']],
  ['*/15 9-17 * * mon-fri', ['2026-07-01T09:45:00Z'], ['2026-07-01T08:45:00Z', '2026-07-04T09:45:00Z', '2026-07-01T09:50:00Z']],
  ['0 0 1,15 * *', ['2026-07-15T00:00:00Z'], ['2026-07-02T00:00:00Z']],
  // Either day matches when both are given.
  ['0 0 13 * FRI', ['2026-07-13T00:00:00Z', '2026-07-03T00:00:00Z'], ['2026-07-14T00:00:00Z']],
  // A star with a step does not count as a wildcard day; a star in a list does.
  ['0 0 */2 * 1', ['2026-07-01T00:00:00Z', '2026-07-06T00:00:00Z'], ['2026-07-02T00:00:00Z']],
  ['0 0 1 * */2', ['2026-07-01T00:00:00Z', '2026-07-02T00:00:00Z'], ['2026-07-03T00:00:00Z']],
  ['0 0 */1 * 1', ['2026-07-06T00:00:00Z'], ['2026-07-01T00:00:00Z']],
  ['0 0 5,* * 1', ['2026-07-06T00:00:00Z'], ['2026-07-05T00:00:00Z']],
  ['0 0 ? * 1', ['2026-07-06T00:00:00Z'], ['2026-07-01T00:00:00Z']],
  ['0,,5 0 1, * *', ['2026-07-01T00:05:00Z'], ['2026-07-02T00:00:00Z']],
  ['*-3 * * * *', ['2026-07-01T00:10:00Z'], []],
  [', * * * *', [], ['2026-07-01T00:00:00Z']],
  ['5/20 * * * *', ['2026-07-01T00:45:00Z'], ['2026-07-01T00:00:00Z']],
  ['0 0 1 jan *', ['2027-01-01T00:00:00Z'], ['2026-07-01T00:00:00Z']],
] as const) {
  test(`cron: ${schedule}`, () => {
    const cron = parseCron(schedule);
    if (cron === undefined) throw new Error("it can't be parsed");
    expect(hits.filter((time) => !isHit(cron, Date.parse(time)))).toEqual([]);
    expect(misses.filter((time) => isHit(cron, Date.parse(time)))).toEqual([]);
  });
}

for (const schedule of [
  '',
  '* * * *',
  '60 * * * *',
  '* 24 * * *',
  '5-1 * * * *',
  '*/0 * * * *',
  '@never',
  'a * * * *',
  '* * 0 * *',
  '* * * * 7',
  '1-2-3 * * * *',
  '1/2/3 * * * *',
  '*/ * * * *',
  '1- * * * *',
  '-1 * * * *',
  '*/-1 * * * *',
  '@every 1h',
  '@Daily',
  'constructor',
  '__proto__',
  'toString',
]) {
  test(`not cron: "${schedule}"`, () => {
    expect(parseCron(schedule)).toBeUndefined();
  });
}

for (const [schedule, after, next] of [
  ['*/15 * * * *', '2026-07-01T00:14:59Z', '2026-07-01T00:15:00Z'],
  ['*/15 * * * *', '2026-07-01T00:15:00Z', '2026-07-01T00:30:00Z'],
  ['30 9 * * mon', '2026-07-01T00:00:00Z', '2026-07-06T09:30:00Z'],
  ['30 9 * * mon', '2026-07-06T09:30:00Z', '2026-07-13T09:30:00Z'],
  ['0 0 1 1 *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['0 0 31 * *', '2026-08-31T00:00:00Z', '2026-10-31T00:00:00Z'],
  ['0 0 29 2 *', '2026-07-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 30 2 *', '2026-07-01T00:00:00Z', undefined],
  [', * * * *', '2026-07-01T00:00:00Z', undefined],
] as const) {
  test(`cron: ${schedule} after ${after}`, () => {
    const cron = parseCron(schedule);
    if (cron === undefined) throw new Error("it can't be parsed");
    expect(nextHit(cron, Date.parse(after))).toBe(next === undefined ? undefined : Date.parse(next));
  });
}

test('the next hit is the first matching minute', () => {
  for (const schedule of ['7,31 3-5 * * *', '0 */7 13 * fri', '59 23 */9 2,3 *', '*/17 * 1 * *']) {
    const cron = parseCron(schedule);
    if (cron === undefined) throw new Error("it can't be parsed");
    const startMs = Date.parse('2026-02-01T03:06:30Z');
    const minutes = Array.from({ length: 70 * 1_440 }, (_, index) => startMs + 30_000 + index * 60_000);
    const hits = minutes.filter((ms) => isHit(cron, ms));
    const found = [];
    for (let ms = nextHit(cron, startMs); ms !== undefined && ms <= (minutes.at(-1) ?? 0); ms = nextHit(cron, ms)) found.push(ms);
    expect(found).toEqual(hits);
    expect(found).not.toEqual([]);
  }
});

for (const [schedule, timeZone, hits] of [
  ['0 0 13 * 5', undefined, ['07-03T00:00', '07-10T00:00', '07-13T00:00', '07-17T00:00', '07-24T00:00', '07-31T00:00']],
  ['30 9 1 * *', 'Asia/Kolkata', ['07-01T04:00']],
  ['0 9 6 * *', 'America/New_York', ['07-06T13:00']],
  ['0 0 1 * *', 'UTC', ['08-01T00:00']],
] as const) {
  test(`hits in July 2026: ${schedule} in ${timeZone ?? 'UTC'}`, () => {
    const cron = parseCron(schedule);
    if (cron === undefined) throw new Error("it can't be parsed");
    const found = hitsWithin(cron, { fromMs: Date.UTC(2026, 6, 1), toMs: Date.UTC(2026, 7, 1), ...defined({ timeZone }) });
    expect(found.map((ms) => new Date(ms).toISOString().slice(5, 16))).toEqual(hits);
  });
}
