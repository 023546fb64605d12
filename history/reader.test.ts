import { writeFileSync } from 'node:fs';
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

test('a file longer than what is read at once, with characters and lines across the borders', ({}, testInfo) => {
  const path = testInfo.outputPath('history.jsonl');
  const about = { type: 'supervisor', cause: 'hung', culprit: 'target' } as const;
  const events = [1, 2, 3].map((shift, i) => ({ i, t: i, ...about, message: `${'x'.repeat(shift)}${'\u20ac\u{1f600}'.repeat(300_000)}` }));
  const text = events.map((event) => JSON.stringify(event)).join('\n');
  for (const { end, kept, truncated } of [
    { end: '\n', kept: 3, truncated: false },
    { end: '', kept: 3, truncated: false },
    { end: '\n{"i":3,"t":3,"ty', kept: 3, truncated: true },
  ]) {
    writeFileSync(path, text + end);
    const read = readHistory(path);
    expect(read.truncated).toBe(truncated);
    expect(read.events.length).toBe(kept);
    expect(read.events.every((event, i) => JSON.stringify(event) === JSON.stringify(events[i]))).toBe(true);
  }
});

test('refused: a missing file', () => {
  expect(() => readHistory('/nowhere/at-all.jsonl')).toThrow(/^\/nowhere\/at-all\.jsonl: can't be read \(ENOENT/);
});

test('refused: a folder', () => {
  expect(() => readHistory(import.meta.dirname)).toThrow(/can't be read \(EISDIR/);
});
