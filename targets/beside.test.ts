import { expect, test } from '@playwright/test';
import { asking, withEmbedded } from '../controller/testing/embedded.ts';
import type { Pool } from '../model/catalogue.ts';
import { createRandom } from '../runtime/random.ts';
import { beside } from './beside.ts';
import { mutants } from './mutants/catalogue.ts';
import { plain } from './plain.ts';
import { ANY_POOL, reference } from './reference.ts';
import type { Target, TargetConstants, TargetProcess, TargetSite } from './target.ts';

const MINUTE_MS = 60_000;

/** An autoscaler that does nothing but record its calls. */
function stub(name: string, constants: Partial<TargetConstants> = {}, process: Partial<TargetProcess> = {}) {
  const told: string[] = [];
  const names = (pools: readonly Pool[]): string => pools.map((pool) => pool.name).join();
  const make = (confined: string): Target => ({
    name,
    summary: name,
    features: ['spot'],
    constants: { ...reference.constants, ...constants },
    resources: [name],
    install: () => Promise.resolve(void told.push('install')),
    applyPools: (_site, pools) => Promise.resolve(void told.push(`apply ${names(pools)}`)),
    removePools: (_site, pools, left) => Promise.resolve(void told.push(`remove ${names(pools)}; ${names(left)}`)),
    start: ({ runtime, cluster }) => {
      told.push(`start ${confined} ${runtime.random.name} ${cluster.interruptionQueueUrl ?? 'without a queue'}`);
      return { ready: Promise.resolve(), done: new Promise(() => undefined), ...process };
    },
    confinedTo: (pools) => make(pools.join()),
  });
  return { target: make('all'), told };
}

/** Lets all pending microtasks and turns run. */
async function afterAWhile(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
}

function siteWith(signal: AbortSignal = new AbortController().signal): TargetSite {
  const runtime = { random: createRandom(1), log: () => undefined, signal };
  return { runtime, cluster: { interruptionQueueUrl: 'https://queue' } } as unknown as TargetSite;
}

test("a target that can't be confined is refused, as the first or the second", () => {
  const says = "two autoscalers with one lease and one set of claims would fight: plain can't be confined to some pools";
  expect(() => beside(plain, reference)).toThrow(says);
  expect(() => beside(reference, plain)).toThrow(says);
});

test('a target with a service account is refused, as the first or the second', () => {
  const restricted = { ...reference, name: 'restricted', serviceAccount: { namespace: 'kube-system', name: 'app' } };
  const says = "their rights can't be told apart: leave out rbac and serviceAccount of restricted";
  expect(() => beside(restricted, reference)).toThrow(says);
  expect(() => beside(reference, restricted)).toThrow(says);
});

test('the reference and its variants can be confined, with normal and short periods', () => {
  for (const target of [reference, ...mutants.map((mutant) => mutant.target)]) {
    expect(() => beside(target, target.quick), target.name).not.toThrow();
    expect(beside(target, target.quick).name).toBe(`${target.name}+${target.name}:quick`);
  }
});

test('it declares the features of the first, and the slower constants of both', () => {
  const a = stub('a', { batchMaxMs: 1, retryPeriodMs: 9, offeringsPerLaunch: 5, driftMs: 7 });
  const b = stub('b', { batchMaxMs: 3, retryPeriodMs: 2, offeringsPerLaunch: 50, driftMs: 8 });
  const both = beside({ ...a.target, features: ['expiry'] }, b.target);
  expect(both.features).toEqual(['expiry']);
  expect(both.resources).toEqual(['a', 'b']);
  expect(both.constants).toEqual({ ...reference.constants, batchMaxMs: 3, retryPeriodMs: 9, offeringsPerLaunch: 5, driftMs: 8 });
});

test("the second gets copies of the scenario's pools, with other names, a taint, and no replicas", async () => {
  const applied: Pool[] = [];
  const second: Target = { ...stub('b').target, applyPools: (_site, pools) => Promise.resolve(void applied.push(...pools)) };
  const taint = { key: 'x', effect: 'NoExecute' } as const;
  await beside(stub('a').target, second).applyPools(siteWith(), [{ ...ANY_POOL, weight: 7, taints: [taint], replicas: 3 }]);
  expect(applied).toEqual([
    { ...ANY_POOL, name: 'default-beside', weight: 7, taints: [taint, { key: 'scaleproof.dev/beside', effect: 'NoSchedule' }] },
  ]);
  const own = { ...ANY_POOL, name: 'a-beside' };
  await expect(beside(stub('a').target, second).applyPools(siteWith(), [own])).rejects.toThrow('a-beside has a name of those beside');
});

