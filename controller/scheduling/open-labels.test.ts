import { expect, test } from '@playwright/test';
import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { allows, parseRequirements } from '../../model/requirements.ts';
import { isPossible, openLabels, settleLabels } from './open-labels.ts';

type Rule = readonly [NodeSelectorRequirement['operator'], ...string[]];

function requirements(rules: readonly Rule[]): NodeSelectorRequirement[] {
  return rules.map(([operator, ...values]) => ({ key: 'tier', operator, values }));
}

/** What an open label gets, and what requirements that leave it out or can't be met give. */
const CASES: readonly { readonly rules: readonly Rule[]; readonly value: string | undefined }[] = [
  { rules: [['Gt', '2']], value: '3' },
  {
    rules: [
      ['Gt', '2'],
      ['NotIn', '3'],
    ],
    value: '4',
  },
  {
    rules: [
      ['NotIn', '3', '5', '4'],
      ['Gt', '2'],
    ],
    value: '6',
  },
  {
    rules: [
      ['Gt', '2'],
      ['Lt', '5'],
      ['NotIn', '3'],
    ],
    value: '4',
  },
  { rules: [['Lt', '5']], value: '4' },
  {
    rules: [
      ['Lt', '5'],
      ['NotIn', '4', '3'],
    ],
    value: '2',
  },
  { rules: [['Gt', '-7']], value: '0' },
  { rules: [['Exists'], ['NotIn', 'any']], value: 'any-1' },
  {
    rules: [
      ['In', 'a', 'b'],
      ['NotIn', 'a'],
    ],
    value: 'b',
  },
  {
    rules: [
      ['In', '2', '4'],
      ['Gt', '2'],
    ],
    value: '4',
  },
  { rules: [['NotIn', '3']], value: undefined },
];

for (const { rules, value } of CASES)
  test(`a label that has to be ${JSON.stringify(rules)} gets ${value ?? 'no value'}`, () => {
    const open = openLabels(requirements(rules), () => false);
    expect([...open.keys()]).toEqual(['tier']);
    expect(settleLabels(open)['tier']).toBe(value);
    const set = parseRequirements(requirements(rules)).get('tier');
    expect(set !== undefined && allows(set, value) && isPossible(set)).toBe(true);
  });

const IMPOSSIBLE: readonly (readonly Rule[])[] = [
  [
    ['Gt', '2'],
    ['Lt', '5'],
    ['NotIn', '3', '4'],
  ],
  [
    ['Lt', '2'],
    ['NotIn', '0', '1'],
  ],
  [['Lt', '0']],
  [
    ['In', 'a'],
    ['NotIn', 'a'],
  ],
  [['Exists'], ['DoesNotExist']],
];

for (const rules of IMPOSSIBLE)
  test(`no label can be ${JSON.stringify(rules)}`, () => {
    expect(openLabels(requirements(rules), () => false).size).toBe(0);
    expect([...parseRequirements(requirements(rules)).values()].some(isPossible)).toBe(false);
  });

test('a label that must be missing is not open', () => {
  expect(openLabels(requirements([['DoesNotExist']]), () => false).size).toBe(0);
  expect([...parseRequirements(requirements([['DoesNotExist']])).values()].every(isPossible)).toBe(true);
});
