import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { suites } from '../suites/catalogue.ts';
import { targetCatalogue } from '../targets/catalogue.ts';
import { LoadError } from './load-error.ts';
import { digestOf, loadScenario, loadTarget, scenariosOf } from './load.ts';
import { scenarioSchema, shapeProblem, targetSchema } from './schemas.ts';

/** Writes a user's module with this source. */
function write(testInfo: TestInfo, source: string): string {
  mkdirSync(testInfo.outputDir, { recursive: true });
  const path = testInfo.outputPath('user.mjs');
  writeFileSync(path, source);
  return pathToFileURL(path).href;
}

const POOL = `{ name: 'p', requirements: [], labels: {}, taints: [], startupTaints: [], weight: 0 }`;
const SCENARIO = `({
  id: 'user/mine', title: 'mine', profile: 'core', requirements: ['PROV-1'],
  needs: { features: ['spot'], capabilities: ['time.virtual'] }, pools: [${POOL}], run: async () => {},
})`;
const TARGET = `({
  name: 'mine', summary: 'of my own', features: [], resources: ['machines'],
  constants: {
    batchMaxMs: 0, retryPeriodMs: 1, launchTimeoutMs: 1, registrationTimeoutMs: 1, collectionMs: 1, emptyAfterMs: 1,
    terminationMs: 1, unavailableOfferingMs: 0.5, offeringsPerLaunch: 1,
  },
  install: async () => {}, start: () => {}, applyPools: async () => {}, removePools: async () => {},
})`;

test('everything in the catalogues is valid', () => {
  const scenarios = suites.flatMap((suite) => suite.scenarios.map(({ scenario }) => scenario));
  expect(scenarios.map((scenario) => shapeProblem(scenarioSchema, scenario)).filter((problem) => problem !== undefined)).toEqual([]);
  expect(targetCatalogue.map((target) => shapeProblem(targetSchema, target)).filter((problem) => problem !== undefined)).toEqual([]);
});

