import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Pool } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { allows, parseRequirements } from '../../model/requirements.ts';
import { ZONES, pools } from '../testing/pools.ts';
import { architectureOf, fromConfigMap, groupsFor, toConfigMap } from './groups.ts';

function pool(requirements: NodeSelectorRequirement[], more: Partial<Pool> = {}): Pool {
  return { name: 'p', requirements, labels: {}, taints: [], startupTaints: [], weight: 0, ...more };
}

for (const { name, from, gives } of [
  { name: 'a group a zone, of the default type', from: pool([]), gives: ['m6i.xlarge a', 'm6i.xlarge b', 'm6i.xlarge c'] },
  {
    name: 'the zones that are named',
    from: pool([{ key: LABEL.zone, operator: 'In', values: ['us-east-1b'] }]),
    gives: ['m6i.xlarge b'],
  },
  {
    name: 'a zone that does not exist is no group',
    from: pool([{ key: LABEL.zone, operator: 'In', values: ['eu-west-1a'] }]),
    gives: [],
  },
  {
    name: 'the first type that is named and allowed',
    from: pool([
      { key: LABEL.instanceType, operator: 'In', values: ['m6i.large', 'm6a.large'] },
      { key: LABEL.instanceType, operator: 'NotIn', values: ['m6i.large'] },
      { key: LABEL.zone, operator: 'NotIn', values: ['us-east-1a', 'us-east-1b'] },
    ]),
    gives: ['m6a.large c'],
  },
  {
    name: 'arm64 without a type',
    from: pool([{ key: LABEL.arch, operator: 'In', values: ['arm64'] }]),
    gives: ['m6g.xlarge a', 'm6g.xlarge b', 'm6g.xlarge c'],
  },
  {
    name: 'arm64 among types of both architectures',
    from: pool([
      { key: LABEL.arch, operator: 'In', values: ['arm64'] },
      { key: LABEL.instanceType, operator: 'In', values: ['m6i.large', 'c7g.large'] },
      { key: LABEL.zone, operator: 'In', values: ['us-east-1c'] },
    ]),
    gives: ['c7g.large c'],
  },
  {
    name: 'types of the other architecture only',
    from: pool([
      { key: LABEL.arch, operator: 'In', values: ['amd64'] },
      { key: LABEL.instanceType, operator: 'In', values: ['c7g.large'] },
    ]),
    gives: [],
  },
  { name: 'spot only, which it does not buy', from: pool([{ key: LABEL.capacityType, operator: 'In', values: ['spot'] }]), gives: [] },
] satisfies { name: string; from: Pool; gives: string[] }[]) {
  test(`groups: ${name}`, () => {
    expect(groupsFor([from], ZONES).map(({ instanceType, zone }) => `${instanceType} ${zone.at(-1) ?? ''}`)).toEqual(gives);
  });
}

test('labels, taints and the limit of nodes go along', () => {
  const taints = [{ key: 'x', value: 'v', effect: 'NoSchedule' as const }];
  const [group] = groupsFor([pool([], { labels: { team: 'a' }, taints, limits: { nodes: 3 } })], ZONES);
  expect(group).toMatchObject({ name: 'p-us-east-1a', labels: { team: 'a' }, taints, maxSize: 3 });
});

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

test('every group stays within what its pool allows, and comes back from its ConfigMap as it was', () => {
  fc.assert(
    fc.property(pools(), (from) => {
      const requirements = parseRequirements(from.requirements);
      const groups = groupsFor([from], ZONES);
      for (const group of groups) {
        const labels = {
          [LABEL.zone]: group.zone,
          [LABEL.instanceType]: group.instanceType,
          [LABEL.arch]: architectureOf(group.instanceType),
          [LABEL.capacityType]: 'on-demand',
        };
        for (const [key, value] of Object.entries(labels)) {
          const set = requirements.get(key);
          expect(set === undefined || allows(set, value), `${key}=${value}`).toBe(true);
        }
        expect(ZONES).toContain(group.zone);
        expect(group.labels).toEqual(from.labels);
        expect(group.taints).toEqual(from.taints);
      }
      expect(fromConfigMap(toConfigMap(groups))).toEqual(groups);
    }),
  );
});