test('pools are applied and removed together, and those left include the pools of the other', async () => {
  const a = stub('a');
  const b = stub('b');
  const both = beside(a.target, b.target);
  const [one, two] = ['one', 'two'].map((name) => ({ ...ANY_POOL, name }));
  if (one === undefined || two === undefined) throw new Error('two pools');
  await both.install(siteWith());
  await both.applyPools(siteWith(), [one, two]);
  both.start(siteWith());
  await both.removePools(siteWith(), [one], [two]);
  expect(a.told).toEqual(['install', 'apply one,two', 'start !*-beside 1/first https://queue', 'remove one; two,one-beside,two-beside']);
  expect(b.told).toEqual([
    'install',
    'apply one-beside,two-beside',
    'start *-beside 1/second without a queue',
    'remove one-beside; two,two-beside',
  ]);
});

test('with a helper, pools and definitions are those of the scenario, constants those of the first, and both read the queue', async () => {
  const a = stub('a', { batchMaxMs: 1, offeringsPerLaunch: 5 });
  const b = stub('b', { batchMaxMs: 3, offeringsPerLaunch: 2 });
  const helper: Target = { ...b.target, helper: true, features: ['spot', 'interruption'] };
  const both = beside({ ...a.target, smallRegion: true }, helper);
  expect(both).toMatchObject({ name: 'a+b', features: ['spot', 'interruption'], smallRegion: true, withHelper: helper });
  expect(both.constants).toEqual({ ...reference.constants, batchMaxMs: 1, offeringsPerLaunch: 5 });
  const one = { ...ANY_POOL, name: 'one' };
  await both.install(siteWith());
  await both.applyPools(siteWith(), [one]);
  both.start(siteWith());
  await both.removePools(siteWith(), [one], []);
  expect(a.told).toEqual(['install', 'apply one', 'start all 1/first https://queue', 'remove one; ']);
  // It adds to the pools what it needs.
  expect(b.told).toEqual(['install', 'apply one', 'start all 1/second https://queue', 'remove one; ']);
  // One that can't be confined is not a problem beside it.
  expect(() => beside(plain, helper)).not.toThrow();
  expect(() => beside(helper, reference)).toThrow('b is no autoscaler: name it second, reference+b');
});

test('if one exits by itself both end; when told to stop, both are waited for', async () => {
  const stopping = new AbortController();
  const slow = Promise.withResolvers<void>();
  const fails = beside(stub('a').target, stub('b', {}, { done: Promise.reject(new Error('lost its lease')) }).target);
  await expect(fails.start(siteWith()).done).rejects.toThrow('lost its lease');
  const ends = beside(stub('a', {}, { done: Promise.resolve() }).target, stub('b').target);
  await ends.start(siteWith()).done;
  stopping.abort(new Error('stop'));
  let isOver = false;
  const stops = beside(stub('a', {}, { done: Promise.resolve() }).target, stub('b', {}, { done: slow.promise }).target);
  const { done } = stops.start(siteWith(stopping.signal));
  void done.then(() => (isOver = true));
  await afterAWhile();
  expect(isOver).toBe(false);
  slow.resolve();
  await done;
});

test('it is ready when both are, and both are killed', async () => {
  const killed: string[] = [];
  const ready = Promise.withResolvers<void>();
  const a = stub('a', {}, { kill: () => void killed.push('a') });
  const b = stub('b', {}, { ready: ready.promise, kill: () => Promise.resolve(void killed.push('b')) });
  const process = beside(a.target, b.target).start(siteWith());
  let isReady = false;
  void process.ready.then(() => (isReady = true));
  await afterAWhile();
  expect(isReady).toBe(false);
  ready.resolve();
  await process.ready;
  await process.kill?.();
  expect(killed).toEqual(['a', 'b']);
});

test('two references in one cluster: the second is idle, and the same seed gives the same bytes', async () => {
  const both = beside(reference, reference);
  const run = async (): Promise<string> => {
    let seen = '';
    await withEmbedded(
      1,
      [ANY_POOL],
      async ({ deploy, until, running, world, events, port }) => {
        await deploy('web', 3, asking('1'));
        await until('3 pods run', 5 * MINUTE_MS, async () => (await running()).length === 3);
        expect((await port.list('nodepools')).map(({ metadata }) => metadata.name).sort()).toEqual(['default', 'default-beside']);
        const pools = world.ports.instances.list().map(({ tags }) => tags['karpenter.sh/nodepool']);
        expect(new Set(pools)).toEqual(new Set(['default']));
        seen = JSON.stringify(events);
      },
      both,
    );
    return seen;
  };
  expect(await run()).toBe(await run());
});
