import { expect, test } from '@playwright/test';
import type { EC2NodeClass, NodeClaim, NodePool } from '../api.ts';
import { driftOf, templateHashes } from './drift.ts';

function poolOf(template: { labels?: Record<string, string>; types?: string[] } = {}): NodePool {
  return {
    metadata: { name: 'default' },
    spec: {
      template: {
        metadata: { labels: template.labels ?? {} },
        spec: {
          requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: template.types ?? ['m6i.large', 'm7i.large'] }],
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        },
      },
    },
  };
}

function classOf(role: string): EC2NodeClass {
  const spec = { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [], role };
  return { metadata: { name: 'default' }, spec };
}

function claimOf(annotations: Record<string, string>, labels = { 'node.kubernetes.io/instance-type': 'm6i.large' }): NodeClaim {
  return { metadata: { name: 'c', annotations, labels }, spec: poolOf().spec.template.spec };
}

const made = claimOf(templateHashes(poolOf(), classOf('a')));

for (const [name, claim, pool, nodeClass, drift] of [
  ['nothing has changed', made, poolOf(), classOf('a'), undefined],
  ['labels have changed', made, poolOf({ labels: { team: 'blue' } }), classOf('a'), 'NodePoolDrifted'],
  ['the class has changed', made, poolOf(), classOf('b'), 'NodeClassDrifted'],
  ['requirements that it does not meet', made, poolOf({ types: ['m7i.large'] }), classOf('a'), 'RequirementsDrifted'],
  ['requirements that it still meets', made, poolOf({ types: ['m6i.large'] }), classOf('a'), undefined],
  ["the class can't be read", made, poolOf(), undefined, undefined],
  ['a claim without hashes', claimOf({}), poolOf({ labels: { team: 'blue' } }), classOf('b'), undefined],
  [
    'its type is not known',
    { ...made, metadata: { ...made.metadata, labels: {} } },
    poolOf({ types: ['m7i.large'] }),
    classOf('a'),
    undefined,
  ],
] as const) {
  test(`drift: ${name}`, () => {
    expect(driftOf(claim, pool, nodeClass)).toBe(drift);
  });
}

test('the order of keys does not matter', () => {
  const pool = poolOf({ labels: { a: '1', b: '2' } });
  expect(templateHashes(poolOf({ labels: { b: '2', a: '1' } }), undefined)).toEqual(templateHashes(pool, undefined));
});
