import { expect, test } from '@playwright/test';
import type { EventOf } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { gracePeriods } from './grace-periods.ts';

/** A pod with a grace period of 60 s runs on the target's instance; at 10 s its node has to go. */
function leaving(pool: Limit = {}, more: Habits = {}): HistoryBuilder {
  return marked(pool, 'terminating', more);
}

interface Limit {
  readonly terminationGracePeriodMs?: number;
}
type Habits = Partial<Pick<EventOf<'workload'>, 'drain' | 'truth'>>;

function marked(pool: Limit, as: 'cordoned' | 'terminating', more: Habits = {}): HistoryBuilder {
  return running(pool, more).at(10_000).node('n-1', as, 'i-1');
}

/** Another pod starts when the node is already being removed, and the first one has left. */
function lateComer(): HistoryBuilder {
  const empty = leaving().pod('web-1', 'terminating').pod('web-1', 'gone').at(11_000);
  return empty.pod('web-2', 'created').pod('web-2', 'scheduled', 'n-1').pod('web-2', 'running', 'n-1');
}

/** Nothing blocks the deletion of the Node by the target. */
function nodeDeleted(): HistoryBuilder {
  return running()
    .at(10_000)
    .request(3, 'delete nodes', { object: 'nodes/n-1' })
    .node('n-1', 'gone', 'i-1')
    .effect(3, { kind: 'applied', ids: ['nodes/n-1'] });
}

/** Its node is deleted long after it was cordoned. */
function cordonedFirst(limit: Limit): HistoryBuilder {
  return marked(limit, 'cordoned').at(100_000).node('n-1', 'terminating', 'i-1');
}

/** Its pool gets another limit, `atMs`; the instance is launched at 1 s. */
function changed(before: Limit, after: Limit, atMs: number): HistoryBuilder {
  const applied = new HistoryBuilder().act().pool('default', before);
  if (atMs < 1_000) return onNode(applied.at(atMs).pool('default', after).at(1_000)).at(10_000).node('n-1', 'terminating', 'i-1');
  return onNode(applied.at(1_000)).at(atMs).pool('default', after).at(10_000).node('n-1', 'terminating', 'i-1');
}

/** Its node is of the pool `default`, and another pool has another limit. */
function besides(own: Limit, other: Limit): HistoryBuilder {
  const applied = new HistoryBuilder().act().pool('other', other).pool('default', own);
  return onNode(applied).at(10_000).node('n-1', 'terminating', 'i-1');
}

function running(pool: Limit = {}, more: Habits = {}): HistoryBuilder {
  return onNode(new HistoryBuilder().act().pool('default', pool), more);
}

function onNode(history: HistoryBuilder, more: Habits = {}): HistoryBuilder {
  return history
    .add({
      type: 'workload',
      workload: 'web',
      namespace: 'default',
      replicas: 1,
      truth: { kind: 'schedulable' },
      note: '',
      graceSeconds: 60,
      ...more,
    })
    .launch(1, 'i-1')
    .node('n-1', 'created', 'i-1')
    .node('n-1', 'ready', 'i-1', { pool: 'default' })
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'n-1')
    .pod('web-1', 'running', 'n-1');
}

/** A change of a node by the target is struck by a fault, when its drain has begun. */
function heldUp(node = 'n-1'): HistoryBuilder {
  return leaving(LIMIT)
    .arm('f')
    .request(3, 'patch nodes', { object: `nodes/${node}` })
    .fire('f', 3);
}

/** The target is paused from the beginning of a drain until this time. */
function paused(untilMs: number): HistoryBuilder {
  return leaving(LIMIT).arm('f', 'must-fire', { fault: 'pause' }).fire('f').at(untilMs).heal('f');
}

const ended = (history: HistoryBuilder): HistoryBuilder =>
  history
    .request(2, 'ec2:TerminateInstances')
    .instance('i-1', 'shutting-down', { span: 2 })
    .effect(2, { kind: 'applied', ids: ['i-1'] });
const LIMIT = { terminationGracePeriodMs: 300_000 };
const SHORT = { terminationGracePeriodMs: 30_000 };
/** Told to leave at once, and its instance is terminated 30 s later: within its own 60 s. */
const endedAfterShort = (history: HistoryBuilder): HistoryBuilder => ended(history.pod('web-1', 'terminating').at(40_000));

