import { expect, test } from '@playwright/test';
import { MAX_FIRINGS_RECORDED } from './events.ts';
import { createLedger, gapDueMs, gapsOf, launchedByTarget, setbacksOf } from './ledger.ts';
import { HistoryBuilder, soundHistory } from './testing/history-builder.ts';
import { createView } from './view.ts';

const BOUND_MS = 1_000;

function onlyGaps(builder: HistoryBuilder): { fromMs: number; toMs: number; dueMs: number | undefined; lost: string | undefined }[] {
  const view = createView(builder.events);
  return createLedger(view).flatMap((entry) =>
    gapsOf(entry, view.endMs).map((gap) => ({
      fromMs: gap.fromMs,
      toMs: gap.toMs,
      dueMs: gapDueMs(setbacksOf(view), gap, BOUND_MS),
      lost: gap.lost?.name,
    })),
  );
}

test('a ledger entry', () => {
  const [entry] = createLedger(createView(soundHistory().events));
  expect(entry).toMatchObject({
    instance: { id: 'i-1' },
    request: { start: { operation: 'ec2:CreateFleet' } },
    token: 'token-1',
    nodes: [{ name: 'node-1' }],
    claim: { name: 'claim-1' },
    launchedMs: 20,
    runningMs: 40,
    endedMs: 250,
    endRequest: { start: { operation: 'ec2:TerminateInstances' } },
  });
});

test("an instance is the target's if the target's request launched it", () => {
  const { events } = new HistoryBuilder().launch(1, 'i-mine').instance('i-other', 'pending', { span: 2 }).instance('i-found', 'running');
  const mine = launchedByTarget(createLedger(createView(events)));
  expect(mine.map(({ instance }) => instance.id)).toEqual(['i-mine']);
});

test('gaps: until the node has a provider id, and after it is gone', () => {
  const builder = new HistoryBuilder().at(10).launch(1, 'i-1').at(20).node('n', 'created').at(30).node('n', 'ready', 'i-1');
  builder.at(100).node('n', 'gone', 'i-1').at(150).instance('i-1', 'shutting-down').at(900).instance('i-1', 'terminated');
  expect(onlyGaps(builder)).toEqual([
    { fromMs: 10, toMs: 30, dueMs: 1_010, lost: undefined },
    { fromMs: 100, toMs: 150, dueMs: 1_100, lost: 'n' },
  ]);
});

test('gaps: an instance that registers again', () => {
  const builder = new HistoryBuilder().at(10).launch(1, 'i-1').at(20).node('a', 'created', 'i-1').at(50).node('a', 'gone', 'i-1');
  builder.at(70).node('b', 'created', 'i-1').at(200).phase('over');
  expect(onlyGaps(builder).map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [10, 20],
    [50, 70],
  ]);
});

/** An instance without a node from 10 on, and a fault that is never healed. */
const nodeless = (): HistoryBuilder => new HistoryBuilder().at(10).launch(1, 'i-1').arm('f');

function dueAfter(builder: HistoryBuilder): number | undefined {
  return onlyGaps(builder.at(20_000).phase('over'))[0]?.dueMs;
}

for (const { what, strike } of [
  { what: 'hit a request to AWS', strike: (b: HistoryBuilder) => b.request(2, 'ec2:TerminateInstances').fire('f', 2) },
  {
    what: 'hit a request to Kubernetes before the target was ready',
    strike: (b: HistoryBuilder) => b.add({ type: 'target.start', incarnation: 1 }).request(2, 'list pods').fire('f', 2),
  },
  { what: 'hit the world itself', strike: (b: HistoryBuilder) => b.fire('f') },
  {
    what: 'killed the target, at any request',
    strike: (b: HistoryBuilder) =>
      b
        .request(2, 'patch nodeclaims')
        .add({ type: 'target.start', incarnation: 1 })
        .fire('f', 2)
        .add({ type: 'target.exit', incarnation: 1, provoked: true, reason: 'killed' }),
  },
]) {
  test(`a fault that ${what} extends the bound, healed or not`, () => {
    expect(dueAfter(strike(nodeless().at(500)))).toBe(1_500);
    expect(dueAfter(strike(nodeless().at(500)).at(800).heal('f'))).toBe(1_500);
    expect(dueAfter(strike(nodeless().at(1_010)))).toBe(2_010);
    expect(dueAfter(strike(nodeless().at(1_011)))).toBe(1_010);
  });
}

for (const { what, strike } of [
  { what: 'was only armed', strike: (b: HistoryBuilder) => b },
  { what: 'hit a request to Kubernetes', strike: (b: HistoryBuilder) => b.request(2, 'list pods').fire('f', 2) },
  {
    what: 'was followed by an exit of the target by itself',
    strike: (b: HistoryBuilder) =>
      b
        .add({ type: 'target.start', incarnation: 1 })
        .add({ type: 'target.ready', incarnation: 1 })
        .request(2, 'list pods')
        .fire('f', 2)
        .add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'died' }),
  },
]) {
  test(`a fault that ${what} does not extend the bound`, () => {
    expect(dueAfter(strike(nodeless().at(500)))).toBe(1_010);
  });
}

test('a firing before the launch does not extend the bound; one within the extension extends it further', () => {
  expect(dueAfter(new HistoryBuilder().arm('f').at(5).fire('f').at(10).launch(1, 'i-1'))).toBe(1_010);
  expect(dueAfter(nodeless().at(500).fire('f').at(1_500).fire('f').at(2_501).fire('f'))).toBe(2_500);
});

test('a fault that fired more often than is recorded counts as lasting until its heal', () => {
  const often = (firings: number): HistoryBuilder => {
    const builder = nodeless().at(500);
    for (let firing = 0; firing < firings; firing += 1) builder.fire('f');
    return builder;
  };
  expect(
    dueAfter(
      often(MAX_FIRINGS_RECORDED - 1)
        .at(800)
        .heal('f'),
    ),
  ).toBe(1_500);
  expect(dueAfter(often(MAX_FIRINGS_RECORDED).at(800).heal('f'))).toBe(1_800);
  expect(dueAfter(often(MAX_FIRINGS_RECORDED))).toBeUndefined();
});
