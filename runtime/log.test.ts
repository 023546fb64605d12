import { expect, test } from '@playwright/test';
import { logFailure } from './log.ts';
import type { LogFields, LogLevel } from './log.ts';

for (const { error, asked, level } of [
  { error: new TypeError('a bug'), asked: 'warn', level: 'panic' },
  { error: new RangeError('a bug'), asked: 'error', level: 'panic' },
  { error: new ReferenceError('a bug'), asked: 'error', level: 'panic' },
  { error: new Error('a bug in a listener'), asked: 'panic', level: 'panic' },
  { error: new Error('refused'), asked: 'warn', level: 'warn' },
  { error: new SyntaxError('what came was no JSON'), asked: 'error', level: 'error' },
  { error: 'thrown by a stranger', asked: 'error', level: 'error' },
] as const) {
  test(`${String(error)}, logged as ${asked}, is ${level}`, () => {
    const lines: { level: LogLevel; message: string; fields: LogFields | undefined }[] = [];
    logFailure((said, message, fields) => lines.push({ level: said, message, fields }), asked, 'it failed', error, { object: 'a' });
    expect(lines).toMatchObject([{ level, message: 'it failed', fields: { object: 'a' } }]);
    if (level === 'panic') expect(lines[0]?.fields?.['at']).toContain('log.test.ts');
    else expect(lines[0]?.fields).toEqual({ object: 'a' });
  });
}
