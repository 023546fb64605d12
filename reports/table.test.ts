import { expect, test } from '@playwright/test';
import { clip, renderTable, wrap } from './table.ts';
import type { Column } from './table.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'NAME', align: 'left', shrinkTo: 6 },
  { heading: 'COUNT', align: 'right' },
  { heading: 'WHERE', align: 'left', leaveOut: 2 },
  { heading: 'WHO', align: 'left', leaveOut: 1 },
];
const ROWS = [['a-long-name', '1', 'over there', 'somebody'].map((text) => ({ text }))];
const lay = (maxWidth: number): string[] => renderTable(COLUMNS, ROWS, { maxWidth, paintHeading: (text) => text });

test('a table that is too wide shrinks one column, then leaves out columns in order', () => {
  expect(lay(40)).toEqual(['NAME         COUNT  WHERE       WHO', 'a-long-name      1  over there  somebody']);
  expect(lay(37)).toEqual(['NAME      COUNT  WHERE       WHO', '…ng-name      1  over there  somebody']);
  expect(lay(34)).toEqual(['NAME         COUNT  WHO', 'a-long-name      1  somebody']);
  expect(lay(20)).toEqual(['NAME         COUNT', 'a-long-name      1']);
  expect(lay(10), 'required columns stay').toEqual(['NAME    COUNT', '…-name      1']);
});

test('wraps at spaces and leaves long words whole', () => {
  expect(wrap('a bb ccccccccc d', 5)).toEqual(['a bb', 'ccccccccc', 'd']);
});

test('clips text that does not fit', () => {
  expect(clip('abcdef', 6)).toBe('abcdef');
  expect(clip('abcdef', 4)).toBe('abc…');
  expect(clip('abcdef', 0)).toBe('…');
});
