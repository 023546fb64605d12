import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runReportSchema } from '../reports/run-report.ts';
import type { RunReport } from '../reports/run-report.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith, historiesOf } from './testing/files.ts';

const FAILING = 'scheduling/negative-max-skew';
const PASSING = 'scheduling/spread-without-selector';
const MUTANT = 'mutant:swallowed-topology-error';

function reportOf(directory: string): RunReport {
  return runReportSchema.parse(JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')));
}

const trialsOf = ({ scenarios }: RunReport): string[] => scenarios.flatMap(({ id, results }) => results.map(({ seed }) => `${id} ${seed}`));

test(
  '--last-failed repeats the failed trials of the newest run with its target, and ends when nothing failed',
  { tag: '@long' },
  async ({}, testInfo) => {
    test.slow();
    const cwd = folderWith(testInfo);
    const run = (...flags: readonly string[]): ReturnType<typeof scaleproofHere> => scaleproofHere(['run', ...flags], cwd);
    await run('--scenario', PASSING, '--out', 'runs/a');
    const first = await run('--target', MUTANT, '--scenario', FAILING, '--scenario', PASSING, '--seed', '5', '--nodes', '7');
    expect(first.code).toBe(1);
    const [before = ''] = readdirSync(join(cwd, 'runs')).filter((name) => name !== 'a');

    const again = await run('--last-failed', '--out', 'runs/again');
    expect(again.code).toBe(1);
    const report = reportOf(join(cwd, 'runs/again'));
    expect(report.run.target.name).toBe(MUTANT);
    expect(trialsOf(report)).toEqual([`${FAILING} 5`]);
    for (const [name, history] of Object.entries(historiesOf(join(cwd, 'runs/again'))))
      expect(historiesOf(join(cwd, 'runs', before))[name] === history, name).toBe(true);

    const repaired = await run('--last-failed', `runs/${before}`, '--target', 'reference', '--out', 'runs/repaired');
    expect(repaired.code, repaired.stderr).toBe(0);
    expect(trialsOf(reportOf(join(cwd, 'runs/repaired')))).toEqual([`${FAILING} 5`]);

    const none = await run('--last-failed');
    expect(none).toEqual({ code: 0, stdout: 'Nothing failed in runs/repaired, so there is nothing to run.\n', stderr: '' });

    const other = await run('--last-failed', 'runs/again', '--grep', 'without-selector');
    expect(other).toMatchObject({ code: 2, stderr: 'scaleproof: these flags select no scenario that failed in runs/again\n' });
    const world = await run('--last-failed', 'runs/again', '--machines', 'quick');
    expect(world.code).toBe(2);
    expect(world.stderr).toContain('runs/again ran in the world embedded, and these flags name embedded:quick');

    rmSync(join(cwd, 'runs/again/report.json'));
    const killed = await run('--last-failed', 'runs/again');
    expect(killed.code).toBe(2);
    expect(killed.stderr).toContain('runs/again has no report.json, since its run did not end; `scaleproof check runs/again` writes it');
  },
);

test("a failed crash point repeats all of its scenario's, with the seed that they belong to", { tag: '@long' }, async ({}, testInfo) => {
  const nothing = `\
import { pool, scenario } from 'scaleproof';

export const nothing = scenario({
  id: 'mine/nothing',
  title: 'nothing to do',
  crashPoints: true,
  pools: [pool('default', { instanceTypes: ['m6i.large'] })],
  run: () => Promise.resolve(),
});
`;
  const cwd = folderWith(testInfo, { 'nothing.ts': nothing });
  const first = await scaleproofHere(['run', '--scenario', './nothing.ts', '--seed', '3', '--trials', '2', '--out', 'runs/a'], cwd);
  expect(first.code, first.stderr).toBe(0);
  const path = join(cwd, 'runs/a/report.json');
  const report = reportOf(join(cwd, 'runs/a'));
  const scenarios = report.scenarios.map((one) => ({ ...one, crashPoints: one.crashPoints && { ...one.crashPoints, failed: 1 } }));
  writeFileSync(path, JSON.stringify({ ...report, scenarios }));
  const { stdout, stderr } = await scaleproofHere(['run', '--last-failed', '--list', '--json'], cwd);
  expect(JSON.parse(stdout), stderr).toMatchObject([{ id: 'mine/nothing', seeds: [3], crashPoints: true }]);
});

test('without an earlier run there is nothing to repeat', async ({}, testInfo) => {
  const { code, stderr } = await scaleproofHere(['run', '--last-failed'], folderWith(testInfo));
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'scaleproof: there is no run directory in runs/; name one\n' });
});

for (const [flag, value] of [
  ['--seed', '2'],
  ['--trials', '2'],
  ['--suite', 'scheduling'],
  ['--scenario', PASSING],
  ['--manifests', './deploy'],
] as const) {
  test(`refused: run --last-failed ${flag}`, async () => {
    const { code, stderr } = await scaleproofHere(['run', '--last-failed', flag, value]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `scaleproof: --last-failed repeats the trials of an earlier run; leave out ${flag}\n`,
    });
  });
}
