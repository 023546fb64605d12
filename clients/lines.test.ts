import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { LineSplitter } from './lines.ts';
import { UnreadableError } from './watch-protocol.ts';

/** Cuts text, or its bytes, at the given places (taken modulo the length). */
function cut(text: string, places: readonly number[], asBytes: boolean): (string | Uint8Array)[] {
  const whole = asBytes ? new TextEncoder().encode(text) : text;
  const offsets = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  const bounds = [0, ...offsets, whole.length];
  return bounds.slice(1).map((end, index) => whole.slice(bounds[index], end));
}

test('any chunking gives the same lines', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text }));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), fc.boolean(), fc.constantFrom('\n', '\r\n'), (lines, places, asBytes, end) => {
      const splitter = new LineSplitter();
      const text = lines.map((each) => each + end).join('');
      expect(cut(text, places, asBytes).flatMap((chunk) => splitter.push(chunk))).toEqual(lines);
    }),
  );
});

test('keeps what follows the last line end, and drops blank lines', () => {
  const splitter = new LineSplitter();
  expect(splitter.push('a\n\n \nb')).toEqual(['a']);
  expect(splitter.push('c\n')).toEqual(['bc']);
});

test('refuses a line over the limit, in one chunk or many', () => {
  expect(() => new LineSplitter(4).push('12345')).toThrow(UnreadableError);
  const splitter = new LineSplitter(4);
  expect(splitter.push('1234\n123')).toEqual(['1234']);
  expect(() => splitter.push('45')).toThrow('longer than 4');
});
