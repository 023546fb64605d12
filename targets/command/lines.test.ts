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

test('of a Go program that crashed, the line that says why is kept, and not its stacks', () => {
  for (const why of [
    'panic: failed to wait for caches to sync [recovered, repanicked]',
    'fatal error: all goroutines are asleep - deadlock!',
  ]) {
    const words = new LastWords();
    for (const line of ['shutting down', why, 'goroutine 175 [running]:', 'main.main()', '\tmain.go:12 +0x2e']) words.hear(line);
    expect(words.text()).toBe(why);
  }
});
