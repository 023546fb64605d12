import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { exportedSource } from '../explore/export.ts';
import { parseScenarioData } from '../explore/scenario-data.ts';
import { LARGE, SMALL } from '../explore/testing/ground.ts';
import { formatScenario, readKnown } from './explore/files.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

/** It never launches anything, so that every scenario with a servable pod fails. */
const IDLE = `\
export default {
  name: 'idle',
  summary: 'does nothing',
  features: [],
  constants: {
    batchMaxMs: 1000, retryPeriodMs: 1000, launchTimeoutMs: 1000, registrationTimeoutMs: 1000, collectionMs: 1000,
    emptyAfterMs: 1000, terminationMs: 1000, unavailableOfferingMs: 1000, offeringsPerLaunch: 10,
  },
  resources: [],
  install: async () => {},
  start: ({ runtime }) => ({
    ready: Promise.resolve(),
    done: new Promise((resolve) => runtime.signal.addEventListener('abort', () => resolve())),
  }),
  applyPools: async () => {},
  removePools: async () => {},
};
`;

test('a search finds what fails, and leaves scenarios, findings, a corpus and a report', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'idle.mjs': IDLE });
  const args = ['explore', '--target', './idle.mjs', '--trials', '4', '--workers', '1', '--corpus', 'corpus', '--out', 'out'];
  const { code, stdout, stderr } = await scaleproofHere(args, cwd);
  expect(code, stdout + stderr).toBe(1);
  const [known] = readKnown(join(cwd, 'out/findings.json'));
  // Which of the consequences comes first depends on what is drawn.
  expect(['pod-not-served', 'unexplained', 'not-settled']).toContain(known?.code);
  expect(stderr).toContain(`found ${known?.check}: ${known?.code} in trial`);
  expect(stdout).toMatch(new RegExp(`${known?.check}: ${known?.code}\\n {2}\\S`));
  expect(stdout).toMatch(new RegExp(`replay: scaleproof replay 'sp1,scenario=\\./out/scenarios/${known?.code}-\\d+\\.json@`));
  expect(stdout).toContain('./out/report/report.html');
  const [name = ''] = readdirSync(join(cwd, 'out/scenarios'));
  expect(readdirSync(join(cwd, 'corpus')).length).toBeGreaterThan(0);
  expect(existsSync(join(cwd, 'out/report/report.html'))).toBe(true);

  const again = await scaleproofHere(['run', '--scenario', `./out/scenarios/${name}`, '--target', './idle.mjs', '--out', 'run'], cwd);
  expect(again.code, again.stdout + again.stderr).toBe(1);
  const [, replay = ''] = /scaleproof replay '(\S+)'/.exec(stdout) ?? [];
  const replayed = await scaleproofHere(['replay', replay, '--out', 'replayed'], cwd);
  expect(replayed.code, replayed.stdout + replayed.stderr).toBe(1);
  expect(replayed.stderr).not.toContain('changed');

  const second = await scaleproofHere([...args.slice(0, -1), 'second', '--known', 'out/findings.json'], cwd);
  expect(second.code, second.stdout + second.stderr).toBe(0);
  expect(second.stdout).toContain('Nothing new was found.');
  expect(second.stdout).toMatch(/\d+ failures? of known causes/);
});

test('failures are told as they were drawn, and one of them is made smaller later', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'idle.mjs': IDLE });
  const common = ['explore', '--target', './idle.mjs', '--workers', '1'];
  const drawn = await scaleproofHere([...common, '--trials', '4', '--as-drawn', '--out', 'drawn'], cwd);
  expect(drawn.code, drawn.stdout + drawn.stderr).toBe(1);
  expect(drawn.stderr).toContain('; scenario as drawn: ');
  const [, path = ''] = /make it smaller: scaleproof explore --shrink (\S+) --target \.\/idle\.mjs\n/.exec(drawn.stdout) ?? [];
  expect(path).toMatch(/^\.\/drawn\/scenarios\/\S+\.json$/);

  const shrunk = await scaleproofHere([...common, '--shrink', path, '--out', 'shrunk'], cwd);
  expect(shrunk.code, shrunk.stdout + shrunk.stderr).toBe(1);
  expect(shrunk.stdout).toMatch(/1 trial of .* and \d+ to examine what failed/);
  expect(shrunk.stdout).not.toContain('make it smaller:');
  const [name = ''] = readdirSync(join(cwd, 'shrunk/scenarios'));
  const sizeOf = (file: string): number => readFileSync(join(cwd, file), 'utf8').length;
  expect(sizeOf(`shrunk/scenarios/${name}`)).toBeLessThan(sizeOf(path));
});

test("what passes can't be made smaller, and says so", async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'small.json': formatScenario(SMALL) });
  const { code, stdout, stderr } = await scaleproofHere(['explore', '--shrink', './small.json', '--workers', '1', '--out', 'out'], cwd);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain('./small.json passes: there is nothing to make smaller.');
});

