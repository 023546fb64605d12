import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parseAllDocuments } from 'yaml';
import { RESOURCES } from '../clients/resources.ts';
import type { Node } from '../model/kube.ts';
import { readProcessConfig } from './environment.ts';
import { ANY_POOL, withEmbedded } from './testing/embedded.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly kind: string;
  readonly rules?: readonly Rule[];
  readonly spec?: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

const manifests = parseAllDocuments(readFileSync(new URL('../fixtures/deploy/controller.yaml', import.meta.url), 'utf8')).map(
  (document) => document.toJS() as Manifest,
);

/** What a role grants, as operations are named: `patch nodes`. */
function grantsOf(kind: string): string[] {
  const rules = manifests.filter((manifest) => manifest.kind === kind).flatMap((manifest) => manifest.rules ?? []);
  return rules.flatMap(({ resources, verbs }) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)));
}

/** What only a pod that outlives its node's grace period, definitions that go first, or a class that changes meanwhile lead to. */
const RARE: readonly string[] = ['delete pods', 'get customresourcedefinitions', 'get ec2nodeclasses'];
/** What its operator does, on the same wire in this test. */
const OPERATOR: readonly string[] = ['create customresourcedefinitions', 'create ec2nodeclasses', 'create nodepools'];
const WAIT_MS = 600_000;

test('the role grants each request that the autoscaler makes, and nothing else', async () => {
  const asked = new Set(RARE);
  await withEmbedded(1, [ANY_POOL], async ({ deploy, until, running, port, events }) => {
    await deploy('web', 2, {});
    await until('the pods run', WAIT_MS, async () => (await running()).length === 2);
    const [node] = await port.list<Node>('nodes');
    await port.delete({ resource: 'nodes', name: node?.metadata.name ?? '' });
    await until(
      'the node is gone',
      WAIT_MS,
      async () => (await port.get({ resource: 'nodes', name: node?.metadata.name ?? '' })) === undefined,
    );
    await port.delete({ resource: 'nodepools', name: ANY_POOL.name });
    await until('the claims are gone', WAIT_MS, async () => (await port.list('nodeclaims')).length === 0);
    for (const event of events) {
      if (event.type === 'request.start' && event.principal === 'target' && event.wire === 'kube') asked.add(event.operation);
    }
  });
  expect(grantsOf('ClusterRole').sort()).toEqual([...asked].filter((operation) => !OPERATOR.includes(operation)).sort());
});

test('each resource is in its group', () => {
  const rules = manifests.flatMap((manifest) => manifest.rules ?? []);
  for (const { apiGroups, resources } of rules) {
    for (const resource of resources.map((name) => name.split('/')[0])) {
      const known = Object.values(RESOURCES).find(({ plural }) => plural === resource);
      // Evictions are a subresource of pods, in whose group RBAC looks for them.
      expect({ resource, apiGroups }).toEqual({ resource, apiGroups: [known?.group] });
    }
  }
});

test('the lease is all that leader election needs', () => {
  expect(grantsOf('Role').sort()).toEqual(['create leases', 'get leases', 'patch leases']);
});

test('the deployment’s environment is a complete configuration', () => {
  const containers = manifests.flatMap(({ spec }) => spec?.template.spec.containers ?? []);
  const [environment] = containers.map(({ env }) => Object.fromEntries(env.map(({ name, value }) => [name, value])));
  expect(readProcessConfig([], environment ?? {})).toMatchObject({ leaderElection: true, metrics: { host: '0.0.0.0', port: 8080 } });
});
