import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from './defined.ts';
import type { NodeSelectorRequirement, PodSpec } from './kube.ts';
import { allows, intersect, matchesLabels, matchesNode, nodeAlternatives, parseRequirements } from './requirements.ts';
import type { Requirements } from './requirements.ts';

const KEYS = ['zone', 'size'];
/** Values that requirements use, and some that none does. */
const VALUES = ['a', 'b', 'c', '1', '2', '03', '4', '-5'];
const PROBES: readonly (string | undefined)[] = [...VALUES, undefined, 'z', '99', '+2', ''];

/** An independent definition of a requirement. */
function holds({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  const isInteger = value !== undefined && /^[+-]?\d+$/.test(value);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger && Number(value) < Number(values[0]);
  }
}

const key = fc.constantFrom(...KEYS);
const requirement: fc.Arbitrary<NodeSelectorRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In' as const, 'NotIn' as const), values: fc.subarray(VALUES, { minLength: 1 }) }),
  fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  fc.record({
    key,
    operator: fc.constantFrom('Gt' as const, 'Lt' as const),
    values: fc.integer({ min: -6, max: 6 }).map((bound) => [String(bound)]),
  }),
);
const list = fc.array(requirement, { maxLength: 5 });

/** Normalised for comparison. */
function normal(requirements: Requirements): object {
  return Object.fromEntries(
    [...requirements]
      .map(([name, set]) => [name, { ...set, values: [...set.values].sort(), above: String(set.above), below: String(set.below) }] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

test('a parsed list allows exactly what all its requirements hold for', () => {
  fc.assert(
    fc.property(list, (requirements) => {
      const parsed = parseRequirements(requirements);
      for (const name of KEYS) {
        const set = parsed.get(name);
        const own = requirements.filter((one) => one.key === name);
        const expected = PROBES.map((value) => own.every((one) => holds(one, value)));
        expect(PROBES.map((value) => set === undefined || allows(set, value))).toEqual(expected);
      }
    }),
  );
});

test('intersection commutes, associates, is idempotent and agrees with matching both', () => {
  fc.assert(
    fc.property(list, list, list, fc.constantFrom(...PROBES), fc.constantFrom(...PROBES), (x, y, z, zone, size) => {
      const [a, b, c] = [parseRequirements(x), parseRequirements(y), parseRequirements(z)];
      expect(normal(intersect(a, b))).toEqual(normal(intersect(b, a)));
      expect(normal(intersect(intersect(a, b), c))).toEqual(normal(intersect(a, intersect(b, c))));
      expect(normal(intersect(a, a))).toEqual(normal(a));
      const labels = defined({ zone, size });
      const both = matchesLabels(a, labels) && matchesLabels(b, labels);
      expect(matchesLabels(intersect(a, b), labels)).toBe(both);
    }),
  );
});

const contradictions: Record<string, NodeSelectorRequirement[]> = {
  'a value that is excluded': [
    { key: 'n', operator: 'In', values: ['a'] },
    { key: 'n', operator: 'NotIn', values: ['a'] },
  ],
  'bounds without a number between them': [
    { key: 'n', operator: 'Gt', values: ['3'] },
    { key: 'n', operator: 'Lt', values: ['4'] },
  ],
  'a bound that is not a number': [{ key: 'n', operator: 'Gt', values: ['many'] }],
};

for (const [title, requirements] of Object.entries(contradictions)) {
  test(`${title} can't be met`, () => {
    const parsed = parseRequirements(requirements);
    for (const value of [...PROBES, 'many']) expect(matchesLabels(parsed, value === undefined ? {} : { n: value })).toBe(false);
  });
}

const withTerms = (
  nodeSelectorTerms: { matchExpressions?: NodeSelectorRequirement[]; matchFields?: NodeSelectorRequirement[] }[],
): PodSpec => {
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return {
    containers: [],
    nodeSelector: { arch: 'arm64' },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } },
  };
};

test('terms are alternatives, each combined with the node selector', () => {
  const spec = withTerms([
    { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
    { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n7'] }] },
  ]);
  const alternatives = nodeAlternatives(spec);
  expect(matchesNode(alternatives, 'n1', { arch: 'arm64', zone: 'a' })).toBe(true);
  expect(matchesNode(alternatives, 'n7', { arch: 'arm64', zone: 'b' })).toBe(true);
  expect(matchesNode(alternatives, 'n1', { arch: 'arm64', zone: 'b' })).toBe(false);
  expect(matchesNode(alternatives, 'n1', { arch: 'amd64', zone: 'a' })).toBe(false);
});

test('an empty term matches nothing, and no affinity matches anything', () => {
  expect(matchesNode(nodeAlternatives(withTerms([{}])), 'n1', { arch: 'arm64' })).toBe(false);
  expect(matchesNode(nodeAlternatives(withTerms([])), 'n1', { arch: 'arm64' })).toBe(false);
  expect(matchesNode(nodeAlternatives({ containers: [] }), 'n1', undefined)).toBe(true);
});
