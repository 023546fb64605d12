import { expect, test } from '@playwright/test';
import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { EventOf } from '../history/events.ts';
import { createView } from '../history/view.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { targetAlive } from './target-alive.ts';

function judge(builder: HistoryBuilder): ReturnType<typeof targetAlive.judge> {
  return targetAlive.judge(createView(builder.events));
}

function codes(builder: HistoryBuilder): string[] | undefined {
  return judge(builder)?.findings.map(({ code }) => code);
}

const acting = (): HistoryBuilder => new HistoryBuilder().act().at(10);

test('a target that stays alive passes', () => {
  expect(judge(soundHistory())).toMatchObject({ verdict: 'pass', summary: '1 start, 0 after a provoked crash' });
});

test('a target with its own endpoints is not observed, so it is not judged', () => {
  expect(judge(new HistoryBuilder(['objects.observe']).begin())).toBeUndefined();
});

test('a provoked crash and the start after it are fine', () => {
  const builder = acting().add(
    { type: 'target.exit', incarnation: 1, provoked: true, reason: 'killed' },
    { type: 'target.start', incarnation: 2 },
  );
  expect(judge(builder.at(20).add({ type: 'target.ready', incarnation: 2 }).finish())).toMatchObject({
    verdict: 'pass',
    summary: '2 starts, 1 after a provoked crash',
  });
});

test('an exit by itself, panics, and recovered panics', () => {
  const builder = acting()
    .add({ type: 'target.panic', incarnation: 1, recovered: true, message: 'undefined is no object' })
    .add({ type: 'target.panic', incarnation: 1, recovered: false, message: 'again' })
    .add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'died' })
    .finish();
  expect(codes(builder)).toEqual(['recovered-panic', 'panicked', 'exited']);
  expect(judge(builder)?.findings[0]?.message).toBe('The target recovered from a panic at 0 s: undefined is no object.');
  expect(judge(builder)?.findings[2]?.message).toBe("The target's incarnation 1 exited by itself at 0 s: it died.");
});

test('not ready when the scenario begins', () => {
  const builder = new HistoryBuilder().begin().phase('set-up').add({ type: 'target.start', incarnation: 1 }).at(50).phase('act').finish();
  expect(codes(builder)).toEqual(['not-ready']);
});

test('a later start that never became ready, unless it had no time', () => {
  const restarted = (early: boolean): HistoryBuilder => {
    const builder = acting().add({ type: 'target.exit', incarnation: 1, provoked: true, reason: 'killed' });
    if (early) builder.add({ type: 'target.start', incarnation: 2 });
    builder.phase('heal').phase('settle');
    if (!early) builder.add({ type: 'target.start', incarnation: 2 });
    return builder.at(20).phase('remove').phase('over').add({ type: 'trial.end' });
  };
  expect(codes(restarted(true))).toEqual(['not-ready']);
  expect(codes(restarted(false))).toEqual([]);
});

test('a start that a fault kept from becoming ready until a moment before the end', () => {
  const blocked = (healedMs: number, overMs: number, fires = true): HistoryBuilder => {
    const builder = acting().countBound('recover', 100).arm('f');
    builder.add({ type: 'target.exit', incarnation: 1, provoked: true, reason: 'killed' }, { type: 'target.start', incarnation: 2 });
    if (fires) builder.fire('f');
    return builder.at(healedMs).phase('heal').heal('f').phase('settle').at(overMs).phase('remove').phase('over').add({ type: 'trial.end' });
  };
  expect(codes(blocked(500, 550))).toEqual([]);
  expect(codes(blocked(500, 650))).toEqual(['not-ready']);
  expect(codes(blocked(500, 550, false)), 'a fault that never fired').toEqual(['not-ready']);
});

test('dead when the trial is over: it exited by itself and waits for its restart, or was killed and never restarted', () => {
  const died = (provoked: boolean): HistoryBuilder =>
    acting().add({ type: 'target.exit', incarnation: 1, provoked, reason: 'died' }).at(300).finish();
  expect(codes(died(false))).toEqual(['exited']);
  expect(judge(died(true))?.findings).toMatchObject([
    { code: 'not-ready', message: 'The target was killed at 0 s and never started again.' },
  ]);
});

test('dead or not yet ready again after an exit by itself while settling: the exit is a finding', () => {
  const dying = (): HistoryBuilder =>
    acting().phase('heal').phase('settle').at(20).add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'died' });
  const over = (builder: HistoryBuilder): HistoryBuilder => builder.at(30).phase('remove').phase('over').add({ type: 'trial.end' });
  expect(codes(over(dying()))).toEqual(['exited']);
  expect(codes(over(dying().add({ type: 'target.start', incarnation: 2 })))).toEqual(['exited']);
});

const CAUSES: EventOf<'supervisor'>['cause'][] = ['hung', 'exited', 'out-of-memory', 'flooded', 'spun'];
for (const cause of CAUSES) {
  test(`a trial that had to be ended: ${cause}`, () => {
    const ended = (culprit: 'target' | 'harness'): HistoryBuilder =>
      acting().add({ type: 'supervisor', cause, culprit, message: 'as seen' }, { type: 'trial.end' });
    expect(judge(ended('target'))).toMatchObject({ verdict: 'fail', findings: [{ code: cause, object: 'target' }] });
    expect(judge(ended('harness'))).toMatchObject({ verdict: 'unknown', findings: [] });
    expect(Object.keys(targetAlive.codes)).toContain(cause);
  });
}

