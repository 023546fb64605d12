import { expect, test } from '@playwright/test';
import { LABEL } from './kube.ts';
import type { NodeSelectorRequirement } from './kube.ts';
import { loadCatalogue } from './instance-catalogue.ts';
import { countOfferings } from './offerings.ts';

const types = [...loadCatalogue().types.values()];
const among = (key: string, ...values: string[]): NodeSelectorRequirement => ({ key, operator: 'In', values });
const named = among(LABEL.instanceType, 'm6i.large', 'm6a.large');

for (const [what, requirements, expected] of [
  ['types in three zones, on demand', [named, among(LABEL.capacityType, 'on-demand')], 6],
  ['both capacity types', [named], 12],
  ['one zone', [named, among(LABEL.zone, 'us-east-1b')], 4],
  ['the other architecture', [named, among(LABEL.arch, 'arm64')], 0],
  ['labels that are ignored', [named, among('team', 'a')], 12],
] satisfies [string, NodeSelectorRequirement[], number][]) {
  test(`offerings are counted: ${what}`, () => {
    expect(countOfferings([{ requirements }], types)).toBe(expected);
  });
}

test('an offering of two pools counts twice, and without pools nothing counts', () => {
  const pool = { requirements: [named] };
  expect(countOfferings([pool, pool], types)).toBe(24);
  expect(countOfferings([], types)).toBe(0);
});
