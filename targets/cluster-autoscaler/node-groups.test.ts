import { expect, test } from '@playwright/test';
import type { Pool } from '../../model/catalogue.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { GROUP_POOL_LABEL, LABEL } from '../../model/kube.ts';
import { nodeGroupsOf } from './node-groups.ts';

const ANY: Pool = { name: 'any', requirements: [], labels: {}, taints: [], startupTaints: [], weight: 0 };
const SPOT = { key: LABEL.capacityType, operator: 'In' as const, values: ['spot'] };
const { zones, types } = loadCatalogue();
const groupsOf = (...pools: readonly Pool[]): ReturnType<typeof nodeGroupsOf> =>
  nodeGroupsOf(pools, { cluster: 'test', zones, types: types.values() });

test('an open pool has groups of usual types, for each size, zone and capacity type, with several types only for spot', () => {
  const groups = groupsOf(ANY);
  // Three families with five sizes each.
  expect(groups).toHaveLength(3 * 5 * zones.length * 2);
  expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  for (const { instanceTypes, zone, arch, capacityType } of groups) {
    expect(new Set(instanceTypes.map(({ vcpu, memoryMiB }) => `${vcpu} ${memoryMiB}`)).size).toBe(1);
    expect(instanceTypes.length > 1).toBe(capacityType === 'spot');
    expect(instanceTypes.every((type) => type.zones.includes(zone))).toBe(true);
    expect(arch).toBe('amd64');
  }
});

test('a pool that names types has groups of exactly these', () => {
  const instanceType = { key: LABEL.instanceType, operator: 'In' as const, values: ['m6i.large', 'm6g.large', 'm6i.xlarge'] };
  const zone = { key: LABEL.zone, operator: 'In' as const, values: ['us-east-1b'] };
  const groups = groupsOf({ ...ANY, requirements: [instanceType, zone] });
  expect(groups.map(({ name }) => name).sort()).toEqual([
    'test-any-2x8-amd64-us-east-1b-spot',
    'test-any-2x8-arm64-us-east-1b-spot',
    'test-any-4x16-amd64-us-east-1b-spot',
    'test-any-m6g.large-us-east-1b-on-demand',
    'test-any-m6i.large-us-east-1b-on-demand',
    'test-any-m6i.xlarge-us-east-1b-on-demand',
  ]);
});

test('nodes have labels that their whole group shares, and one value of each label that the pool leaves a choice of', () => {
  const team = { key: 'team', operator: 'In' as const, values: ['a', 'b'] };
  const large = { key: LABEL.instanceType, operator: 'In' as const, values: ['m6i.large', 'm6a.large'] };
  const groups = groupsOf({ ...ANY, labels: { tier: 'web' }, requirements: [team, large, SPOT] });
  expect(new Set(groups.map(({ labels }) => labels['team']))).toEqual(new Set(['a', 'b']));
  expect(groups[0]?.labels).toMatchObject({
    tier: 'web',
    [GROUP_POOL_LABEL]: 'any',
    [LABEL.capacityType]: 'spot',
    'karpenter.k8s.aws/instance-size': 'large',
  });
  expect(groups[0]?.labels).not.toHaveProperty(['karpenter.k8s.aws/instance-family']);
});

test('names of groups are unique, and short enough for launch templates', () => {
  const large = { key: LABEL.instanceType, operator: 'In' as const, values: ['m6i.large'] };
  const team = (...values: string[]): Pool['requirements'][number] => ({ key: 'team', operator: 'In', values });
  const long = 'x'.repeat(62);
  const groups = groupsOf(
    { ...ANY, name: 'a', requirements: [team('b', `${long}1`, `${long}2`), large] },
    { ...ANY, name: 'a-b', requirements: [large] },
    { ...ANY, name: `${long}${long}`, requirements: [large] },
  );
  const names = groups.map(({ name }) => name);
  expect(groups).toHaveLength(5 * 2 * zones.length);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(100);
});

test('spot grows before on-demand, and a heavier pool before both', () => {
  const priorities = groupsOf(ANY, { ...ANY, name: 'heavy', weight: 10 }).map(({ pool, capacityType, priority }) => {
    return [`${pool} ${capacityType}`, priority] as const;
  });
  const order = [...new Map(priorities)].sort(([, a], [, b]) => b - a).map(([name]) => name);
  expect(order).toEqual(['heavy spot', 'heavy on-demand', 'any spot', 'any on-demand']);
});

test('bare metal has groups of its own, which grow last', () => {
  const instanceType = { key: LABEL.instanceType, operator: 'In' as const, values: ['m5.metal', 'm5d.24xlarge'] };
  const groups = groupsOf({ ...ANY, requirements: [instanceType] });
  const [lowest = 0] = groups.filter(({ instanceTypes }) => !instanceTypes.some((type) => type.bareMetal)).map(({ priority }) => priority);
  const metal = groups.filter(({ instanceTypes }) => instanceTypes.some((type) => type.bareMetal));
  expect(new Set(metal.map(({ capacityType }) => capacityType))).toEqual(new Set(['spot', 'on-demand']));
  for (const { instanceTypes, priority } of metal) {
    expect(instanceTypes).toHaveLength(1);
    expect(priority).toBeLessThan(lowest);
  }
});

test("no group alone exceeds its pool's limits", () => {
  const groups = groupsOf({ ...ANY, limits: { cpu: 9, memoryMiB: 40 * 1024 } });
  for (const { maxSize, instanceTypes } of groups) {
    expect(maxSize).toBe(Math.min(...instanceTypes.map(({ vcpu, memoryMiB }) => Math.floor(Math.min(9 / vcpu, (40 * 1024) / memoryMiB)))));
  }
});
