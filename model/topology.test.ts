import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { TopologySpreadConstraint } from './kube.ts';
import { globalMinimum, skewAfterPlacing, spreadProblem, spreadSelector } from './topology.ts';

const VALID: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
};

const PROBLEMS: readonly (readonly [object, string, string])[] = [
  [{ maxSkew: -1 }, 'maxSkew', 'Invalid value: -1: must be greater than zero'],
  [{ maxSkew: 0 }, 'maxSkew', 'Invalid value: 0: must be greater than zero'],
  [{ maxSkew: undefined }, 'maxSkew', 'Invalid value: 0: must be greater than zero'],
  [{ maxSkew: 'many' }, 'maxSkew', 'Invalid value: "many": must be greater than zero'],
  [{ topologyKey: '' }, 'topologyKey', 'Required value: can not be empty'],
  [{ whenUnsatisfiable: 'Maybe' }, 'whenUnsatisfiable', 'Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway"'],
  [{ minDomains: 0 }, 'minDomains', 'Invalid value: 0: must be greater than zero'],
  [
    { minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' },
    'minDomains',
    'Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
  ],
  [{ nodeTaintsPolicy: 'Maybe' }, 'nodeTaintsPolicy', 'Unsupported value: "Maybe": supported values: "Honor", "Ignore"'],
  [
    { matchLabelKeys: ['app'], labelSelector: undefined },
    'matchLabelKeys',
    'Forbidden: must not be specified when labelSelector is not set',
  ],
  [
    { labelSelector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } },
    'labelSelector.matchExpressions[0].operator',
    'Invalid value: "Near": not a valid selector operator',
  ],
];

for (const [change, field, message] of PROBLEMS) {
  test(`a constraint with ${JSON.stringify(change)} is refused at ${field}`, () => {
    expect(spreadProblem({ ...VALID, ...change })).toEqual({ field, message });
  });
}

test('a constraint that the API accepts has no problem', () => {
  for (const change of [
    {},
    { labelSelector: undefined },
    { labelSelector: null },
    { minDomains: 3 },
    { topologyKey: 'no/such-key' },
    { minDomains: null },
  ]) {
    expect(spreadProblem({ ...VALID, ...(change as object) })).toBeUndefined();
  }
});

test('matchLabelKeys add equality with the labels that the pod has', () => {
  const constraint = { ...VALID, matchLabelKeys: ['version', 'missing'] };
  expect(spreadSelector(constraint, { version: '2' })).toEqual({
    matchLabels: { app: 'web' },
    matchExpressions: [{ key: 'version', operator: 'In', values: ['2'] }],
  });
  expect(spreadSelector(VALID, { version: '2' })).toBe(VALID.labelSelector);
  expect(spreadSelector({ ...constraint, labelSelector: undefined }, { version: '2' })).toBeUndefined();
});

test('too few domains make the global minimum zero', () => {
  const counts = new Map([
    ['a', 2],
    ['b', 3],
  ]);
  expect(globalMinimum(counts)).toBe(2);
  expect(globalMinimum(counts, 3)).toBe(0);
  expect(globalMinimum(new Map())).toBe(0);
  expect(skewAfterPlacing(counts, 'b', true)).toBe(2);
  expect(skewAfterPlacing(counts, 'a', false)).toBe(0);
  expect(skewAfterPlacing(counts, 'a', true, 3)).toBe(3);
});

test('placing in a domain with the fewest pods never raises the skew above one', () => {
  const counts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 9 }), { minKeys: 1 });
  fc.assert(
    fc.property(counts, (record) => {
      const map = new Map(Object.entries(record));
      const emptiest = [...map].sort(([, a], [, b]) => a - b)[0]?.[0] ?? '';
      expect(skewAfterPlacing(map, emptiest, true)).toBe(1);
    }),
  );
});
