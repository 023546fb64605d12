import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { withServer } from './testing/api-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Seen {
  readonly names: readonly string[];
  readonly versions: readonly string[];
}

test('pages show the list as it was when the first was read, whatever changes meanwhile', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const change = fc.record({ act: fc.constantFrom('create', 'change', 'delete'), name });
  const scope = fc.constantFrom('/api/v1/configmaps', MAPS);
  await fc.assert(
    fc.asyncProperty(
      fc.array(name),
      fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 3 }),
      scope,
      async (names, changes, limit, path) => {
        await withServer(async ({ call, merge }) => {
          for (const one of names) await call('POST', MAPS, { metadata: { name: one } });
          // Its names come after those of the namespace `default`.
          await call('POST', MAPS.replace('default', 'kube-public'), { metadata: { name: 'other' } });
          const read = async (query: string): Promise<Seen & { metadata: { continue?: string; remainingItemCount?: number } }> => {
            const { body } = await call('GET', `${path}?${query}`);
            const items = (body.items ?? []).map(({ metadata }) => metadata);
            return {
              names: items.map(({ name: one = '' }) => one),
              versions: items.map(({ resourceVersion = '' }) => resourceVersion),
              metadata: body.metadata,
            };
          };
          const whole = await read('');
          const paged: { names: string[]; versions: string[] } = { names: [], versions: [] };
          let token: string | undefined = '';
          for (let page = 0; token !== undefined; page += 1) {
            const { metadata, names: some, versions } = await read(`limit=${limit}&continue=${token}`);
            paged.names.push(...some);
            paged.versions.push(...versions);
            expect(metadata.remainingItemCount ?? 0).toBe(whole.names.length - paged.names.length);
            token = metadata.continue;
            for (const { act, name: one } of changes[page] ?? []) {
              if (act === 'create') await call('POST', MAPS, { metadata: { name: one } });
              else if (act === 'delete') await call('DELETE', `${MAPS}/${one}`);
              else await merge(`${MAPS}/${one}`, { data: { page: String(page) } });
            }
          }
          expect(paged).toEqual({ names: whole.names, versions: whole.versions });
        });
      },
    ),
    { numRuns: 30 },
  );
});
