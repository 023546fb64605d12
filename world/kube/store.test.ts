import { expect, test } from '@playwright/test';
import { ResourceTable } from './resource-table.ts';
import { Store } from './store.ts';

test('the JSON of an object is kept while it is new, and written again for whoever reads it later', () => {
  const store = new Store();
  const pods = new ResourceTable(store).byId('pods');
  let writes = 0;
  const counted = {
    toJSON: () => {
      writes += 1;
      return {};
    },
  };
  const put = (name: string, more: object) =>
    store.put(pods, `default/${name}`, { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'default' }, ...more }, 'node');
  const version = put('a', { spec: counted });
  const { text } = version;
  expect([text, writes]).toEqual([JSON.stringify({ ...version.object, spec: {} }), 1]);
  for (let other = 0; other < 10_000; other += 1) put('b', {});
  expect([version.text, version.text, writes]).toEqual([text, text, 2]);
});
