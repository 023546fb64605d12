import { expect, test } from '@playwright/test';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { formatResources } from '../../model/resources.ts';
import { M6I_LARGE } from '../testing/world-parts.ts';
import { nodeResources, withShortfall } from './node-resources.ts';
import type { NodeDisks } from './node-resources.ts';

test('an m6i.large has the resources of an EKS node of that type', () => {
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

test('maxPods changes the room for pods, not the reservations', () => {
  const [plain, limited] = [nodeResources(M6I_LARGE), nodeResources(M6I_LARGE, { maxPods: 10 })];
  expect(limited.allocatable).toEqual({ ...plain.allocatable, pods: 10 });
});

test('reservations in the user data replace the defaults, resource by resource', () => {
  const [plain, reserving] = [
    nodeResources(M6I_LARGE),
    nodeResources(M6I_LARGE, {
      kubeReserved: { cpu: '170m' },
      systemReserved: { memory: '100Mi' },
      evictionHard: { 'memory.available': '10%', 'nodefs.available': '1Gi' },
    }),
  ];
  expect(reserving.capacity).toEqual(plain.capacity);
  expect(reserving.allocatable['cpu']).toBe(1830);
  const kept = 100 * 2 ** 20;
  const tenth = Math.floor((plain.capacity['memory'] ?? 0) / 10);
  expect(reserving.allocatable['memory']).toBe((plain.allocatable['memory'] ?? 0) - kept - tenth + kept);
  expect(reserving.allocatable['ephemeral-storage']).toBe(18 * 2 ** 30);
});

test('pods are limited by the cores too, and a threshold of 100 % is none', () => {
  expect(nodeResources(M6I_LARGE, { podsPerCore: 3 }).allocatable['pods']).toBe(6);
  expect(nodeResources(M6I_LARGE, { podsPerCore: 3, maxPods: 4 }).allocatable['pods']).toBe(4);
  expect(nodeResources(M6I_LARGE, { podsPerCore: 0 }).allocatable['pods']).toBe(29);
  const { allocatable } = nodeResources(M6I_LARGE, { evictionHard: { 'nodefs.available': '100%' } });
  expect(allocatable['ephemeral-storage']).toBe(19 * 2 ** 30);
});

test('ephemeral storage is on the root volume, or on all local disks as one', () => {
  const sizeOf = (...[type, disks]: [string, NodeDisks]): number | undefined => {
    const found = loadCatalogue().types.get(type);
    return found === undefined ? undefined : nodeResources(found, {}, disks).capacity['ephemeral-storage'];
  };
  expect(sizeOf('m5d.large', {})).toBe(20 * 2 ** 30);
  expect(sizeOf('m5d.large', { rootVolumeGiB: 100 })).toBe(100 * 2 ** 30);
  expect(sizeOf('m5d.24xlarge', { rootVolumeGiB: 100, localDisks: 'RAID0' })).toBe(3_600 * 10 ** 9);
  expect(sizeOf('m5.large', { rootVolumeGiB: 100, localDisks: 'RAID0' })).toBe(100 * 2 ** 30);
});

test("a shortfall reduces the machine's memory and the allocatable cores", () => {
  const plain = nodeResources(M6I_LARGE);
  const short = withShortfall(plain, { cpu: 0.5, memory: 0.25 });
  expect(short.capacity['cpu']).toBe(2000);
  expect(short.allocatable['cpu']).toBe(930);
  expect((plain.capacity['memory'] ?? 0) - (short.capacity['memory'] ?? 0)).toBe(
    (plain.allocatable['memory'] ?? 0) - (short.allocatable['memory'] ?? 0),
  );
  expect(withShortfall(plain, { cpu: 1, memory: 1 }).allocatable).toMatchObject({ cpu: 0, memory: 0 });
});
