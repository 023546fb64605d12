import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { interruptionHandled } from './interruption-handled.ts';

const SPOT = { capacityType: 'spot' } as const;

/** A pod runs on a spot instance, whose interruption is delivered at 100; the bounds are 30 to react and 200 to avoid the offering. */
function warned(
  features: readonly string[] = ['interruption'],
  /** What happens before the delivery. */
  meanwhile = (history: HistoryBuilder): HistoryBuilder => history,
): HistoryBuilder {
  const sent = new HistoryBuilder()
    .begin()
    .add(
      { type: 'bound', bound: { name: 'interruption', value: 30, unit: 'ms', formula: '30', reason: 'by hand' } },
      { type: 'bound', bound: { name: 'masked-offering', value: 200, unit: 'ms', formula: '200', reason: 'by hand' } },
    )
    .phase('act')
    .workload('web')
    .at(10)
    .launch(1, 'i-1', 't-1', SPOT)
    .node('n-1', 'created', 'i-1')
    .pod('web-1', 'created')
    .pod('web-1', 'scheduled', 'n-1')
    .pod('web-1', 'running', 'n-1')
    .at(90)
    .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 120 });
  const history = meanwhile(sent)
    .at(100)
    .request(2, 'sqs:ReceiveMessage', { mutating: false })
    .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'received', span: 2 })
    .answer(2, 'ok');
  const begin = history.events[0];
  if (begin?.type === 'trial.begin') begin.target.features = [...features];
  return history;
}

const ends = (history: HistoryBuilder): HistoryBuilder => history.at(210).instance('i-1', 'shutting-down').at(400).finish();
const leaves = (history: HistoryBuilder): HistoryBuilder => history.pod('web-1', 'terminating').pod('web-1', 'gone');

for (const { name, history, codes } of [
  { name: 'cordoned at the bound', history: ends(leaves(warned().at(130).node('n-1', 'cordoned'))), codes: [] },
  { name: 'cordoned a moment late', history: ends(leaves(warned().at(131).node('n-1', 'cordoned'))), codes: ['interruption-ignored'] },
  { name: 'nothing is done', history: ends(warned()), codes: ['interruption-ignored', 'pod-not-asked-to-leave'] },
  {
    name: 'cordoned, but the pod is never told to terminate',
    history: ends(warned().at(110).node('n-1', 'cordoned')),
    codes: ['pod-not-asked-to-leave'],
  },
  {
    name: 'cordoned, and the pod finishes by itself',
    history: ends(warned().at(110).node('n-1', 'cordoned').pod('web-1', 'ended', 'n-1', 'Succeeded')),
    codes: [],
  },
  {
    name: 'cordoned, and the pod fails with its machine',
    history: ends(warned().at(110).node('n-1', 'cordoned')).pod('web-1', 'ended', 'n-1', 'Failed'),
    codes: ['pod-not-asked-to-leave'],
  },
  {
    name: 'a protected pod may stay until the end',
    history: ends(warned().add({ type: 'budget', budget: 'web', workload: 'web', minAvailable: 1 }).at(110).node('n-1', 'cordoned')),
    codes: [],
  },
  {
    name: 'the claim is deleted instead',
    history: ends(leaves(warned().at(105).claim('c-1', 'created', 'i-1').at(110).claim('c-1', 'terminating', 'i-1'))),
    codes: [],
  },
  {
    name: 'a provoked crash in between extends the bound',
    history: ends(
      leaves(
        warned()
          .at(120)
          .add(
            { type: 'target.start', incarnation: 1 },
            { type: 'target.exit', incarnation: 1, provoked: true, reason: 'killed' },
            { type: 'target.start', incarnation: 2 },
            { type: 'target.ready', incarnation: 2 },
          )
          .at(145)
          .node('n-1', 'cordoned'),
      ),
    ),
    codes: [],
  },
  {
    name: 'the same offering again',
    history: ends(leaves(warned().at(110).node('n-1', 'cordoned')).at(140).launch(3, 'i-2', 't-2', SPOT)),
    codes: ['interrupted-offering-bought-again'],
  },
  {
    name: 'the same offering again, warned about an instance that is gone',
    history: warned(['interruption'], (history) =>
      leaves(history).node('n-1', 'gone').instance('i-1', 'shutting-down').at(95).instance('i-1', 'terminated'),
    )
      .at(140)
      .launch(3, 'i-2', 't-2', SPOT)
      .at(400)
      .finish(),
    codes: [],
  },
  {
    name: 'the same type on demand',
    history: ends(leaves(warned().at(110).node('n-1', 'cordoned')).at(140).launch(3, 'i-2')),
    codes: [],
  },
]) {
  test(`an announced interruption: ${name}`, () => {
    const result = interruptionHandled.judge(createView(history.events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
    expect(result?.verdict).toBe(codes.length === 0 ? 'pass' : 'fail');
  });
}

test('a target that reads no queue is not judged', () => {
  expect(interruptionHandled.judge(createView(ends(warned([])).events))).toBeUndefined();
});

/** The same notice, delivered at 100 to a target whose instance becomes a node only at 150. */
function warnedEarly(): HistoryBuilder {
  const history = new HistoryBuilder()
    .begin()
    .add({ type: 'bound', bound: { name: 'interruption', value: 30, unit: 'ms', formula: '30', reason: 'by hand' } })
    .add({ type: 'bound', bound: { name: 'masked-offering', value: 200, unit: 'ms', formula: '200', reason: 'by hand' } })
    .phase('act')
    .workload('web')
    .at(10)
    .launch(1, 'i-1', 't-1', SPOT)
    .at(90)
    .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 120 })
    .at(100)
    .request(2, 'sqs:ReceiveMessage', { mutating: false })
    .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'received', span: 2 })
    .answer(2, 'ok');
  const begin = history.events[0];
  if (begin?.type === 'trial.begin') begin.target.features = ['interruption'];
  return history;
}
const joins = (history: HistoryBuilder): HistoryBuilder => history.at(150).node('n-1', 'created', 'i-1');
const runs = (history: HistoryBuilder): HistoryBuilder =>
  history.pod('web-1', 'created').pod('web-1', 'scheduled', 'n-1').pod('web-1', 'running', 'n-1');

