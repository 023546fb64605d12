import { expect, test } from '@playwright/test';
import { pool, scenario } from '../harness/scenario.ts';
import { suites } from '../suites/catalogue.ts';
import { sourceOf, targetOf } from './named.ts';
import { trials } from './trials.ts';

const own = scenario({ id: 'mine/own', title: 'of my own', pools: [pool('default')], run: async () => undefined });
const CONFIG = { configFile: import.meta.filename, rootDir: '/elsewhere' };

test('a test for each scenario of a suite and each seed, with the profile as its tag', () => {
  const bundled = suites.find(({ name }) => name === 'crashes')?.scenarios ?? [];
  const tests = trials({ suites: ['crashes'], seeds: [3, 5] });
  expect(tests.map(({ title, details: { tag } }) => [title, tag])).toEqual(
    bundled.flatMap(({ scenario: { id, title, profile } }) => [3, 5].map((seed) => [`${id}: ${title}, seed ${seed}`, `@${profile}`])),
  );
});

test('without a choice all of them, with the seed of the options', async () => {
  const tests = trials();
  expect(tests).toHaveLength(suites.flatMap(({ scenarios }) => scenarios).length);
  const asked: unknown[] = [];
  await tests[0]?.run({ runTrial: async (...args) => (asked.push(args), Promise.reject(new Error('of a test'))) }).catch(() => undefined);
  expect(asked).toEqual([[suites[0]?.scenarios[0]?.scenario.id, {}]]);
});

test('profiles choose among all, among suites and among those named', () => {
  const core = trials({ profiles: ['core'] });
  expect(new Set(core.map(({ details }) => details.tag))).toEqual(new Set(['@core']));
  expect(trials({ profiles: ['extended'], scenarios: ['crashes/killed-again-after-restart', own] })).toHaveLength(1);
});

test('names that there are not are refused, and so is a choice of nothing', () => {
  expect(() => trials({ suites: ['crahses'] })).toThrow('no suite is named "crahses"; there are: provisioning,');
  expect(() => trials({ scenarios: ['crashes/launched-twice'] })).toThrow('no scenario is named "crashes/launched-twice"');
  expect(() => trials({ suites: ['crashes'], scenarios: [own] })).toThrow('suites or scenarios, not both');
  expect(() => trials({ profiles: ['extended'], scenarios: [own] })).toThrow('no scenario is left');
});

test("a scenario of the user's own is found by its module, and says what is missing", async () => {
  await expect(sourceOf(own)).rejects.toThrow('mine/own does not say where it is: add `module: import.meta.url`');
  await expect(sourceOf({ ...own, module: new URL('../suites/crashes.ts', import.meta.url).href })).rejects.toThrow(
    'crashes.ts exports no scenario with the id mine/own',
  );
  await expect(sourceOf('./own.ts')).rejects.toThrow('import the scenario from that file');
  await expect(sourceOf('crashes/killed-again-after-restart')).resolves.toMatchObject({
    label: 'crashes/killed-again-after-restart',
    suite: 'crashes',
  });
});

test('a target has to be named; the path of its file begins at the configuration', () => {
  expect(() => targetOf(undefined, CONFIG)).toThrow(
    "there is no target: name one in playwright.config.ts, use: { target: './autoscaler.yaml' }",
  );
  expect(() => targetOf('referense', CONFIG)).toThrow('did you mean reference?');
  expect(targetOf('./trials.ts#own', CONFIG)).toMatchObject({ label: './playwright/trials.ts#own', ref: { export: 'own' } });
  expect(() => targetOf('./autoscaler.yaml', CONFIG)).toThrow('the target file ./playwright/autoscaler.yaml does not exist');
});
