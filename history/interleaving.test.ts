import { expect, test } from '@playwright/test';
import { digestInterleaving } from './interleaving.ts';
import { HistoryBuilder } from './testing/history-builder.ts';

/** Two writes about two pods with these names, and a launch, in this order. */
function writes(names: readonly string[], instance = 'i-0a', atMs = 0): HistoryBuilder {
  const builder = new HistoryBuilder().at(atMs);
  names.forEach((name, index) => {
    builder
      .request(index, 'patch pods', { object: `pods/default/${name}` })
      .effect(index, { kind: 'applied', ids: [`pods/default/${name}`] });
  });
  return builder.launch(99, instance);
}

const digest = (builder: HistoryBuilder): string => digestInterleaving(builder.events);

test("times, ids and generated names don't change the digest", () => {
  expect(digest(writes(['web-x7k2p', 'web-q9d4z'], 'i-0bcd', 7))).toBe(digest(writes(['web-1', 'web-2'])));
});

test('the order of effects changes it', () => {
  expect(digest(writes(['a', 'b', 'a']))).not.toBe(digest(writes(['a', 'a', 'b'])));
});

test('the order of starts does not: only effects count', () => {
  const started = (first: number, second: number): HistoryBuilder =>
    new HistoryBuilder()
      .request(first, 'ec2:CreateFleet')
      .request(second, 'ec2:CreateTags')
      .effect(1, { kind: 'applied', ids: [] })
      .effect(2, { kind: 'applied', ids: [] });
  const swapped = new HistoryBuilder()
    .request(2, 'ec2:CreateTags')
    .request(1, 'ec2:CreateFleet')
    .effect(1, { kind: 'applied', ids: [] })
    .effect(2, { kind: 'applied', ids: [] });
  expect(digest(started(1, 2))).toBe(digest(swapped));
});

for (const { what, change } of [
  {
    what: 'a refusal',
    change: (builder: HistoryBuilder) => builder.request(5, 'ec2:CreateTags').effect(5, { kind: 'rejected', code: 'RequestLimitExceeded' }),
  },
  { what: 'a lost response', change: (builder: HistoryBuilder) => builder.request(5, 'ec2:CreateTags').answer(5, 'info', 'ECONNRESET') },
]) {
  test(`${what} changes the digest`, () => {
    expect(digest(change(writes(['a'])))).not.toBe(digest(writes(['a'])));
  });
}

test('a successful read does not change the digest', () => {
  const read = writes(['a']).request(5, 'list pods', { mutating: false }).effect(5, { kind: 'none' }).answer(5, 'ok');
  expect(digest(read)).toBe(digest(writes(['a'])));
});
