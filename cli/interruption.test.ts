import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runReportSchema } from '../reports/run-report.ts';
import type { RunReport } from '../reports/run-report.ts';
import { packageRoot } from '../model/package-root.ts';
import { scaleproof, scaleproofHere, startScaleproof } from './testing/command.ts';
import { ENDLESS, folderWith } from './testing/files.ts';
import { canSeeProcesses, descendantsOf, isRunning, until } from './testing/processes.ts';

const SPINNING = `export { spins as default } from '${join(packageRoot(), 'harness/testing/hostile.ts')}';\n`;
const ENDLESS_HISTORY = 'mine.endless-seed-1.jsonl';

test.skip(!canSeeProcesses, 'the system has no /proc');

/** Starts the command, waits until the target of the endless trial has started, and sends the command a signal. */
async function endBy(
  signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL',
  args: readonly string[],
  cwd: string,
): Promise<Awaited<ReturnType<typeof scaleproof>>> {
  const { child, finished } = startScaleproof([...args, '--out', 'out'], cwd);
  await until('the target is started', () => historyOf(cwd).includes('"type":"target.start"'));
  const children = descendantsOf(child.pid ?? 0);
  expect(children.length, 'trials run in their own processes').toBeGreaterThan(0);
  child.kill(signal);
  const result = await finished;
  await until('no process is left', () => !children.some(isRunning));
  return result;
}

/** The history of the first endless trial, of whichever side. */
function historyOf(cwd: string): string {
  const out = join(cwd, 'out');
  const paths = existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }) : [];
  return paths
    .filter((path) => path.endsWith(ENDLESS_HISTORY))
    .map((path) => readFileSync(join(out, path), 'utf8'))
    .join('');
}

function reportOf(cwd: string): RunReport {
  return runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'out/report.json'), 'utf8')));
}

const WHOLE_DIRECTORY = ['histories', 'junit.xml', 'report.html', 'report.json', 'run.json'];

test('Ctrl-C while a target spins: a readable partial run, exit code 3, nothing left running', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'endless.ts': ENDLESS, 'spinning.ts': SPINNING });
  const scenarios = ['--scenario', './endless.ts', '--scenario', 'scheduling/spot-spread'];
  const { code, stdout } = await endBy('SIGINT', ['run', ...scenarios, '--target', './spinning.ts', '--workers', '1'], cwd);
  expect(code).toBe(3);
  expect(stdout).toContain('the trial was ended (interrupted)');
  expect(stdout).toContain('not run: scheduling/spot-spread: the run was interrupted before it started');
  expect(readdirSync(join(cwd, 'out')).sort()).toEqual(WHOLE_DIRECTORY);
  expect(reportOf(cwd)).toMatchObject({ verdict: 'unknown', notRun: [{ scenario: 'scheduling/spot-spread', seed: 1 }] });
  const checked = await scaleproofHere(['check', join(cwd, 'out')]);
  expect(checked.code).toBe(3);
});

test('SIGTERM after a finding: exit code 1', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'endless.ts': ENDLESS });
  const scenarios = ['--scenario', 'api-pressure/lost-launch-answer', '--scenario', './endless.ts'];
  const { code, stdout } = await endBy('SIGTERM', ['run', ...scenarios, '--target', 'mutant:new-token-on-retry', '--workers', '1'], cwd);
  expect(code).toBe(1);
  expect(stdout).toContain('leaked-instance');
  expect(readdirSync(join(cwd, 'out')).sort()).toEqual(WHOLE_DIRECTORY);
  expect(reportOf(cwd).scenarios.map(({ verdict }) => verdict)).toEqual(['fail', 'unknown']);
});

test('SIGKILL: nothing left running, and what was recorded can be checked', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'endless.ts': ENDLESS });
  const { code } = await endBy('SIGKILL', ['run', '--scenario', './endless.ts'], cwd);
  expect(code).toBe(undefined);
  const checked = await scaleproofHere(['check', join(cwd, 'out')]);
  expect(checked.stdout).toContain('the history breaks off before the trial was over');
  expect(checked.code).toBe(3);
  expect(readdirSync(join(cwd, 'out')).sort()).toEqual(WHOLE_DIRECTORY);
});

test('SIGKILL of a gate: nothing left running', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'endless.ts': ENDLESS });
  const sides = ['--baseline', 'reference', '--candidate', 'plain'];
  expect((await endBy('SIGKILL', ['gate', ...sides, '--scenario', './endless.ts'], cwd)).code).toBe(undefined);
});

test('SIGKILL of a canary: the command that it runs is killed, too', async ({}, testInfo) => {
  const hook = '{command: ["true"]}';
  const cwd = folderWith(testInfo, {
    // Longer than a test may take.
    'probe.sh': 'echo $$ > pid.part; mv pid.part pid; sleep 600\n',
    'plan.yaml': `
name: upgrade
baseline: reference
candidate: reference
share: {clusters: 2}
stages: [{percent: 50}, {percent: 100}]
hooks: {deploy: ${hook}, rollback: ${hook}}
probes: {command: [sh, probe.sh]}`,
  });
  const { child, finished } = startScaleproof(['canary', '--plan', 'plan.yaml'], cwd);
  await until('a probe runs', () => existsSync(join(cwd, 'pid')));
  const children = descendantsOf(child.pid ?? 0);
  expect(children).toContain(Number(readFileSync(join(cwd, 'pid'), 'utf8')));
  child.kill('SIGKILL');
  await finished;
  await until('no process is left', () => !children.some(isRunning));
});
