import { expect, test } from '@playwright/test';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import { clusterAutoscalerTarget } from '../targets/cluster-autoscaler/cluster-autoscaler.ts';
import { beside } from '../targets/beside.ts';
import { nodeTerminationHandlerTarget } from '../targets/node-termination-handler/node-termination-handler.ts';
import { plain } from '../targets/plain.ts';
import { upgraded } from '../targets/upgrade.ts';
import { offeringsToTry } from './offerings-to-try.ts';
import { pool } from './scenario.ts';
import { NODE_POOLS } from './shapes.ts';

const types = [...loadCatalogue().types.values()];
const groups = clusterAutoscalerTarget('1.36.1');

test('what may have to be tried: offerings, or groups where pools are groups', () => {
  expect(offeringsToTry(plain, NODE_POOLS, types)).toBe(9);
  // On demand a group has one type, in one zone.
  expect(offeringsToTry(groups, NODE_POOLS, types)).toBe(9);
  // A group of spot capacity has several.
  const spot = [pool('spot', { capacityTypes: ['spot'] })];
  expect(offeringsToTry(groups, spot, types)).toBeLessThan(offeringsToTry(plain, spot, types) / 20);
});

test('groups also count beside a helper, and in an upgrade if both versions have them', () => {
  expect(offeringsToTry(beside(groups, nodeTerminationHandlerTarget('1.25.6')), NODE_POOLS, types)).toBe(9);
  expect(upgraded(groups, clusterAutoscalerTarget('1.36.1')).countGroups).toBeDefined();
  expect(upgraded(groups, plain).countGroups).toBeUndefined();
});

for (const count of [NaN, -1, 1.5, '9'])
  test(`a count of groups is refused: ${JSON.stringify(count)}`, () => {
    const target = { name: 'mine', countGroups: () => count as number };
    expect(() => offeringsToTry(target, NODE_POOLS, types)).toThrow('target mine: countGroups must return a whole number');
  });
