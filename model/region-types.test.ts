import { expect, test } from '@playwright/test';
import type { NodeSelectorRequirement } from './kube.ts';
import { LABEL } from './kube.ts';
import { loadCatalogue, smallRegion } from './instance-catalogue.ts';

const all = loadCatalogue();

function region(...requirements: readonly NodeSelectorRequirement[]): string[] {
  return [...smallRegion(all, [{ requirements }]).types.keys()];
}

test('a small region has the types that a pool names, and some of every kind', () => {
  const named = ['c7a.24xlarge', 'r7i.48xlarge'];
  const small = smallRegion(all, [{ requirements: [{ key: LABEL.instanceType, operator: 'In', values: named }] }]);
  const types = [...small.types.values()];
  expect([...small.types.keys()]).toEqual(expect.arrayContaining(named));
  expect(types.length).toBeLessThan(30);
  for (const type of types) expect(all.types.get(type.type)?.details).toBe(type.details);
  expect(new Set(types.map(({ architecture }) => architecture))).toEqual(new Set(['x86_64', 'arm64']));
  expect(types.some(({ gpu }) => gpu !== undefined)).toBe(true);
  expect(types.some(({ bareMetal }) => bareMetal)).toBe(true);
  for (const zone of small.zones) expect(types.some(({ zones }) => zones.includes(zone))).toBe(true);
});

test('for a pool that allows nearly everything it has the common types', () => {
  const open = region({ key: LABEL.arch, operator: 'In', values: ['amd64'] });
  expect(open.length).toBeGreaterThan(50);
  expect(open.length).toBeLessThan(100);
  expect(open).toContain('m5.4xlarge');
});

test('a pool that allows nearly everything also gets types for pods that fit on no common one', () => {
  const { types } = smallRegion(all, [{ requirements: [] }]);
  const some = [...types.values()].filter(({ bareMetal }) => !bareMetal);
  for (const architecture of ['x86_64', 'arm64']) {
    const ofOne = some.filter((type) => type.architecture === architecture);
    expect(Math.max(...ofOne.map(({ vcpu }) => vcpu))).toBeGreaterThanOrEqual(96);
    expect(Math.max(...ofOne.map(({ memoryMiB }) => memoryMiB))).toBeGreaterThanOrEqual(768 * 1_024);
  }
  expect(Math.max(...some.map(({ gpu }) => gpu?.count ?? 0))).toBeGreaterThanOrEqual(8);
  expect(types.size).toBeLessThan(115);
});

test("pools that select by Karpenter's labels get what they allow, even if none of it is common", () => {
  const families = region({ key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c7i-flex'] });
  expect(families.filter((type) => type.startsWith('c7i-flex.'))).toEqual(
    [...all.types.keys()].filter((type) => type.startsWith('c7i-flex.')),
  );
  const large = region(
    { key: 'karpenter.k8s.aws/instance-category', operator: 'NotIn', values: ['c', 'm', 'r', 't'] },
    { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['95'] },
  );
  expect(large.length).toBeGreaterThan(64);
});

test("labels that types do not have, such as zones and the pool's own, exclude nothing", () => {
  const own = region(
    { key: LABEL.zone, operator: 'In', values: ['us-east-1a'] },
    { key: 'team', operator: 'Exists' },
    { key: LABEL.instanceType, operator: 'In', values: ['c7a.24xlarge'] },
  );
  expect(own).toContain('c7a.24xlarge');
});

test('a different market has a different digest', () => {
  const pool = (type: string) => ({ requirements: [{ key: LABEL.instanceType, operator: 'In' as const, values: [type] }] });
  const [one, same, other] = ['c7a.24xlarge', 'c7a.24xlarge', 'r7i.48xlarge'].map((type) => smallRegion(all, [pool(type)]).digest);
  expect(one).toBe(same);
  expect(one).not.toBe(other);
  expect(one).not.toBe(all.digest);
});