test('a corpus keeps the scenarios that reach the most', async ({}, testInfo) => {
  const small = { ...SMALL, name: 'same' };
  const cwd = folderWith(testInfo, { 'corpus/a.json': formatScenario(SMALL), 'corpus/b.json': formatScenario(small) });
  const args = ['explore', '--workers', '1', '--corpus', 'corpus'];
  const cut = await scaleproofHere([...args, '--max-corpus', '1', '--trials', '1', '--out', 'cut'], cwd);
  expect(cut.code, cut.stdout + cut.stderr).toBe(0);
  expect(readdirSync(join(cwd, 'corpus')), 'not all of them ran').toEqual(['a.json', 'b.json']);
  const all = await scaleproofHere([...args, '--max-corpus', '1', '--trials', '2', '--out', 'all'], cwd);
  expect(all.code, all.stdout + all.stderr).toBe(0);
  expect(readdirSync(join(cwd, 'corpus')), 'both reach the same').toHaveLength(1);
});

test('the same seed and corpus leave the same bytes, with one worker and with two', async ({}, testInfo) => {
  const left: Record<string, string>[] = [];
  for (const workers of ['1', '2']) {
    const cwd = folderWith(testInfo, { 'idle.mjs': IDLE, 'corpus/small.json': formatScenario(SMALL) }, `workers-${workers}`);
    const args = ['explore', '--target', './idle.mjs', '--trials', '6', '--seed', '2', '--corpus', 'corpus', '--out', 'out'];
    const { code, stdout, stderr } = await scaleproofHere([...args, '--workers', workers], cwd);
    expect(code, stdout + stderr).toBe(1);
    left.push(filesIn(cwd, ['out/findings.json', 'out/scenarios', 'corpus']));
  }
  const [one = {}, two = {}] = left;
  expect(Object.keys(one).filter((path) => path.startsWith('corpus/')).length).toBeGreaterThan(1);
  expect(Object.keys(one).filter((path) => path.startsWith('out/scenarios/')).length).toBeGreaterThan(0);
  expect(two).toEqual(one);
});

/** The texts of these files and of all files in these directories, by path. */
function filesIn(cwd: string, paths: readonly string[]): Record<string, string> {
  const files = paths.flatMap((path) =>
    statSync(join(cwd, path)).isDirectory() ? readdirSync(join(cwd, path)).map((name) => `${path}/${name}`) : [path],
  );
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]));
}

test('a scenario that passes exits 0, as JSON too', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'small.json': formatScenario(SMALL) });
  const run = await scaleproofHere(['run', '--scenario', './small.json', '--out', 'run'], cwd);
  expect(run.code, run.stdout + run.stderr).toBe(0);
  const found = await scaleproofHere(['explore', '--trials', '1', '--workers', '1', '--json', '--out', 'out'], cwd);
  expect(found.code, found.stdout + found.stderr).toBe(0);
  expect(JSON.parse(found.stdout)).toMatchObject({ target: 'reference', standing: { trials: 1, found: 0 }, found: [] });
});

test('a search ends when its time is up, and names a path with spaces so that a shell takes it', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'idle.mjs': IDLE, corpus: 'no directory' });
  const args = ['explore', '--target', './idle.mjs', '--workers', '1'];
  const { stdout, stderr } = await scaleproofHere([...args, '--for', '20s', '--out', 'my out'], cwd);
  expect(stdout, stderr).toMatch(/again: scaleproof run --scenario '\.\/my out\/scenarios\/\S+\.json' --target/);
  expect(stdout).not.toContain('interrupted');
  const refused = await scaleproofHere([...args, '--trials', '1', '--corpus', 'corpus'], cwd);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("--corpus corpus can't be created");
});

test('a scenario is printed as TypeScript', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'large.json': formatScenario(LARGE) });
  const { code, stdout } = await scaleproofHere(['explore', '--export', './large.json'], cwd);
  expect(code).toBe(0);
  expect(stdout).toBe(exportedSource(parseScenarioData(LARGE)));
});

test('a file with a scenario that is wrong is refused with the place', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'small.json': formatScenario(SMALL) });
  writeFileSync(join(cwd, 'small.json'), readFileSync(join(cwd, 'small.json'), 'utf8').replace('"replicas":2', '"replicas":-2'));
  const { code, stderr } = await scaleproofHere(['run', '--scenario', './small.json'], cwd);
  expect(code).toBe(2);
  expect(stderr).toContain('./small.json is not a valid scenario: `workloads.0.replicas` must be at least 0, and is -2');
});

for (const { args, says } of [
  { args: ['--for', '3 weeks'], says: '--for is a duration such as 90s, 20m or 2h' },
  { args: ['--for', '1m', '--trials', '3'], says: "option '--trials <n>' cannot be used with option '--for <duration>'" },
  { args: ['--trials', '0'], says: '--trials must be at least 1' },
  { args: ['--known', 'no.json', '--trials', '1'], says: 'no.json does not exist' },
  { args: ['--target', 'no-such', '--trials', '1'], says: 'no target is named "no-such"' },
  { args: ['--max-corpus', '3'], says: '--max-corpus needs --corpus' },
  { args: ['--shrink', './no.json'], says: 'the scenario file ./no.json does not exist' },
  { args: ['--shrink', './a.json', '--trials', '3'], says: "option '--shrink <./file.json>' cannot be used with option '--trials <n>'" },
  { args: ['--export', './no.json'], says: 'the scenario file ./no.json does not exist' },
]) {
  test(`a usage error: explore ${args.join(' ')}`, async ({}, testInfo) => {
    const { code, stderr } = await scaleproofHere(['explore', ...args], folderWith(testInfo, {}));
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
}
