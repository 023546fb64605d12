import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from '../../model/defined.ts';
import { controllerOf } from '../../model/owners.ts';
import type { Pod } from '../../model/kube.ts';
import type { Classify, ObjectRef } from '../ports.ts';
import { makePod, withParts } from '../testing/world-parts.ts';

const OWNERS: readonly string[] = ['one', 'two'];
const NAMESPACES = ['default', 'kube-system'] as const;

/** By label, so that a change of labels moves a pod to another class; two classes at once for some. */
const classify: Classify<Pod> = ({ metadata: { labels = {}, deletionTimestamp } }) =>
  deletionTimestamp === undefined ? [labels['app'] ?? 'none', 'alive'] : ['dying'];

const nodeOfBound: Classify<Pod> = ({ spec: { nodeName }, metadata }) =>
  nodeName === undefined || metadata.deletionTimestamp !== undefined ? [] : [nodeName];

const pod = { namespace: fc.constantFrom(...NAMESPACES), name: fc.constantFrom('a', 'b', 'c') };
const owner = fc.constantFrom(undefined, ...OWNERS);
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), ...pod, owner, app: fc.constantFrom('web', 'db') }),
  fc.record({ do: fc.constant('own' as const), ...pod, owner, app: fc.constantFrom('web', 'db') }),
  fc.record({ do: fc.constant('relabel' as const), ...pod, owner, app: fc.constantFrom('web', 'db') }),
  fc.record({ do: fc.constant('bind' as const), ...pod, owner, app: fc.constant('') }),
  fc.record({ do: fc.constant('delete' as const), ...pod, owner, app: fc.constant('') }),
  fc.record({ do: fc.constant('end' as const), ...pod, owner, app: fc.constant('') }),
);

function referencesTo(owner: string | undefined): NonNullable<Pod['metadata']['ownerReferences']> {
  return owner === undefined ? [] : [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }];
}

test('counts and lists by owner, by label and by node are those of a scan, whatever happens to pods', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
      await withParts(
        () => [],
        async ({ port }) => {
          const seen: unknown[] = [];
          const wanted: unknown[] = [];
          for (const one of steps) {
            const at: ObjectRef = { resource: 'pods', namespace: one.namespace, name: one.name };
            const ownerReferences = referencesTo(one.owner);
            const labels = { app: one.app };
            const work: Record<typeof one.do, () => Promise<unknown>> = {
              create: () => {
                const { spec } = makePod(one.name);
                return port.create<Pod>('pods', { metadata: { name: one.name, namespace: one.namespace, labels, ownerReferences }, spec });
              },
              own: () => port.patch<Pod>(at, { metadata: { ownerReferences } }),
              relabel: () => port.patch<Pod>(at, { metadata: { labels } }),
              bind: () => port.bind(at, 'n1'),
              delete: () => port.delete(at),
              end: () => port.delete(at, { gracePeriodSeconds: 0 }),
            };
            // What an API server refuses, such as a second pod of a name, changes nothing.
            await work[one.do]().catch(() => undefined);
            const all = await port.list<Pod>('pods');
            const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
            for (const uid of OWNERS) {
              for (const namespace of [undefined, 'default']) {
                // A tally is kept for one filter of each owner.
                if ((uid === 'one') === (namespace === undefined)) continue;
                const mine = all.filter(
                  (each) => [undefined, uid].includes(controllerOf(each)?.uid) && [undefined, each.metadata.namespace].includes(namespace),
                );
                const filter = { managedBy: uid, ...defined({ namespace }) };
                const tally = await port.tally<Pod>('pods', filter, classify);
                const counts = ['web', 'db', 'none', 'alive', 'dying'];
                seen.push(
                  counts.map((name) => tally.count(name)),
                  names(tally.list()),
                );
                wanted.push(
                  counts.map((name) => mine.filter((each) => classify(each).includes(name)).length),
                  names(mine),
                );
              }
            }
            for (const selected of [['web'], ['web', 'web', 'db']]) {
              const selectors = selected.map((app) => ({ matchLabels: { app } }));
              const mine = all.filter(
                ({ metadata: { namespace, labels } }) => namespace === 'default' && selected.includes(labels?.['app'] ?? ''),
              );
              const nodes = mine.flatMap((each) => nodeOfBound(each));
              seen.push([...(await port.counts<Pod>('pods', { namespace: 'default', selectors }, nodeOfBound))]);
              wanted.push(nodes.length === 0 ? [] : [['n1', nodes.length]]);
            }
            seen.push(names(await port.list<Pod>('pods', { onNode: 'n1' })));
            wanted.push(names(all.filter(({ spec }) => spec.nodeName === 'n1')));
          }
          expect(seen).toEqual(wanted);
        },
      );
    }),
    { numRuns: 60 },
  );
});

test('tallies that were dropped are counted again', async () => {
  await withParts(
    () => [],
    async ({ port }) => {
      const labels = { app: 'web' };
      await port.create<Pod>('pods', {
        ...makePod('a'),
        metadata: { name: 'a', namespace: 'default', labels, ownerReferences: referencesTo('one') },
      });
      const count = async (managedBy: string): Promise<number> => (await port.tally<Pod>('pods', { managedBy }, classify)).count('web');
      expect(await count('one')).toBe(1);
      for (let other = 0; other < 1_100; other += 1) await count(`other-${other}`);
      await port.patch<Pod>({ resource: 'pods', namespace: 'default', name: 'a' }, { metadata: { labels: { app: 'db' } } });
      expect(await count('one')).toBe(0);
    },
  );
});
