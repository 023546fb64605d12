import { expect, test } from '@playwright/test';
import type { EventOf, HistoryEvent } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { optOuts } from './opt-outs.ts';

const KEEPING = { keepsUsedNodes: true } as const;

/** A pod has been on a healthy node for longer than the lag of 20 ms, when the target removes the node. */
function removal(
  options: {
    readonly pool?: Partial<EventOf<'pool'>['pool']>;
    /** A version of the pool before that. */
    readonly earlier?: Partial<EventOf<'pool'>['pool']>;
    /** When the pool is as it is; its node's claim is made at 40 ms. */
    readonly appliedAt?: number;
    readonly placedAt?: number;
    readonly truth?: EventOf<'workload'>['truth'];
    /** What happens before the removal. */
    readonly before?: (history: HistoryBuilder) => void;
    /** The claim is deleted by somebody else. */
    readonly byOthers?: true;
  } = {},
): HistoryEvent[] {
  const { pool = KEEPING, earlier, appliedAt = 0, placedAt = 50, truth = { kind: 'schedulable' }, before, byOthers } = options;
  const history = new HistoryBuilder().act();
  if (earlier !== undefined) history.pool('default', earlier);
  history.at(appliedAt).pool('default', pool).workload('web', 1, truth);
  history.at(40).claim('c-1', 'created').at(45).launch(1, 'i-1').claim('c-1', 'launched', 'i-1');
  history.node('n-1', 'created', 'i-1').node('n-1', 'ready', 'i-1', { pool: 'default' });
  history.at(placedAt).pod('web-1', 'created').pod('web-1', 'scheduled', 'n-1').pod('web-1', 'running', 'n-1').at(100);
  before?.(history);
  history.at(110);
  if (byOthers !== true) history.request(50, 'delete nodeclaims', { object: 'nodeclaims/c-1' });
  history.claim('c-1', 'terminating', 'i-1');
  if (byOthers !== true) history.effect(50, { kind: 'applied', ids: ['nodeclaims/c-1'] });
  return history.at(300).finish().events;
}

/** The findings' codes; undefined if there is nothing to judge. */
function codesOf(events: readonly HistoryEvent[], features: readonly string[] = ['consolidation']): string[] | undefined {
  const declared = events.map((event) =>
    event.type === 'trial.begin' ? { ...event, target: { ...event.target, features: [...features] } } : event,
  );
  return optOuts.judge(createView(declared))?.findings.map(({ code }) => code);
}

const ARMED = {
  type: 'fault.armed',
  fault: { id: 'f1', fault: 'crash', description: '', params: {}, legal: true, firing: 'must-fire', color: '#000000' },
} as const;
const SKEWED = { ...ARMED, fault: { ...ARMED.fault, params: { byMs: 60_000 } } } as const;

/** A fault strikes at a request of the target. */
function hit(operation: string, outcome: 'ok' | 'fail', code?: string): (history: HistoryBuilder) => void {
  return (history) => {
    history.request(60, operation).add(ARMED, { type: 'fault.fired', fault: 'f1', span: 60 }).answer(60, outcome, code);
  };
}

const BREACH = ['used-node-consolidated'];
for (const { name, events, codes } of [
  { name: 'while its pod is on it', events: removal(), codes: BREACH },
  { name: 'just after its pod had come', events: removal({ placedAt: 95 }), codes: [] },
  { name: 'when its pod had ended', events: removal({ before: (history) => history.pod('web-1', 'ended', 'n-1') }), codes: [] },
  { name: 'when its pod was terminating', events: removal({ before: (history) => history.pod('web-1', 'terminating', 'n-1') }), codes: [] },
  { name: 'while only a DaemonSet pod is on it', events: removal({ truth: { kind: 'daemon' } }), codes: [] },
  { name: 'by somebody else', events: removal({ byOthers: true }), codes: [] },
  { name: 'when it is too old', events: removal({ pool: { ...KEEPING, expireAfterMs: 50 } }), codes: [] },
  { name: 'when its pool no longer kept such nodes', events: removal({ earlier: KEEPING, pool: {}, appliedAt: 10 }), codes: [] },
  { name: 'when its pool had begun to keep such nodes', events: removal({ earlier: {}, appliedAt: 10 }), codes: BREACH },
  { name: 'which may be made from what its pool was like', events: removal({ earlier: KEEPING, appliedAt: 21 }), codes: [] },
  { name: 'long after its pool had changed', events: removal({ earlier: KEEPING, appliedAt: 20 }), codes: BREACH },
  { name: 'after its pool had changed', events: removal({ before: (history) => history.pool('default', KEEPING) }), codes: [] },
  { name: 'after another pool had changed', events: removal({ before: (history) => history.pool('other') }), codes: BREACH },
  {
    name: 'after it had been NotReady',
    events: removal({ before: (history) => history.node('n-1', 'not-ready', 'i-1').node('n-1', 'ready', 'i-1') }),
    codes: [],
  },
  {
    name: 'after a rebalance recommendation',
    events: removal({
      before: (history) => history.add({ type: 'notice', instance: 'i-1', kind: 'rebalance', to: 'sent', endsInMs: 120 }).at(105),
    }),
    codes: [],
  },
  {
    name: 'after a fault had fired',
    events: removal({ before: (history) => history.add(ARMED, { type: 'fault.fired', fault: 'f1' }) }),
    codes: [],
  },
  {
    name: 'after its clock was set wrong',
    events: removal({ before: (history) => history.add(SKEWED, { type: 'fault.fired', fault: 'f1' }) }),
    codes: BREACH,
  },
  { name: 'after EC2 had failed', events: removal({ before: hit('ec2:DescribeInstances', 'fail') }), codes: BREACH },
  {
    name: 'after EC2 had said that something does not exist',
    events: removal({ before: hit('ec2:DescribeInstances', 'fail', 'InvalidInstanceID.NotFound') }),
    codes: [],
  },
  { name: 'after EC2 had answered late', events: removal({ before: hit('ec2:DescribeInstances', 'ok') }), codes: [] },
  { name: 'after a write had failed', events: removal({ before: hit('patch nodes', 'fail') }), codes: BREACH },
  { name: 'after a list had failed', events: removal({ before: hit('list pods', 'fail') }), codes: [] },
  {
    name: 'after an answer was lost',
    events: removal({
      before: (history) => {
        hit('patch nodes', 'fail')(history);
        history.effect(60, { kind: 'applied', ids: ['nodes/n-1'] });
      },
    }),
    codes: [],
  },
]) {
  test(`a node is removed from a pool that keeps nodes with pods: ${name}`, () => {
    expect(codesOf(events)).toEqual(codes);
  });
}

test('nodes with pods are not judged if their pool lets them be removed, or if the target does not consolidate', () => {
  expect(codesOf(removal({ pool: {} }))).toBeUndefined();
  expect(codesOf(removal(), [])).toBeUndefined();
});
