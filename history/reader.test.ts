import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { HistoryError, parseHistory, readHistory } from './reader.ts';
import { soundHistory } from './testing/history-builder.ts';

const LINES = soundHistory().events.map((event) => JSON.stringify(event));
const TEXT = `${LINES.join('\n')}\n`;

test('a whole history', () => {
  const { events, truncated } = parseHistory(TEXT, 'a.jsonl');
  expect(events).toEqual(soundHistory().events);
  expect(truncated).toBe(false);
});

test('an empty text is a history without events', () => {
  expect(parseHistory('', 'a.jsonl')).toEqual({ events: [], truncated: false });
});

test('wherever a killed process stopped, whole lines are read and the rest is reported as truncated', () => {
  fc.assert(
    fc.property(fc.nat(TEXT.length), (length) => {
      const { events, truncated } = parseHistory(TEXT.slice(0, length), 'a.jsonl');
      const wholeLines = TEXT.slice(0, length).split('\n').length - 1;
      // A last line that only lacks its line feed is complete.
      expect([wholeLines, wholeLines + 1]).toContain(events.length);
      expect(truncated).toBe(events.length === wholeLines && !TEXT.slice(0, length).endsWith('\n') && length > 0);
    }),
  );
});

for (const { what, lines, message } of [
  { what: 'a broken line', lines: ['{"i":0,', LINES[1]], message: 'a.jsonl: line 1 is not JSON' },
  { what: 'an unknown type', lines: ['{"i":0,"t":0,"type":"rumour"}'], message: /^a\.jsonl: line 1 is not an event: type: .*"rumour"/ },
  { what: 'a missing field', lines: ['{"i":0,"t":0,"type":"phase"}'], message: /^a\.jsonl: line 1 is not an event: phase: / },
  { what: 'a gap', lines: [LINES[0], LINES[2]], message: 'a.jsonl: line 2 has i 2, expected 1' },
  {
    what: 'time going back',
    lines: ['{"i":0,"t":5,"type":"trial.end"}', '{"i":1,"t":4,"type":"trial.end"}'],
    message: 'a.jsonl: line 2 goes back in time: t 4 after 5',
  },
  {
    what: 'another format',
    lines: ['{"i":0,"t":0,"type":"trial.begin","format":2,"whatever":true}'],
    message: 'a.jsonl: line 1 has history format 2; this version reads format 1 only',
  },
]) {
  test(`refused: ${what}`, () => {
    const read = (): unknown => parseHistory(`${lines.join('\n')}\n`, 'a.jsonl');
    expect(read).toThrow(HistoryError);
    expect(read).toThrow(message);
  });
}

test('refused: a missing file', () => {
  expect(() => readHistory('/nowhere/at-all.jsonl')).toThrow(/^\/nowhere\/at-all\.jsonl: can't be read \(ENOENT/);
});
