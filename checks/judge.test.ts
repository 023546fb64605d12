import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { HistoryEvent } from '../history/events.ts';
import { trialResultSchema } from '../history/verdict.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { checkCatalogue } from './catalogue.ts';
import type { Check } from './check.ts';
import { judge } from './judge.ts';
import type { Judgement } from './judge.ts';

function verdictOf({ checks }: Judgement, name: string): string | undefined {
  return checks.find(({ check }) => check === name)?.verdict;
}

test('a correct trial passes, with its numbers', () => {
  const judgement = judge(soundHistory().events, false);
  expect(judgement).toMatchObject({
    verdict: 'pass',
    success: { served: 1, asked: 1 },
    instances: { created: 1, terminated: 1, live: 0, leaked: 0 },
    faults: { armed: 0, fired: 0 },
    virtualMs: 302,
  });
  expect(judgement.checks.map(({ check }) => check)).toEqual([
    'harness',
    'success-rate',
    'latency',
    'no-leaked-instances',
    'no-orphaned-nodes',
    'runaway-capacity',
    'launches-needed',
    'grace-periods',
    'request-amplification',
    'target-alive',
    'world-settled',
    'unserved-explained',
  ]);
  expect(trialResultSchema.pick({ checks: true, latencies: true, interleaving: true }).safeParse(judgement).success).toBe(true);
});

test('a leak fails the trial and is counted', () => {
  const { verdict, instances } = judge(
    new HistoryBuilder().act().launch(1, 'i-1').launch(2, 'i-2').at(5).instance('i-2', 'terminated').finish().events,
    false,
  );
  expect(verdict).toBe('fail');
  expect(instances).toEqual({ created: 2, terminated: 1, live: 1, leaked: 1 });
});

test('counts beside the verdict come from the checks that provide them', () => {
  const counting = (name: string, more: Partial<Check>): Check => ({
    name,
    summary: '',
    codes: {},
    judge: () => ({ verdict: 'fail', summary: '', findings: [{ code: 'c', object: name, events: [], message: '' }], measurements: [] }),
    ...more,
  });
  const checks = [counting('a', { findsLeaks: true, countServed: () => ({ served: 2, asked: 3 }) }), counting('b', {})];
  expect(judge(soundHistory().events, false, checks)).toMatchObject({ success: { served: 2, asked: 3 }, instances: { leaked: 1 } });
  expect(judge(soundHistory().events, false, checks.slice(1))).toMatchObject({
    success: { served: 0, asked: 0 },
    instances: { leaked: 0 },
  });
});

test('a check that throws is unknown with its message, and does not hide a failure', () => {
  const throwing: Check = {
    name: 'broken',
    summary: '',
    codes: {},
    judge: () => {
      throw new Error('undefined is not iterable');
    },
  };
  expect(judge(soundHistory().events, false, [throwing, ...checkCatalogue])).toMatchObject({
    verdict: 'unknown',
    checks: [
      { check: 'broken', verdict: 'unknown', summary: 'the check failed: undefined is not iterable' },
      ...Array.from({ length: 12 }, () => ({})),
    ],
  });
  expect(judge(new HistoryBuilder().act().launch(1, 'i-1').finish().events, false, [throwing, ...checkCatalogue]).verdict).toBe('fail');
});

for (const { what, events, truncated = false, summary } of [
  { what: 'an empty history', events: [], summary: 'the history has no start' },
  {
    what: 'a history that breaks off',
    events: soundHistory().events.slice(0, -1),
    summary: 'the history breaks off before the trial was over',
  },
  {
    what: 'one that breaks off within a line',
    events: soundHistory().events.slice(0, -1),
    truncated: true,
    summary: 'the history breaks off in the middle of a line',
  },
  {
    what: 'an error of the harness',
    events: new HistoryBuilder().act().add({ type: 'harness.error', message: 'oops' }).finish().events,
    summary: 'the harness failed: oops',
  },
  {
    what: 'an interrupted run',
    events: new HistoryBuilder()
      .act()
      .add({ type: 'supervisor', cause: 'interrupted', culprit: 'harness', message: 'Ctrl-C' }, { type: 'trial.end' }).events,
    summary: 'the trial was ended (interrupted): Ctrl-C',
  },
  {
    what: 'a trial that ended before its last phase',
    events: new HistoryBuilder().act().add({ type: 'trial.end' }).events,
    summary: 'the trial did not reach its last phase',
  },
]) {
  test(`${what}: unknown, and the harness says why`, () => {
    const judgement = judge(events, truncated);
    expect(judgement.verdict).toBe('unknown');
    expect(judgement.checks[0]).toMatchObject({ check: 'harness', verdict: 'unknown', summary });
  });
}

