import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scaleproof, scaleproofHere } from './testing/command.ts';
import type { Finished } from './testing/command.ts';
import { BURST, folderWith } from './testing/files.ts';

/** One clear line on standard error, nothing on standard output, exit code 2. */
function expectRefusal({ code, stdout, stderr }: Finished, says: string | RegExp): void {
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^scaleproof: [^\n]+\n$/);
  if (typeof says === 'string') expect(stderr).toContain(says);
  else expect(stderr).toMatch(says);
}

for (const [line, says] of [
  ['run --seed x', '--seed must be a whole number, not "x"'],
  ['run --profile cor', '--profile must be one of core, extended, robustness, endurance, not "cor"'],
  ['run --profile extended --scenario provisioning/two-cycles', 'these flags select no scenario'],
  ['run --seed 1.5', '--seed must be a whole number, not "1.5"'],
  ['run --seed -1', '--seed must be a whole number, not "-1"'],
  ['run --seed 99999999999999999999', '--seed must be at most'],
  ['run --trials 0', '--trials must be at least 1, not "0"'],
  ['run --trials many', '--trials must be a whole number, not "many"'],
  ['run --workers -1', '--workers must be a whole number, not "-1"'],
  ['run --workers 0', '--workers must be at least 1, not "0"'],
  ['run --sede 1', "unknown option '--sede' (Did you mean --seed?)"],
  ['run --seed', "option '--seed <n>' argument missing"],
  ['run surplus', 'too many arguments'],
  ['rnu', "unknown command 'rnu' (Did you mean run?)"],
  ['check', "missing required argument 'dir'"],
  ['replay', "missing required argument 'line'"],
  ['check ./nowhere', './nowhere is not a run directory: it has no run.json'],
  ['replay nonsense', 'a replay line begins with "sp1,", this one with "nonsense"'],
  ['replay sp1,scenario=no/such@0123456789ab,target=reference,seed=1,nodes=10,catalogue=0123456789ab', 'no scenario is named "no/such"'],
  [
    'replay sp1,scenario=no/such@0123456789ab,target=reference,seed=1,nodes=10,world=embedded:idle,catalogue=0123456789ab',
    'the replay line names an unknown world "embedded:idle"',
  ],
  [
    'replay sp1,scenario=./gone.ts%23a@0123456789ab,target=reference,seed=1,nodes=10,catalogue=0123456789ab',
    'the scenario file ./gone.ts does not exist',
  ],
  ['list scenario', 'there is no list of "scenario"; did you mean scenarios?'],
  ['list', 'say what to list: suites, scenarios, requirements, faults, checks, targets'],
  ['list nonsense', 'there is no list of "nonsense"; there are: suites, scenarios, requirements, faults, checks, targets'],
  ['run --scenario provisioning/two-cycels', 'did you mean provisioning/two-cycles?'],
  ['run --target plian', 'did you mean plain?'],
  ['list toString', 'there is no list of "toString"'],
  ['run --suite provision', 'no suite is named "provision"; there are: provisioning, scheduling'],
  ['run --scenario spot-spread', 'no scenario is named "spot-spread"; did you mean scheduling/spot-spread?'],
  ['run --scenario no/such', '`scaleproof list scenarios` shows them all'],
  ['run --suite capacity --scenario scheduling/spot-spread', 'these flags select no scenario'],
  [
    'run --target new-token-on-retry',
    'no target is named "new-token-on-retry"; did you mean mutant:new-token-on-retry or mutant:new-token-on-retry:quick?',
  ],
  ['run --target no-such', '`scaleproof list targets` shows them all'],
  ['run --scenario ./nowhere.ts', 'the scenario file ./nowhere.ts does not exist'],
  ['run --scenario ./cli', './cli is a directory; name a scenario file'],
  ['run --target ./nowhere.ts', 'the target file ./nowhere.ts does not exist'],
  ['run --out package.json', '--out package.json is a file; name a directory that is new or empty'],
  ['run --out cli', '--out cli is not empty; name a directory that is new or empty'],
  ['run --out package.json/below', "--out package.json/below can't be created: ENOTDIR"],
] as const) {
  test(`refused: ${line}`, async () => {
    expectRefusal(await scaleproofHere(line.split(' ')), says);
  });
}

