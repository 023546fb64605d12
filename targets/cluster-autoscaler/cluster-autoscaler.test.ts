import { expect, test } from '@playwright/test';
import { clusterAutoscalerTarget } from './cluster-autoscaler.ts';

for (const { version, flags, limits } of [
  { version: '1.36.1', flags: [], limits: true },
  { version: '1.35.2', flags: [], limits: false },
  { version: '1.36.1', flags: ['--capacity-quotas-enabled=false'], limits: false },
  { version: '1.36.1', flags: ['--capacity-quotas-enabled=true'], limits: true },
]) {
  test(`limits of pools: ${[version, ...flags].join(' ')}`, () => {
    expect(clusterAutoscalerTarget(version, undefined, { flags }).features.includes('node-limits')).toBe(limits);
  });
}
