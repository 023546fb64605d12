import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { HistoryEvent } from '../history/events.ts';
import { HistoryBuilder, soundHistory } from '../history/testing/history-builder.ts';
import { AGREEMENT, agrees, compareWorlds, comparisonSchema, readWorldTrial } from './compare-worlds.ts';
import type { Comparison, PhaseComparison, WorldRun, WorldTrial } from './compare-worlds.ts';

const SCENARIO = 'test/hand-made';

/** Delays all events from the first of this kind on: one phase is slow. */
function slow(events: readonly HistoryEvent[], isFirst: (event: HistoryEvent) => boolean, byMs: number): HistoryEvent[] {
  const from = events.findIndex(isFirst);
  return events.map((event, index) => (index < from ? event : { ...event, t: event.t + byMs }));
}

function trialOf(events: readonly HistoryEvent[]): WorldTrial {
  const trial = readWorldTrial({ events, truncated: false });
  if (trial === undefined) throw new Error('the history has no trial.begin');
  return trial;
}

function compare(a: readonly HistoryEvent[], b: readonly HistoryEvent[]): Comparison {
  return comparisonSchema.parse(compareWorlds({ name: 'A', trials: [trialOf(a)] }, { name: 'B', trials: [trialOf(b)] }, []));
}

/** The same, with all trials counted as passed. */
function compareServed(a: readonly HistoryEvent[], b: readonly HistoryEvent[], explained: readonly string[] = []): Comparison {
  const agreed = explained.map((phase) => ({
    scenario: SCENARIO,
    phase,
    limitMs: 5_000,
    reason: 'known',
    see: 'docs/fidelity.md#somewhere',
  }));
  const served = (events: readonly HistoryEvent[]): WorldTrial => ({ ...trialOf(events), verdict: 'pass', findings: [] });
  return comparisonSchema.parse(compareWorlds({ name: 'A', trials: [served(a)] }, { name: 'B', trials: [served(b)] }, agreed));
}

function outcomes({ scenarios }: Comparison, outcome: PhaseComparison['outcome']): string[] {
  return scenarios.flatMap(({ phases }) => phases.filter((phase) => phase.outcome === outcome).map(({ phase }) => phase));
}

const sound = soundHistory().events;
const isReady = (event: HistoryEvent): boolean => event.type === 'node' && event.to === 'ready';
const slowToBeReady = slow(sound, isReady, 5_000);

test('a world agrees with itself, and its machines have the same delays', () => {
  const comparison = compare(sound, sound);
  expect(comparison.outcome).toBe('agree');
  expect(comparison.scenarios[0]?.trials).toEqual([
    {
      seed: 1,
      a: { verdict: expect.any(String) as unknown, findings: [] },
      b: { verdict: expect.any(String) as unknown, findings: [] },
      outcome: 'agrees',
      instances: { a: 1, b: 1, shared: 1 },
    },
  ]);
});

test('a phase that is slow in one world is found, with the phases that include it', () => {
  const comparison = compareServed(sound, slowToBeReady);
  expect(comparison.outcome).toBe('differ');
  expect(outcomes(comparison, 'differs')).toEqual(['registered -> ready', 'pending -> running']);
  const [phase] = comparison.scenarios[0]?.phases.filter(({ outcome }) => outcome === 'differs') ?? [];
  expect(phase).toEqual({
    phase: 'registered -> ready',
    a: { count: 1, medianMs: 10 },
    b: { count: 1, medianMs: 5_010 },
    differenceMs: 5_000,
    outcome: 'differs',
  });
});

test('an explained difference passes, and an explanation without a difference fails', () => {
  const explained = compareServed(sound, slowToBeReady, ['registered -> ready', 'pending -> running']);
  expect(explained.outcome).toBe('agree');
  expect(outcomes(explained, 'explained')).toEqual(['registered -> ready', 'pending -> running']);
  for (const [vain, b] of [
    ['registered -> ready', sound],
    ['no such phase', slowToBeReady],
  ] as const) {
    // prettier-ignore
    const stale = compareServed(sound, b, [vain]);
    expect(stale.outcome).toBe('differ');
    expect(outcomes(stale, 'stale')).toEqual([vain]);
  }
});

test('an explanation marked isNear is never stale', () => {
  const near = [
    { scenario: SCENARIO, phase: 'registered -> ready', limitMs: 5_000, reason: 'known', see: 'docs/fidelity.md#somewhere', isNear: true },
  ] as const;
  const run = (events: readonly HistoryEvent[]): WorldRun => ({
    name: 'A',
    trials: [{ ...trialOf(events), verdict: 'pass', findings: [] }],
  });
  expect(outcomes(compareWorlds(run(sound), run(slowToBeReady), near), 'explained')).toEqual(['registered -> ready']);
  expect(compareWorlds(run(sound), run(sound), near).outcome).toBe('agree');
});

