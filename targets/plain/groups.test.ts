import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Pool } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { allows, parseRequirements } from '../../model/requirements.ts';
import { ZONES, pools } from '../testing/pools.ts';
import { ConfigError, architectureOf, fromConfigMap, groupsFor, labelsOf, offeringsOf, toConfigMap } from './groups.ts';

function pool(requirements: NodeSelectorRequirement[], more: Partial<Pool> = {}): Pool {
  return { name: 'p', requirements, labels: {}, taints: [], startupTaints: [], weight: 0, ...more };
}

for (const { name, from, gives } of [
  {
    name: 'a zone that does not exist gives no group',
    from: pool([{ key: LABEL.zone, operator: 'In', values: ['eu-west-1a'] }]),
    gives: [],
  },
  {
    name: 'the named zones',
    from: pool([
      { key: LABEL.zone, operator: 'In', values: ['us-east-1b'] },
      { key: LABEL.instanceType, operator: 'In', values: ['m6i.large'] },
    ]),
    gives: ['m6i.large us-east-1b'],
  },
  {
    name: 'the types that are named and allowed',
    from: pool([
      { key: LABEL.instanceType, operator: 'In', values: ['m6i.large', 'm6a.large'] },
      { key: LABEL.instanceType, operator: 'NotIn', values: ['m6i.large'] },
      { key: LABEL.zone, operator: 'NotIn', values: ['us-east-1a'] },
    ]),
    gives: ['m6a.large us-east-1b', 'm6a.large us-east-1c'],
  },
  {
    name: 'arm64 among types of both architectures',
    from: pool([
      { key: LABEL.arch, operator: 'In', values: ['arm64'] },
      { key: LABEL.instanceType, operator: 'In', values: ['m6i.large', 'c7g.large'] },
      { key: LABEL.zone, operator: 'In', values: ['us-east-1c'] },
    ]),
    gives: ['c7g.large us-east-1c'],
  },
  {
    name: 'types of the other architecture only',
    from: pool([
      { key: LABEL.arch, operator: 'In', values: ['amd64'] },
      { key: LABEL.instanceType, operator: 'In', values: ['c7g.large'] },
    ]),
    gives: [],
  },
  { name: 'spot only, which it does not support', from: pool([{ key: LABEL.capacityType, operator: 'In', values: ['spot'] }]), gives: [] },
] satisfies { name: string; from: Pool; gives: string[] }[]) {
  test(`groups: ${name}`, () => {
    const offerings = groupsFor([from], ZONES).flatMap(offeringsOf);
    expect(offerings.map(({ instanceType, zone }) => `${instanceType} ${zone}`)).toEqual(gives);
  });
}

test('a pool that names no types gets common ones of its architectures', () => {
  const [any] = groupsFor([pool([])], ZONES);
  const [arm] = groupsFor([pool([{ key: LABEL.arch, operator: 'In', values: ['arm64'] }])], ZONES);
  expect(any?.instanceTypes).toEqual(expect.arrayContaining(['m6i.large', 'c6i.2xlarge', 'm6g.xlarge']));
  expect(arm?.instanceTypes.map(architectureOf)).toEqual(Array.from({ length: arm?.instanceTypes.length ?? 0 }, () => 'arm64'));
});

test('labels, taints and limits are copied', () => {
  const taints = [{ key: 'x', value: 'v', effect: 'NoSchedule' as const }];
  const [group] = groupsFor([pool([], { labels: { team: 'a' }, taints, limits: { nodes: 3, cpu: 8 } })], ZONES);
  expect(group).toMatchObject({ name: 'p', labels: { team: 'a' }, taints, limits: { nodes: 3, cpu: 8 } });
});

for (const { name, data } of [
  { name: 'invalid JSON', data: { groups: '{' } },
  { name: 'no groups', data: {} },
  { name: 'groups of another form', data: { groups: '[{"name":"p"}]' } },
]) {
  test(`a ConfigMap with ${name} is an error that names the ConfigMap`, () => {
    expect(() => fromConfigMap({ metadata: { namespace: 'kube-system', name: 'plain-autoscaler' }, data })).toThrow(ConfigError);
    expect(() => fromConfigMap({ metadata: { namespace: 'kube-system', name: 'plain-autoscaler' }, data })).toThrow(
      'ConfigMap kube-system/plain-autoscaler, groups',
    );
  });
}

for (const [type, architecture] of [
  ['m6i.large', 'amd64'],
  ['m6a.xlarge', 'amd64'],
  ['m6g.metal', 'arm64'],
  ['c7gn.large', 'arm64'],
  ['g5.xlarge', 'amd64'],
  ['im4gn.large', 'arm64'],
] as const) {
  test(`${type} is ${architecture}`, () => {
    expect(architectureOf(type)).toBe(architecture);
  });
}

test('every group stays within its pool, and survives a round trip through its ConfigMap', () => {
  fc.assert(
    fc.property(pools(), (from) => {
      const requirements = parseRequirements(from.requirements);
      const groups = groupsFor([from], ZONES);
      const offerings = groups.flatMap(offeringsOf);
      const forbidden = offerings.flatMap(({ instanceType, zone }) => {
        const labels = {
          [LABEL.zone]: zone,
          [LABEL.instanceType]: instanceType,
          [LABEL.arch]: architectureOf(instanceType),
          [LABEL.capacityType]: 'on-demand',
        };
        return Object.entries(labels).flatMap(([key, value]) => {
          const set = requirements.get(key);
          return set === undefined || allows(set, value) ? [] : [`${key}=${value}`];
        });
      });
      expect(forbidden).toEqual([]);
      expect(offerings.map(labelsOf)).toEqual(
        offerings.map(({ zone }) => expect.objectContaining({ ...from.labels, [LABEL.zone]: zone }) as unknown),
      );
      expect(ZONES).toEqual(expect.arrayContaining(offerings.map(({ zone }) => zone)));
      expect(groups.map(({ taints }) => taints)).toEqual(groups.map(() => from.taints));
      expect(fromConfigMap(toConfigMap(groups))).toEqual(groups);
    }),
  );
});
