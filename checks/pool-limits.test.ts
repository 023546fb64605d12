import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { poolLimits } from './pool-limits.ts';

const TWO = { vcpu: 2, memoryMiB: 8_192 };

function launches(count: number, history: HistoryBuilder): HistoryBuilder {
  for (let index = 1; index <= count; index += 1) history.launch(index, `i-${index}`, `t-${index}`, TWO);
  return history;
}

for (const { name, history, objects } of [
  {
    name: 'two nodes with a limit of two',
    history: launches(2, new HistoryBuilder().act().pool('p', { limits: { nodes: 2 } })),
    objects: [],
  },
  {
    name: 'three nodes with a limit of two',
    history: launches(3, new HistoryBuilder().act().pool('p', { limits: { nodes: 2 } })),
    objects: ['instance/i-3'],
  },
  {
    name: 'a third when the first is terminating',
    history: launches(2, new HistoryBuilder().act().pool('p', { limits: { nodes: 2 } }))
      .instance('i-1', 'shutting-down')
      .launch(3, 'i-3', 't-3', TWO),
    objects: [],
  },
  {
    name: 'six CPUs with a limit of five',
    history: launches(3, new HistoryBuilder().act().pool('p', { limits: { cpu: 5 } })),
    objects: ['instance/i-3'],
  },
  {
    name: 'the limits of two pools together',
    history: launches(
      3,
      new HistoryBuilder()
        .act()
        .pool('p', { limits: { nodes: 2 } })
        .pool('q', { limits: { nodes: 1 } }),
    ),
    objects: [],
  },
]) {
  test(`limits: ${name}`, () => {
    const result = poolLimits.judge(createView(history.at(10).finish().events));
    expect(result?.findings.map(({ object }) => object)).toEqual(objects);
    expect(result?.verdict).toBe(objects.length === 0 ? 'pass' : 'fail');
  });
}

test("with one pool without a limit, nothing is limited: an instance's pool is unknown", () => {
  const history = launches(
    5,
    new HistoryBuilder()
      .act()
      .pool('p', { limits: { nodes: 2 } })
      .pool('q'),
  ).finish();
  expect(poolLimits.judge(createView(history.events))).toBeUndefined();
});

test('the highest value is measured against the limit', () => {
  const history = launches(2, new HistoryBuilder().act().pool('p', { limits: { nodes: 4 } })).finish();
  expect(poolLimits.judge(createView(history.events))?.measurements).toMatchObject([{ worst: 2, bound: { value: 4 } }]);
});
