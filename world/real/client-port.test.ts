import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import type { KubeObject, Node, Pod, PodDisruptionBudget } from '../../model/kube.ts';
import type { RealTimeServer } from './testing/served.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, ObjectRef } from '../ports.ts';
import { createClientPort } from './client-port.ts';
import { resourceOfPlural } from './resources.ts';
import { withRealTimeServer } from './testing/served.ts';

/** The ports of the embedded world and of a real one, each to a separate cluster. */
const PORTS: Readonly<Record<string, (server: RealTimeServer) => ClusterPort>> = {
  embedded: ({ api }) => api.port('scenario'),
  client: ({ wire, runtime }) => createClientPort({ wire, runtime, resource: resourceOfPlural }),
};

const WEB: ObjectRef = { resource: 'pods', namespace: 'default', name: 'web' };

function aPod(name: string, labels: Record<string, string> = {}, namespace = 'default'): Pod {
  return { metadata: { name, namespace, labels }, spec: { containers: [{ name: 'main', image: 'app' }] } };
}

/** How a port refuses. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'no refusal';
  } catch (error) {
    return error instanceof ClusterError ? `${error.status} ${error.reason}` : String(error);
  }
}

function names(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name ?? '').sort();
}

const CASES: Readonly<Record<string, (port: ClusterPort) => Promise<void>>> = {
  'a missing object is undefined': async (port) => {
    expect(await port.get(WEB)).toBeUndefined();
    expect(await port.get({ resource: 'nodes', name: 'n1' })).toBeUndefined();
    expect(await port.list('pods')).toEqual([]);
  },
  "a created object is found, with the server's additions": async (port) => {
    const created = await port.create<Pod>('pods', aPod('web', { app: 'web' }));
    expect(created).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' } });
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await port.get<Pod>(WEB)).toEqual(created);
    expect(await port.list<Pod>('pods')).toEqual([created]);
    const generated = await port.create<Pod>('pods', { ...aPod(''), metadata: { generateName: 'web-', namespace: 'default' } });
    expect(generated.metadata.name).toMatch(/^web-.{5}$/);
  },
  'lists by namespace and by labels': async (port) => {
    await port.create('namespaces', { metadata: { name: 'other' } });
    await port.create('pods', aPod('a', { app: 'web', tier: 'front' }));
    await port.create('pods', aPod('b', { app: 'web' }));
    await port.create('pods', aPod('c', { app: 'db' }, 'other'));
    expect(names(await port.list('pods'))).toEqual(['a', 'b', 'c']);
    expect(names(await port.list('pods', { namespace: 'other' }))).toEqual(['c']);
    expect(names(await port.list('pods', { labels: { matchLabels: { app: 'web' } } }))).toEqual(['a', 'b']);
    const labels = { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' as const }] };
    expect(names(await port.list('pods', { labels }))).toEqual(['b', 'c']);
    expect(names(await port.list('pods', { namespace: 'default', labels }))).toEqual(['b']);
  },
  'a taken name, and an invalid object': async (port) => {
    await port.create('pods', aPod('web'));
    expect(await refusal(port.create('pods', aPod('web')))).toBe('409 AlreadyExists');
    expect(await refusal(port.create('pods', aPod('Not A Name')))).toBe('422 Invalid');
    expect(await refusal(port.create('pods', aPod('web', {}, 'nowhere')))).toBe('404 NotFound');
    expect(await refusal(port.create('trucks', { metadata: { name: 'a' } }))).toBe('404 NotFound');
  },
  "patches of an object and of its status don't affect each other": async (port) => {
    await port.create('pods', aPod('web', { app: 'web', old: 'x' }));
    const patched = await port.patch<Pod>(WEB, { metadata: { labels: { old: null, new: 'y' } }, status: { phase: 'Running' } });
    expect(patched.metadata.labels).toEqual({ app: 'web', new: 'y' });
    expect(patched.status?.phase).toBe('Pending');
    await port.patch(WEB, { metadata: { labels: { app: 'other' } }, status: { phase: 'Running' } }, 'status');
    const after = await port.get<Pod>(WEB);
    expect(after?.status?.phase).toBe('Running');
    expect(await refusal(port.patch({ ...WEB, name: 'none' }, { metadata: { labels: {} } }))).toBe('404 NotFound');
    const stale = { metadata: { resourceVersion: patched.metadata.resourceVersion, labels: { late: 'z' } } };
    expect(await refusal(port.patch(WEB, stale))).toBe('409 Conflict');
  },
  'deletes only the requested object': async (port) => {
    const { metadata } = await port.create<Node>('nodes', { metadata: { name: 'n1' } });
    const node = { resource: 'nodes', name: 'n1' };
    expect(await refusal(port.delete(node, { uid: 'another' }))).toBe('409 Conflict');
    expect(await port.get(node)).toBeDefined();
    await port.delete(node, defined({ uid: metadata.uid }));
    expect(await port.get(node)).toBeUndefined();
    expect(await refusal(port.delete(node))).toBe('404 NotFound');
  },
  'a pod on a node is deleted with its grace period, and at once with zero': async (port) => {
    await port.create<Node>('nodes', { metadata: { name: 'n1' } });
    await port.create('pods', aPod('web'));
    await port.bind(WEB, 'n1');
    await port.delete(WEB);
    const leaving = await port.get<Pod>(WEB);
    expect(leaving?.metadata.deletionGracePeriodSeconds).toBe(30);
    await port.delete(WEB, { gracePeriodSeconds: 0 });
    expect(await port.get(WEB)).toBeUndefined();
  },
  'binds a pod once': async (port) => {
    await port.create('pods', aPod('web'));
    await port.bind(WEB, 'n1');
    const bound = await port.get<Pod>(WEB);
    expect(bound?.spec.nodeName).toBe('n1');
    expect(bound?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.status).toBe('True');
    expect(await refusal(port.bind(WEB, 'n2'))).toBe('409 Conflict');
    expect(await refusal(port.bind({ ...WEB, name: 'none' }, 'n1'))).toBe('404 NotFound');
  },
  'evicts a pod if its budget allows it': async (port) => {
    await port.create<Node>('nodes', { metadata: { name: 'n1' } });
    await port.create('pods', aPod('web', { app: 'web' }));
    await port.create('pods', aPod('free'));
    for (const name of ['web', 'free']) {
      await port.bind({ ...WEB, name }, 'n1');
      await port.patch({ ...WEB, name }, { status: { phase: 'Running' } }, 'status');
    }
    // No controller has processed it, so it allows nothing.
    await port.create<PodDisruptionBudget>('poddisruptionbudgets', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
    });
    expect(await refusal(port.evict(WEB))).toBe('429 TooManyRequests');
    expect((await port.get<Pod>(WEB))?.metadata.deletionTimestamp).toBeUndefined();
    await port.evict({ ...WEB, name: 'free' });
    expect((await port.get<Pod>({ ...WEB, name: 'free' }))?.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(await refusal(port.evict({ ...WEB, name: 'none' }))).toBe('404 NotFound');
  },
  'a watch delivers existing objects, then each change in order, until it is stopped': async (port) => {
    await port.create('pods', aPod('before'));
    const seen: string[] = [];
    const stopping = new AbortController();
    port.watch<Pod>('pods', stopping.signal, ({ type, object }) => seen.push(`${type} ${object.metadata.name} ${object.status?.phase}`));
    await expect.poll(() => seen, QUICKLY).toEqual(['ADDED before Pending']);
    await port.create('pods', aPod('web'));
    await port.patch(WEB, { status: { phase: 'Running' } }, 'status');
    await port.delete(WEB, { gracePeriodSeconds: 0 });
    // A deletion without grace period first marks the pod, and then removes it.
    const steps = ['ADDED web Pending', 'MODIFIED web Running', 'MODIFIED web Running', 'DELETED web Running'];
    const all = ['ADDED before Pending', ...steps];
    await expect.poll(() => seen, QUICKLY).toEqual(all);

    // A second one starts with the objects that exist by then.
    const other: string[] = [];
    const going = new AbortController();
    port.watch<Pod>('pods', going.signal, ({ type, object }) => other.push(`${type} ${object.metadata.name}`));
    await expect.poll(() => other, QUICKLY).toEqual(['ADDED before']);
    stopping.abort();
    await port.create('pods', aPod('after'));
    await expect.poll(() => other, QUICKLY).toEqual(['ADDED before', 'ADDED after']);
    expect(seen).toEqual(all);
    going.abort();
    const stopped: string[] = [];
    port.watch<Pod>('pods', going.signal, ({ type }) => stopped.push(type));
    expect(stopped).toEqual([]);
  },
};

const QUICKLY = { intervals: [5, 10, 20] };

for (const [what, work] of Object.entries(CASES)) {
  for (const [name, open] of Object.entries(PORTS)) {
    test(`${what} (${name})`, async () => {
      await withRealTimeServer((server) => work(open(server)));
    });
  }
}
