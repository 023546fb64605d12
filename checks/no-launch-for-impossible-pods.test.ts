import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { noLaunchForImpossiblePods } from './no-launch-for-impossible-pods.ts';

const LAG_MS = 20;

/** An impossible pod from 100 on, and a workload that can be served. */
function begun(): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .workload('big', 1, { kind: 'impossible', why: 'no type is large enough' })
    .workload('web')
    .expect({ kind: 'no-launch-for', workload: 'big' })
    .at(100)
    .pod('big-1', 'created');
}

function judge(builder: HistoryBuilder): ReturnType<typeof noLaunchForImpossiblePods.judge> {
  return noLaunchForImpossiblePods.judge(createView(builder.events));
}

test('nothing to judge without an expectation', () => {
  expect(judge(new HistoryBuilder().act().launch(1, 'i-1').finish())).toBeUndefined();
});

test('no launch at all passes', () => {
  expect(judge(begun().at(500).finish())).toMatchObject({ verdict: 'pass', summary: '0 of 0 launches only for pods of big' });
});

test('a launch while only impossible pods are pending', () => {
  const builder = begun().at(200).launch(1, 'i-1').at(500).finish();
  expect(judge(builder)).toMatchObject({ verdict: 'fail', findings: [{ code: 'launch-for-impossible-pod', object: 'instance/i-1' }] });
  expect(judge(builder)?.findings[0]?.message).toContain('waiting: default/big-1.');
});

for (const { what, truth } of [
  { what: 'malformed', truth: { kind: 'malformed', why: 'x', field: 'maxSkew' } },
  { what: 'impossible', truth: { kind: 'impossible', why: 'x' } },
] as const) {
  test(`pods that are ${what} are no reason for a launch, if a scenario expects it`, () => {
    const builder = begun().workload('odd', 1, truth).pod('odd-1', 'created').at(200).launch(1, 'i-1').at(500).finish();
    expect(judge(builder)?.verdict).toBe('fail');
  });
}

for (const { what, builder } of [
  { what: 'a pod is pending that a launch can help', builder: begun().at(150).pod('web-1', 'created').at(200).launch(1, 'i-1') },
  {
    what: 'such a pod can be helped after the heal',
    builder: begun().workload('later', 1, { kind: 'schedulable-after-heal', why: 'x' }).pod('later-1', 'created').at(200).launch(1, 'i-1'),
  },
  {
    what: 'a pod without a known workload is pending',
    builder: begun().add({ type: 'pod', pod: 'kube-system/dns', uid: 'dns', to: 'created' }).at(200).launch(1, 'i-1'),
  },
  {
    what: 'such a pod was scheduled within the lag',
    builder: begun()
      .pod('web-1', 'created')
      .at(200 - LAG_MS)
      .pod('web-1', 'scheduled')
      .at(200)
      .launch(1, 'i-1'),
  },
  {
    what: 'such a pod was deleted within the lag',
    builder: begun().pod('web-1', 'created').at(190).pod('web-1', 'terminating').at(200).launch(1, 'i-1'),
  },
  {
    what: 'an earlier claim has no instance yet',
    builder: begun().pod('web-1', 'created').at(110).claim('c', 'created').pod('web-1', 'terminating').at(400).launch(1, 'i-1'),
  },
  {
    what: 'it was already tried with the same token',
    builder: begun()
      .pod('web-1', 'created')
      .at(110)
      .request(1, 'ec2:CreateFleet', { input: { ClientToken: 'same' } })
      .pod('web-1', 'terminating')
      .at(400)
      .launch(2, 'i-1', 'same'),
  },
  { what: 'no impossible pod exists any more', builder: begun().pod('big-1', 'gone').at(400).launch(1, 'i-1') },
]) {
  test(`legal: ${what}`, () => {
    expect(judge(builder.at(500).finish())).toMatchObject({ verdict: 'pass', findings: [] });
  });
}

test('just outside the lag', () => {
  const builder = begun()
    .pod('web-1', 'created')
    .at(199 - LAG_MS)
    .pod('web-1', 'scheduled')
    .at(200)
    .launch(1, 'i-1')
    .at(500)
    .finish();
  expect(judge(builder)?.verdict).toBe('fail');
});

test('a history that ends early: a finding stands, without one it is unknown', () => {
  expect(judge(begun().at(200))?.verdict).toBe('unknown');
  expect(judge(begun().at(200).launch(1, 'i-1'))?.verdict).toBe('fail');
});

for (const { what, tags, verdict } of [
  { what: 'its tag names that pool', tags: { 'karpenter.sh/nodepool': 'fixed' }, verdict: 'pass' },
  { what: 'it has no such tag', tags: {}, verdict: 'pass' },
  { what: 'its tag names another pool', tags: { 'karpenter.sh/nodepool': 'other' }, verdict: 'fail' },
] as const) {
  test(`a launch that may be for a pool of fixed size: ${what}`, () => {
    const builder = begun().pool('other').pool('fixed', { replicas: 2 }).at(200).launch(1, 'i-1', 'token', { tags }).at(500).finish();
    expect(judge(builder)?.verdict).toBe(verdict);
  });
}
