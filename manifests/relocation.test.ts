import { expect, test } from '@playwright/test';
import type { Manifest } from './documents.ts';
import { relocate } from './relocation.ts';

const HERE = { region: 'us-east-1', zones: ['us-east-1a', 'us-east-1b', 'us-east-1c'] };

function manifest(spec: object): Manifest {
  return { where: 'x', apiVersion: 'v1', kind: 'X', object: { metadata: {}, spec } as Manifest['object'] };
}

function among(...values: string[]): object {
  return { key: 'topology.kubernetes.io/zone', operator: 'In', values };
}

for (const [what, spec, moved, notes] of [
  ['nothing about zones', { values: ['eu-west-1a'] }, { values: ['eu-west-1a'] }, 0],
  ['zones of this region', among('us-east-1a', 'us-east-1f'), among('us-east-1a', 'us-east-1f'), 0],
  ['zones of another region, by name', among('eu-west-1c', 'eu-west-1a'), among('us-east-1b', 'us-east-1a'), 1],
  [
    'more zones than this world has: the rest stays unchanged',
    among('us-west-2a', 'us-west-2b', 'us-west-2c', 'us-west-2d'),
    among('us-east-1a', 'us-east-1b', 'us-east-1c', 'us-west-2d'),
    1,
  ],
  [
    'selectors, and the region',
    { nodeSelector: { 'topology.kubernetes.io/zone': 'eu-west-1a', 'topology.kubernetes.io/region': 'eu-west-1' } },
    { nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1a', 'topology.kubernetes.io/region': 'us-east-1' } },
    1,
  ],
] as const) {
  test(what, () => {
    const result = relocate([manifest(spec)], HERE);
    expect(result.manifests.map(({ object }) => object)).toEqual([{ metadata: {}, spec: moved }]);
    expect(result.notes).toHaveLength(notes);
  });
}
