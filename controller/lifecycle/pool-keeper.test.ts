import { expect, test } from '@playwright/test';
import type { KubeEvent } from '../../model/kube.ts';
import { KARPENTER } from '../api.ts';
import { CRDS } from '../crds.ts';
import { ANY_POOL, asking, withEmbedded } from '../testing/embedded.ts';
import type { Embedded } from '../testing/embedded.ts';

const MINUTE_MS = 60_000;
const CLASS = { resource: 'ec2nodeclasses', name: 'default' };

async function withOneNode(seed: number, work: (embedded: Embedded) => Promise<void>): Promise<void> {
  await withEmbedded(seed, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 1, asking('500m'));
    await embedded.until('the pod runs', 5 * MINUTE_MS, async () => (await embedded.running()).length === 1);
    await work(embedded);
  });
}

/** The instances and launch templates that are left. */
function left({ world }: Embedded): number {
  return world.ports.instances.list().filter(({ state }) => state !== 'terminated').length;
}

async function events({ port }: Embedded, kind: string): Promise<KubeEvent[]> {
  return (await port.list<KubeEvent>('events', { namespace: 'default' })).filter(({ involvedObject }) => involvedObject.kind === kind);
}

test('a class waits for its claims, reports which, and is removed with the last one', async () => {
  await withOneNode(1, async (embedded) => {
    const { port, until } = embedded;
    const [claim] = await port.list('nodeclaims');
    await port.delete(CLASS);
    await until('it reports what it waits for', MINUTE_MS, async () => (await events(embedded, 'EC2NodeClass')).length > 0);
    expect(await port.get(CLASS)).toMatchObject({ metadata: { finalizers: [KARPENTER.classFinalizer] } });
    expect(await events(embedded, 'EC2NodeClass')).toEqual([
      expect.objectContaining({
        type: 'Normal',
        reason: 'WaitingOnNodeClaimTermination',
        message: `Waiting on NodeClaim termination for ${claim?.metadata.name ?? ''}`,
      }),
    ]);
    await until('the class has gone', 10 * MINUTE_MS, async () => (await port.get(CLASS)) === undefined);
    expect(left(embedded)).toBe(0);
    expect(await port.list('nodeclaims')).toEqual([]);
  });
});

test('all definitions deleted at once: claims, instance and class are removed, and then the definitions', async () => {
  await withOneNode(2, async (embedded) => {
    const { port, until } = embedded;
    const names = CRDS.map(({ metadata }) => metadata.name ?? '');
    await Promise.all(names.map((name) => port.delete({ resource: 'customresourcedefinitions', name })));
    await until('the definitions have gone', 10 * MINUTE_MS, async () => {
      const known = (await port.list('customresourcedefinitions')).map(({ metadata }) => metadata.name ?? '');
      return !known.some((name) => names.includes(name));
    });
    expect(left(embedded)).toBe(0);
    expect(await port.list('nodes')).toEqual([]);
  });
});

test('all objects deleted at once leave nothing behind', async () => {
  await withOneNode(3, async (embedded) => {
    const { port, until } = embedded;
    const refs: { resource: string; name: string }[] = [];
    for (const resource of ['ec2nodeclasses', 'nodepools', 'nodeclaims', 'nodes']) {
      for (const { metadata } of await port.list(resource)) refs.push({ resource, name: metadata.name ?? '' });
    }
    await Promise.all(refs.map((ref) => port.delete(ref)));
    await until('all have gone', 10 * MINUTE_MS, async () => {
      const found = await Promise.all(refs.map((ref) => port.get(ref)));
      return found.every((object) => object === undefined);
    });
    expect(left(embedded)).toBe(0);
  });
});
