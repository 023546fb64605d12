import { expect, test } from '@playwright/test';
import type { HistoryEvent } from './events.ts';
import { phasesOf } from './phases.ts';
import { HistoryBuilder, soundHistory } from './testing/history-builder.ts';
import { createView } from './view.ts';

/** Values by phase, for the phases whose names start with one of the prefixes. */
function phases(events: readonly HistoryEvent[], ...prefixes: readonly string[]): Record<string, readonly number[]> {
  const all = phasesOf(createView(events)).map(({ phase, valuesMs }) => [phase, valuesMs] as const);
  return Object.fromEntries(all.filter(([phase]) => prefixes.length === 0 || prefixes.some((prefix) => phase.startsWith(prefix))));
}

test('from a pending pod to an empty world', () => {
  expect(phases(soundHistory().events)).toEqual({
    'pending -> request': [10],
    'request -> instance': [20],
    'instance -> registered': [20],
    'registered -> ready': [10],
    'pending -> running': [80],
    'ready -> bound': [10],
    'bound -> running': [10],
    'claim created -> launched': [0],
    'empty -> instance ending': [50],
    'instance ending -> terminated': [10],
    'instance ending -> node gone': [10],
    'instance ending -> claim gone': [10],
  });
});

test('a claim takes its steps one after the other', () => {
  const builder = new HistoryBuilder().claim('c', 'created');
  for (const [atMs, to] of [[5, 'launched'], [12, 'registered'], [30, 'initialized']] as const) builder.at(atMs).claim('c', to, 'i-1'); // prettier-ignore
  expect(phases(builder.events, 'claim')).toEqual({
    'claim created -> launched': [5],
    'claim launched -> registered': [7],
    'claim registered -> initialized': [18],
  });
});

/** A node with a pod; the end of its instance at 100 is announced, and the target learns of it at 110. */
function noticed(): HistoryBuilder {
  const builder = new HistoryBuilder().workload('web').launch(1, 'i-1').claim('c', 'launched', 'i-1').node('n', 'created', 'i-1');
  builder.pod('web-1', 'created').pod('web-1', 'scheduled', 'n').pod('web-1', 'running', 'n');
  return builder
    .at(100)
    .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'sent', endsInMs: 120_000 })
    .at(105)
    .request(2, 'sqs:ReceiveMessage')
    .add({ type: 'notice', instance: 'i-1', kind: 'spot-interruption', to: 'received', span: 2 })
    .at(110)
    .answer(2, 'ok');
}

test("a notice: delivered, drained, terminated; instances with a notice don't count as emptied", () => {
  const { events } = noticed()
    .at(115)
    .claim('c', 'terminating', 'i-1')
    .at(140)
    .pod('web-1', 'gone', 'n')
    .at(150)
    .instance('i-1', 'shutting-down');
  expect(phases(events, 'spot-interruption', 'empty')).toEqual({
    'spot-interruption sent -> delivered': [10],
    'spot-interruption delivered -> claim terminating': [5],
    'spot-interruption delivered -> drained': [30],
    'spot-interruption sent -> instance ending': [50],
  });
});

test('a node is drained and empty only when its last pod has left', () => {
  const { events } = noticed()
    .pod('web-2', 'created')
    .pod('web-2', 'scheduled', 'n')
    .at(130)
    .pod('web-2', 'gone', 'n')
    .at(150)
    .instance('i-1', 'shutting-down');
  expect(Object.keys(phases(events))).not.toContain('spot-interruption delivered -> drained');
});

test('settled and empty since nothing was pending', () => {
  const { events } = new HistoryBuilder()
    .act()
    .at(10)
    .phase('settle')
    .at(50)
    .add({ type: 'convergence', phase: 'settle', waiting: [], sinceMs: 30 })
    .phase('remove')
    .at(90)
    .add({ type: 'convergence', phase: 'remove', waiting: [{ object: 'instance/i-1', why: 'it runs' }] });
  expect(phases(events)).toEqual({ 'healed -> settled': [20] });
});
