import { expect, test } from '@playwright/test';
import { AbortListeners } from './abort-listeners.ts';

test('listeners are called once, in the order in which they were added, except those that were removed', () => {
  const listeners = new AbortListeners();
  const [one, other] = [new AbortController(), new AbortController()];
  const called: string[] = [];
  const remove = ['a', 'b', 'c'].map((name) => listeners.add(one.signal, () => called.push(name)))[1];
  listeners.add(other.signal, () => called.push('other'));
  remove?.();
  one.abort();
  one.abort();
  expect(called).toEqual(['a', 'c']);
});
