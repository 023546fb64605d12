import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { LABEL } from '../model/kube.ts';
import { launchesWithinPools } from './launches-within-pools.ts';

const ON_DEMAND = [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] }];
const ONLY = (type: string) => [{ key: LABEL.instanceType, operator: 'In', values: [type] }];

const pooled = (): HistoryBuilder => new HistoryBuilder().act().pool('default', { requirements: ON_DEMAND });
/** Both pools allow anything on demand, each of its own type. */
const weighted = (): HistoryBuilder =>
  new HistoryBuilder()
    .act()
    .pool('large', { requirements: ONLY('m6i.large') })
    .pool('other', { requirements: ONLY('c6i.large') })
    .add({ type: 'expectation', expectation: { kind: 'launched-from', pool: 'large' } });

for (const { name, history, codes } of [
  { name: 'an instance that the pool allows', history: pooled().launch(1, 'i-1'), codes: [] },
  {
    name: 'spot from a pool of on-demand capacity',
    history: pooled().launch(1, 'i-1', 't', { capacityType: 'spot' }),
    codes: ['launch-outside-pools'],
  },
  {
    name: 'a zone that the pool excludes',
    history: pooled()
      .pool('zonal', { requirements: [{ key: LABEL.zone, operator: 'NotIn', values: ['us-east-1a'] }] })
      .launch(1, 'i-1', 't', { capacityType: 'spot' }),
    codes: ['launch-outside-pools'],
  },
  {
    name: 'an architecture that the pool does not allow',
    history: new HistoryBuilder()
      .act()
      .pool('default', { requirements: [{ key: LABEL.arch, operator: 'In', values: ['amd64'] }] })
      .launch(1, 'i-1', 't', { instanceType: 'm6g.large', arch: 'arm64' }),
    codes: ['launch-outside-pools'],
  },
  { name: 'the pool that had to be used', history: weighted().launch(1, 'i-1'), codes: [] },
  {
    name: 'the other pool',
    history: weighted().launch(1, 'i-1', 't', { instanceType: 'c6i.large' }),
    codes: ['launch-from-wrong-pool'],
  },
  {
    name: 'the other pool, once that has to be used',
    history: weighted()
      .add({ type: 'expectation', expectation: { kind: 'launched-from', pool: 'other' } })
      .launch(1, 'i-1', 't', { instanceType: 'c6i.large' }),
    codes: [],
  },
  {
    name: 'requested before the pool was named',
    history: pooled()
      .pool('spot', { requirements: [] })
      .request(1, 'ec2:CreateFleet')
      .add({ type: 'expectation', expectation: { kind: 'launched-from', pool: 'default' } })
      .instance('i-1', 'pending', { span: 1, capacityType: 'spot' }),
    codes: [],
  },
]) {
  test(`launched: ${name}`, () => {
    const result = launchesWithinPools.judge(createView(history.at(10).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
    expect(result?.verdict).toBe(codes.length === 0 ? 'pass' : 'fail');
  });
}

test('a history without pools is not judged', () => {
  expect(launchesWithinPools.judge(createView(new HistoryBuilder().act().launch(1, 'i-1').finish().events))).toBeUndefined();
});
