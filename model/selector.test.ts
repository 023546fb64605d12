import { expect, test } from '@playwright/test';
import type { LabelSelector } from './kube.ts';
import { matchesSelector } from './selector.ts';

const LABELS = { app: 'web', tier: 'front' };

const CASES: readonly (readonly [string, LabelSelector | null | undefined, boolean])[] = [
  ['absent selects nothing', undefined, false],
  ['null selects nothing', null, false],
  ['empty selects everything', {}, true],
  ['equal labels', { matchLabels: { app: 'web' } }, true],
  ['another value', { matchLabels: { app: 'db' } }, false],
  ['a missing label', { matchLabels: { zone: 'a' } }, false],
  ['In', { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] }, true],
  ['In, missing', { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }, false],
  ['NotIn', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
  ['NotIn holds for a missing label', { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
  ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
  ['Exists, missing', { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
  ['DoesNotExist', { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
  ['all must hold', { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, false],
  ['an unknown operator selects nothing', { matchExpressions: [{ key: 'app', operator: 'Gt' as 'In', values: ['1'] }] }, false],
];

for (const [name, selector, expected] of CASES) {
  test(`selector: ${name}`, () => expect(matchesSelector(selector, LABELS)).toBe(expected));
}

test('only the empty selector selects an object without labels', () => {
  expect(matchesSelector({}, undefined)).toBe(true);
  expect(matchesSelector({ matchLabels: { app: 'web' } }, undefined)).toBe(false);
});
