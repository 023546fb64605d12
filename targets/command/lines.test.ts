import { expect, test } from '@playwright/test';
import { LastWords } from './lines.ts';

test('the last lines of a program are kept, truncated and joined to one line', () => {
  const words = new LastWords();
  expect(words.text()).toBe('');
  for (const line of ['one', 'two', '  at three', 'four', 'five', 'six']) words.hear(line);
  expect(words.text()).toBe('two | at three | four | five | six');
  words.hear('x'.repeat(1_000));
  expect(words.text()).toHaveLength('at three | four | five | six | '.length + 300 + ' [cut]'.length);
});
