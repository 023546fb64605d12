import { expect, test } from '@playwright/test';
import { formatReplayLine, parseReplayLine } from '../harness/replay-line.ts';
import { reference } from '../targets/reference.ts';
import { chooseTarget } from './choose.ts';
import { QUICK_REFERENCE, REFERENCE } from './options.ts';
import { UsageError } from './usage-error.ts';

test('the default target is the reference', () => {
  expect([REFERENCE, QUICK_REFERENCE]).toEqual([reference.name, reference.quick.name]);
});

test('two autoscalers in one cluster are chosen by the names of both', () => {
  const label = 'reference+mutant:swallowed-topology-error';
  expect(chooseTarget(label)).toEqual({ ref: { name: label }, label });
});

test('a replay line names both', () => {
  const line = { scenario: 'a/b', scenarioDigest: '0'.repeat(12), seed: 1, nodes: 10, catalogueDigest: '1'.repeat(12) };
  const text = formatReplayLine({ ...line, target: 'reference+mutant:new-token-on-retry' });
  expect(text).toMatch(/^[\w,=@/.:%-]+$/);
  expect(chooseTarget(parseReplayLine(text).target).label).toBe('reference+mutant:new-token-on-retry');
});

for (const [name, says] of [
  ['reference+plian', 'no target is named "plian"; did you mean plain?'],
  ['new-token-on-retry+reference', 'did you mean mutant:new-token-on-retry or mutant:new-token-on-retry:quick?'],
  ['+reference', 'no target is named ""'],
  ['reference+./mine.ts', 'no target is named "./mine.ts"'],
  ['plain+reference', "two autoscalers with one lease and one set of claims would fight: plain can't be confined to some pools"],
  ['reference+reference+reference', 'at most two autoscalers can be in one cluster'],
] as const) {
  test(`two targets that can't share a cluster: ${name}`, () => {
    expect(() => chooseTarget(name)).toThrow(UsageError);
    expect(() => chooseTarget(name)).toThrow(says);
  });
}