test('a folder that the file system cannot create is refused', async () => {
  test.skip(!existsSync('/proc/self'), 'there is no /proc here');
  expectRefusal(await scaleproofHere(['run', '--out', '/proc/nowhere']), "--out /proc/nowhere can't be created");
});

for (const { what, flag, file, says } of [
  {
    what: 'a scenario with a syntax error',
    flag: '--scenario',
    file: 'export const a = 1;\nexport const b = {;\n',
    says: /mine\.ts:2 can't be loaded: SyntaxError: /,
  },
  {
    what: 'a scenario that throws at import',
    flag: '--scenario',
    file: "\nthrow new Error('no such\\nluck');\n",
    says: /mine\.ts:2 can't be loaded: Error: no such\n/,
  },
  {
    what: 'a file without a scenario',
    flag: '--scenario',
    file: 'export const a = 1;\n',
    says: /mine\.ts exports no scenario; export one made with scenario\(/,
  },
  {
    what: 'a target with a syntax error',
    flag: '--target',
    file: 'export default {;\n',
    says: /mine\.ts:1 can't be loaded: SyntaxError: /,
  },
  {
    what: 'a target without a default export',
    flag: '--target',
    file: 'export const a = 1;\n',
    says: /mine\.ts exports no "default"; it exports: a\n/,
  },
  {
    what: 'an export that is not a target',
    flag: '--target',
    file: "export default { name: 'mine' };\n",
    says: /mine\.ts: export "default" is not a valid target: summary must be a string/,
  },
]) {
  test(`a broken file is refused: ${what}`, async ({}, testInfo) => {
    const cwd = folderWith(testInfo, { 'mine.ts': file });
    expectRefusal(await scaleproofHere(['run', flag, './mine.ts', '--out', 'out'], cwd), says);
    expect(existsSync(join(cwd, 'out')), 'nothing was started').toBe(false);
  });
}

test('two scenarios with the same id are refused; a scenario named twice runs once', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'a.ts': BURST, 'b.ts': BURST.replace('five pods', 'others') });
  const flags = ['--scenario', './a.ts', '--scenario', './a.ts'];
  expectRefusal(
    await scaleproofHere(['run', ...flags, '--scenario', './b.ts'], cwd),
    'two scenarios have the id "mine/burst": "five pods at once" and "others at once"',
  );
  const twice = await scaleproofHere(['run', ...flags, '--out', 'out'], cwd);
  expect(twice.stdout).toContain('reference in embedded: 1 passed');
  expect(twice.code).toBe(0);
});

const throwing = (where: string): string => `\
import { scenario } from 'scaleproof';
${where === 'in the trial only' ? "if (process.send !== undefined) throw new Error('not here');" : ''}
export const mine = scenario({
  id: 'mine/broken',
  title: 'broken',
  async run(t) {
    await t.pass('explain');
    throw new Error('a typo\\nof mine');
  },
});
${where === 'nowhere that could catch it' ? "queueMicrotask(() => { throw new Error('late'); });" : ''}
${where === 'by ending the process' ? 'process.exit(0);' : ''}
${where === 'by never being loaded' ? 'await new Promise(() => {});' : ''}
`;

for (const { where, says, isReported } of [
  { where: 'while it runs', says: '[1/1] unknown mine/broken seed 1', isReported: true },
  { where: 'in the trial only', says: "mine.ts:2 can't be loaded: Error: not here", isReported: true },
  { where: 'nowhere that could catch it', says: 'the process ended before the command was over', isReported: false },
  { where: 'by ending the process', says: 'the process ended before the command was over', isReported: false },
  { where: 'by never being loaded', says: 'the process ended before the command was over', isReported: false },
]) {
  test(`a scenario that fails ${where} says nothing about the target: exit code 3`, async ({}, testInfo) => {
    const cwd = folderWith(testInfo, { 'mine.ts': throwing(where) });
    const { code, stdout, stderr } = await scaleproof(['run', '--scenario', './mine.ts', '--out', 'out'], cwd);
    expect(code, stderr).toBe(3);
    expect(stderr).toContain(says);
    expect(existsSync(join(cwd, 'out/report.html'))).toBe(isReported);
    if (isReported) expect(stdout).toMatch(/\? UNKNOWN\n/);
    if (where === 'while it runs') expect(stdout).toMatch(/the scenario failed: mine\.ts:8: Error: a typo/);
  });
}
