import { expect, test } from '@playwright/test';
import type { EventOf } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { refusedOfferings } from './refused-offerings.ts';

type Input = EventOf<'request.start'>['input'];

/** A fleet that names types in zone a, by zone and subnet like the reference. */
function fleet(token: string, types: readonly string[], capacityType = 'on-demand'): Input {
  const Overrides = types.map((InstanceType) => ({ InstanceType, AvailabilityZone: 'a', SubnetId: 'subnet-a' }));
  return {
    LaunchTemplateConfigs: [{ Overrides }],
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: capacityType },
    ClientToken: token,
  };
}

const SUBNET_ONLY = {
  LaunchTemplateConfigs: [{ Overrides: [{ InstanceType: 'm6i.large', SubnetId: 'subnet-a' }] }],
  TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand' },
};
const RUN = { InstanceType: 'm6i.large', SubnetId: 'subnet-a' };
const REFUSED = [{ instanceType: 'm6i.large', zone: 'a', subnet: 'subnet-a', capacityType: 'on-demand' }] as const;

/** At 100, a launch of two types is told that there is no capacity of the first. The bounds are 200 to avoid it and 20 to send a launch. */
function refused(outcome: EventOf<'request.end'>['outcome'] = 'ok'): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .add({ type: 'bound', bound: { name: 'masked-offering', value: 200, unit: 'ms', formula: '200', reason: 'by hand', least: true } })
    .at(90)
    .request(1, 'ec2:CreateFleet', { input: fleet('t-1', ['m6i.large', 'm7i.large']) })
    .effect(1, { kind: 'none' })
    .at(100)
    .add({ type: 'request.end', span: 1, outcome, ...(outcome === 'ok' ? { refused: [...REFUSED] } : {}) });
}

function asks(history: HistoryBuilder, atMs: number, input: Input = fleet('t-2', ['m6i.large', 'm7i.large'])): HistoryBuilder {
  return history.at(atMs).request(2, 'ec2:CreateFleet', { input }).effect(2, { kind: 'none' }).answer(2, 'ok');
}

const AGAIN = ['refused-offering-asked-again'];

for (const { name, history, codes } of [
  { name: 'it is avoided until the bound', history: asks(refused(), 300), codes: [] },
  { name: 'requested a moment too early', history: asks(refused(), 299), codes: AGAIN },
  { name: 'a launch that may have been decided before', history: asks(refused(), 120), codes: [] },
  { name: 'a launch that was decided afterwards', history: asks(refused(), 121), codes: AGAIN },
  { name: 'alone', history: asks(refused(), 150, fleet('t-2', ['m6i.large'])), codes: AGAIN },
  { name: 'named by its subnet only', history: asks(refused(), 150, SUBNET_ONLY), codes: AGAIN },
  { name: 'another type', history: asks(refused(), 150, fleet('t-2', ['m7i.large'])), codes: [] },
  { name: 'spot, when there was none on demand', history: asks(refused(), 150, fleet('t-2', ['m6i.large'], 'spot')), codes: [] },
  { name: 'the same launch repeated', history: asks(refused(), 150, fleet('t-1', ['m6i.large', 'm7i.large'])), codes: [] },
  { name: 'a response that was lost', history: asks(refused('info'), 150), codes: [] },
  {
    name: 'another life of the target',
    history: refused()
      .at(150)
      .request(2, 'ec2:CreateFleet', { input: fleet('t-2', ['m6i.large']), incarnation: 2 })
      .answer(2, 'ok'),
    codes: [],
  },
  {
    name: 'sent before the response arrived',
    history: refused()
      .at(95)
      .request(3, 'ec2:CreateFleet', { input: fleet('t-3', ['m6i.large']) })
      .at(150)
      .answer(3, 'ok'),
    codes: [],
  },
  {
    name: 'an instance of it was launched in between',
    history: asks(refused().at(110).launch(3, 'i-3', 't-3', { instanceType: 'm6i.large', zone: 'a', capacityType: 'on-demand' }), 150),
    codes: [],
  },
  {
    name: 'a fault delayed requests',
    history: asks(refused().arm('f-1').at(115).add({ type: 'fault.fired', fault: 'f-1' }), 135),
    codes: [],
  },
  {
    name: 'a fault delayed requests, long ago',
    history: asks(refused().arm('f-1').at(115).add({ type: 'fault.fired', fault: 'f-1' }), 136),
    codes: AGAIN,
  },
  {
    name: 'the fault that refuses does not delay anything',
    history: asks(refused().arm('f-1').at(100).add({ type: 'fault.fired', fault: 'f-1', span: 1 }), 121),
    codes: AGAIN,
  },
  {
    name: 'the first refusal counts, even if it is repeated',
    history: asks(
      refused()
        .at(115)
        .request(3, 'ec2:CreateFleet', { input: fleet('t-3', ['m6i.large']) })
        .add({ type: 'request.end', span: 3, outcome: 'ok', refused: [...REFUSED] }),
      130,
    ),
    codes: AGAIN,
  },
  {
    name: 'a single instance is refused, and requested again',
    history: refused()
      .at(400)
      .request(3, 'ec2:RunInstances', { input: RUN })
      .answer(3, 'fail', 'InsufficientInstanceCapacity')
      .at(450)
      .request(4, 'ec2:RunInstances', { input: RUN }),
    codes: AGAIN,
  },
  {
    name: 'a single instance is refused for another reason',
    history: refused()
      .at(400)
      .request(3, 'ec2:RunInstances', { input: RUN })
      .answer(3, 'fail', 'VcpuLimitExceeded')
      .at(450)
      .request(4, 'ec2:RunInstances', { input: RUN }),
    codes: [],
  },
]) {
  test(`${name}: ${codes.join(', ') || 'nothing found'}`, () => {
    const result = refusedOfferings.judge(createView(history.at(500).finish().events));
    expect(result?.findings.map(({ code, object }) => [code, object.startsWith('ec2:')]) ?? []).toEqual(codes.map((code) => [code, true]));
  });
}

test('repeated requests are measured, and nothing is judged without a refusal', () => {
  const measured = refusedOfferings.judge(createView(asks(refused(), 310).finish().events));
  expect(measured).toMatchObject({ verdict: 'pass', measurements: [{ worst: 210, object: 'ec2:CreateFleet' }] });
  expect(refusedOfferings.judge(createView(new HistoryBuilder().act().launch(1, 'i-1').finish().events))).toBeUndefined();
});