test('a target that died while loading', () => {
  const builder = new HistoryBuilder().add({ type: 'supervisor', cause: 'hung', culprit: 'target', message: 'x' }, { type: 'trial.end' });
  expect(codes(builder)).toEqual(['hung']);
});

test('a history that ends early is unknown; so is one in which nothing was started', () => {
  expect(judge(acting())).toMatchObject({ verdict: 'unknown', findings: [] });
  expect(judge(new HistoryBuilder().begin())).toMatchObject({ verdict: 'unknown', summary: 'the target was never started' });
});

for (const [what, operation, atMs, readyFirst, expected] of [
  ['its lease could not be renewed', 'update leases', 20_000, true, []],
  ['its lease was refused long before', 'update leases', 200_000, true, ['exited']],
  ['another request was refused', 'update nodes', 20_000, true, ['exited']],
  ['its first requests were refused', 'list nodes', 20_000, false, ['not-ready']],
  ['a kind could never be listed', 'list nodes', 200_000, true, []],
] as const) {
  test(`exits by itself when ${what}`, () => {
    const builder = new HistoryBuilder().begin().phase('set-up').add({ type: 'target.start', incarnation: 1 });
    if (readyFirst) builder.at(5).add({ type: 'target.ready', incarnation: 1 });
    builder
      .at(6)
      .phase('act')
      .add({
        type: 'fault.armed',
        fault: { id: 'f1', fault: 'api-throttling', description: 'no lease', params: {}, legal: true, firing: 'must-fire', color: 'red' },
      });
    builder.at(10).add({ type: 'request.start', span: 1, wire: 'kube', principal: 'target', incarnation: 1, operation, mutating: true });
    builder.add({ type: 'fault.fired', fault: 'f1', span: 1 });
    builder.at(atMs).add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'ended with code 1' }).finish();
    expect(codes(builder)).toEqual(expected);
  });
}

test('a kind that was listed before is no reason to exit', () => {
  const builder = acting().arm('f1');
  builder.request(1, 'list nodes', { mutating: false }).answer(1, 'ok').at(20);
  builder.request(2, 'list nodes', { mutating: false }).fire('f1', 2).answer(2, 'fail').at(200_000);
  builder.add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'gave up' }).finish();
  expect(codes(builder)).toEqual(['exited']);
});

test('after more firings than are recorded, each request that failed may have been struck', () => {
  const exited = (firings: number): HistoryBuilder => {
    const builder = acting().arm('f1');
    for (let span = 1; span <= firings; span += 1) builder.request(span, 'ec2:DescribeInstances').fire('f1', span).answer(span, 'fail');
    builder.add({ type: 'target.exit', incarnation: 1, provoked: true, reason: 'restarted' }, { type: 'target.start', incarnation: 2 });
    builder.at(20).request(1_000, 'ec2:DescribeInstances', { incarnation: 2 }).answer(1_000, 'fail');
    builder.add({ type: 'target.exit', incarnation: 2, provoked: false, reason: 'ended with code 1' });
    return builder.add({ type: 'target.start', incarnation: 3 }, { type: 'target.ready', incarnation: 3 }).finish();
  };
  expect(codes(exited(MAX_FIRINGS_RECORDED))).toEqual([]);
  expect(codes(exited(MAX_FIRINGS_RECORDED - 1))).toEqual(['exited']);
});

for (const [what, healedMs, exitMs, expected] of [
  ['after a pause longer than a lease', 20_000, 20_000, []],
  ['after a short pause', 10_000, 10_000, ['exited']],
  ['long after a pause', 20_000, 90_000, ['exited']],
] as const) {
  test(`exits by itself ${what}`, () => {
    const builder = acting().arm('f1', 'must-fire', { fault: 'pause' }).fire('f1').at(healedMs).heal('f1').at(exitMs);
    builder.add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'lost its lease' });
    builder.add({ type: 'target.start', incarnation: 2 }, { type: 'target.ready', incarnation: 2 });
    expect(codes(builder.finish())).toEqual(expected);
  });
}

test('a target can not stop while it is paused; one that was paused before, or only for a moment, could', () => {
  const stop = { type: 'target.stop', incarnation: 1 } as const;
  const exit = { type: 'target.exit', incarnation: 1, provoked: false, overdue: true, reason: 'killed' } as const;
  const paused = (): HistoryBuilder => acting().arm('f1', 'must-fire', { fault: 'pause' }).fire('f1');
  expect(codes(paused().at(20).add(stop).at(40).heal('f1').at(50).add(exit).finish())).toEqual([]);
  expect(codes(paused().at(20).add(stop).at(22).heal('f1').at(50).add(exit).finish())).toEqual(['not-stopped']);
  expect(codes(paused().at(15).heal('f1').at(20).add(stop).at(50).add(exit).finish())).toEqual(['not-stopped']);
});