test('a trial that was ended because of the target is a failure of the target, not of the harness', () => {
  const judgement = judge(
    new HistoryBuilder().act().add({ type: 'supervisor', cause: 'spun', culprit: 'target', message: 'x' }, { type: 'trial.end' }).events,
    false,
  );
  expect(judgement.verdict).toBe('fail');
  expect([verdictOf(judgement, 'target-alive'), verdictOf(judgement, 'harness')]).toEqual(['fail', 'pass']);
});

for (const cause of ['hung', 'exited', 'out-of-memory', 'interrupted'] as const) {
  test(`a trial that was ended (${cause}), but not because of the target, is unknown unless there is a finding`, () => {
    const launched = (): HistoryBuilder => new HistoryBuilder().act().pod('web-1', 'created').launch(1, 'i-1');
    const ended = (builder: HistoryBuilder): Judgement =>
      judge(builder.add({ type: 'supervisor', cause, culprit: 'harness', message: 'x' }, { type: 'trial.end' }).events, false);
    expect(ended(launched())).toMatchObject({ verdict: 'unknown' });
    expect(ended(launched().at(1_001))).toMatchObject({ verdict: 'fail' });
  });
}

test('an interruption is never blamed on the target', () => {
  const builder = new HistoryBuilder().act().add({ type: 'supervisor', cause: 'interrupted', culprit: 'target', message: 'Ctrl-C' });
  expect(judge(builder.add({ type: 'trial.end' }).events, false).verdict).toBe('unknown');
});

for (const { culprit, verdict } of [
  { culprit: 'target', verdict: 'fail' },
  { culprit: 'harness', verdict: 'unknown' },
] as const) {
  test(`a history with only the supervisor's event, culprit ${culprit}: ${verdict}`, () => {
    const builder = new HistoryBuilder().add({ type: 'supervisor', cause: 'exited', culprit, message: 'x' }, { type: 'trial.end' });
    expect(judge(builder.events, false).verdict).toBe(verdict);
  });
}

test('a must-fire fault that did not fire makes the trial unknown; a may-fire fault is listed', () => {
  const silent = (firing: 'must-fire' | 'may-fire'): Judgement =>
    judge(new HistoryBuilder().act().arm('f', firing).arm('g').fire('g').finish().events, false);
  expect(silent('must-fire')).toMatchObject({ verdict: 'unknown', faults: { armed: 2, fired: 1 } });
  expect(silent('must-fire').checks.find(({ check }) => check === 'faults-fired')?.summary).toBe('never fired: f (fault f)');
  expect(silent('may-fire').verdict).toBe('pass');
  expect(silent('may-fire').checks.find(({ check }) => check === 'faults-fired')?.summary).toBe(
    '1 of 2 faults fired; vacuous: f (fault f)',
  );
});

test('every finding has a declared code, existing events, and a sentence', () => {
  const { events } = badHistory();
  const { checks } = judge(events, false);
  expect(checks.flatMap(({ findings }) => findings).length).toBeGreaterThan(5);
  for (const { check, findings } of checks) {
    const declared = Object.keys(checkCatalogue.find(({ name }) => name === check)?.codes ?? {});
    for (const finding of findings) {
      expect(declared).toContain(finding.code);
      expect(finding.message).toMatch(/^\S.*\.$/);
      expect(finding.events.length).toBeGreaterThan(0);
      for (const index of finding.events) expect(events[index]?.i).toBe(index);
    }
  }
});

const SAFETY = ['no-leaked-instances', 'no-launch-for-impossible-pods', 'target-alive'];

test('any prefix of a history can be judged, and never passes', () => {
  for (const { events } of [soundHistory(), badHistory()]) {
    for (let length = 0; length < events.length; length += 1) {
      const judgement = judge(events.slice(0, length), false);
      expect(judgement.checks.filter(({ summary }) => summary.startsWith('the check failed'))).toEqual([]);
      expect(judgement.verdict).not.toBe('pass');
    }
  }
});

test('what a safety check finds in a prefix of a history it also finds in the whole', () => {
  fc.assert(
    fc.property(randomHistory(), fc.double({ min: 0, max: 1, noNaN: true }), (events, part) => {
      const before = foundBySafety(events.slice(0, Math.floor(part * events.length)));
      const after = foundBySafety(events);
      expect(after).toEqual(expect.arrayContaining(before));
    }),
    { numRuns: 300 },
  );
});

test('random events without a complete trial never pass', () => {
  fc.assert(
    fc.property(randomHistory(), (events) => expect(judge(events, false).verdict).not.toBe('pass')),
    { numRuns: 100 },
  );
});

