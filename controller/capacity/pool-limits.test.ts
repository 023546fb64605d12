import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { KARPENTER } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import { writeAttempt } from '../launch/attempt.ts';
import { createLimitCheck } from './pool-limits.ts';

const CLASS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const REQUEST = { LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } };
const attempt = (state: 'open' | 'closed' | 'lost'): Record<string, string> => writeAttempt({ number: 1, request: REQUEST, state });

function poolWith(limits: Record<string, string>, replicas?: number): NodePool {
  const spec = { template: { spec: { requirements: [], nodeClassRef: CLASS } }, limits, ...defined({ replicas }) };
  return { metadata: { name: 'p' }, spec };
}

/** A claim for two CPUs, created so many seconds after the start. */
function claim(
  name: string,
  second: number,
  more: { annotations?: Record<string, string>; isDeleting?: true; id?: string } = {},
): NodeClaim {
  const { annotations = {}, isDeleting, id } = more;
  const time = `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  return {
    metadata: {
      name,
      uid: name,
      labels: { [KARPENTER.nodePool]: 'p' },
      annotations,
      creationTimestamp: time,
      ...(isDeleting === true ? { deletionTimestamp: time } : {}),
    },
    spec: { requirements: [], nodeClassRef: CLASS },
    status: { capacity: { cpu: '2' }, ...defined({ providerID: id }) },
  };
}

/** The names of the claims that may be launched. */
function launchable(claims: readonly NodeClaim[], pool = poolWith({ cpu: '4' })): string[] {
  const isWithin = createLimitCheck({
    state: { claims: { list: () => [...claims] }, pools: { get: () => pool } },
    claimOfferings: { of: () => [] },
  });
  return claims.filter(isWithin).map(({ metadata }) => metadata.name ?? '');
}

const [first, second, third] = [claim('c', 1), claim('b', 2), claim('a', 3)];
for (const { name, claims, expected } of [
  { name: 'as many as there is room for', claims: [first, second], expected: ['c', 'b'] },
  { name: 'the youngest of three is one too many', claims: [third, second, first], expected: ['b', 'c'] },
  { name: 'of three of the same second, always the same', claims: [claim('a', 1), claim('b', 1), claim('c', 1)], expected: ['a', 'b'] },
  {
    name: 'a younger one that may have an instance comes first, and is not asked about itself',
    claims: [first, second, claim('a', 3, { annotations: attempt('open') })],
    expected: ['c'],
  },
  {
    name: 'so does one whose instance is looked for',
    claims: [first, second, claim('a', 3, { annotations: attempt('lost') })],
    expected: ['c'],
  },
  {
    name: 'so does one whose attempt nobody can read',
    claims: [first, second, claim('a', 3, { annotations: { [KARPENTER.launch]: '{}' } })],
    expected: ['c'],
  },
  {
    name: 'so does one with an instance, also while it is deleted',
    claims: [first, second, claim('a', 3, { id: 'i', isDeleting: true })],
    expected: ['c'],
  },
  {
    name: 'one that launched nothing counts by its age',
    claims: [first, second, claim('a', 3, { annotations: attempt('closed') })],
    expected: ['c', 'b'],
  },
  {
    name: 'one that is deleted and has nothing does not count',
    claims: [claim('d', 0, { isDeleting: true }), first, second],
    expected: ['d', 'c', 'b'],
  },
]) {
  test(`claims within the limits of their pool: ${name}`, () => {
    expect(launchable(claims)).toEqual(expected);
  });
}

test('nodes are limited as well, a pool without limits is not, and a static pool only by nodes', () => {
  const all = [first, second, third];
  expect(launchable(all, poolWith({ nodes: '1' }))).toEqual(['c']);
  expect(launchable(all, { ...poolWith({}) })).toEqual(['c', 'b', 'a']);
  expect(launchable(all, poolWith({ cpu: '4' }, 3))).toEqual(['c', 'b', 'a']);
  expect(launchable(all, poolWith({ cpu: '4', nodes: '2' }, 3))).toEqual(['c', 'b']);
});
