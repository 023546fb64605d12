import { expect, test } from '@playwright/test';
import type { Taint, Toleration } from './kube.ts';
import { REPELLING, tolerates, untolerated } from './taints.ts';

const TAINT: Taint = { key: 'team', value: 'a', effect: 'NoSchedule' };

const CASES: readonly (readonly [string, Toleration, boolean])[] = [
  ['equal key, value and effect', { key: 'team', operator: 'Equal', value: 'a', effect: 'NoSchedule' }, true],
  ['Equal is the default', { key: 'team', value: 'a', effect: 'NoSchedule' }, true],
  ['another value', { key: 'team', value: 'b', effect: 'NoSchedule' }, false],
  ['no value is the empty value', { key: 'team' }, false],
  ['Exists ignores the value', { key: 'team', operator: 'Exists', effect: 'NoSchedule' }, true],
  ['no effect means every effect', { key: 'team', operator: 'Exists' }, true],
  ['another effect', { key: 'team', operator: 'Exists', effect: 'NoExecute' }, false],
  ['no key with Exists means everything', { operator: 'Exists' }, true],
  ['no key with Exists, of another effect', { operator: 'Exists', effect: 'NoExecute' }, false],
  ['another key', { key: 'other', operator: 'Exists' }, false],
];

for (const [name, toleration, expected] of CASES) {
  test(`toleration: ${name}`, () => expect(tolerates(toleration, TAINT)).toBe(expected));
}

test('the first untolerated taint of the effects that matter is named', () => {
  const taints: Taint[] = [{ key: 'soft', effect: 'PreferNoSchedule' }, TAINT, { key: 'gone', effect: 'NoExecute' }];
  expect(untolerated(taints, undefined, REPELLING)).toBe(TAINT);
  expect(untolerated(taints, [{ key: 'team', operator: 'Exists' }], REPELLING)?.key).toBe('gone');
  expect(untolerated(taints, [{ operator: 'Exists' }], REPELLING)).toBeUndefined();
  expect(untolerated(taints, [], ['PreferNoSchedule'])?.key).toBe('soft');
  expect(untolerated(undefined, [], REPELLING)).toBeUndefined();
});
