import { expect, test } from '@playwright/test';
import { faults } from '../faults/catalogue.ts';
import type { EventOf, EventType, HistoryEvent } from '../history/events.ts';
import { never } from '../runtime/clock.ts';
import { plain } from '../targets/plain.ts';
import { reference } from '../targets/reference.ts';
import { whyNotRun } from './engine.ts';
import { pool, scenario } from './scenario.ts';
import { runInProcess } from './testing/in-process.ts';
import { quietTarget, untilStopped } from './testing/quiet-target.ts';

function ofType<T extends EventType>(events: readonly HistoryEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

const nothing = scenario({ id: 'test/nothing', title: 'does nothing', run: () => Promise.resolve() });

test('a trial goes through its phases in order, states its bounds, and ends', async () => {
  const { events, judgement } = await runInProcess(nothing, quietTarget());
  expect(events[0]?.type).toBe('trial.begin');
  expect(events.at(-1)?.type).toBe('trial.end');
  expect(ofType(events, 'phase').map(({ phase }) => phase)).toEqual(['set-up', 'act', 'heal', 'settle', 'remove', 'over']);
  expect(ofType(events, 'bound').length).toBeGreaterThan(5);
  expect(judgement.verdict).toBe('pass');
});

test("the scenario's own error makes the trial unknown, never the target's fault", async () => {
  const broken = scenario({ id: 'test/broken', title: 'throws', run: () => Promise.reject(new Error('a typo')) });
  const { events, judgement } = await runInProcess(broken, quietTarget());
  expect(ofType(events, 'harness.error')[0]?.message).toContain('a typo');
  expect(judgement.verdict).toBe('unknown');
});

test('unserved pods are a finding, and what is pending is reported', async () => {
  const asks = scenario({
    id: 'test/asks',
    title: 'one pod',
    async run(t) {
      const web = await t.deploy({ name: 'web', replicas: 1, cpu: '1', memory: '1Gi' });
      t.expect.served(web, 'provision');
      await t.untilServed(web, 'provision');
    },
  });
  const { events, judgement } = await runInProcess(asks, quietTarget());
  expect(judgement.verdict).toBe('fail');
  const [settle] = ofType(events, 'convergence');
  expect(settle?.waiting).toMatchObject([{ why: 'it has no node' }]);
  expect(settle?.waiting[0]?.object).toMatch(/^pods\/default\/web-/);
});

test("a static pool that can't launch anything, beside one with idle nodes: the world settles", async () => {
  const fixed = scenario({
    id: 'test/fixed',
    title: 'two pools of two nodes each, one of them in a zone that does not exist',
    features: ['static-capacity'],
    pools: [pool('broken', { zones: ['us-east-1z'], replicas: 2 }), pool('healthy', { instanceTypes: ['m6i.large'], replicas: 2 })],
    run: (t) => t.untilLaunched(2, 'provision'),
  });
  const { events, judgement } = await runInProcess(fixed, reference);
  expect(ofType(events, 'convergence').map(({ phase, waiting }) => ({ phase, waiting }))).toEqual([
    { phase: 'settle', waiting: [] },
    { phase: 'remove', waiting: [] },
  ]);
  expect(judgement.checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(judgement.verdict).toBe('pass');
});

test('a static pool whose nodes are never launched keeps the world from settling, unless the target does not claim to launch them', async () => {
  const fixed = scenario({
    id: 'test/never-filled',
    title: 'a pool of two nodes',
    pools: [pool('fixed', { instanceTypes: ['m6i.large'], replicas: 2 })],
    run: () => Promise.resolve(),
  });
  const claiming = await runInProcess(fixed, { ...quietTarget(), features: ['static-capacity'] });
  expect(ofType(claiming.events, 'convergence')[0]?.waiting).toEqual([{ object: 'nodepools/fixed', why: 'it has 0 of 2 nodes' }]);
  expect(claiming.judgement.verdict).toBe('fail');
  expect((await runInProcess(fixed, quietTarget())).judgement.verdict).toBe('pass');
});

test('a static pool may have more nodes than there are pods', async () => {
  const fixed = scenario({
    id: 'test/many-fixed',
    title: 'a pool of four nodes and no pods',
    features: ['static-capacity'],
    pools: [pool('fixed', { instanceTypes: ['m6i.large'], replicas: 4 })],
    run: (t) => t.untilLaunched(4, 'provision'),
  });
  const { events, judgement } = await runInProcess(fixed, reference);
  expect(ofType(events, 'pool').map(({ pool: { replicas } }) => replicas)).toEqual([4, 4]);
  expect(judgement.checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(judgement.verdict).toBe('pass');
});

test('a must-fire fault that never fires makes the trial unknown; it is healed at the latest in the healing phase', async () => {
  const idle = scenario({
    id: 'test/idle-fault',
    title: 'a fault that never fires',
    async run(t) {
      await t.inject(faults.insufficientCapacity({ remaining: 0, errors: 'one' }));
    },
  });
  const { events, judgement } = await runInProcess(idle, quietTarget());
  expect(judgement.verdict).toBe('unknown');
  const order = events.filter(({ type }) => ['fault.armed', 'fault.healed'].includes(type)).map(({ type }) => type);
  expect(order).toEqual(['fault.armed', 'fault.healed']);
});

test('a target that exits by itself is restarted after 10, 20, 40 s, and that is a finding', async () => {
  const dying = quietTarget((site) => ({
    ready: Promise.resolve(),
    done: site.runtime.clock.sleep(1_000).then(() => {
      throw new Error('nil pointer');
    }),
  }));
  const waits = scenario({ id: 'test/waits', title: 'waits', run: (t) => t.pause({ minMs: 75_000, maxMs: 75_000 }) });
  const { events, judgement } = await runInProcess(waits, dying);
  const starts = ofType(events, 'target.start').map(({ t }) => t);
  const exits = ofType(events, 'target.exit').map(({ t }) => t);
  expect(starts.slice(1, 4).map((start, index) => start - (exits[index] ?? 0))).toEqual([10_000, 20_000, 40_000]);
  expect(judgement.checks.find(({ check }) => check === 'target-alive')?.findings[0]?.message).toContain('nil pointer');
});

test('a target that never becomes ready does not keep the trial from ending', async () => {
  const { judgement } = await runInProcess(
    nothing,
    quietTarget((site) => ({ ready: never(), done: untilStopped(site) })),
  );
  expect(judgement.checks.flatMap(({ findings }) => findings).map(({ code }) => code)).toEqual(['not-ready']);
});

test('a provoked crash is restarted at once; late requests of the dead incarnation are dropped and counted', async () => {
  const request = { method: 'GET', path: '/api/v1/nodes', headers: {} };
  const successor = Promise.withResolvers<void>();
  let starts = 0;
  const listing = quietTarget((site) => {
    const { kube, runtime } = site;
    starts += 1;
    if (starts === 2) successor.resolve();
    // A promise in the dead program that none of its own clocks holds back, as a thread may still run for a moment.
    else void successor.promise.then(() => kube(request));
    return { ready: Promise.resolve(), done: runtime.clock.sleep(2_000).then(() => kube(request).then(() => untilStopped(site))) };
  });
  const killed = scenario({
    id: 'test/killed',
    title: 'killed at its first list',
    async run(t) {
      const when = { kind: 'first', count: 1 } as const;
      const fault = await t.inject(faults.crash({ operations: ['list nodes'], when, moment: 'after', applied: false }));
      await t.untilFired(fault, 'provision');
      await t.pass('provision');
    },
  });
  const { events, judgement } = await runInProcess(killed, listing);
  const [exit] = ofType(events, 'target.exit');
  const [first, second] = ofType(events, 'target.start');
  expect(exit).toMatchObject({ incarnation: 1, provoked: true, reason: 'killed at list nodes' });
  expect({ t: second?.t, incarnation: second?.incarnation, earlier: first?.incarnation }).toEqual({
    t: exit?.t,
    incarnation: 2,
    earlier: 1,
  });
  expect(ofType(events, 'target.dropped')).toMatchObject([{ incarnation: 1, calls: 1 }]);
  expect(ofType(events, 'request.start').map(({ incarnation }) => incarnation)).toEqual([1, 2]);
  expect(judgement.verdict).toBe('pass');
});

test('a missing feature or capability is reported before anything is set up', () => {
  const spot = scenario({ id: 'test/spot', title: 'needs spot', features: ['spot'], pools: [pool('p')], run: () => Promise.resolve() });
  expect(whyNotRun(spot, plain, ['wire.kube'])).toContain('feature spot');
  const kill = scenario({ id: 'test/kill', title: 'kills', capabilities: ['target.kill'], run: () => Promise.resolve() });
  expect(whyNotRun(kill, plain, ['wire.kube'])).toContain('target.kill');
  expect(whyNotRun(kill, plain, ['target.kill'])).toBeUndefined();
});
