import { expect, test } from '@playwright/test';
import { heapMiBIn } from './heap.ts';

test('what a program holds, from the metrics of Go', () => {
  const metrics = `# TYPE go_gc_heap_live_bytes gauge\ngo_gc_heap_live_bytes 3.145728e+07\ngo_gc_heap_objects_objects 7\n`;
  expect(heapMiBIn(metrics)).toBe(30);
});

test('a program without such metrics, and one that does not answer, do not say', () => {
  expect(heapMiBIn('go_memstats_heap_alloc_bytes 1\n')).toBeUndefined();
  expect(heapMiBIn('')).toBeUndefined();
});
