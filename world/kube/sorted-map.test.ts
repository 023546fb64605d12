import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { SortedMap } from './sorted-map.ts';

test('a sorted map lists what an ordinary map has, in the order of keys, whatever was set and deleted between lists', () => {
  const key = fc.constantFrom('a/1', 'a/10', 'a/2', 'a/é', 'b/1', 'b/2', 'c');
  const step = fc.oneof(
    fc.record({ act: fc.constant('set' as const), key, value: fc.nat() }),
    fc.record({ act: fc.constant('delete' as const), key }),
    fc.record({ act: fc.constant('list' as const), prefix: fc.constantFrom('', 'a/', 'b/', 'x/') }),
    fc.record({ act: fc.constant('page' as const), prefix: fc.constantFrom('', 'a/', 'b/', 'x/'), after: fc.oneof(key, fc.constant('')) }),
    fc.record({ act: fc.constant('many' as const), prefix: fc.constantFrom('a/', 'b/') }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const sorted = new SortedMap<number>();
      const plain = new Map<string, number>();
      for (const one of steps) {
        if (one.act === 'set') for (const map of [sorted, plain]) map.set(one.key, one.value);
        if (one.act === 'delete') for (const map of [sorted, plain]) map.delete(one.key);
        if (one.act === 'many') {
          for (let count = 20; count > 0; count -= 1) for (const map of [sorted, plain]) map.set(`${one.prefix}many-${count}`, count);
        }
        if (one.act === 'list') {
          const expected = [...plain].filter(([name]) => name.startsWith(one.prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
          expect(sorted.entries(one.prefix)).toEqual(expected);
        }
        if (one.act === 'page') {
          const after = [...plain.keys()].filter((name) => name.startsWith(one.prefix) && name > one.after).sort();
          expect([...sorted.entriesAfter(one.prefix, one.after)].map(([name]) => name)).toEqual(after);
          expect(sorted.countAfter(one.prefix, one.after)).toBe(after.length);
        }
        expect(sorted.isEmpty).toBe(plain.size === 0);
      }
    }),
  );
});