function foundBySafety(events: readonly HistoryEvent[]): string[] {
  return judge(events, false)
    .checks.filter(({ check }) => SAFETY.includes(check))
    .flatMap(({ findings }) => findings.map(({ code, object }) => `${code} ${object}`));
}

/** Many things go wrong here. */
function badHistory(): HistoryBuilder {
  return new HistoryBuilder()
    .act()
    .expect({ kind: 'settled', bound: 'settle' })
    .workload('web')
    .workload('big', 1, { kind: 'impossible', why: 'too big' })
    .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
    .expect({ kind: 'latency', workload: 'web', from: 'pending', to: 'running', bound: 'provision' })
    .expect({ kind: 'no-launch-for', workload: 'big' })
    .expect({ kind: 'explained', workload: 'big', bound: 'explain', mentions: ['cpu'] })
    .at(10)
    .pod('big-1', 'created')
    .at(20)
    .launch(1, 'i-1')
    .at(200)
    .pod('web-1', 'created')
    .launch(2, 'i-2')
    .at(210)
    .node('n', 'created', 'i-2')
    .add({ type: 'target.panic', incarnation: 1, recovered: true, message: 'x' })
    .at(300)
    .node('n', 'gone', 'i-2')
    .at(1_500)
    .finish({
      settle: [{ object: 'pods/default/web-1', why: 'it has no node' }],
      remove: [{ object: 'instance/i-2', why: 'it is running' }],
    });
}

/** Events of a few pods, nodes, claims, instances and faults in any order, at growing times. */
function randomHistory(): fc.Arbitrary<HistoryEvent[]> {
  const which = fc.integer({ min: 1, max: 3 });
  const act = fc.oneof(
    fc.tuple(which, fc.constantFrom('created', 'scheduled', 'running', 'terminating', 'gone' as const)).map(
      ([n, to]) =>
        (b: HistoryBuilder) =>
          b.pod(`web-${n}`, to),
    ),
    fc.tuple(which, fc.constantFrom('created', 'gone' as const)).map(
      ([n, to]) =>
        (b: HistoryBuilder) =>
          b.pod(`big-${n}`, to),
    ),
    fc.tuple(which, fc.constantFrom('created', 'ready', 'gone' as const), fc.boolean()).map(
      ([n, to, linked]) =>
        (b: HistoryBuilder) =>
          b.node(`n-${n}`, to, linked ? `i-${n}` : undefined),
    ),
    fc.tuple(which, fc.constantFrom('created', 'launched', 'gone' as const)).map(
      ([n, to]) =>
        (b: HistoryBuilder) =>
          b.claim(`c-${n}`, to, to === 'created' ? undefined : `i-${n}`),
    ),
    which.map(
      (n) => (b: HistoryBuilder) =>
        b.events.some((event) => event.type === 'instance' && event.instance === `i-${n}`) ? b : b.launch(n, `i-${n}`),
    ),
    fc.tuple(which, fc.constantFrom('running', 'shutting-down', 'terminated' as const)).map(
      ([n, to]) =>
        (b: HistoryBuilder) =>
          b.events.some((event) => event.type === 'instance' && event.instance === `i-${n}`) ? b.instance(`i-${n}`, to) : b,
    ),
    fc.tuple(which, fc.constantFrom('arm', 'fire', 'heal' as const)).map(
      ([n, what]) =>
        (b: HistoryBuilder) =>
          armFirst(b, `f-${n}`, what),
    ),
    fc.constantFrom(
      (b: HistoryBuilder) => b.phase('over'),
      (b: HistoryBuilder) => b.add({ type: 'target.exit', incarnation: 1, provoked: false, reason: 'died' }),
    ),
  );
  return fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), act), { maxLength: 40 }).map((steps) => {
    const builder = new HistoryBuilder()
      .act()
      .workload('web')
      .workload('big', 3, { kind: 'impossible', why: 'too big' })
      .expect({ kind: 'no-launch-for', workload: 'big' });
    let nowMs = 0;
    for (const [laterMs, step] of steps) step(builder.at((nowMs += laterMs)));
    return builder.events;
  });
}

/** A fault is armed once, fires while it is armed, and is healed once. */
function armFirst(builder: HistoryBuilder, id: string, what: 'arm' | 'fire' | 'heal'): HistoryBuilder {
  const isArmed = builder.events.some((event) => event.type === 'fault.armed' && event.fault.id === id);
  const isHealed = builder.events.some((event) => event.type === 'fault.healed' && event.fault === id);
  if (what === 'arm') return isArmed ? builder : builder.arm(id);
  if (!isArmed || isHealed) return builder;
  return what === 'fire' ? builder.fire(id) : builder.heal(id);
}
