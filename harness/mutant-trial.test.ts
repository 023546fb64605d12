import { expect, test } from '@playwright/test';
import { judge } from '../checks/judge.ts';
import type { TrialResult } from '../history/verdict.ts';
import { suites } from '../suites/catalogue.ts';
import { doubleLaunch } from '../targets/mutants/launch/double-launch.ts';
import { digestTrial, isDeclared } from './mutant-trial.ts';
import { runInProcess } from './testing/in-process.ts';

test('the first finding is that of the shortest failing prefix of the history', async () => {
  const { caughtBy, target } = doubleLaunch;
  const found = suites.flatMap(({ scenarios }) => scenarios).find(({ scenario }) => scenario.id === caughtBy.scenario);
  if (found === undefined) throw new Error(`there is no scenario ${caughtBy.scenario}`);
  const { events, judgement } = await runInProcess(found.scenario, target, 1);
  const names = { scenario: caughtBy.scenario, title: '', suite: '', target: target.name, seed: 1, replay: 'line', history: '' };
  const result: TrialResult = { ...names, ...judgement };
  const { first, fired, verdict } = digestTrial(result, events);
  expect(verdict).toBe('fail');
  expect(fired).toEqual(['slow-registration']);
  expect(first).toMatchObject({ check: caughtBy.check, code: caughtBy.code });
  const atMs = first?.atMs ?? 0;
  expect(atMs).toBeLessThan(judgement.virtualMs / 2);
  const until = (ms: number): string =>
    judge(
      events.filter(({ t }) => t <= ms),
      false,
    ).verdict;
  expect([until(atMs - 1), until(atMs)]).toEqual(['unknown', 'fail']);
});

test('a finding is the declared one by check, code and object', () => {
  const declared = {
    scenario: 'a/b',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  } as const;
  const finding = { check: 'success-rate', code: 'pod-not-served', object: 'pods/default/web-x1' };
  expect(isDeclared(finding, declared)).toBe(true);
  expect(isDeclared({ ...finding, object: 'pods/default/api-x1' }, declared)).toBe(false);
  expect(isDeclared({ ...finding, object: 'old-pods/default/web-x1' }, declared)).toBe(false);
  expect(isDeclared({ ...finding, code: 'slow' }, declared)).toBe(false);
  expect(isDeclared({ ...finding, check: 'latency' }, declared)).toBe(false);
  expect(isDeclared({ ...finding, object: 'a.b(c' }, { ...declared, object: 'a.b(c' }), 'only * is special').toBe(true);
  expect(isDeclared({ ...finding, object: 'axb' }, { ...declared, object: 'a.b' })).toBe(false);
});
