import { expect, test } from '@playwright/test';
import { formatTable, mean, median } from './table.ts';

test('a table has values, ratios, and why there are none', () => {
  const rows = [
    { what: 'small: ms', ours: 0.0321, anchor: { name: 'x 1.0', value: 0.01 } },
    { what: 'large', ours: 12_345.6, anchor: { name: 'x 1.0', value: 24_691 } },
    { what: 'alone', ours: 3, anchor: { name: 'x 1.0', value: { absent: 'no a|b' } } },
    { what: 'none', ours: { absent: 'no c' }, anchor: { name: 'x 1.0', value: 1 } },
  ];
  expect(formatTable(rows).split('\n').slice(2)).toEqual([
    '| small: ms | 0.032 | x 1.0: 0.01 | 3.21 |',
    '| large | 12,346 | x 1.0: 24,691 | 0.5 |',
    '| alone | 3 | x 1.0: absent, no a\\|b | - |',
    '| none | absent: no c | x 1.0: 1 | - |',
  ]);
});

test('the median of an even number is the lower one in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2, Number.NaN]);
  expect(mean([1, 2, 6])).toBe(3);
});