for (const { change, says } of [
  { change: `id: 'mine'`, says: 'id must be area/name, of a-z, 0-9 and -' },
  { change: `id: '../etc/passwd'`, says: 'id must be area/name' },
  { change: `id: 7`, says: 'id must be area/name' },
  { change: `title: ''`, says: 'title must not be empty' },
  { change: `profile: 'hard'`, says: 'profile must be one of core, extended, robustness' },
  { change: `requirements: [1]`, says: 'requirements.0 must be a string' },
  { change: `needs: {}`, says: 'needs.features must be a list (and 1 more)' },
  { change: `needs: undefined`, says: 'needs must be { features, capabilities }' },
  { change: `needs: { features: ['teleport'], capabilities: [] }`, says: 'needs.features.0 must be one of spot' },
  { change: `needs: { features: [], capabilities: ['fly'] }`, says: 'needs.capabilities.0 must be one of time.virtual, ' },
  { change: `pools: {}`, says: 'pools must be a list' },
  { change: `pools: ['p']`, says: 'pools.0 must be a pool; create it with pool(name)' },
  { change: `pools: [{ ...${POOL}, name: 'No Name' }]`, says: 'pools.0.name must consist of' },
  { change: `pools: [${POOL}, ${POOL}]`, says: 'pools must be pools of different names' },
  {
    change: `pools: [{ ...${POOL}, requirements: [{ key: 'a', operator: 'is' }] }]`,
    says: 'pools.0.requirements.0.operator must be one of In',
  },
  {
    change: `pools: [{ ...${POOL}, requirements: [{ key: 'a', operator: 'In' }] }]`,
    says: 'requirements.0.values must have at least one value',
  },
  {
    change: `pools: [{ ...${POOL}, requirements: [{ key: 'a', operator: 'Gt', values: ['x'] }] }]`,
    says: 'must be one whole number for Gt',
  },
  { change: `pools: [{ ...${POOL}, taints: [{ key: 'a', effect: 'Never' }] }]`, says: 'pools.0.taints.0.effect must be one of NoSchedule' },
  { change: `pools: [{ ...${POOL}, limits: { cpu: NaN } }]`, says: 'pools.0.limits.cpu must be a number of cores, 0 or more' },
  { change: `pools: [{ ...${POOL}, limits: { nodes: 1.5 } }]`, says: 'pools.0.limits.nodes must be a whole number' },
  { change: `pools: [{ ...${POOL}, labels: { a: 1 } }]`, says: 'pools.0.labels.a must be a string' },
  { change: `pools: [{ ...${POOL}, weight: 101 }]`, says: 'pools.0.weight must be at most 100' },
  { change: `run: 'now'`, says: 'run must be a function' },
]) {
  test(`a scenario with ${change} is refused in one line`, async ({}, testInfo) => {
    const module = write(testInfo, `export const mine = { ...${SCENARIO}, ${change} };`);
    const error: unknown = await loadScenario({ module, export: 'mine' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LoadError);
    expect((error as LoadError).message).toContain(`user.mjs: export "mine" is not a valid scenario: `);
    expect((error as LoadError).message).toContain(says);
    expect((error as LoadError).message).not.toContain('\n');
    await expect(scenariosOf(module)).rejects.toThrow(says);
  });
}

for (const { change, says } of [
  { change: `constants: {}`, says: 'constants.batchMaxMs must be a number of milliseconds, 0 or more (and 8 more)' },
  { change: `constants: undefined`, says: 'constants must be the constants of the Target interface' },
  { change: `constants: { ...base.constants, collectionMs: NaN }`, says: 'constants.collectionMs must be a number of milliseconds' },
  { change: `constants: { ...base.constants, collectionMs: Infinity }`, says: 'constants.collectionMs must be a number of milliseconds' },
  { change: `constants: { ...base.constants, collectionMs: '5' }`, says: 'constants.collectionMs must be a number of milliseconds' },
  { change: `constants: { ...base.constants, collectionMs: -1 }`, says: 'constants.collectionMs must be a number of milliseconds' },
  {
    change: `constants: { ...base.constants, offeringsPerLaunch: 0 }`,
    says: 'constants.offeringsPerLaunch must be a positive whole number',
  },
  { change: `name: ''`, says: 'name must not be empty' },
  { change: `summary: undefined`, says: 'summary must be a string' },
  { change: `features: ['node-claims']`, says: 'features.0 must be one of spot' },
  { change: `resources: undefined`, says: 'resources must be a list' },
  { change: `removePools: undefined`, says: 'removePools must be a function' },
]) {
  test(`a target with ${change} is refused in one line`, async ({}, testInfo) => {
    const module = write(testInfo, `const base = ${TARGET}; export default { ...base, ${change} };`);
    const error: unknown = await loadTarget({ module, export: 'default' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LoadError);
    expect((error as LoadError).message).toContain(`user.mjs: export "default" is not a valid target: ${says}`);
    expect((error as LoadError).message).not.toContain('\n');
  });
}

test('two targets of the catalogue in one cluster have a name; impossible pairs are refused', async () => {
  const both = await loadTarget({ name: 'reference+mutant:new-token-on-retry' });
  expect(both.name).toBe('reference+mutant:new-token-on-retry');
  expect(shapeProblem(targetSchema, both)).toBeUndefined();
  for (const [name, says] of [
    ['reference+typo', 'no target is named "typo"; `scaleproof list targets` shows them'],
    ['reference+', 'no target is named ""'],
    ['reference+plain', "would fight: plain can't be confined to some pools"],
    ['reference+reference+reference', 'at most two autoscalers'],
  ] as const) {
    const error: unknown = await loadTarget({ name }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LoadError);
    expect((error as LoadError).message).toContain(says);
  }
});

test('instances of classes are accepted, with methods on prototypes, getters and private state', async ({}, testInfo) => {
  const module = write(
    testInfo,
    `
    const base = ${TARGET};
    class Base { install() {} applyPools() {} removePools() {} get features() { return []; } }
    class Mine extends Base {
      #summary = 'of my own';
      name = 'mine';
      resources = [];
      get summary() { return this.#summary; }
      get constants() { return base.constants; }
      start() { return this.#summary; }
    }
    class Case {
      title = 'mine'; profile = 'core'; requirements = []; pools = [];
      get id() { return 'user/case'; }
      get needs() { return { features: [], capabilities: [] }; }
      async run() {}
    }
    export default new Mine();
    export const mine = new Case();`,
  );
  const target = await loadTarget({ module, export: 'default' });
  expect([target.summary, target.start({} as never)]).toEqual(['of my own', 'of my own']);
  expect((await loadScenario({ module, export: 'mine' })).id).toBe('user/case');
});

test('other exports of a module are ignored; a module without scenarios is an error', async ({}, testInfo) => {
  const module = write(
    testInfo,
    `export const b = ${SCENARIO}; export const a = ${SCENARIO}; export const help = { x: 1 }; export const nothing = null;`,
  );
  expect((await scenariosOf(module)).map(({ ref }) => ref.export)).toEqual(['a', 'b']);
  await expect(loadScenario({ module, export: 'help' })).rejects.toThrow('export "help" is not a valid scenario: id must be area/name');
  await expect(loadScenario({ module, export: 'nothing' })).rejects.toThrow(
    'export "nothing" is not a valid scenario: it must be an object',
  );
  await expect(loadScenario({ module, export: 'c' })).rejects.toThrow('exports no "c"; it exports: a, b, help, nothing');
});

/** A module with one source in the directory that its query names. */
const SOURCES_OF_DIRECTORY = `
const directory = new URL(import.meta.url).searchParams.get('dir');
export const sources = directory === null ? [] : [directory + '/data.yaml'];
`;

test("a digest covers the files that a module's query names, as listed in its sources", async ({}, testInfo) => {
  const module = write(testInfo, SOURCES_OF_DIRECTORY);
  const digests: string[] = [];
  for (const text of ['a', 'b', 'a']) {
    writeFileSync(testInfo.outputPath('data.yaml'), text);
    digests.push(await digestOf(`${module}?dir=${encodeURIComponent(testInfo.outputPath())}`));
  }
  expect(digests[0]).toBe(digests[2]);
  expect(new Set([...digests, await digestOf(module)]).size).toBe(3);
});

test("a digest covers the rest of a module's query, but not where its sources are", async ({}, testInfo) => {
  const module = write(testInfo, SOURCES_OF_DIRECTORY);
  const digestIn = (folder: string, rest = ''): Promise<string> => {
    const directory = testInfo.outputPath(folder);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'data.yaml'), 'a');
    return digestOf(`${module}?dir=${encodeURIComponent(directory)}${rest}`);
  };
  const both = createHash('sha256').update(SOURCES_OF_DIRECTORY).update('a').digest('hex');
  expect([await digestIn('one'), await digestIn('other')], 'as before there was a rest').toEqual([both, both]);
  expect(await digestIn('one', '&classes=applied')).toBe(await digestIn('other', '&classes=applied'));
  expect(new Set([both, await digestIn('one', '&classes=applied'), await digestIn('one', '&classes=else')]).size).toBe(3);
});
