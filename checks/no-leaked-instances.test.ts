import { expect, test } from '@playwright/test';
import { createView } from '../history/view.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { noLeakedInstances } from './no-leaked-instances.ts';

const GAP_MS = 1_000;

function judge(builder: HistoryBuilder): ReturnType<typeof noLeakedInstances.judge> {
  return noLeakedInstances.judge(createView(builder.events));
}

function codes(builder: HistoryBuilder): (readonly [string, string])[] | undefined {
  return judge(builder)?.findings.map(({ code, object }) => [code, object] as const);
}

test('nothing to judge when the target launched nothing', () => {
  expect(judge(new HistoryBuilder().act().instance('i-other', 'running').finish())).toBeUndefined();
});

test("where an observer sees no requests, every instance of the cluster is the target's", () => {
  const observed = new HistoryBuilder(['instances.observe', 'objects.observe']).act().at(10).instance('i-1', 'running').finish();
  expect(codes(observed)).toContainEqual(['leaked-instance', 'instance/i-1']);
  expect(judge(observed)?.findings.at(-1)?.message).toContain('by a request that was not observed');
});

test('an instance that becomes a node and is terminated passes', () => {
  expect(judge(soundHistory())).toMatchObject({
    verdict: 'pass',
    measurements: [{ bound: { name: 'instance-without-node' }, worst: 40, object: 'instance/i-1' }, { bound: { name: 'teardown' } }],
  });
});

test('live after the last phase, with or without a node: leaked', () => {
  const builder = new HistoryBuilder()
    .act()
    .at(10)
    .launch(1, 'i-node')
    .launch(2, 'i-lost')
    .at(20)
    .node('n', 'created', 'i-node')
    .at(100)
    .finish();
  expect(codes(builder)).toEqual([
    ['leaked-instance', 'instance/i-node'],
    ['leaked-instance', 'instance/i-lost'],
  ]);
  const [node, lost] = judge(builder)?.findings ?? [];
  expect(node?.message).toBe(
    'Instance i-node (on-demand m6i.large in us-east-1a, launched at 0 s by ec2:CreateFleet, incarnation 1, token token-1) is still live after ' +
      'all workloads and pools were removed. It is node n; no claim referred to it.',
  );
  expect(lost?.message).toContain('It never became a node; no claim referred to it.');
});

test('an instance that is terminating when the trial is over is not leaked; one that terminates later is', () => {
  expect(codes(new HistoryBuilder().act().launch(1, 'i-1').at(50).instance('i-1', 'shutting-down').finish())).toEqual([]);
  const late = new HistoryBuilder().act().launch(1, 'i-1').at(50).finish().at(60).instance('i-1', 'terminated');
  expect(codes(late)).toEqual([['leaked-instance', 'instance/i-1']]);
});

test('an instance without a node passes exactly at the bound, and fails a millisecond later', () => {
  const lives = (ms: number): HistoryBuilder =>
    new HistoryBuilder()
      .act()
      .at(10)
      .launch(1, 'i-1')
      .at(10 + ms)
      .instance('i-1', 'terminated')
      .finish();
  expect(codes(lives(GAP_MS))).toEqual([]);
  expect(codes(lives(GAP_MS + 1))).toEqual([['nodeless-instance', 'instance/i-1']]);
});

test('a Node without a provider id does not count for any instance', () => {
  const builder = new HistoryBuilder().act().launch(1, 'i-1').at(10).node('n', 'created').at(2_000).instance('i-1', 'terminated').finish();
  expect(codes(builder)).toEqual([['nodeless-instance', 'instance/i-1']]);
});

test('an instance that is live after its node was deleted is orphaned', () => {
  const builder = new HistoryBuilder().act().launch(1, 'i-1').at(10).node('n', 'created', 'i-1').at(500).node('n', 'gone', 'i-1');
  expect(codes(builder.at(1_501).instance('i-1', 'terminated').finish())).toEqual([['orphaned-instance', 'instance/i-1']]);
  expect(judge(builder)?.findings[0]?.message).toContain('stayed live without its node n, which was removed at 0.5 s, for 1 s');
});

test('a fault on requests to AWS extends the bound, one on requests to Kubernetes does not', () => {
  const hindered = (operation: string, endMs: number): HistoryBuilder =>
    new HistoryBuilder()
      .act()
      .arm('f')
      .launch(1, 'i-1')
      .at(500)
      .request(2, operation)
      .fire('f', 2)
      .at(endMs)
      .instance('i-1', 'terminated')
      .heal('f')
      .finish();
  const nodeless = [['nodeless-instance', 'instance/i-1']];
  expect(codes(hindered('ec2:TerminateInstances', 1_500))).toEqual([]);
  expect(codes(hindered('ec2:TerminateInstances', 1_501))).toEqual(nodeless);
  expect(codes(hindered('list pods', 1_001))).toEqual(nodeless);
});

test('while the target could not record what it launched, a fault on requests to Kubernetes extends the bound', () => {
  const recorded = (linkedMs: number, endMs: number): HistoryBuilder =>
    new HistoryBuilder()
      .act()
      .arm('f')
      .claim('c', 'created')
      .launch(1, 'i-1')
      .at(500)
      .request(2, 'patch nodeclaims')
      .fire('f', 2)
      .at(linkedMs)
      .claim('c', 'launched', 'i-1')
      .at(endMs)
      .instance('i-1', 'terminated')
      .heal('f')
      .finish();
  const nodeless = [['nodeless-instance', 'instance/i-1']];
  expect(codes(recorded(600, 1_500))).toEqual([]);
  expect(codes(recorded(600, 1_501))).toEqual(nodeless);
  expect(codes(recorded(1_200, 1_500))).toEqual(nodeless);
});

test('a history that ends early: what is overdue is a finding, the rest is unknown', () => {
  const builder = new HistoryBuilder().act().launch(1, 'i-1').at(GAP_MS).said('.');
  expect(judge(builder)).toMatchObject({ verdict: 'unknown', findings: [] });
  expect(judge(builder.at(GAP_MS + 1).said('.'))).toMatchObject({ verdict: 'fail', findings: [{ code: 'nodeless-instance' }] });
});

test('without a bound it is unknown, but findings that need no bound are still made', () => {
  const builder = new HistoryBuilder().act().launch(1, 'i-1').finish();
  const lacking = new HistoryBuilder();
  for (const { i: _i, t, ...event } of builder.events) {
    if (event.type !== 'bound' || event.bound.name !== 'instance-without-node') lacking.at(t).add(event);
  }
  expect(judge(lacking)).toMatchObject({
    verdict: 'fail',
    summary: 'the history has no bound "instance-without-node"; 1 live when the trial was over',
  });
});

test('a finding says why the instance could not become a node, if the world reported it', () => {
  const report = { about: 'instance/i-1', level: 'warn', reason: 'NeverRegisters', principal: 'node' } as const;
  const builder = new HistoryBuilder().act().launch(1, 'i-1').at(50).said('it has no user data', report).finish();
  expect(judge(builder)?.findings[0]?.message).toMatch(/It never became a node; .* It could not become a node: it has no user data\.$/);
});
