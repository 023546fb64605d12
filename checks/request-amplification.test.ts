import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { requestAmplification } from './request-amplification.ts';

/** Three times a minute is allowed. */
const begun = (): HistoryBuilder => new HistoryBuilder().act().countBound('repeats-a-minute', 3).countBound('empty-answers-a-minute', 2);

function sent(times: readonly number[], more: Parameters<HistoryBuilder['request']>[2] = {}): HistoryBuilder {
  const history = begun();
  times.forEach((ms, index) => history.at(ms).request(index + 1, 'ec2:CreateFleet', { input: { ClientToken: 'a' }, ...more }));
  return history;
}

for (const { name, history, worst, verdict } of [
  { name: 'three times in a minute', history: sent([0, 10, 59_999]), worst: 3, verdict: 'pass' },
  { name: 'a fourth time in the minute', history: sent([0, 10, 20, 59_999]), worst: 4, verdict: 'fail' },
  { name: 'a fourth time when the minute is over', history: sent([0, 10, 20, 60_000]), worst: 3, verdict: 'pass' },
  { name: 'reads', history: sent([0, 1, 2, 3, 4], { mutating: false }), worst: undefined, verdict: 'pass' },
]) {
  test(`the same request: ${name}`, () => {
    const result = requestAmplification.judge(createView(history.at(100_000).finish().events));
    expect(result?.verdict).toBe(verdict);
    expect(result?.measurements[0]?.worst).toBe(worst);
  });
}

test('requests for different objects are different; all launches count as the same', () => {
  const history = begun();
  for (let index = 0; index < 10; index += 1) history.request(index, 'delete pods', { object: `pods/default/${index}` });
  for (let index = 10; index < 13; index += 1)
    history.request(index, 'ec2:CreateFleet', { input: { ClientToken: String(index), Type: index } });
  const result = requestAmplification.judge(createView(history.at(10).finish().events));
  expect(result?.measurements[0]?.worst).toBe(3);
});

for (const { what, operation, status, verdict } of [
  { what: 'a busy API server asks for', operation: 'delete nodeclaims', status: 429, verdict: 'pass' },
  { what: 'another error brings', operation: 'delete nodeclaims', status: 500, verdict: 'fail' },
  { what: 'a refused eviction brings', operation: 'create pods/eviction', status: 429, verdict: 'fail' },
] as const) {
  test(`repetitions that ${what}`, () => {
    const history = begun().countBound('repeats-asked-for-a-minute', 5);
    for (let span = 0; span < 5; span += 1)
      history.at(span).request(span, operation, { object: 'a/b' }).add({ type: 'request.end', span, outcome: 'fail', status });
    expect(requestAmplification.judge(createView(history.at(100_000).finish().events))?.verdict).toBe(verdict);
  });
}

test('a restart begins anew: a backoff is lost with its process', () => {
  const history = sent([0, 10, 20]);
  for (let span = 4; span < 7; span += 1)
    history.at(span * 10).request(span, 'ec2:CreateFleet', { input: { ClientToken: 'a' }, incarnation: 2 });
  const result = requestAmplification.judge(createView(history.at(100_000).finish().events));
  expect([result?.verdict, result?.measurements[0]?.worst]).toEqual(['pass', 3]);
});

test('successful requests are not repetitions', () => {
  const history = begun();
  for (let index = 0; index < 10; index += 1) {
    history
      .request(index, 'create nodeclaims', { input: { a: 1 } })
      .effect(index, { kind: 'applied', ids: [] })
      .answer(index, 'ok');
  }
  expect(requestAmplification.judge(createView(history.at(10).finish().events))?.measurements[0]?.worst).toBeUndefined();
});

const worstOf = (history: HistoryBuilder, bound = 0): number | undefined =>
  requestAmplification.judge(createView(history.at(100_000).finish().events))?.measurements[bound]?.worst;

test('changes without an effect count as unsuccessful: fleets without an instance', () => {
  const history = begun();
  for (let index = 0; index < 7; index += 1) {
    history
      .request(index, 'ec2:CreateFleet', { input: { ClientToken: 'a' } })
      .effect(index, { kind: 'none' })
      .answer(index, 'ok');
  }
  expect(worstOf(history, 1)).toBe(7);
});

test('throttled reads of AWS count as unsuccessful; other reads are polls', () => {
  const history = begun();
  for (let index = 0; index < 6; index += 1) {
    history.request(index, 'ec2:DescribeInstances', { mutating: false }).answer(index, 'fail', 'RequestLimitExceeded');
    history.request(100 + index, 'get nodes', { mutating: false }).answer(100 + index, 'fail', 'TooManyRequests');
  }
  expect(worstOf(history)).toBe(6);
});

