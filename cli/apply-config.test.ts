import { join } from 'node:path';
import { cpSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { scaleproofHere } from './testing/command.ts';
import type { Finished } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

const FILE = 'scaleproof.config.ts';
const CONFIG = `\
import { defineConfig } from 'scaleproof';

export default defineConfig({
  target: 'plain',
  scenarios: ['provisioning/two-cycles', 'provisioning/scale-out-and-back'],
  profiles: ['core'],
  trials: 2,
  workers: 1,
});
`;

interface Listed {
  readonly id: string;
  readonly seeds: readonly number[];
}

/** What `run` would run, in a folder with these files. */
async function listed(cwd: string, ...flags: readonly string[]): Promise<{ readonly rows: string[]; readonly words: string }> {
  const words = await scaleproofHere(['run', '--list', ...flags], cwd);
  const asJson = await scaleproofHere(['run', '--list', ...flags, '--json'], cwd);
  expect(asJson.code, asJson.stderr).toBe(0);
  const rows = (JSON.parse(asJson.stdout) as Listed[]).map(({ id, seeds }) => `${id} ${seeds.join(' ')}`);
  return { rows, words: words.stdout.replaceAll(/\s+/g, ' ') };
}

async function refused(testInfo: TestInfo, config: string, args: readonly string[] = ['run', '--list']): Promise<string> {
  const cwd = folderWith(testInfo, { [FILE]: config });
  const { code, stdout, stderr }: Finished = await scaleproofHere(args, cwd);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  return stderr.replaceAll(`${cwd}/`, '');
}

test('the file in the working directory sets defaults, and flags win', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { [FILE]: CONFIG });
  const byDefault = await listed(cwd);
  expect(byDefault.rows).toEqual(['provisioning/two-cycles 1 2', 'provisioning/scale-out-and-back 1 2']);
  expect(byDefault.words).toContain('4 trials of 2 scenarios with plain');

  const flags = await listed(cwd, '--target', 'reference', '--trials', '1', '--grep', 'cycles');
  expect(flags.rows).toEqual(['provisioning/two-cycles 1']);
  expect(flags.words).toContain('with reference');

  // Patterns of the file narrow what it chooses, and nothing that the command line does.
  writeFileSync(join(cwd, 'other.ts'), CONFIG.replace("profiles: ['core']", "profiles: ['core'],\n  grep: 'scale.out',\n  seed: 7"));
  expect((await listed(cwd, '--config', 'other.ts')).rows).toEqual(['provisioning/scale-out-and-back 7 8']);
  expect((await listed(cwd, '--config', 'other.ts', '--scenario', 'provisioning/cpu-limit')).rows).toEqual(['provisioning/cpu-limit 7 8']);

  // It is for manifests, which may come from the command line another time.
  writeFileSync(join(cwd, 'strict.js'), "export default { strict: true, scenarios: ['provisioning/two-cycles'] };\n");
  expect((await listed(cwd, '--config', 'strict.js')).rows).toEqual(['provisioning/two-cycles 1']);

  // The profile of the file would leave it out.
  expect((await listed(cwd, '--scenario', 'scheduling/spot-spread')).rows).toEqual(['scheduling/spot-spread 1 2']);
});

test('--config names another file', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { [FILE]: CONFIG, 'other.js': "export default { scenarios: ['provisioning/two-cycles'] };\n" });
  const { rows, words } = await listed(cwd, '--config', 'other.js');
  expect(rows).toEqual(['provisioning/two-cycles 1']);
  expect(words).toContain('with reference');
});

test('gate and compare use the fields that they have flags for', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { [FILE]: "export default { target: 'plain', scenarios: ['no/such'], policy: 'nowhere.yaml' };\n" });
  const gate = await scaleproofHere(['gate', '--baseline', 'reference', '--candidate', 'plain'], cwd);
  expect(gate).toMatchObject({ code: 2, stderr: 'scaleproof: the policy file nowhere.yaml does not exist\n' });
  const compare = await scaleproofHere(['compare', 'reference', 'plain'], cwd);
  expect(compare.stderr).toContain('no scenario is named "no/such"');
});

test('a whole gate can be in the file; a flag replaces one of its sides', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, {
    [FILE]: "export default { baseline: 'reference', candidate: 'none', suites: ['no-such-suite'], strict: true };\n",
    'empty.js': 'export default {};\n',
  });
  expect((await scaleproofHere(['gate'], cwd)).stderr).toContain('no target is named "none"');
  expect((await scaleproofHere(['gate', '--candidate', 'plain'], cwd)).stderr).toContain('no suite is named "no-such-suite"');
  const none = await scaleproofHere(['gate', '--baseline', 'reference', '--config', 'empty.js'], cwd);
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('gate needs a candidate: pass --candidate, or set `candidate` in the configuration file'),
  });
});

test('what is for targets does not disturb commands with run directories', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const first = await scaleproofHere(['run', '--scenario', 'provisioning/two-cycles', '--out', 'runs/a'], cwd);
  expect(first.code, first.stderr).toBe(0);
  cpSync(join(cwd, 'runs/a'), join(cwd, 'runs/b'), { recursive: true });
  writeFileSync(join(cwd, FILE), CONFIG);
  const compare = await scaleproofHere(['compare', 'runs/a', 'runs/b', '--out', 'compared'], cwd);
  expect(compare.code, compare.stderr).toBe(0);
  const gate = await scaleproofHere(['gate', '--baseline', 'runs/a', '--candidate', 'runs/b', '--out', 'gate'], cwd);
  expect(gate.code, gate.stderr).not.toBe(2);
  const failed = await scaleproofHere(['run', '--last-failed', 'runs/a'], cwd);
  expect(failed).toMatchObject({ code: 0, stdout: 'Nothing failed in runs/a, so there is nothing to run.\n' });
});

for (const [what, config, says] of [
  ['an unknown field', 'export default { tagret: "plain" };', `${FILE}: it has no field tagret; did you mean target?`],
  ['a field of another type', 'export default { trials: "2" };', `${FILE}: trials must be a whole number`],
  ['a value that the flag refuses', 'export default { trials: 0 };', `${FILE}: --trials must be at least 1, not "0"`],
  ['an unknown profile', 'export default { profiles: ["cor"] };', `${FILE}: profiles.0 must be one of core, extended, robustness`],
  ['no truth value', 'export default { strict: "yes" };', `${FILE}: strict must be true or false`],
  ['no map', 'export default 7;', `${FILE}: it must be a map of fields`],
  ['no default export', 'export const a = 1;', `${FILE} exports no "default"; it exports: a`],
  ['a syntax error', 'export default {;', `${FILE}:1 can't be loaded: SyntaxError: `],
] as const) {
  test(`refused: a configuration with ${what}`, async ({}, testInfo) => {
    expect(await refused(testInfo, config)).toContain(`scaleproof: ${says}`);
  });
}

test('refused: a missing file, and two files', async ({}, testInfo) => {
  expect(await refused(testInfo, CONFIG, ['run', '--config', 'nowhere.ts'])).toBe(
    'scaleproof: the configuration file nowhere.ts does not exist\n',
  );
  writeFileSync(join(folderWith(testInfo), 'scaleproof.config.js'), 'export default {};\n');
  expect(await refused(testInfo, CONFIG)).toBe(
    'scaleproof: there are scaleproof.config.ts and scaleproof.config.js: remove one, or name one with --config\n',
  );
});
