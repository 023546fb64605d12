import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { coverageOf, operationsIn } from './coverage.ts';
import { BOUND, resultOf } from './testing/ground.ts';

const fault = (id: string, name: string, params: Record<string, number> = {}) =>
  ({
    type: 'fault.armed',
    fault: { id, fault: name, description: name, params, legal: true, firing: 'may-fire', color: '#000' },
  }) as const;

function history(): HistoryBuilder {
  return new HistoryBuilder().begin().add(fault('f1', 'slow-answer'), fault('f2', 'crash'));
}

test('an operation counts with its effect and answer, a fault with where it struck and what else was active', () => {
  const builder = history();
  builder
    .at(10)
    .add(
      { type: 'request.start', span: 1, wire: 'aws', principal: 'target', incarnation: 1, operation: 'ec2:CreateFleet', mutating: true },
      { type: 'fault.fired', fault: 'f1', span: 1 },
      { type: 'request.effect', span: 1, effect: { kind: 'applied', ids: ['i-1'] } },
      { type: 'request.end', span: 1, outcome: 'info', code: 'ECONNRESET' },
      { type: 'fault.fired', fault: 'f2' },
    );
  const view = createView(builder.events);
  const keys = coverageOf(view, resultOf([]));
  expect([...keys]).toEqual(
    expect.arrayContaining([
      'request ec2:CreateFleet applied info ECONNRESET',
      'fault slow-answer ec2:CreateFleet',
      'fault crash with no nodes, no pods',
      'together crash slow-answer',
    ]),
  );
  expect(operationsIn(view)).toEqual(new Set(['ec2:CreateFleet']));
});

test('a fault that never fired reached nothing, and one that was over before is not beside another', () => {
  const builder = history();
  builder.at(10).add({ type: 'fault.fired', fault: 'f1' }, { type: 'fault.healed', fault: 'f1' });
  const keys = [...coverageOf(createView(builder.events), resultOf([]))];
  expect(keys.filter((key) => key.includes('crash'))).toEqual([]);
  expect(keys.filter((key) => key.startsWith('together'))).toEqual([]);
});

test('the order of magnitude of what a fault does counts', () => {
  const sizes = (byMs: number): string[] => {
    const builder = new HistoryBuilder()
      .begin()
      .add(fault('f1', 'clock-skew', { byMs }))
      .at(10)
      .add({ type: 'fault.fired', fault: 'f1' });
    return [...coverageOf(createView(builder.events), resultOf([]))].filter((key) => key.startsWith('fault clock-skew byMs'));
  };
  expect(sizes(299_000)).toEqual(['fault clock-skew byMs 10^5']);
  expect(sizes(100_000)).toEqual(sizes(299_000));
  expect(sizes(-4_000)).toEqual(['fault clock-skew byMs -10^3']);
  expect(sizes(0)).toEqual([]);
});

test("each block of the target's own code that has run counts", () => {
  const view = createView(history().events);
  const without = coverageOf(view, resultOf([]));
  expect(coverageOf(view, resultOf([]), [3, 17])).toEqual(new Set([...without, 'code 3', 'code 17']));
});

test('the steps of lives count in pairs with their reasons, and bounds by how near they came', () => {
  const builder = history();
  builder.at(1).add({ type: 'pod', pod: 'default/web', uid: 'u', to: 'created' });
  builder.at(2).add({ type: 'pod', pod: 'default/web', uid: 'u', to: 'gone', reason: 'Preempted' });
  const result = resultOf([{ check: 'c', code: 'late' }]);
  const checks = [
    ...result.checks,
    { check: 'd', verdict: 'pass' as const, summary: '', findings: [], measurements: [{ bound: BOUND, worst: 72 }] },
  ];
  const keys = coverageOf(createView(builder.events), { checks });
  for (const key of ['pod created > gone Preempted', 'finding late', 'near settle 7']) expect(keys).toContain(key);
});