test('an explanation holds only up to its limit, in both directions', () => {
  const slower = slow(sound, isReady, 5_001);
  for (const [a, b] of [
    [sound, slower],
    [slower, sound],
  ] as const) {
    const comparison = compareServed(a, b, ['registered -> ready', 'pending -> running']);
    expect(comparison.outcome).toBe('differ');
    expect(outcomes(comparison, 'differs')).toEqual(['registered -> ready', 'pending -> running']);
    expect(comparison.scenarios[0]?.phases.find(({ phase }) => phase === 'registered -> ready')?.explanation?.limitMs).toBe(5_000);
  }
});

test('a phase that only one world has can’t be compared', () => {
  const unbound = sound.filter((event) => event.type !== 'pod' || event.to !== 'scheduled').map((event, i) => ({ ...event, i }));
  const comparison = compareServed(sound, unbound);
  expect(comparison.outcome).toBe('unknown');
  expect(outcomes(comparison, 'only-one')).toEqual(['ready -> bound', 'bound -> running']);
  const known = compareServed(sound, unbound, ['ready -> bound', 'bound -> running']);
  expect(known.outcome, 'an explanation does not help').toBe('unknown');
  expect(outcomes(known, 'only-one')).toEqual(['ready -> bound', 'bound -> running']);
});

/** The pod never runs: a finding. */
const unserved = new HistoryBuilder()
  .act()
  .workload('web')
  .expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 1 })
  .pod('web-1', 'created')
  .at(500)
  .finish().events;

test('failures agree if they share a finding; different verdicts do not agree', () => {
  expect(trialOf(unserved).verdict).toBe('fail');
  expect(trialOf(unserved).findings.length).toBeGreaterThan(0);
  expect(compare(unserved, unserved).scenarios[0]?.trials[0]?.outcome).toBe('agrees');
  expect(compare(sound, unserved)).toMatchObject({ outcome: 'differ', scenarios: [{ trials: [{ outcome: 'differs' }] }] });
  const otherwise = { ...trialOf(unserved), findings: ['another-code'] };
  const comparison = compareWorlds({ name: 'A', trials: [trialOf(unserved)] }, { name: 'B', trials: [otherwise] }, []);
  expect(comparison.scenarios[0]?.trials[0]?.outcome).toBe('differs');
});

test('unknown stays unknown', () => {
  const [first] = sound;
  const broken = [...sound, { i: sound.length, t: 1_000, type: 'harness.error', message: 'it broke' } as const];
  expect(first?.type).toBe('trial.begin');
  expect(trialOf(broken).verdict).toBe('unknown');
  expect(compare(broken, broken).outcome).toBe('unknown');
});

test('trials without a pair, or with other constants, machines or sources, are reported and make the result unknown', () => {
  const trial = trialOf(sound);
  const nothing = { name: 'B', trials: [] };
  expect(compareWorlds({ name: 'A', trials: [trial] }, nothing, [])).toMatchObject({
    outcome: 'unknown',
    notCompared: [{ scenario: SCENARIO, seed: 1, why: 'not in B' }],
  });
  expect(compareWorlds(nothing, { name: 'A', trials: [trial] }, []).notCompared).toEqual([
    { scenario: SCENARIO, seed: 1, why: 'not in B' },
  ]);
  expect(compareWorlds(nothing, nothing, []).outcome).toBe('unknown');
  const slowMachines = sound.map((event) =>
    event.type === 'trial.begin' ? { ...event, world: { ...event.world, allowances: { bootMs: 60_000 } } } : event,
  );
  expect(compare(sound, slowMachines)).toMatchObject({ outcome: 'unknown', notCompared: [{ why: 'the delays of machines differ' }] });
});

test('medians agree within the larger of both limits, in both directions', () => {
  const ms = fc.nat(100_000);
  fc.assert(
    fc.property(ms, ms, (a, b) => {
      expect(agrees(a, b)).toBe(agrees(b, a));
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      expect(agrees(a, b)).toBe(high <= Math.max(low + AGREEMENT.leastMs, low * AGREEMENT.factor));
    }),
  );
});

test('a history without trial.begin is not compared', () => {
  expect(readWorldTrial({ events: [], truncated: true })).toBeUndefined();
});
