import fc from 'fast-check';
import type { Pool } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorRequirement } from '../../model/kube.ts';

export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** What pools may name, by label. */
const VALUES: readonly (readonly [key: string, values: readonly string[]])[] = [
  [LABEL.zone, ZONES],
  [LABEL.instanceType, ['m6i.large', 'm6i.xlarge', 'm6g.xlarge', 'c7g.large']],
  [LABEL.capacityType, ['spot', 'on-demand']],
  [LABEL.arch, ['amd64', 'arm64']],
  ['team', ['a', 'b']],
];

const requirement: fc.Arbitrary<NodeSelectorRequirement> = fc.constantFrom(...VALUES).chain(([key, values]) =>
  fc.oneof(
    fc.record({
      key: fc.constant(key),
      operator: fc.constantFrom('In' as const, 'NotIn' as const),
      values: fc.subarray([...values], { minLength: 1 }),
    }),
    fc.record({ key: fc.constant(key), operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  ),
);

/** Any pools, including some that nothing can be launched from. */
export function pools(): fc.Arbitrary<Pool> {
  return fc.record(
    {
      name: fc.constantFrom('default', 'other'),
      requirements: fc.array(requirement, { maxLength: 4 }),
      labels: fc.dictionary(fc.constantFrom('team', 'tier'), fc.constantFrom('a', 'b')).map((labels) => ({ ...labels })),
      taints: fc.array(
        fc.record(
          { key: fc.constantFrom('x', 'y'), value: fc.constant('v'), effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const) },
          { requiredKeys: ['key', 'effect'] },
        ),
        { maxLength: 2 },
      ),
      startupTaints: fc.constant([]),
      limits: fc.record({ cpu: fc.nat(100), memoryMiB: fc.nat(100_000), nodes: fc.integer({ min: 1, max: 50 }) }, { requiredKeys: [] }),
      weight: fc.nat(100),
    },
    { requiredKeys: ['name', 'requirements', 'labels', 'taints', 'startupTaints', 'weight'] },
  );
}
