import { expect, test } from '@playwright/test';
import { formatResources } from '../../model/resources.ts';
import { M6I_LARGE } from '../world-parts.test.support.ts';
import { nodeResources } from './node-resources.ts';

test('an m6i.large has what an EKS node of that type has', () => {
  const { capacity, allocatable } = nodeResources(M6I_LARGE);
  expect(capacity).toMatchObject({ cpu: 2000, pods: 29 });
  // 60 m of the first core, 10 m of the second.
  expect(formatResources(allocatable)).toMatchObject({ cpu: '1930m', pods: '29' });
  expect((capacity['memory'] ?? 0) - (allocatable['memory'] ?? 0)).toBe((255 + 11 * 29 + 100) * 2 ** 20);
});

test('larger types reserve smaller shares', () => {
  const reserved = (vcpu: number): number => {
    const { capacity, allocatable } = nodeResources({ ...M6I_LARGE, vcpu });
    return (capacity['cpu'] ?? 0) - (allocatable['cpu'] ?? 0);
  };
  expect([1, 2, 4, 8, 16, 96].map(reserved)).toEqual([60, 70, 80, 90, 110, 310]);
});

test('maxPods changes the room for pods, not what is reserved', () => {
  const [plain, limited] = [nodeResources(M6I_LARGE), nodeResources(M6I_LARGE, 10)];
  expect(limited.allocatable).toEqual({ ...plain.allocatable, pods: 10 });
});
