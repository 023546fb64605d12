import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Pool } from '../model/catalogue.ts';
import { toWhole } from '../model/quantity.ts';
import { classNameOf, classSettings, reference, toNodePool } from './reference.ts';
import { readCommandTarget } from './command/command-target.ts';
import { pools } from './testing/pools.ts';

const bare: Pool = { name: 'bare', requirements: [], labels: {}, taints: [], startupTaints: [], weight: 0 };

for (const { name, pool, spec } of [
  { name: 'absent limits and weights are omitted', pool: bare, spec: {} },
  { name: 'a weight', pool: { ...bare, weight: 7 }, spec: { weight: 7 } },
  { name: 'a limit of cores', pool: { ...bare, limits: { cpu: 2.5 } }, spec: { limits: { cpu: '2.5' } } },
  { name: 'a limit of memory', pool: { ...bare, limits: { memoryMiB: 1536 } }, spec: { limits: { memory: '1536Mi' } } },
  { name: 'a limit of nodes', pool: { ...bare, limits: { nodes: 3 } }, spec: { limits: { nodes: '3' } } },
  { name: 'empty limits are omitted', pool: { ...bare, limits: {} }, spec: {} },
]) {
  test(`as a NodePool: ${name}`, () => {
    const { limits, weight, disruption } = toNodePool(pool).spec;
    expect({ limits, weight }).toEqual(spec);
    expect(disruption).toEqual({ consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s', budgets: [{ nodes: '100%' }] });
  });
}

test('a pool that sets something on its nodes has a class of its own', () => {
  expect(classNameOf(bare, 'default')).toBe('default');
  expect(classNameOf({ ...bare, nodeSettings: {} }, 'default')).toBe('bare-nodes');
  expect(classSettings({ kubelet: { maxPods: 8 } })).toEqual({ kubelet: { maxPods: 8 } });
  expect(classSettings({ userDataLabels: { b: '2', a: '1' } }).userData).toContain('--node-labels=a=1,b=2');
});

test('a NodePool has everything of its pool, and the pool is not changed', () => {
  fc.assert(
    fc.property(pools(), (pool) => {
      const before = structuredClone(pool);
      const { metadata, spec } = toNodePool(pool);
      expect(metadata.name).toBe(pool.name);
      expect(spec.template.spec.requirements).toEqual(pool.requirements);
      expect(spec.template.spec.taints).toEqual(pool.taints);
      expect(spec.template.metadata?.labels).toEqual(pool.labels);
      expect(spec.weight ?? 0).toBe(pool.weight);
      expect(spec.limits?.['nodes']).toBe(pool.limits?.nodes === undefined ? undefined : String(pool.limits.nodes));
      const { memory } = spec.limits ?? {};
      expect(memory === undefined ? undefined : toWhole(String(memory)) / 2 ** 20).toBe(pool.limits?.memoryMiB);
      expect(pool).toEqual(before);
    }),
  );
});

for (const [file, target] of [
  ['reference', reference],
  ['reference-quick', reference.quick],
  ['reference-in-cluster', reference.quick],
] as const) {
  test(`as a process it declares the same as in-process: ${file}.yaml`, async () => {
    const declared = await readCommandTarget(fileURLToPath(new URL(`../fixtures/examples/targets/${file}.yaml`, import.meta.url)));
    expect(declared.constants).toEqual(target.constants);
    expect(declared.features).toEqual(target.features);
  });
}
