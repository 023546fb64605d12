import { expect, test } from '@playwright/test';
import { isHit, parseCron } from './cron.ts';

for (const [schedule, hits, misses] of [
  ['* * * * *', ['2026-07-01T00:00:00Z', '2026-07-01T13:59:59Z'], []],
  ['@daily', ['2026-07-01T00:00:30Z'], ['2026-07-01T00:01:00Z', '2026-07-01T01:00:00Z']],
  ['@hourly', ['2026-07-01T05:00:00Z'], ['2026-07-01T05:30:00Z']],
  ['*/15 9-17 * * mon-fri', ['2026-07-01T09:45:00Z'], ['2026-07-01T08:45:00Z', '2026-07-04T09:45:00Z', '2026-07-01T09:50:00Z']],
  ['0 0 1,15 * *', ['2026-07-15T00:00:00Z'], ['2026-07-02T00:00:00Z']],
  // Either day will do when both are given.
  ['0 0 13 * FRI', ['2026-07-13T00:00:00Z', '2026-07-03T00:00:00Z'], ['2026-07-14T00:00:00Z']],
  ['5/20 * * * *', ['2026-07-01T00:45:00Z'], ['2026-07-01T00:00:00Z']],
  ['0 0 1 jan *', ['2027-01-01T00:00:00Z'], ['2026-07-01T00:00:00Z']],
] as const) {
  test(`cron: ${schedule}`, () => {
    const cron = parseCron(schedule);
    if (cron === undefined) throw new Error('it can not be read');
    expect(hits.filter((time) => !isHit(cron, Date.parse(time)))).toEqual([]);
    expect(misses.filter((time) => isHit(cron, Date.parse(time)))).toEqual([]);
  });
}

for (const schedule of ['', '* * * *', '60 * * * *', '* 24 * * *', '5-1 * * * *', '*/0 * * * *', '@never', 'a * * * *', '* * 0 * *']) {
  test(`no cron: "${schedule}"`, () => {
    expect(parseCron(schedule)).toBeUndefined();
  });
}
