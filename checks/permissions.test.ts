import { expect, test } from '@playwright/test';
import type { NewEvent } from '../history/events.ts';
import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { denialMessage } from '../model/denial.ts';
import { permissions } from './permissions.ts';

const request = {
  kind: 'resource',
  verb: 'list',
  group: 'karpenter.sh',
  version: 'v1',
  resource: 'nodeclaims',
  subresource: '',
  namespace: '',
  name: '',
} as const;
const DENIED = denialMessage('system:serviceaccount:kube-system:app', request);

function historyWith(note: string, times = 1): ReturnType<typeof permissions.judge> {
  const builder = new HistoryBuilder().act();
  const events: NewEvent[] = Array.from({ length: times }).flatMap((_, index): NewEvent[] => [
    {
      type: 'request.start',
      span: index + 1,
      wire: 'kube',
      principal: 'target',
      incarnation: 1,
      operation: 'list nodeclaims',
      mutating: false,
    },
    { type: 'request.effect', span: index + 1, effect: { kind: 'rejected', code: 'Forbidden' } },
    { type: 'request.end', span: index + 1, outcome: 'fail', status: 403, code: 'Forbidden', note },
  ]);
  builder.add(...events);
  return permissions.judge(createView(builder.finish().events));
}

test('a denied request is a finding that names the rule to add', () => {
  expect(historyWith(DENIED, 2)).toMatchObject({ verdict: 'fail', findings: [{ code: 'permission-missing', object: 'nodeclaims' }] });
  expect(historyWith(DENIED, 2)?.findings[0]?.message).toContain(
    'system:serviceaccount:kube-system:app may not list nodeclaims of karpenter.sh: denied 2 times',
  );
  expect(historyWith(DENIED)?.findings[0]?.message).toContain('{apiGroups: ["karpenter.sh"], resources: ["nodeclaims"], verbs: ["list"]}');
});

test('other refusals are none of its business', () => {
  expect(historyWith('pods "web" is forbidden: exceeded quota: compute')).toBeUndefined();
});

interface Denied {
  /** What each firing strikes. */
  readonly operation: string;
  /** What the fault is about. */
  readonly names: string[];
  readonly heal: boolean;
  /** One request is on its way when the last firing is recorded. */
  readonly underWay: boolean;
}

/** A fault strikes this many requests and denies them, and then one more is denied; the history records no firing for that one. */
function denied(
  firings: number,
  { operation = 'list nodeclaims', names = [], heal = false, underWay = false }: Partial<Denied> = {},
): ReturnType<typeof permissions.judge> {
  const builder = new HistoryBuilder().act().arm('f', 'must-fire', { fault: 'denied-permission', params: { operations: names } });
  const ask = (span: number, of: string): HistoryBuilder =>
    builder.request(span, of, { mutating: false }).add({ type: 'request.end', span, outcome: 'fail', code: 'Forbidden', note: DENIED });
  for (let span = 1; span < firings; span += 1) ask(span, operation).fire('f', span);
  if (underWay) builder.request(firings + 1, 'list nodeclaims', { mutating: false });
  ask(firings, operation).fire('f', firings);
  if (heal) builder.heal('f');
  if (underWay) builder.add({ type: 'request.end', span: firings + 1, outcome: 'fail', code: 'Forbidden', note: DENIED });
  else ask(firings + 1, 'list nodeclaims');
  return permissions.judge(createView(builder.finish().events));
}

test('what a fault denied does not count, and nothing after more firings than are recorded', () => {
  expect(denied(MAX_FIRINGS_RECORDED)).toBeUndefined();
  expect(denied(MAX_FIRINGS_RECORDED, { underWay: true }), 'sent before the last recorded firing').toBeUndefined();
  expect(denied(MAX_FIRINGS_RECORDED, { heal: true }), 'after the heal it counts again').toMatchObject({ verdict: 'fail' });
  expect(denied(MAX_FIRINGS_RECORDED - 1), 'all firings are recorded').toMatchObject({ verdict: 'fail' });
  expect(denied(MAX_FIRINGS_RECORDED, { operation: 'ec2:CreateTags' }), 'another wire is denied').toMatchObject({ verdict: 'fail' });
  const both = { operation: 'sqs:DeleteMessageBatch', names: ['sqs:DeleteMessageBatch', 'list nodeclaims'] };
  expect(denied(MAX_FIRINGS_RECORDED, both), 'it may have been denied, too').toBeUndefined();
});
