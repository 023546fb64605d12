import { expect, test } from '@playwright/test';
import { layOutEntries } from './entries.ts';

const plain = (_ink: string, text: string): string => text;

test('names are beside their texts if there is room, else above them', () => {
  const entries = [
    { name: 'short', text: 'one of the things that there are', notes: [{ text: 'and what else there is to say of it' }] },
    { name: 'rather-longer', text: 'another', notes: [] },
  ];
  expect(layOutEntries(entries, ['Try it.'], { columns: 60, paint: plain })).toBe(`\
short          one of the things that there are
               and what else there is to say of it
rather-longer  another

Try it.
`);
  expect(layOutEntries(entries, ['Try it.'], { columns: 42, paint: plain })).toBe(`\
short
  one of the things that there are
  and what else there is to say of it

rather-longer
  another

Try it.
`);
});

test('labels have their own column, and no line is wider than the terminal', () => {
  const notes = [
    { label: 'zones', text: 'list of text: only these zones, and if there are none then all of them' },
    { label: 'count', text: 'whole number' },
  ];
  const text = layOutEntries([{ name: 'fault', text: 'breaks something', notes }], [], { columns: 60, paint: plain });
  expect(text.split('\n').slice(0, 5)).toEqual([
    'fault',
    '  breaks something',
    '  zones  list of text: only these zones, and if there are',
    '         none then all of them',
    '  count  whole number',
  ]);
});
