import { expect, test } from '@playwright/test';
import type { EventOf } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { nodeBudgets } from './node-budgets.ts';
import { optOuts } from './opt-outs.ts';
import { undisturbed } from './undisturbed.ts';

/** Four nodes of a pool are ready, and a pod of a workload runs on the first one. @param starting those that the target did not initialize yet */
function cluster(
  more: Partial<EventOf<'pool'>['pool']> = {},
  node: Partial<EventOf<'node'>> = {},
  starting: readonly number[] = [],
  claimedMs = 10,
): HistoryBuilder {
  const history = new HistoryBuilder().act().pool('default', more);
  history.add({
    type: 'workload',
    workload: 'web',
    namespace: 'default',
    replicas: 1,
    truth: { kind: 'schedulable' },
    drain: 'opted-out',
    note: '',
  });
  for (const n of [1, 2, 3, 4]) {
    history.at(claimedMs).claim(`c-${n}`, 'created').at(10).launch(n, `i-${n}`).claim(`c-${n}`, 'launched', `i-${n}`);
    history.node(`n-${n}`, 'created', `i-${n}`).node(`n-${n}`, 'ready', `i-${n}`, node);
    if (!starting.includes(n)) history.claim(`c-${n}`, 'initialized', `i-${n}`);
  }
  return history.pod('web-1', 'created').pod('web-1', 'scheduled', 'n-1').pod('web-1', 'running', 'n-1').at(20);
}

const take = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history.node(`n-${n}`, 'cordoned', `i-${n}`).claim(`c-${n}`, 'terminating', `i-${n}`).node(`n-${n}`, 'terminating', `i-${n}`);
const gone = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history.instance(`i-${n}`, 'terminated').node(`n-${n}`, 'gone', `i-${n}`);
/** The target terminates the instance, but its Node stays for now. */
const end = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history
    .request(300 + n, 'ec2:TerminateInstances')
    .instance(`i-${n}`, 'shutting-down', { span: 300 + n })
    .effect(300 + n, { kind: 'applied', ids: [`i-${n}`] });
/** The only pod of the first node has left. */
const emptied = (): HistoryBuilder => take(cluster(ONE), 1).pod('web-1', 'terminating', 'n-1').pod('web-1', 'gone', 'n-1');
const warned = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history.add({ type: 'notice', instance: `i-${n}`, kind: 'spot-interruption', to: 'sent', endsInMs: 120 });
const codesOf = (check: typeof nodeBudgets, history: HistoryBuilder): string[] | undefined =>
  check.judge(createView(history.at(300).finish().events))?.findings.map(({ code }) => code);

/** Another client deletes the Node, and then the target deletes its claim. */
const lost = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history.node(`n-${n}`, 'terminating', `i-${n}`).claim(`c-${n}`, 'terminating', `i-${n}`);
/** The same at once: the Node has no finalizer. */
const vanished = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history.node(`n-${n}`, 'gone', `i-${n}`).claim(`c-${n}`, 'terminating', `i-${n}`);
/** The target deletes the Node, and then its claim. */
const removed = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history
    .request(400 + n, 'delete nodes', { object: `nodes/n-${n}` })
    .node(`n-${n}`, 'terminating', `i-${n}`)
    .effect(400 + n, { kind: 'applied', ids: [`nodes/n-${n}`] })
    .claim(`c-${n}`, 'terminating', `i-${n}`);
/** The target's deletion is refused, and another client deletes the Node. */
const refused = (history: HistoryBuilder, n: number): HistoryBuilder =>
  lost(history.request(400 + n, 'delete nodes', { object: `nodes/n-${n}` }).effect(400 + n, { kind: 'rejected', code: 'Conflict' }), n);

const close = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history
    .request(100 + n, 'patch nodes', { object: `nodes/n-${n}` })
    .node(`n-${n}`, 'cordoned', `i-${n}`)
    .effect(100 + n, { kind: 'applied', ids: [`nodes/n-${n}`] });

