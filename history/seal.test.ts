import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parseHistory } from './reader.ts';
import { sealHistory } from './seal.ts';
import { soundHistory } from './testing/history-builder.ts';

const SEEN = { type: 'supervisor', cause: 'hung', culprit: 'target', message: 'it never answered' } as const;

const sound = soundHistory().events;
/** Longer than the part of a file in which the last line is looked for first; cut within characters. */
const LONG = { ...SEEN, message: `x${'\u20ac'.repeat(100_000)}` };
const events = [...sound, { i: sound.length, t: sound.at(-1)?.t ?? 0, ...LONG }, { i: sound.length + 1, t: sound.at(-1)?.t ?? 0, ...SEEN }];
const LONG_ONLY = JSON.stringify(LONG);
const LINES = events.map((event) => `${JSON.stringify(event)}\n`);

for (const { what, text, kept } of [
  { what: 'a missing file', text: undefined, kept: 0 },
  { what: 'an empty file', text: '', kept: 0 },
  { what: 'only the start of a line', text: '{"i":0,"t":0,"ty', kept: 0 },
  { what: 'a history whose last line was cut off', text: LINES.slice(0, 20).join('').slice(0, -5), kept: 19 },
  { what: 'a history that was cut off between two lines', text: LINES.slice(0, 20).join(''), kept: 20 },
  { what: 'a history whose last line is long', text: LINES.slice(0, -1).join(''), kept: LINES.length - 1 },
  { what: 'a history whose last line is long and was cut off', text: LINES.slice(0, -1).join('').slice(0, -50), kept: LINES.length - 2 },
  { what: 'a history of one long line', text: LONG_ONLY, kept: 0 },
  { what: 'a complete history', text: LINES.join(''), kept: LINES.length },
]) {
  test(`sealed and read again: ${what}`, ({}, testInfo) => {
    const path = testInfo.outputPath('history.jsonl');
    if (text !== undefined) writeFileSync(path, text);
    sealHistory(path, SEEN);
    const t = events[kept - 1]?.t ?? 0;
    expect(parseHistory(readFileSync(path, 'utf8'), 'history.jsonl')).toEqual({
      truncated: false,
      events: [...events.slice(0, kept), { i: kept, t, ...SEEN }, { i: kept + 1, t, type: 'trial.end' }],
    });
  });
}