test('failed receives from a queue count as unsuccessful, however many launches are needed', () => {
  const history = begun();
  for (let index = 0; index < 3; index += 1) history.pod(`web-${index}`, 'created').launch(50 + index, `i-${index}`);
  for (let index = 0; index < 6; index += 1) {
    const outcome = index < 2 ? 'ok' : 'fail';
    history.request(index, 'sqs:ReceiveMessage', { wire: 'aws', mutating: false }).answer(index, outcome, 'ServiceUnavailable');
  }
  expect(worstOf(history)).toBe(4);
});

/** Twelve unsuccessful launches, with four tokens or none, while pods are pending; some launches succeed. */
const launches = ({ pods, launched, token = true }: { pods: number; launched: number; token?: boolean }): HistoryBuilder => {
  const history = begun();
  for (let index = 0; index < pods; index += 1) history.pod(`web-${index}`, 'created');
  for (let index = 0; index < 12; index += 1) {
    history.request(index, 'ec2:CreateFleet', { input: token ? { ClientToken: String(index % 4) } : {} });
  }
  for (let index = 0; index < launched; index += 1) history.launch(50 + index, `i-${index}`);
  return history;
};

for (const { what, history, worst } of [
  { what: 'nothing is pending', history: launches({ pods: 0, launched: 4 }), worst: 12 },
  { what: 'two pods are pending', history: launches({ pods: 2, launched: 4 }), worst: 6 },
  { what: 'many are pending, and each of the four tokens is sent three times', history: launches({ pods: 9, launched: 9 }), worst: 3 },
  { what: 'many are pending, and two nodes were enough for them', history: launches({ pods: 9, launched: 2 }), worst: 6 },
  { what: 'none has a token', history: launches({ pods: 4, launched: 4, token: false }), worst: 3 },
]) {
  test(`launches are allowed once per needed launch: ${what}`, () => {
    expect(worstOf(history)).toBe(worst);
  });
}

test('claims without an instance need launches, even if none ever succeeds, but no more than pods wait', () => {
  const history = begun();
  for (const pod of ['web-1', 'web-2', 'web-3']) history.pod(pod, 'created');
  for (const claim of ['a', 'b', 'c', 'd']) history.claim(claim, 'created');
  for (let index = 0; index < 6; index += 1) history.request(index, 'ec2:CreateFleet', { input: { ClientToken: String(index) } });
  expect(worstOf(history)).toBe(2);
});

test('so do those of a pool of fixed size, but no more than it is to have', () => {
  const history = begun().add({ type: 'pool', pool: { name: 'fixed', requirements: [], weight: 0, replicas: 2 } });
  for (const claim of ['a', 'b', 'c', 'd']) history.claim(claim, 'created');
  for (let index = 0; index < 6; index += 1) history.request(index, 'ec2:CreateFleet', { input: { ClientToken: String(index) } });
  expect(worstOf(history)).toBe(3);
});

test('equal creations of claims, whose names the API server generates, are allowed once for each needed launch; others are not', () => {
  const created = (operation: string, metadata: { readonly name?: string; readonly generateName?: string }): HistoryBuilder => {
    const history = begun();
    for (const pod of ['web-1', 'web-2', 'web-3']) history.pod(pod, 'created');
    for (let index = 0; index < 12; index += 1) history.request(index, operation, { input: { metadata } });
    for (let index = 0; index < 3; index += 1) history.launch(50 + index, `i-${index}`);
    return history;
  };
  const generated = { generateName: 'a-' };
  expect(worstOf(created('create nodeclaims', generated))).toBe(4);
  expect(worstOf(created('create nodeclaims', { name: 'a-1' }))).toBe(12);
  expect(worstOf(created('create configmaps', generated))).toBe(12);
});

/** Unsuccessful fleets for so many instances each, within a minute, while four of the pending pods need a node each. */
const fleets = (...sizes: readonly number[]): HistoryBuilder => {
  const history = begun();
  for (let index = 0; index < 6; index += 1) history.pod(`web-${index}`, 'created');
  sizes.forEach((size, index) => {
    const input = { ClientToken: String(index), TargetCapacitySpecification: { TotalTargetCapacity: size } };
    history.request(index, 'ec2:CreateFleet', { input });
  });
  for (let index = 0; index < 4; index += 1) history.launch(50 + index, `i-${index}`);
  return history;
};

for (const { what, sizes, rounds } of [
  { what: 'one request for all is a round', sizes: [4, 4, 4, 4], rounds: 4 },
  { what: 'so is one for more than were needed', sizes: [20, 20, 20, 20], rounds: 4 },
  { what: 'one request for each, too, and for two each', sizes: [1, 1, 1, 1, 2, 2], rounds: 2 },
  { what: 'a number that is none counts once', sizes: [Number.NaN, 0, -1, 1], rounds: 1 },
]) {
  test(`rounds of launches are counted: ${what}`, () => {
    expect(worstOf(fleets(...sizes))).toBe(rounds);
  });
}
