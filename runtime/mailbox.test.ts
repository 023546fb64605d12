import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { Mailbox, MailboxFullError } from './mailbox.ts';

async function readAll<T>(mailbox: Mailbox<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of mailbox) items.push(item);
  return items;
}

test('items are read in order, whether pushed before or after the reader starts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer()), fc.array(fc.integer()), async (before, after) => {
      const mailbox = new Mailbox<number>(1_000);
      for (const item of before) mailbox.push(item);
      const reading = readAll(mailbox);
      await Promise.resolve();
      for (const item of after) mailbox.push(item);
      mailbox.close();
      expect(await reading).toEqual([...before, ...after]);
    }),
  );
});

test('a reader that falls behind gets the items already pushed and then the error', async () => {
  const mailbox = new Mailbox<number>(2);
  for (const item of [1, 2, 3]) mailbox.push(item);
  const seen: number[] = [];
  const reading = (async (): Promise<void> => {
    for await (const item of mailbox) seen.push(item);
  })();
  await expect(reading).rejects.toThrow(MailboxFullError);
  expect(seen).toEqual([1, 2]);
});

test('a reader that stops closes the mailbox once', async () => {
  let closings = 0;
  const mailbox = new Mailbox<number>(10, () => (closings += 1));
  mailbox.push(1);
  mailbox.push(2);
  for await (const item of mailbox) if (item === 1) break;
  mailbox.close();
  expect(closings).toBe(1);
  expect(mailbox.closed).toBe(true);
});