for (const { name, history, codes } of [
  { name: 'and cordoned in time once there is a node', history: ends(joins(warnedEarly()).at(180).node('n-1', 'cordoned')), codes: [] },
  {
    name: 'and its claim is deleted first',
    history: ends(joins(warnedEarly().claim('c-1', 'created', 'i-1').claim('c-1', 'terminating', 'i-1'))),
    codes: [],
  },
  { name: 'and ignored', history: ends(runs(joins(warnedEarly()))), codes: ['interruption-ignored', 'pod-not-asked-to-leave'] },
  { name: 'and never a node', history: ends(warnedEarly()), codes: [] },
]) {
  test(`announced before the node exists: ${name}`, () => {
    expect(interruptionHandled.judge(createView(history.events))?.findings.map(({ code }) => code)).toEqual(codes);
  });
}

const queued = (): HistoryBuilder => {
  const history = warned();
  // The notice that `warned` has delivered is another one.
  return history
    .at(102)
    .add(
      { type: 'notice', instance: 'i-1', kind: 'scheduled-change', to: 'sent' },
      { type: 'notice', instance: 'i-1', kind: 'scheduled-change', to: 'queued' },
    );
};
const acted = (history: HistoryBuilder): HistoryBuilder => leaves(history.at(110).node('n-1', 'cordoned'));

for (const { name, history, codes } of [
  { name: 'a notice that stays in the queue', history: ends(acted(queued())), codes: ['notice-not-read'] },
  {
    name: 'a notice that is read',
    history: ends(
      acted(
        queued()
          .request(3, 'sqs:ReceiveMessage', { mutating: false })
          .add({ type: 'notice', instance: 'i-1', kind: 'scheduled-change', to: 'received', span: 3 })
          .answer(3, 'ok'),
      ),
    ),
    codes: [],
  },
  {
    name: 'a notice that never reached the queue',
    history: ends(acted(warned().at(102).add({ type: 'notice', instance: 'i-1', kind: 'scheduled-change', to: 'sent' }))),
    codes: [],
  },
  {
    name: "a notice about another owner's instance",
    history: ends(acted(warned().at(102).add({ type: 'notice', instance: 'i-2', kind: 'rebalance', to: 'queued' }))),
    codes: [],
  },
]) {
  test(`reading: ${name}`, () => {
    expect(interruptionHandled.judge(createView(history.events))?.findings.map(({ code }) => code)).toEqual(codes);
  });
}

for (const { name, hinders, codes } of [
  { name: 'may be what prevents the target from reading', hinders: {}, codes: [] },
  { name: 'that does not hinder the target is no excuse', hinders: { hinders: false }, codes: ['notice-not-read'] },
] as const) {
  test(`reading: a fault that fires repeatedly ${name}`, () => {
    const history = acted(queued()).arm('f-1', 'must-fire', hinders);
    for (let t = 120; t < 210; t += 20) history.at(t).fire('f-1');
    history.at(210).instance('i-1', 'shutting-down');
    for (let t = 220; t < 400; t += 20) history.at(t).fire('f-1');
    const result = interruptionHandled.judge(createView(history.at(400).finish().events));
    expect(result?.findings.map(({ code }) => code)).toEqual(codes);
  });
}
