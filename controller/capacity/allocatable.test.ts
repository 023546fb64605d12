import { expect, test } from '@playwright/test';
import type { KubeletSettings } from '../../model/node-settings.ts';
import { nodeResources } from '../../world/nodes/node-resources.ts';
import { M6I_LARGE } from '../../world/testing/world-parts.ts';
import { capacityOf, nodeSize } from './allocatable.ts';

for (const { name, settings } of [
  { name: 'none', settings: {} },
  { name: 'fewer pods', settings: { maxPods: 8 } },
  { name: 'more pods', settings: { maxPods: 110 } },
  { name: 'reservations', settings: { kubeReserved: { cpu: '500m', memory: '1Gi' }, systemReserved: { cpu: '100m', memory: '512Mi' } } },
  { name: 'thresholds', settings: { evictionHard: { 'memory.available': '10%', 'nodefs.available': '4Gi' } } },
  { name: 'thresholds of 100 %, which are none', settings: { evictionHard: { 'memory.available': '100%', 'nodefs.available': '100%' } } },
  { name: 'thresholds of 0 %', settings: { evictionHard: { 'memory.available': '0%', 'nodefs.available': '0.0%' } } },
  { name: 'more than there is', settings: { kubeReserved: { memory: '64Gi' } } },
] satisfies { name: string; settings: KubeletSettings }[]) {
  test(`kubelet settings, ${name}: a node offers what was planned, or slightly more`, () => {
    const planned = nodeSize(capacityOf(M6I_LARGE), settings).allocatable;
    const real = nodeResources(M6I_LARGE, settings).allocatable;
    const { memory: plannedMemory = 0, ...plannedRest } = planned;
    const { memory: realMemory = 0, ...rest } = real;
    expect(plannedRest).toEqual(rest);
    expect(plannedMemory).toBeLessThanOrEqual(realMemory);
    expect(realMemory - plannedMemory).toBeLessThan(64 * 2 ** 20);
  });
}