const ONE = { budgets: [{ nodes: '1' }] };
for (const { name, history, codes } of [
  { name: 'one after the other', history: take(gone(take(cluster(ONE), 1), 1), 2), codes: [] },
  { name: 'two at once', history: take(take(cluster(ONE), 1), 2), codes: ['node-budget-exceeded'] },
  { name: 'one while another is empty and its instance terminated', history: take(end(emptied(), 1), 2), codes: [] },
  {
    name: "one while another's instance was terminated with a pod on it",
    history: take(end(take(cluster(ONE), 1), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'one while another is empty but its instance still runs',
    history: take(emptied(), 2),
    codes: ['node-budget-exceeded'],
  },
  { name: 'two whose Nodes another client deleted', history: lost(lost(cluster(ONE), 1), 2), codes: [] },
  { name: 'two whose Nodes another client deleted at once', history: vanished(vanished(cluster(ONE), 1), 2), codes: [] },
  {
    name: 'one while another client has deleted the Node of another',
    history: take(lost(cluster(ONE), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'one while another client has deleted the Node of another that was not initialized',
    history: take(lost(cluster(ONE, {}, [1]), 1), 2),
    codes: [],
  },
  {
    name: 'one while another that is not initialized is not ready',
    history: take(cluster(ONE, {}, [4]).node('n-4', 'not-ready', 'i-4').at(30), 1),
    codes: [],
  },
  { name: 'two at once that are given up before they are initialized', history: take(take(cluster(ONE, {}, [1, 2]), 1), 2), codes: [] },
  {
    name: 'two with pods, which the target had not initialized yet',
    history: take(take(cluster(ONE, {}, [1, 2]).pod('web-2', 'created').pod('web-2', 'scheduled', 'n-2'), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  { name: 'two whose Nodes the target deleted', history: removed(removed(cluster(ONE), 1), 2), codes: ['node-budget-exceeded'] },
  { name: 'two whose Nodes the target could not delete, but another client did', history: refused(refused(cluster(ONE), 1), 2), codes: [] },
  {
    name: 'two that the target had cordoned before another client deleted their Nodes',
    history: lost(lost(close(close(cluster(ONE), 1), 2), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  { name: 'half of four', history: take(take(cluster({ budgets: [{ nodes: '50%' }] }), 1), 2), codes: [] },
  { name: 'a quarter, rounded up', history: take(take(cluster({ budgets: [{ nodes: '26%' }] }), 1), 2), codes: [] },
  {
    name: 'one while another is not ready',
    history: take(cluster(ONE).node('n-4', 'not-ready', 'i-4').at(30), 1),
    codes: ['node-budget-exceeded'],
  },
  { name: 'two that are being interrupted', history: take(take(warned(warned(cluster(ONE), 1), 2).at(30), 1), 2), codes: [] },
  {
    name: 'one while another is being interrupted',
    history: take(take(warned(cluster(ONE), 1).at(30), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  { name: 'two that are expired', history: take(take(cluster({ ...ONE, expireAfterMs: 5 }), 1), 2), codes: [] },
  { name: 'two whose claims are expired', history: take(take(cluster({ ...ONE, expireAfterMs: 15 }, {}, [], 4), 1), 2), codes: [] },
  {
    name: 'two that are not old enough yet',
    history: take(take(cluster({ ...ONE, expireAfterMs: 25 }), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'two that are old enough by the clock of the target, which a fault put ahead',
    history: take(take(cluster({ ...ONE, expireAfterMs: 25 }).arm('f', 'must-fire', { params: { byMs: 15 } }), 1), 2),
    codes: [],
  },
  {
    name: 'two that are not old enough by that clock either',
    history: take(take(cluster({ ...ONE, expireAfterMs: 25 }).arm('f', 'must-fire', { params: { byMs: 4 } }), 1), 2),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'two that are old enough, though not by the clock of the target, which a fault put back',
    history: take(take(cluster({ ...ONE, expireAfterMs: 5 }).arm('f', 'must-fire', { params: { byMs: -25 } }), 1), 2),
    codes: [],
  },
  {
    name: 'two that would have been old enough by a clock that is right again',
    history: take(
      take(
        cluster({ ...ONE, expireAfterMs: 25 })
          .arm('f', 'must-fire', { params: { byMs: 15 } })
          .heal('f'),
        1,
      ),
      2,
    ),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'all, when the pool is withdrawn',
    history: take(take(cluster(ONE).add({ type: 'pool', pool: { name: 'default', requirements: [], weight: 0 }, withdrawn: true }), 1), 2),
    codes: [],
  },
  // The trial's clock starts at 00:16:40.
  {
    name: 'while the schedule is active',
    history: take(cluster({ budgets: [{ nodes: '0', schedule: '16 0 * * *', durationMs: 60_000 }] }), 1),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'while the schedule is not active',
    history: take(cluster({ budgets: [{ nodes: '0', schedule: '17 0 * * *', durationMs: 60_000 }] }), 1),
    codes: [],
  },
  {
    name: 'for a reason that the history does not show',
    history: take(cluster({ budgets: [{ nodes: '0', reasons: ['empty'] }] }), 1),
    codes: [],
  },
  {
    name: 'beyond what the most lenient reason allows',
    history: take(
      take(
        cluster({
          budgets: [
            { nodes: '0', reasons: ['empty', 'drifted'] },
            { nodes: '1', reasons: ['underutilized'] },
          ],
        }),
        1,
      ),
      2,
    ),
    codes: ['node-budget-exceeded'],
  },
]) {
  test(`disrupted nodes: ${name}`, () => {
    expect(codesOf(nodeBudgets, history)).toEqual(codes);
  });
}

test('disrupted nodes: of two pools that allow the same instances, each node counts for the one that its label names', () => {
  const twoPools = (node: Partial<EventOf<'node'>>): HistoryBuilder => take(take(cluster(ONE, node).pool('other', ONE).at(30), 1), 2);
  const judged = (history: HistoryBuilder) => nodeBudgets.judge(createView(history.at(300).finish().events));
  expect(judged(twoPools({ pool: 'default' }))?.findings.map(({ code }) => code)).toEqual(['node-budget-exceeded']);
  expect(judged(twoPools({}))).toMatchObject({ verdict: 'unknown', findings: [] });
});

/** The first two nodes each have a pod that opted out; the target cordons both at once and tells the pods to terminate. */
function drained(more: Partial<EventOf<'pool'>['pool']> = {}): HistoryBuilder {
  const history = cluster(more).pod('web-2', 'created').pod('web-2', 'scheduled', 'n-2').pod('web-2', 'running', 'n-2');
  return evict(evict(close(close(history.at(20), 1), 2), 1), 2);
}
const evict = (history: HistoryBuilder, n: number): HistoryBuilder =>
  history
    .request(200 + n, 'create pods/eviction', { object: `pods/default/web-${n}` })
    .pod(`web-${n}`, 'terminating', `n-${n}`)
    .effect(200 + n, { kind: 'applied', ids: [`pods/default/web-${n}`] })
    .pod(`web-${n}`, 'gone', `n-${n}`);
const deleted = (history: HistoryBuilder, n: number): HistoryBuilder =>
  gone(history.claim(`c-${n}`, 'terminating', `i-${n}`).node(`n-${n}`, 'terminating', `i-${n}`), n);
const oneAfterTheOther = (history: HistoryBuilder): HistoryBuilder => deleted(deleted(history.at(60_000), 1).at(90_000), 2);
/** The same by another client, whose requests are not in the history. */
const closedByOthers = (history: HistoryBuilder): HistoryBuilder => history.node('n-1', 'cordoned', 'i-1').node('n-2', 'cordoned', 'i-2');
const uncordoned = (history: HistoryBuilder, n: number): HistoryBuilder => history.node(`n-${n}`, 'uncordoned', `i-${n}`);

for (const { name, history, codes } of [
  { name: 'drained at once and deleted one after the other', history: oneAfterTheOther(drained(ONE)), codes: ['node-budget-exceeded'] },
  { name: 'drained at once, which the budget allows', history: oneAfterTheOther(drained({ budgets: [{ nodes: '2' }] })), codes: [] },
  {
    name: 'cordoned at once and deleted one after the other',
    history: oneAfterTheOther(close(close(cluster(ONE), 1), 2)),
    codes: ['node-budget-exceeded'],
  },
  {
    name: 'emptied at once without a cordon, and deleted one after the other',
    history: oneAfterTheOther(evict(evict(cluster(ONE).pod('web-2', 'created').pod('web-2', 'scheduled', 'n-2'), 1), 2)),
    codes: ['node-budget-exceeded'],
  },
  { name: 'cordoned at once by another client', history: oneAfterTheOther(closedByOthers(cluster(ONE))), codes: [] },
  {
    name: 'cordoned at once, and one uncordoned before its final cordon',
    history: deleted(close(deleted(uncordoned(close(close(cluster(ONE), 1), 2).at(30), 2).at(60_000), 1).at(90_000), 2), 2),
    codes: [],
  },
  {
    name: 'drained at once, and one uncordoned before it is deleted without a cordon',
    history: deleted(deleted(uncordoned(drained(ONE).at(30), 2).at(60_000), 1).at(90_000), 2),
    codes: [],
  },
  { name: 'drained at once, and one uncordoned for good', history: deleted(uncordoned(drained(ONE).at(30), 2).at(60_000), 1), codes: [] },
]) {
  test(`nodes that are drained first: ${name}`, () => {
    expect(codesOf(nodeBudgets, history)).toEqual(codes);
  });
}

test('nodes that several pools allow are not judged, and the summary says so', () => {
  const history = take(take(cluster(ONE).pool('other'), 1), 2)
    .at(300)
    .finish();
  expect(nodeBudgets.judge(createView(history.events))).toMatchObject({
    verdict: 'unknown',
    summary: '0 of 0 nodes disrupted beyond the budgets; 2 more may belong to several pools and could not be judged',
  });
});

test('nodes that several pools allow count as present for each of them', () => {
  // Of four nodes, two may also belong to another pool: half of this pool is two.
  const history = cluster({ budgets: [{ nodes: '50%' }] });
  history.pool('other', { requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1b'] }] });
  for (const n of [5, 6]) {
    history.launch(n, `i-${n}`, `token-${n}`, { zone: 'us-east-1b' }).claim(`c-${n}`, 'created').claim(`c-${n}`, 'launched', `i-${n}`);
    history.node(`n-${n}`, 'created', `i-${n}`).node(`n-${n}`, 'ready', `i-${n}`);
  }
  expect(codesOf(nodeBudgets, take(take(take(history, 1), 2), 3))).toEqual([]);
});

test('pools without budgets are not judged', () => {
  expect(codesOf(nodeBudgets, cluster())).toBeUndefined();
});

for (const { name, history, codes } of [
  { name: 'its node is disrupted', history: take(cluster(), 1), codes: ['opted-out-pod-disturbed'] },
  { name: 'another node is disrupted', history: take(cluster(), 2), codes: [] },
  {
    name: 'its node is disrupted since its pool has changed, which sets a deadline for drains',
    history: take(cluster({ terminationGracePeriodMs: 60_000 }).pool('default', { weight: 1 }), 1),
    codes: [],
  },
  {
    name: 'its node is disrupted although its pool, which sets a deadline for drains, has not changed',
    history: take(cluster({ terminationGracePeriodMs: 60_000 }), 1),
    codes: ['opted-out-pod-disturbed'],
  },
  {
    name: 'its node is disrupted since its pool has changed and now sets a deadline for drains',
    history: take(cluster().pool('default', { terminationGracePeriodMs: 60_000 }), 1),
    codes: ['opted-out-pod-disturbed'],
  },
  {
    name: 'its node is disrupted when it is already terminating',
    history: take(cluster().pod('web-1', 'terminating', 'n-1'), 1),
    codes: [],
  },
  {
    name: 'its node is disrupted when it has finished',
    history: take(cluster().pod('web-1', 'ended', 'n-1', 'Succeeded'), 1),
    codes: [],
  },
  {
    name: 'its node is disrupted after it has failed, of which the target may be the cause',
    history: take(cluster().pod('web-1', 'ended', 'n-1', 'Failed'), 1),
    codes: ['opted-out-pod-disturbed'],
  },
  {
    name: 'it finishes when its node is already disrupted',
    history: take(cluster(), 1).pod('web-1', 'ended', 'n-1', 'Succeeded'),
    codes: ['opted-out-pod-disturbed'],
  },
  { name: 'another client deletes its Node', history: lost(cluster(), 1), codes: [] },
  { name: 'the target deletes its Node', history: removed(cluster(), 1), codes: ['opted-out-pod-disturbed'] },
  { name: 'its node is being interrupted', history: take(warned(cluster(), 1).at(30), 1), codes: [] },
  {
    name: 'it is evicted before its node is deleted',
    history: oneAfterTheOther(drained()),
    codes: ['opted-out-pod-disturbed', 'opted-out-pod-disturbed'],
  },
  {
    name: 'it is evicted before its node is interrupted',
    history: deleted(warned(drained(), 1).at(30), 1),
    codes: ['opted-out-pod-disturbed'],
  },
  { name: 'it is evicted when its node is being interrupted', history: deleted(evict(warned(cluster(), 1).at(30), 1), 1), codes: [] },
  {
    name: 'another client evicts it before its node is deleted',
    history: deleted(close(cluster(), 1).pod('web-1', 'terminating', 'n-1').pod('web-1', 'gone', 'n-1').at(60), 1),
    codes: [],
  },
]) {
  test(`a pod that opted out: ${name}`, () => {
    expect(codesOf(optOuts, history)).toEqual(codes);
  });
}

/** The target deletes the claim. */
const taken = (history: HistoryBuilder, n: number): HistoryBuilder =>
  take(history.request(500 + n, 'delete nodeclaims', { object: `nodeclaims/c-${n}` }), n).effect(500 + n, {
    kind: 'applied',
    ids: [`nodeclaims/c-${n}`],
  });
/** The target has not initialized the first node, where a pod is, nor the fourth. A user marks one as do-not-disrupt at 50 ms; bound launch-lag is 20 ms. */
const marked = (n = 1): HistoryBuilder => cluster({}, {}, [1, 4]).at(50).node(`n-${n}`, 'opted-out', `i-${n}`);
for (const { name, history, codes } of [
  { name: 'it is disrupted', history: taken(marked().at(71), 1), codes: ['opted-out-node-disturbed'] },
  { name: 'it is disrupted before the target can know', history: taken(marked().at(70), 1), codes: [] },
  {
    name: 'it is disrupted after the mark was removed',
    history: taken(marked().at(60).node('n-1', 'opted-in', 'i-1').at(90), 1),
    codes: [],
  },
  { name: 'another one is disrupted', history: taken(marked().at(90), 2), codes: [] },
  { name: 'it is being interrupted', history: taken(warned(marked(), 1).at(90), 1), codes: [] },
  { name: 'somebody else deletes its claim', history: take(marked().at(90), 1), codes: [] },
  {
    name: 'the mark may have been hidden',
    history: taken(marked().arm('f').request(90, 'watch nodes').fire('f', 90).at(90), 1),
    codes: [],
  },
  { name: 'it is one of a fixed number', history: taken(marked().pool('default', { replicas: 1 }).at(90), 1), codes: [] },
  { name: 'somebody else deletes it', history: lost(marked().at(90), 1), codes: [] },
  { name: 'it has no pods', history: taken(marked(2).at(71), 2), codes: ['opted-out-node-disturbed'] },
  { name: 'it has no pods and is given up before it is initialized', history: taken(marked(4).at(71), 4), codes: [] },
]) {
  test(`a node that opted out: ${name}`, () => {
    // The pod of the other tests has opted out as well.
    expect(codesOf(optOuts, history)?.filter((code) => code === 'opted-out-node-disturbed')).toEqual(codes);
  });
}

const kept = (): HistoryBuilder => cluster().expect({ kind: 'kept', bound: 'provision' }).at(50);
for (const { name, history, codes } of [
  { name: 'none is disrupted', history: kept(), codes: [] },
  { name: 'one is disrupted', history: take(kept(), 2), codes: ['node-taken'] },
  { name: 'one is disrupted after the bound', history: take(kept().at(130), 2), codes: [] },
  { name: 'another client deletes the Node of one', history: lost(kept(), 2), codes: [] },
  { name: 'the target deletes the Node of one', history: removed(kept(), 2), codes: ['node-taken'] },
  { name: 'one is disrupted that was being interrupted', history: take(warned(kept(), 2).at(60), 2), codes: [] },
]) {
  test(`nodes that must be kept: ${name}`, () => {
    expect(codesOf(undisturbed, history)).toEqual(codes);
  });
}

const moving = (): HistoryBuilder => cluster().expect({ kind: 'never-without-node', workload: 'web' }).at(50).pod('web-2', 'created');
for (const { name, history, codes } of [
  { name: 'it is scheduled', history: moving().pod('web-2', 'scheduled', 'n-2'), codes: [] },
  { name: 'it is unschedulable', history: moving().pod('web-2', 'unschedulable'), codes: ['pod-without-node'] },
]) {
  test(`a pod that replaces one that moved: ${name}`, () => {
    expect(codesOf(undisturbed, history)).toEqual(codes);
  });
}
