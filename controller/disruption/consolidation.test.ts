import { expect, test } from '@playwright/test';
import type { CapacityType } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { PricedOffering } from '../capacity/instance-types.ts';
import type { Context } from '../context.ts';
import type { PlannedNode } from '../scheduling/types.ts';
import type { Candidate } from './candidates.ts';
import { createCheaper, createConsolidator } from './consolidation.ts';
import type { Rehousing } from './rehousing.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';

/** Types t1, t2, ... that cost that many cents on demand; spot costs half. */
const TYPES = Array.from({ length: 30 }, (_, index) => `t${index + 1}`);

function offeringsOf(name: string): PricedOffering[] {
  const usd = Number(name.slice(1)) / 100;
  return (['on-demand', 'spot'] as const).map((capacityType) => {
    return { instanceType: name, zone: 'a', capacityType, usdPerHour: capacityType === 'spot' ? usd / 2 : usd, labels: {} };
  });
}

const doubtful = new Set<string>();
const cheaper = createCheaper({
  // A family has ten types.
  instanceTypes: {
    get: (name: string) => ({
      name,
      labels: { [FAMILY]: `f${Math.ceil(Number(name.slice(1)) / 10)}`, [LABEL.instanceType]: name },
      offerings: offeringsOf(name),
    }),
  },
  unavailable: { has: () => false },
  markets: { isDoubtful: ({ instanceType }: PricedOffering) => doubtful.has(instanceType) },
} as unknown as Context);

function launchOf(types: readonly string[], capacityTypes: readonly CapacityType[]): PlannedNode {
  const among = (key: string, values: readonly string[]) => ({ key, operator: 'In' as const, values: [...values] });
  const requirements = [among(LABEL.instanceType, types), among(LABEL.zone, ['a']), among(LABEL.capacityType, capacityTypes)];
  return { pool: 'default', requirements, labels: {}, requests: {}, pods: [] };
}

function withMinimum(launch: PlannedNode, key: string, minValues: number): PlannedNode {
  const others = launch.requirements.filter((one) => one.key !== key);
  const own = launch.requirements.find((one) => one.key === key) ?? { key, operator: 'Exists' as const };
  return { ...launch, requirements: [...others, { ...own, minValues }] };
}

function candidate(instanceType: string, capacityType: CapacityType = 'on-demand'): Candidate {
  const usdPerHour = offeringsOf(instanceType).find((one) => one.capacityType === capacityType)?.usdPerHour ?? 0;
  return { instanceType, capacityType, usdPerHour, pods: [] } as unknown as Candidate;
}

function chosen(launch: PlannedNode | undefined): readonly (readonly string[] | undefined)[] | undefined {
  const valuesOf = (key: string): readonly string[] | undefined => launch?.requirements.find((one) => one.key === key)?.values;
  return launch === undefined ? undefined : [valuesOf(LABEL.instanceType), valuesOf(LABEL.capacityType)];
}

test('a replacement only uses cheaper types', () => {
  expect(chosen(cheaper(launchOf(['t1', 't2', 't3', 't4'], ['on-demand']), [candidate('t3')]))).toEqual([['t1', 't2'], ['on-demand']]);
  expect(cheaper(launchOf(['t3', 't4'], ['on-demand']), [candidate('t3')])).toBeUndefined();
});

test('prices of other families are estimates: a replacement of another one has to be much cheaper', () => {
  const types = ['t7', 't8', 't9', 't10', 't11', 't12'];
  expect(chosen(cheaper(launchOf(types, ['on-demand']), [candidate('t12')]))).toEqual([['t11', 't7', 't8'], ['on-demand']]);
  expect(chosen(cheaper(launchOf(types, ['on-demand']), [candidate('t4'), candidate('t11')]))).toEqual([['t7'], ['on-demand']]);
});

test('if spot is allowed, a replacement is spot only, and much cheaper than the estimate of an on-demand node', () => {
  expect(chosen(cheaper(launchOf(['t4', 't5', 't6'], ['on-demand', 'spot']), [candidate('t3')]))).toEqual([['t4'], ['spot']]);
});

test('a replacement uses no type whose capacity is doubtful', () => {
  doubtful.add('t1');
  expect(chosen(cheaper(launchOf(['t1', 't2', 't3'], ['on-demand']), [candidate('t3')]))).toEqual([['t2'], ['on-demand']]);
  doubtful.clear();
});

test('a spot node is replaced by spot only with a choice of fifteen types, the cheapest ones', () => {
  expect(cheaper(launchOf(TYPES.slice(0, 15), ['spot']), [candidate('t15', 'spot')])).toBeUndefined();
  const [types] = chosen(cheaper(launchOf(TYPES, ['spot']), [candidate('t30', 'spot')])) ?? [];
  expect(types).toEqual(TYPES.slice(0, 15).sort());
});

test('the remaining types must satisfy all minimum values of the pool', () => {
  const launch = launchOf(TYPES, ['on-demand']);
  expect(cheaper(withMinimum(launch, LABEL.instanceType, 5), [candidate('t5')])).toBeUndefined();
  expect(cheaper(withMinimum(launch, LABEL.instanceType, 4), [candidate('t5')])).toBeDefined();
  expect(cheaper(withMinimum(launch, FAMILY, 2), [candidate('t11')])).toBeUndefined();
  expect(cheaper(withMinimum(launch, FAMILY, 2), [candidate('t12')])).toBeDefined();
  expect(cheaper(withMinimum(launch, LABEL.zone, 2), [candidate('t12')])).toBeUndefined();
});

test('a spot node is replaced by spot of more than fifteen types if the minimum values need it', () => {
  const typesFor = (key: string, minValues: number): readonly string[] | undefined =>
    chosen(cheaper(withMinimum(launchOf(TYPES, ['spot']), key, minValues), [candidate('t30', 'spot')]))?.[0];
  expect(typesFor(FAMILY, 2)).toEqual(TYPES.slice(0, 15).sort());
  expect(typesFor(LABEL.instanceType, 20)).toEqual(TYPES.slice(0, 20).sort());
  expect(typesFor(FAMILY, 3)).toEqual(TYPES.slice(0, 21).sort());
  expect(typesFor(FAMILY, 4)).toBeUndefined();
});

test("several nodes are not replaced by one of the cheapest one's type", () => {
  expect(chosen(cheaper(launchOf(['t2', 't3'], ['on-demand']), [candidate('t2'), candidate('t3')]))).toBeUndefined();
  expect(chosen(cheaper(launchOf(['t4'], ['on-demand']), [candidate('t2'), candidate('t3')]))).toEqual([['t4'], ['on-demand']]);
});

/** The first `most` candidates can be removed together; `all` says whether all can. */
function rehousing(most: number, all = false): Rehousing {
  const nodes = [launchOf(['t1'], ['on-demand']), launchOf(['t1'], ['on-demand'])];
  return { without: (candidates) => (candidates.length <= most || (all && candidates.length === 7) ? [] : nodes) };
}

for (const [name, most, all, found] of [
  ['none', 1, false, undefined],
  ['the largest removable number', 4, false, 4],
  ['two', 2, false, 2],
  ["all, although fewer can't", 1, true, 7],
] as const) {
  test(`several: ${name}`, () => {
    const candidates = TYPES.slice(0, 7).map((type) => candidate(type));
    expect(createConsolidator(rehousing(most, all), cheaper).several(candidates)?.candidates.length).toBe(found);
  });
}
