import { expect, test } from '@playwright/test';
import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { defined } from '../../model/defined.ts';
import type { ConfigMap } from './groups.ts';
import { Launches } from './launches.ts';
import type { Launch } from './launches.ts';

const launch = (token: string, more: Partial<Launch> = {}): Launch => ({
  token,
  group: 'default',
  instanceType: 'm6i.large',
  zone: 'us-east-1a',
  template: 'plain',
  count: 2,
  sinceMs: 1_000,
  ...more,
});
const LOOK = { seen: new Set<string>(), groups: new Set(['default']), nowMs: 2_000 };

/** A cluster that stores one ConfigMap. */
function cluster(): { readonly kube: KubeClient; refuse: boolean } {
  let map: ConfigMap | undefined;
  const site = { refuse: false };
  const keep = (data: Record<string, string> | undefined): Promise<ConfigMap> => {
    if (site.refuse) return Promise.reject(new KubeError(429, 'TooManyRequests', 'not now', 1_000));
    map = { metadata: { namespace: 'kube-system', name: 'launches' }, ...defined({ data }) };
    return Promise.resolve(map);
  };
  const kube = {
    get: () => Promise.resolve(map),
    create: (_type: unknown, { data }: ConfigMap) => keep(data),
    patch: (_ref: unknown, { data }: ConfigMap) => keep(data),
  };
  // Only the methods of a client that the launches use.
  return Object.assign(site, { kube: kube as unknown as KubeClient });
}

test('a launch in progress is known after a restart, without its response', async () => {
  const { kube } = cluster();
  const before = new Launches(kube);
  await before.load();
  await before.begin([launch('a'), launch('b')]);
  before.answered('a', ['i-1', 'i-2']);
  expect(before.unanswered().map(({ token }) => token)).toEqual(['b']);
  const after = new Launches(kube);
  await after.load();
  expect(after.unanswered()).toEqual([launch('a'), launch('b')]);
  expect(after.machines()).toEqual([]);
});

test("a launch that can't be recorded is not sent", async () => {
  const site = cluster();
  const launches = new Launches(site.kube);
  await launches.load();
  site.refuse = true;
  await expect(launches.begin([launch('a')])).rejects.toThrow('not now');
  expect(launches.unanswered()).toEqual([]);
});

for (const { name, look, left } of [
  { name: 'with all instances listed is over', look: { ...LOOK, seen: new Set(['i-1', 'i-2']) }, left: [] },
  { name: 'with only one instance listed is not', look: { ...LOOK, seen: new Set(['i-1']) }, left: ['i-1', 'i-2'] },
  { name: 'that EC2 would have listed long ago is over', look: { ...LOOK, nowMs: 400_000 }, left: [] },
  { name: 'for a removed group is dropped', look: { ...LOOK, groups: new Set<string>() }, left: [] },
]) {
  test(`a launch ${name}`, async () => {
    const { kube } = cluster();
    const launches = new Launches(kube);
    await launches.load();
    await launches.begin([launch('a')]);
    launches.answered('a', ['i-1', 'i-2']);
    await launches.settle(look);
    expect(launches.machines().map(({ id }) => id)).toEqual(left);
    const next = new Launches(kube);
    await next.load();
    expect(next.unanswered()).toHaveLength(left.length === 0 ? 0 : 1);
  });
}

test('a launch without instances is over', async () => {
  const { kube } = cluster();
  const launches = new Launches(kube);
  await launches.load();
  await launches.begin([launch('a')]);
  launches.answered('a', []);
  expect([...launches.unanswered(), ...launches.machines()]).toEqual([]);
});
