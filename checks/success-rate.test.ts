import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { successRate } from './success-rate.ts';

const BOUND_MS = 100;

/** Two pods that are created at 10, to be served within the bound. */
function waiting(options: { bound?: string; minRatio?: number } = {}): HistoryBuilder {
  const { bound = 'provision', minRatio = 1 } = options;
  const builder = new HistoryBuilder().act().workload('web', 2).expect({ kind: 'served', workload: 'web', bound, minRatio });
  return builder.at(10).pod('web-1', 'created').pod('web-2', 'created');
}

function judge(builder: HistoryBuilder): ReturnType<typeof successRate.judge> {
  return successRate.judge(createView(builder.events));
}

test('nothing to judge without an expectation', () => {
  expect(judge(new HistoryBuilder().act().workload('web').finish())).toBeUndefined();
});

test('a served workload passes, with how close it came to the bound', () => {
  expect(judge(soundHistory())).toEqual({
    verdict: 'pass',
    summary: 'web: 1 of 1 pod ran in time (bound provision, 0.1 s)',
    findings: [],
    measurements: [{ bound: expect.objectContaining({ name: 'provision' }) as unknown, worst: 80, object: 'pods/default/web-1' }],
  });
});

test('exactly at the bound is in time, a millisecond later is not', () => {
  const served = (atMs: number): HistoryBuilder => waiting().at(20).pod('web-1', 'running').at(atMs).pod('web-2', 'running').finish();
  expect(judge(served(10 + BOUND_MS))?.verdict).toBe('pass');
  const late = judge(served(11 + BOUND_MS));
  expect(late?.verdict).toBe('fail');
  expect(late?.findings.map(({ code, object }) => [code, object])).toEqual([['pod-not-served', 'pods/default/web-2']]);
});

test('a pod that never got a node: the finding says what the target did meanwhile', () => {
  const builder = waiting().pod('web-2', 'unschedulable').at(20).pod('web-1', 'running');
  builder.at(30).request(7, 'ec2:CreateFleet').effect(7, { kind: 'rejected', code: 'X' }).answer(7, 'fail', 'InsufficientInstanceCapacity');
  builder.said('cannot serve web-2').at(200).finish();
  const finding = judge(builder)?.findings[0];
  expect(finding?.message).toBe(
    'Pod default/web-2 did not run within 0.1 s (bound provision, 0.1 s): created at 0 s, unschedulable from 0 s, never bound to a node, ' +
      '1 write to AWS failed while it waited (ec2:CreateFleet: InsufficientInstanceCapacity), the target launched nothing while it waited.',
  );
  const evidence = finding?.events.map((index) => builder.events[index]?.type);
  expect(evidence).toEqual(['pod', 'pod', 'request.start', 'request.effect', 'request.end', 'said']);
});

test('a part of the pods is enough if the scenario says so', () => {
  const half = (minRatio: number): HistoryBuilder => waiting({ minRatio }).at(20).pod('web-1', 'running').at(200).finish();
  expect(judge(half(0.5))?.verdict).toBe('pass');
  expect(judge(half(0.51))?.verdict).toBe('fail');
});

test('a pod removed before its bound is unknown; one that waited too long is late', () => {
  const removed = (atMs: number): HistoryBuilder =>
    waiting().at(20).pod('web-1', 'running').at(atMs).pod('web-2', 'terminating').at(300).finish();
  expect(judge(removed(50))?.verdict).toBe('unknown');
  expect(judge(removed(150))?.verdict).toBe('fail');
});

test('a replacement counts as a pod of its own', () => {
  const builder = waiting()
    .at(20)
    .pod('web-1', 'running')
    .pod('web-2', 'running')
    .at(500)
    .pod('web-1', 'terminating')
    .pod('web-3', 'created');
  expect(judge(builder.at(700).finish())?.findings.map(({ object }) => object)).toEqual(['pods/default/web-3']);
});

test('an expectation may end: later pods are judged by later expectations, or not at all', () => {
  const lateReplacement = (first: number, minRatio?: number): ReturnType<typeof judge> => {
    const builder = waiting().at(20).pod('web-1', 'running').at(first).pod('web-2', 'running');
    builder.at(500).expect({ kind: 'served-until-now', workload: 'web' });
    if (minRatio !== undefined) builder.expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio });
    return judge(builder.pod('web-1', 'terminating').pod('web-3', 'created').at(700).finish());
  };
  expect(lateReplacement(30)).toMatchObject({ verdict: 'pass', summary: 'web: 2 of 2 pods ran in time (bound provision, 0.1 s)' });
  // It is one of the first pods: any number of replacements no longer hides it.
  expect(lateReplacement(300)?.findings.map(({ object }) => object)).toEqual(['pods/default/web-2']);
  expect(lateReplacement(30, 1)?.findings.map(({ object }) => object)).toEqual(['pods/default/web-3']);
  expect(lateReplacement(30, 0)?.verdict).toBe('pass');
});

test('without replacements nothing can be late', () => {
  const builder = waiting().at(20).pod('web-1', 'running').pod('web-2', 'running').at(500);
  builder
    .expect({ kind: 'served-until-now', workload: 'web' })
    .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 });
  expect(judge(builder.finish())?.verdict).toBe('pass');
  expect(successRate.countServed?.(createView(builder.events))).toEqual({ served: 2, asked: 2 });
});

test('pods that can be served only after the heal are waited for from then on', () => {
  const healed = (runsMs: number): HistoryBuilder =>
    new HistoryBuilder()
      .act()
      .workload('web', 1, { kind: 'schedulable-after-heal', why: 'no capacity' })
      .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
      .at(10)
      .pod('web-1', 'created')
      .at(500)
      .phase('heal')
      .at(runsMs)
      .pod('web-1', 'running')
      .finish();
  expect(judge(healed(600))?.verdict).toBe('pass');
  expect(judge(healed(601))?.verdict).toBe('fail');
});

