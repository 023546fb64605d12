import { expect, test } from '@playwright/test';
import type { HistoryEvent } from '../history/events.ts';
import { ofType } from '../history/lives.ts';
import { tokenLostInCrash } from '../targets/mutants/launch/token-lost-in-crash.ts';
import { reference } from '../targets/reference.ts';
import { crashPointsOf, sideEffectsOf, specifyCrash, whyNoCrashPoints } from './crash-points.ts';
import type { CrashSpec } from './crash-points.ts';
import { pool, scenario } from './scenario.ts';
import { runInProcess } from './testing/in-process.ts';

/** A plain scale-out that has nothing to do with crashes. */
const scaleOut = scenario({
  id: 'test/scale-out',
  title: 'two pods that each fill a node',
  pools: [pool('default', { instanceTypes: ['m6i.large'] })],
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 2, cpu: '1500m', memory: '2Gi' });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
  },
});

/** The events up to the crash, without those that arming it adds. */
function untilKilled(events: readonly HistoryEvent[]): unknown[] {
  const killed = events.findIndex(({ type }) => type === 'fault.fired');
  return events.slice(0, killed).flatMap(({ i: _place, ...event }) => (event.type === 'fault.armed' ? [] : [event]));
}

test('up to the crash a trial repeats the counting trial; the crash comes before or after the effect', async () => {
  const { events: counted } = await runInProcess(scaleOut, reference);
  const effects = sideEffectsOf(counted);
  const launch = effects.findIndex(({ operation }) => operation === 'ec2:CreateFleet') + 1;
  for (const nth of [1, launch, effects.length]) {
    for (const moment of ['before', 'after'] as const) {
      const { events, judgement } = await runInProcess(scaleOut, reference, 1, specifyCrash({ moment, nth }, effects));
      expect(judgement.verdict, `${moment} ${nth}`).toBe('pass');
      const before = untilKilled(events);
      expect(before).toEqual(counted.slice(0, before.length).map(({ i: _place, ...event }) => event));
      const killed = ofType(events, 'fault.fired')[0];
      expect(killed?.span).toBe(effects[nth - 1]?.span);
      expect(ofType(events, 'target.exit')[0]).toMatchObject({ provoked: true, incarnation: 1 });
      const effect = ofType(events, 'request.effect').find(({ span }) => span === killed?.span);
      expect(effect?.effect.kind).toBe(moment === 'after' ? 'applied' : 'none');
    }
  }
});

test('the same crash point gives the same history to the byte', async () => {
  const effects = sideEffectsOf((await runInProcess(scaleOut, reference, 4)).events);
  const crash = specifyCrash({ moment: 'after', nth: 9 }, effects);
  const [first, second] = [await runInProcess(scaleOut, reference, 4, crash), await runInProcess(scaleOut, reference, 4, crash)];
  expect(JSON.stringify(first.events) === JSON.stringify(second.events)).toBe(true);
});

test('a plain scale-out catches a token that dies with its process: killed after a launch, it launches twice', async () => {
  const mutant = tokenLostInCrash.target;
  const effects = sideEffectsOf((await runInProcess(scaleOut, mutant)).events);
  const launches = effects.flatMap(({ operation }, index) => (operation === 'ec2:CreateFleet' ? [index + 1] : []));
  expect(launches.length).toBeGreaterThan(0);
  const found: string[] = [];
  for (const nth of launches) {
    const { judgement } = await runInProcess(scaleOut, mutant, 1, specifyCrash({ moment: 'after', nth }, effects));
    found.push(...judgement.checks.flatMap(({ findings }) => findings.map(({ code }) => code)));
  }
  expect(found).toContain('leaked-instance');
});

for (const { what, spans, says } of [
  { what: 'another request has a side effect before the crash', spans: [1, 2, 3], says: 'differ before the crash' },
  { what: 'the crash never comes', spans: [9_999_999], says: 'never fired' },
]) {
  test(`a trial that diverged is unknown: ${what}`, async () => {
    const crash: CrashSpec = { moment: 'before', nth: spans.length, operation: 'patch nodes', spans };
    const { judgement } = await runInProcess(scaleOut, reference, 1, crash);
    expect(judgement.verdict).toBe('unknown');
    const summaries = judgement.checks.filter(({ verdict }) => verdict === 'unknown').map(({ summary }) => summary);
    expect(summaries.join('\n')).toContain(says);
  });
}

test('each side effect has two crash points; there are none beyond the last, and none without virtual time', () => {
  const effects = [{ span: 3, operation: 'patch nodes', object: 'nodes/a' }];
  expect(crashPointsOf(effects)).toEqual([
    { moment: 'before', nth: 1 },
    { moment: 'after', nth: 1 },
  ]);
  expect(crashPointsOf(effects, { isUpgrade: true })).toEqual([{ moment: 'upgrade', nth: 1 }]);
  expect(specifyCrash({ moment: 'after', nth: 1 }, effects)).toEqual({
    moment: 'after',
    nth: 1,
    operation: 'patch nodes',
    object: 'nodes/a',
    spans: [3],
  });
  expect(() => specifyCrash({ moment: 'after', nth: 2 }, effects)).toThrow('1 side effects');
  expect(whyNoCrashPoints(['target.kill'])).toContain('time.virtual');
  expect(whyNoCrashPoints(['target.kill', 'time.virtual'])).toBeUndefined();
});