for (const { name, history, codes } of [
  {
    name: 'gone before its instance is terminated',
    history: ended(leaving().pod('web-1', 'terminating').at(12_000).pod('web-1', 'gone').at(13_000)),
    codes: [],
  },
  { name: 'kept to the end of its grace period', history: ended(leaving().pod('web-1', 'terminating').at(70_000)), codes: [] },
  { name: 'cut short', history: ended(leaving().pod('web-1', 'terminating').at(40_000)), codes: ['grace-cut-short'] },
  {
    name: 'one that stops with its node',
    history: ended(leaving({}, { drain: 'stays' }).pod('web-1', 'terminating').at(40_000)),
    codes: [],
  },
  {
    name: 'cut short on an instance that was lost',
    history: ended(leaving().pod('web-1', 'terminating').node('n-1', 'not-ready', 'i-1').at(40_000)),
    codes: [],
  },
  {
    name: "cut short by its node's deadline, with less time from the start",
    history: endedAfterShort(leaving(SHORT)),
    codes: [],
  },
  { name: 'told in time', history: ended(leaving(LIMIT).at(249_000).pod('web-1', 'terminating').at(310_000)), codes: [] },
  { name: 'told too late', history: ended(leaving(LIMIT).at(280_000).pod('web-1', 'terminating').at(310_000)), codes: ['asked-too-late'] },
  {
    name: 'told too late, and killed before its instance is terminated',
    history: ended(leaving(LIMIT).at(280_000).pod('web-1', 'terminating').at(309_000).pod('web-1', 'gone').at(310_000)),
    codes: ['asked-too-late'],
  },
  {
    name: 'told as soon as the answer about its node came, which a fault withheld',
    history: ended(heldUp().at(280_000).answer(3, 'ok').pod('web-1', 'terminating').at(310_000)),
    codes: [],
  },
  {
    name: 'told too late after such an answer',
    history: ended(heldUp().at(200_000).answer(3, 'ok').at(280_000).pod('web-1', 'terminating').at(310_000)),
    codes: ['asked-too-late'],
  },
  {
    name: 'told too late although a fault withheld the answer about another node',
    history: ended(heldUp('n-2').at(280_000).answer(3, 'ok').pod('web-1', 'terminating').at(310_000)),
    codes: ['asked-too-late'],
  },
  {
    name: 'told as soon as the target, which a fault had paused, went on',
    history: ended(paused(280_000).pod('web-1', 'terminating').at(310_000)),
    codes: [],
  },
  {
    name: 'told too late after such a pause',
    history: ended(paused(200_000).at(280_000).pod('web-1', 'terminating').at(310_000)),
    codes: ['asked-too-late'],
  },
  {
    name: 'told too late, since it was already when the target was paused',
    history: ended(
      leaving(LIMIT)
        .at(270_000)
        .arm('f', 'must-fire', { fault: 'pause' })
        .fire('f')
        .at(304_000)
        .heal('f')
        .pod('web-1', 'terminating')
        .at(310_000),
    ),
    codes: ['asked-too-late'],
  },
  { name: 'never told', history: ended(leaving(LIMIT).at(310_000)), codes: ['asked-too-late'] },
  { name: 'never told, since it had finished', history: ended(leaving(LIMIT).at(100_000).pod('web-1', 'ended').at(310_000)), codes: [] },
  { name: 'never told when nothing limits the drain', history: ended(leaving().at(310_000)), codes: ['never-asked-to-leave'] },
  { name: 'never told, long before the deadline', history: ended(leaving(LIMIT).at(20_000)), codes: ['never-asked-to-leave'] },
  { name: 'never told on a node that nobody marked', history: ended(running().at(20_000)), codes: ['never-asked-to-leave'] },
  { name: 'never told, one that stops with its node', history: ended(leaving({}, { drain: 'stays' }).at(20_000)), codes: [] },
  { name: 'never told, one that opted out', history: ended(leaving({}, { drain: 'opted-out' }).at(20_000)), codes: [] },
  { name: 'never told, one of a DaemonSet', history: ended(leaving({}, { truth: { kind: 'daemon' } }).at(20_000)), codes: [] },
  { name: 'never told, one that has finished', history: ended(leaving().pod('web-1', 'ended', 'n-1').at(20_000)), codes: [] },
  { name: 'never told on an instance that was lost', history: ended(leaving().node('n-1', 'not-ready', 'i-1').at(20_000)), codes: [] },
  {
    name: 'never told on an instance whose end was announced',
    history: ended(leaving().add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 120_000 }).at(20_000)),
    codes: [],
  },
  { name: 'never told on a node that another client deleted', history: ended(leaving().node('n-1', 'gone', 'i-1').at(20_000)), codes: [] },
  { name: 'never told on a node that the target deleted', history: ended(nodeDeleted().at(20_000)), codes: ['never-asked-to-leave'] },
  {
    name: 'never told on a node that the target deleted, and collected before its instance is terminated',
    history: ended(nodeDeleted().at(60_000).pod('web-1', 'terminating', 'n-1').pod('web-1', 'gone', 'n-1').at(70_000)),
    codes: ['never-asked-to-leave'],
  },
  { name: 'scheduled when its node was already being removed', history: ended(lateComer().at(20_000)), codes: [] },
  {
    name: 'told in time after its node had been uncordoned',
    history: ended(
      marked(LIMIT, 'cordoned')
        .at(20_000)
        .node('n-1', 'uncordoned', 'i-1')
        .at(250_000)
        .node('n-1', 'terminating', 'i-1')
        .at(280_000)
        .pod('web-1', 'terminating')
        .at(341_000),
    ),
    codes: [],
  },
  {
    name: 'told in time before a deadline that counts from the deletion of its node, not from the cordon',
    history: ended(cordonedFirst(LIMIT).at(339_000).pod('web-1', 'terminating').at(400_000)),
    codes: [],
  },
  {
    name: 'told too late before such a deadline',
    history: ended(cordonedFirst(LIMIT).at(370_000).pod('web-1', 'terminating').at(400_000)),
    codes: ['asked-too-late'],
  },
  {
    name: 'cut short before such a deadline',
    history: ended(cordonedFirst(SHORT).pod('web-1', 'terminating').at(110_000)),
    codes: ['grace-cut-short'],
  },
  {
    name: 'never told on a node that was cordoned and never deleted: no deadline has begun',
    history: ended(marked(LIMIT, 'cordoned').at(310_000)),
    codes: ['never-asked-to-leave'],
  },
  {
    name: 'told in time before a deadline that counts from the deletion of the claim, not from an earlier one of the Node',
    history: ended(
      leaving(LIMIT)
        .claim('c-1', 'launched', 'i-1')
        .at(100_000)
        .claim('c-1', 'terminating', 'i-1')
        .at(339_000)
        .pod('web-1', 'terminating')
        .at(400_000),
    ),
    codes: [],
  },
  {
    name: 'cut short by the deadline of its own pool, where another has a later one',
    history: endedAfterShort(besides(SHORT, LIMIT)),
    codes: [],
  },
  { name: 'cut short by the deadline of its own pool, where another has none', history: endedAfterShort(besides(SHORT, {})), codes: [] },
  { name: 'cut short by the deadline of another pool', history: endedAfterShort(besides(LIMIT, SHORT)), codes: ['grace-cut-short'] },
  { name: 'cut short by the deadline that its pool had at the launch', history: endedAfterShort(changed(SHORT, LIMIT, 5_000)), codes: [] },
  {
    name: 'cut short by a deadline that its pool got later',
    history: endedAfterShort(changed(LIMIT, SHORT, 5_000)),
    codes: ['grace-cut-short'],
  },
  {
    name: 'cut short by a deadline that its pool had long before the launch',
    history: endedAfterShort(changed(SHORT, LIMIT, 100)),
    codes: ['grace-cut-short'],
  },
  {
    name: 'cut short by a deadline that its pool had until just before the launch',
    history: endedAfterShort(changed(SHORT, LIMIT, 990)),
    codes: [],
  },
]) {
  test(`the grace period of a pod: ${name}`, () => {
    const result = gracePeriods.judge(createView(history.at(400_000).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
    expect(result?.verdict).toBe(codes.length === 0 ? 'pass' : 'fail');
  });
}

test('nothing to judge if the target terminated nothing', () => {
  expect(gracePeriods.judge(createView(leaving().finish().events))).toBeUndefined();
});
