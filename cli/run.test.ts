import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { parseRunFacts } from '../reports/report-input.ts';
import { runReportSchema } from '../reports/run-report.ts';
import { scaleproofHere } from './testing/command.ts';
import { BURST, folderWith, historiesOf } from './testing/files.ts';

test('a scenario that passes: with --verbose tables, exit code, and everything in its run directory', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const scenario = 'provisioning/scale-out-and-back';
  const { code, stdout, stderr } = await scaleproofHere(
    ['run', '--scenario', scenario, '--seed', '7', '--out', 'out/first', '--verbose'],
    cwd,
  );
  expect(stderr).toMatch(/^\[1\/1\] pass provisioning\/scale-out-and-back seed 7 \(.* of virtual time\)\n$/);
  expect(code).toBe(0);

  const row = stdout.split('\n').find((line) => line.includes('✓ pass'));
  expect(row?.trim().split(/\s{2,}/)).toEqual(['…out-and-back', '✓ pass', '10/10 100 %', '10', '10', '0', '0', '-', '7']);
  for (const heading of ['LATENCY', 'TOTAL', 'BOUND']) expect(stdout).toContain(heading);
  expect(stdout).toMatch(
    /scaleproof replay sp1,scenario=provisioning\/scale-out-and-back@[0-9a-f]{12},target=reference,seed=7,nodes=10,catalogue=[0-9a-f]{12}\n/,
  );
  expect(stdout).toMatch(/virtual time in .* \(×/);
  expect(stdout).toContain('Report: out/first/report.html\n');
  expect(stripVTControlCharacters(stdout + stderr), 'no escape sequences without a terminal').toBe(stdout + stderr);

  const directory = join(cwd, 'out/first');
  expect(readdirSync(directory).sort()).toEqual(['histories', 'junit.xml', 'report.html', 'report.json', 'run.json']);
  expect(readdirSync(join(directory, 'histories'))).toEqual(['provisioning.scale-out-and-back-seed-7.jsonl']);
  const run = parseRunFacts(readFileSync(join(directory, 'run.json'), 'utf8'), 'run.json');
  expect(run).toMatchObject({ id: 'first', seed: 7, trials: 1, target: { name: 'reference' }, world: { name: 'embedded' } });
  expect(run.digests.catalogue).toMatch(/^[0-9a-f]{64}$/);
  expect(run.bounds.map(({ name }) => name)).toContain('provision');
  const report = runReportSchema.parse(JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')));
  expect(report).toMatchObject({ verdict: 'pass', scenarios: [{ id: scenario, verdict: 'pass', success: { served: 10, asked: 10 } }] });
  expect(readFileSync(join(directory, 'junit.xml'), 'utf8')).toMatch(/^<\?xml [^]*<testsuites [^]*<\/testsuites>\s*$/);
  expect(readFileSync(join(directory, 'report.html'), 'utf8')).toContain(scenario);
});

test('a run that passes ends in at most 25 lines of at most 80 columns, and says where the rest is', async ({}, testInfo) => {
  const { code, stdout, stderr } = await scaleproofHere(
    ['run', '--suite', 'registration', '--grep', 'kubelets', '--out', 'out'],
    folderWith(testInfo),
  );
  expect(code, stderr).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.slice(lines.indexOf('✓ PASS'))).toEqual([
    '✓ PASS',
    '',
    'Report: out/report.html',
    'It has every scenario, latency and bound; report.json also has replay lines. To',
    'print them all, use --verbose.',
  ]);
  for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^(\[ *\d+\/\d+\] .*)?$/);
});

test("--json prints one document on standard output; a run of a user's file gets a directory in runs/", async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const { code, stdout } = await scaleproofHere(['run', '--scenario', './burst.ts', '--json'], cwd);
  expect(code).toBe(0);
  const [id = ''] = readdirSync(join(cwd, 'runs'));
  const { directory, ...report } = JSON.parse(stdout) as { directory: string };
  expect(directory).toBe(join(cwd, 'runs', id));
  expect(report).toEqual(JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')));
  expect(report).toMatchObject({ verdict: 'pass', scenarios: [{ id: 'mine/burst', suite: 'user' }] });
});

test('the same seed gives the same bytes of history, with any number of workers, and after other trials', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const run = async (out: string, ...flags: string[]): Promise<Record<string, string>> => {
    const { code, stderr } = await scaleproofHere(['run', '--scenario', 'crashes/killed-during-scale-in', '--out', out, ...flags], cwd);
    expect(code, stderr).toBe(0);
    return historiesOf(join(cwd, out));
  };
  const together = await run('together', '--seed', '5', '--trials', '2', '--workers', '2');
  expect(Object.keys(together)).toEqual([5, 6].map((seed) => `crashes.killed-during-scale-in-seed-${seed}.jsonl`));
  const inRow = await run('in-row', '--seed', '5', '--trials', '2', '--workers', '1');
  // Each trial had a process of its own, and then the second one that of the first.
  for (const [name, history] of Object.entries(together)) expect(inRow[name] === history, `${name} with one worker`).toBe(true);
  const withoutSeed = Object.values(together).map((history) => history.replace(/"seed":\d+/, ''));
  expect(new Set(withoutSeed).size, 'other seeds give other histories').toBe(2);
});

test(
  'scenarios that the target cannot run are listed with the reason; a run without a judged trial is unknown',
  { tag: '@long' },
  async ({}, testInfo) => {
    const cwd = folderWith(testInfo);
    const alone = await scaleproofHere(['run', '--target', 'plain', '--scenario', 'scheduling/spot-spread', '--out', 'alone'], cwd);
    expect(alone.stdout).toContain('not run: scheduling/spot-spread: target plain does not have the feature spot');
    expect(alone.stdout).toContain('? UNKNOWN');
    expect(alone.code).toBe(3);

    const both = ['--scenario', 'scheduling/spot-spread', '--scenario', 'provisioning/scale-out-and-back'];
    const beside = await scaleproofHere(['run', '--target', 'plain', ...both, '--out', 'beside'], cwd);
    expect(beside.stdout).toContain('1 passed, 0 failed, 0 unknown, 1 not run');
    expect(beside.code, 'not run is not a verdict').toBe(0);
  },
);
