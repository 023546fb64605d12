import { expect, test } from '@playwright/test';
import { scheduleProblem } from './cron-schedule.ts';

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
