import { expect, test } from '@playwright/test';
import { logFailure } from './log.ts';
import type { LogFields, LogLevel } from './log.ts';

for (const { error, requested, level } of [
  { error: new TypeError('a bug'), requested: 'warn', level: 'panic' },
  { error: new RangeError('a bug'), requested: 'error', level: 'panic' },
  { error: new ReferenceError('a bug'), requested: 'error', level: 'panic' },
  { error: new Error('a bug in a listener'), requested: 'panic', level: 'panic' },
  { error: new Error('refused'), requested: 'warn', level: 'warn' },
  { error: new SyntaxError('the answer is not JSON'), requested: 'error', level: 'error' },
  { error: 'a string was thrown', requested: 'error', level: 'error' },
] as const) {
  test(`${String(error)}, logged as ${requested}, is ${level}`, () => {
    const lines: { level: LogLevel; message: string; fields: LogFields | undefined }[] = [];
    logFailure((said, message, fields) => lines.push({ level: said, message, fields }), requested, 'it failed', error, { object: 'a' });
    expect(lines).toMatchObject([{ level, message: 'it failed', fields: { object: 'a' } }]);
    if (level === 'panic') expect(lines[0]?.fields?.['at']).toContain('log.test.ts');
    else expect(lines[0]?.fields).toEqual({ object: 'a' });
  });
}
