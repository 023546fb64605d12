import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { LabelSelector } from '../model/kube.ts';
import { matchesSelector } from '../model/selector.ts';
import { matchesRequirements, parseLabelSelector } from '../protocols/kube/label-selector.ts';
import { RESOURCES, apiVersionOf, collectionPath, formatLabelSelector } from './resources.ts';

test('paths and versions follow group, version and scope', () => {
  expect(collectionPath(RESOURCES.pods)).toBe('/api/v1/pods');
  expect(collectionPath(RESOURCES.pods, 'ns')).toBe('/api/v1/namespaces/ns/pods');
  expect(collectionPath(RESOURCES.nodes, 'ignored')).toBe('/api/v1/nodes');
  expect(collectionPath(RESOURCES.poddisruptionbudgets, 'ns')).toBe('/apis/policy/v1/namespaces/ns/poddisruptionbudgets');
  expect(apiVersionOf(RESOURCES.pods)).toBe('v1');
  expect(apiVersionOf(RESOURCES.nodeclaims)).toBe('karpenter.sh/v1');
});

test('a formatted selector matches what the selector matches', () => {
  const key = fc.constantFrom('a', 'b', 'example.com/c');
  const value = fc.constantFrom('x', 'y', 'z-1');
  const values = fc.array(value, { minLength: 1, maxLength: 3 });
  const expression = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('In' as const, 'NotIn' as const), values }),
    fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  );
  const selector: fc.Arbitrary<LabelSelector> = fc.record(
    { matchLabels: fc.dictionary(key, value, { noNullPrototype: true }), matchExpressions: fc.array(expression, { maxLength: 3 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(selector, fc.dictionary(key, value, { noNullPrototype: true }), (each, labels) => {
      const parsed = parseLabelSelector(formatLabelSelector(each));
      expect(matchesRequirements(parsed, labels)).toBe(matchesSelector(each, labels));
    }),
  );
});
