import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parseAllDocuments } from 'yaml';
import { RESOURCES } from '../clients/resources.ts';
import type { Node } from '../model/kube.ts';
import { ACCOUNT_ID } from '../world/aws/operation.ts';
import { CLUSTER } from '../world/embedded.ts';
import { readProcessConfig } from './environment.ts';
import { PERIODS } from './periods.ts';
import { ANY_POOL, withEmbedded } from './testing/embedded.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly kind: string;
  readonly rules?: readonly Rule[];
  readonly data?: { readonly kubeconfig: string };
  readonly external?: { readonly kube: string; readonly aws: string };
  readonly spec?: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

const manifests = read('templates/deploy/controller.yaml');

function read(file: string): Manifest[] {
  const text = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** The environment of the container in these objects. */
function environmentOf(objects: readonly Manifest[]): Record<string, string> {
  const [container] = objects.flatMap(({ spec }) => spec?.template.spec.containers ?? []);
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
}

/** The operations that a role grants: `patch nodes`. */
function grantsOf(kind: string): string[] {
  const rules = manifests.filter((manifest) => manifest.kind === kind).flatMap((manifest) => manifest.rules ?? []);
  return rules.flatMap(({ resources, verbs }) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)));
}

/**
 * Requests that happen only if a pod outlives its node's grace period, definitions are deleted first, a class changes meanwhile,
 * a node could be disrupted, or a write fails.
 */
const RARE: readonly string[] = [
  'delete pods',
  'get customresourcedefinitions',
  'get ec2nodeclasses',
  'get nodeclaims',
  'get nodes',
  'list poddisruptionbudgets',
];
/** What the operator does, on the same wire in this test. */
const OPERATOR: readonly string[] = ['create customresourcedefinitions', 'create ec2nodeclasses', 'create nodepools'];
const WAIT_MS = 600_000;

test('the role grants each request that the autoscaler sends, and nothing else', async () => {
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

test('each resource is listed in its API group', () => {
  const rules = manifests.flatMap((manifest) => manifest.rules ?? []);
  for (const { apiGroups, resources } of rules) {
    for (const resource of resources.map((name) => name.split('/')[0])) {
      const known = Object.values(RESOURCES).find(({ plural }) => plural === resource);
      // Evictions are a subresource of pods, so RBAC looks for them in the same group.
      expect({ resource, apiGroups }).toEqual({ resource, apiGroups: [known?.group] });
    }
  }
});

test('leader election only needs the lease', () => {
  expect(grantsOf('Role').sort()).toEqual(['create leases', 'get leases', 'patch leases']);
});

test('the deployment’s environment is a complete configuration', () => {
  expect(readProcessConfig([], environmentOf(manifests))).toMatchObject({ leaderElection: true, metrics: { host: '0.0.0.0', port: 8080 } });
});

test('in a kind cluster it uses the addresses of the target’s file, and that world’s network and queue', () => {
  const onKind = read('templates/deploy/on-kind.yaml');
  const { ec2Endpoint, cluster, periods } = readProcessConfig([], { ...environmentOf(manifests), ...environmentOf(onKind) });
  const [target] = read('examples/targets/reference-in-cluster.yaml');
  const portOf = (address: string | undefined): string | undefined => address?.split(':').at(-1);
  expect(portOf(ec2Endpoint)).toBe(portOf(target?.external?.aws));
  expect(onKind.map(({ data }) => data?.kubeconfig).join('')).toContain(`:${String(portOf(target?.external?.kube))}'`);
  expect(cluster).toMatchObject({ ...CLUSTER });
  expect(new URL(cluster.interruptionQueueUrl ?? '').pathname).toBe(`/${ACCOUNT_ID}/${CLUSTER.name}`);
  expect(periods).toBe(PERIODS.quick);
});