for (const { what, builder, verdict, summary } of [
  {
    what: 'a history that ends before the bound has passed',
    builder: waiting().at(110),
    verdict: 'unknown',
    summary: /ended before the bound of 2 more pods had passed/,
  },
  { what: 'a history that ends after it', builder: waiting().at(111).said('still here'), verdict: 'fail', summary: /^web: 0 of 2 pods/ },
  {
    what: 'one pod late, the other open',
    builder: waiting().at(100).pod('web-3', 'created').at(111).said('x'),
    verdict: 'fail',
    summary: /^web: 0 of 2/,
  },
  {
    what: 'an unknown bound',
    builder: waiting({ bound: 'patience' }).at(500).finish(),
    verdict: 'unknown',
    summary: /^the history has no bound "patience"$/,
  },
  {
    what: 'a workload that was never deployed',
    builder: new HistoryBuilder().act().expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 }).finish(),
    verdict: 'unknown',
    summary: /^workload web was never deployed$/,
  },
  {
    what: 'fewer pods than requested',
    builder: new HistoryBuilder()
      .act()
      .workload('web', 2)
      .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
      .pod('web-1', 'created')
      .pod('web-1', 'running')
      .finish(),
    verdict: 'unknown',
    summary: /only 1 of 2 were created$/,
  },
  {
    what: 'a scenario that contradicts itself',
    builder: new HistoryBuilder()
      .act()
      .workload('web', 1, { kind: 'impossible', why: 'too big' })
      .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
      .finish(),
    verdict: 'unknown',
    summary: /says that it is impossible$/,
  },
] as const) {
  test(`${what}: ${verdict}`, () => {
    expect(judge(builder)).toMatchObject({ verdict, summary: expect.stringMatching(summary) });
  });
}

test('pods served out of pods requested', () => {
  const builder = waiting()
    .expect({ kind: 'served', workload: 'web', bound: 'fallback', minRatio: 1 })
    .at(20)
    .pod('web-1', 'running')
    .at(200)
    .finish();
  expect(successRate.countServed?.(createView(builder.events))).toEqual({ served: 1, asked: 2 });
});

test('pods created while the workload is being removed need not be served', () => {
  const history = waiting().at(20).pod('web-1', 'running').pod('web-2', 'running').finish();
  history.events.splice(-1);
  const late = history.at(200).pod('web-3', 'created').pod('web-3', 'terminating').pod('web-3', 'gone');
  expect(judge(late)?.verdict).toBe('pass');
});

test('a pod that its node refused does not count, however long it exists; its replacement does', () => {
  const refused = (reason: string, replacedMs: number): HistoryBuilder =>
    waiting()
      .at(20)
      .pod('web-1', 'running')
      .pod('web-2', 'scheduled', 'node-1')
      .at(30)
      .pod('web-2', 'ended', 'node-1')
      .pod('web-3', 'created')
      .at(replacedMs)
      .pod('web-3', 'running')
      .at(replacedMs + 10)
      .pod('web-2', 'gone', 'node-1', reason)
      .finish();
  expect(judge(refused('TaintToleration', 50))).toMatchObject({
    verdict: 'pass',
    summary: 'web: 2 of 2 pods ran in time (bound provision, 0.1 s), 1 more lost their nodes before they ran and were created again',
  });
  expect(judge(refused('TaintToleration', 150))?.findings.map(({ object }) => object)).toEqual(['pods/default/web-3']);
  expect(judge(refused('Evicted', 50))?.verdict).toBe('unknown');
  for (const reason of ['DeletionByTaintManager', 'PreemptionByScheduler']) {
    const evicted = waiting().at(20).pod('web-1', 'running').pod('web-2', 'scheduled', 'node-1');
    evicted.pod('web-2', 'terminating', 'node-1', reason).at(30).pod('web-3', 'created').at(50).pod('web-3', 'running');
    expect(judge(evicted.pod('web-2', 'gone', 'node-1').finish())?.verdict, reason).toBe('pass');
  }
  const notMadeAgain = waiting().at(20).pod('web-1', 'running').pod('web-2', 'scheduled', 'node-1').at(50);
  expect(judge(notMadeAgain.pod('web-2', 'gone', 'node-1', 'OutOfcpu').finish())?.verdict).toBe('unknown');
});

for (const reason of ['TerminationByKubelet', 'DeletionByPodGC', 'EvictionByEvictionAPI']) {
  test(`the replacement of a pod whose node shut down or was drained inherits its waiting time (${reason})`, () => {
    const shutDown = (replacedMs: number, takenMs = 30): HistoryBuilder =>
      waiting()
        .at(20)
        .pod('web-1', 'running')
        .pod('web-2', 'scheduled', 'node-1')
        .at(takenMs)
        .pod('web-2', 'ended', 'node-1')
        .pod('web-3', 'created')
        .at(replacedMs)
        .pod('web-3', 'running')
        .at(replacedMs + 10)
        .pod('web-2', 'gone', 'node-1', reason)
        .finish();
    expect(judge(shutDown(90))).toMatchObject({
      verdict: 'pass',
      summary: 'web: 2 of 2 pods ran in time (bound provision, 0.1 s), 1 more lost their nodes before they ran and were created again',
    });
    expect(judge(shutDown(120))?.findings.map(({ object }) => object)).toEqual(['pods/default/web-3']);
    // Its own bound had passed when its node was removed.
    expect(judge(shutDown(180, 150))?.findings.map(({ object }) => object)).toEqual(['pods/default/web-2']);
  });
}
