import { expect, test } from '@playwright/test';
import { pool, scenario } from '../harness/scenario.ts';
import { sources, suites } from '../suites/catalogue.ts';
import { sourceOf, targetOf } from './named.ts';
import { trials } from './trials.ts';

const own = scenario({ id: 'mine/own', title: 'my own', pools: [pool('default')], run: async () => undefined });
const CONFIG = { configFile: import.meta.filename, rootDir: '/elsewhere' };

test('a test for each scenario of a suite and each seed, with the profile as its tag', () => {
  const bundled = suites.find(({ name }) => name === 'crashes')?.scenarios ?? [];
  const tests = trials({ suites: ['crashes'], seeds: [3, 5] });
  expect(tests.map(({ title, details: { tag } }) => [title, tag])).toEqual(
    bundled.flatMap(({ scenario: { id, title, profile } }) => [3, 5].map((seed) => [`${id}: ${title}, seed ${seed}`, `@${profile}`])),
  );
});

test('by default all scenarios, with the seed of the options', async () => {
  const tests = trials();
  expect(tests).toHaveLength(sources.length);
  const calls: unknown[] = [];
  await tests[0]?.run({ runTrial: async (...args) => (calls.push(args), Promise.reject(new Error('of a test'))) }).catch(() => undefined);
  expect(calls).toEqual([[suites[0]?.scenarios[0]?.scenario.id, {}]]);
});

test('profiles select among all scenarios, among suites and among named scenarios', () => {
  const core = trials({ profiles: ['core'] });
  expect(new Set(core.map(({ details }) => details.tag))).toEqual(new Set(['@core']));
  expect(trials({ profiles: ['extended'], scenarios: ['crashes/killed-again-after-restart', own] })).toHaveLength(1);
});

test('unknown names are rejected, and so is an empty selection', () => {
  expect(() => trials({ suites: ['crahses'] })).toThrow('no suite is named "crahses"; there are: provisioning,');
  expect(() => trials({ scenarios: ['crashes/launched-twice'] })).toThrow('no scenario is named "crashes/launched-twice"');
  expect(() => trials({ suites: ['crashes'], scenarios: [own] })).toThrow('suites or scenarios, not both');
  expect(() => trials({ profiles: ['extended'], scenarios: [own] })).toThrow('no scenario matches');
});

test("a user's own scenario is found by its module, and an error says what is missing", async () => {
  await expect(sourceOf(own)).rejects.toThrow('mine/own has no `module`: add `module: import.meta.url`');
  await expect(sourceOf({ ...own, module: new URL('../suites/crashes.ts', import.meta.url).href })).rejects.toThrow(
    'crashes.ts exports no scenario with the id mine/own',
  );
  await expect(sourceOf('./own.ts')).rejects.toThrow('import the scenario from that file');
  await expect(sourceOf('crashes/killed-again-after-restart')).resolves.toMatchObject({
    label: 'crashes/killed-again-after-restart',
    suite: 'crashes',
  });
});

test('a target has to be set; its path is relative to the configuration', () => {
  expect(() => targetOf(undefined, CONFIG)).toThrow(
    "no target is set: set one in playwright.config.ts, use: { target: './autoscaler.yaml' }",
  );
  expect(() => targetOf('referense', CONFIG)).toThrow('did you mean reference?');
  expect(targetOf('./trials.ts#own', CONFIG)).toMatchObject({ label: './playwright/trials.ts#own', ref: { export: 'own' } });
  expect(() => targetOf('./autoscaler.yaml', CONFIG)).toThrow('the target file ./playwright/autoscaler.yaml does not exist');
});
