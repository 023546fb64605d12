import { expect, test } from '@playwright/test';
import type { Cache } from '../../clients/kube-client.ts';
import { ObjectStore } from '../../clients/store.ts';
import type { ChangeType } from '../../clients/store.ts';
import type { KubeObject } from '../../model/kube.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { View } from './view.ts';

function object(name: string, revision: number, uid = name): KubeObject {
  return { metadata: { name, uid, resourceVersion: String(revision) } };
}

/** A cache with controlled contents. */
function openView() {
  const store = new ObjectStore<KubeObject>();
  const listeners: ((type: ChangeType, object: KubeObject) => void)[] = [];
  const cache: Cache<KubeObject> = {
    synced: Promise.resolve(),
    list: () => store.list(),
    get: (name) => store.get(name),
    onChange: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const clock = createVirtualTimeline({ startMs: 1_000, random: createRandom(1) }).scope('test');
  const view = new View(cache, clock);
  const hear = (type: ChangeType, changed: KubeObject): void => {
    store.apply(type, changed);
    for (const listener of listeners) listener(type, changed);
  };
  const revisions = (): string[] => view.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
  return { view, hear, revisions };
}

test('a write counts at once, until the cache has it', () => {
  const { view, hear, revisions } = openView();
  view.remember(object('a', 5));
  expect(revisions()).toEqual(['a@5']);
  hear('ADDED', object('a', 4));
  expect(revisions()).toEqual(['a@5']);
  hear('MODIFIED', object('a', 7));
  expect(revisions()).toEqual(['a@7']);
  expect(view.get('a')?.metadata.resourceVersion).toBe('7');
});

test('an older response never replaces a newer one', () => {
  const { view, hear, revisions } = openView();
  hear('ADDED', object('a', 9));
  view.remember(object('a', 8));
  expect(revisions()).toEqual(['a@9']);
  view.remember(object('a', 12));
  view.remember(object('a', 10));
  expect(revisions()).toEqual(['a@12']);
});

test('an object that is known to be gone is hidden although the cache still has it', () => {
  const { view, hear, revisions } = openView();
  hear('ADDED', object('a', 1));
  view.forget(object('a', 2));
  expect(revisions()).toEqual([]);
  expect(view.get('a')).toBeUndefined();
  hear('DELETED', object('a', 3));
  hear('ADDED', object('a', 4, 'successor'));
  expect(revisions()).toEqual(['a@4']);
});

test('a deletion removes the written object, but not for the deletion of a predecessor of the same name', () => {
  const { view, hear, revisions } = openView();
  view.remember(object('a', 10, 'new'));
  hear('DELETED', object('a', 8, 'old'));
  expect(revisions()).toEqual(['a@10']);
  hear('DELETED', object('a', 11, 'new'));
  expect(revisions()).toEqual([]);
});

test('an object that disappeared unnoticed is dropped by a later complete list', () => {
  const { view, revisions } = openView();
  view.remember(object('a', 10));
  view.observe([], 1_000);
  expect(revisions()).toEqual(['a@10']);
  view.observe([object('b', 12)], 1_001);
  expect(revisions()).toEqual(['b@12']);
});

test("a write's response after the object's deletion does not bring it back", () => {
  const { view, hear, revisions } = openView();
  hear('ADDED', object('a', 5));
  hear('DELETED', object('a', 7));
  view.remember(object('a', 6));
  expect(revisions()).toEqual([]);
  view.remember(object('a', 8, 'another'));
  expect(revisions()).toEqual(['a@8']);
});
