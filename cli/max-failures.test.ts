import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runReportSchema } from '../reports/run-report.ts';
import type { RunReport } from '../reports/run-report.ts';
import { scaleproofHere } from './testing/command.ts';
import type { Finished } from './testing/command.ts';
import { folderWith, historiesOf } from './testing/files.ts';

const FAILING = 'scheduling/negative-max-skew';
/** Marked for crash points, and passes without a crash. */
const MARKED = 'provisioning/small-scale-out-and-back';
const FLAGS = ['--target', 'mutant:swallowed-topology-error', '--scenario', FAILING, '--scenario', MARKED, '--workers', '1'];

async function run(cwd: string, out: string, ...flags: readonly string[]): Promise<Finished & { readonly report: RunReport }> {
  const finished = await scaleproofHere(['run', ...FLAGS, ...flags, '--out', out], cwd);
  return { ...finished, report: runReportSchema.parse(JSON.parse(readFileSync(join(cwd, out, 'report.json'), 'utf8'))) };
}

test('after --max-failures failed trials no further trial starts, and the closing says so', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const { code, stdout, report } = await run(cwd, 'out', '--trials', '3', '--max-failures', '2');
  expect(code).toBe(1);
  expect(stdout).toContain('not run: 2 scenarios: the run stopped after 2 failed trials (--max-failures 2)\n');
  expect(stdout).toContain('✗ FAIL\n');
  expect(report.scenarios.map(({ id, results }) => [id, results.map(({ seed, verdict }) => [seed, verdict])])).toEqual([
    [
      FAILING,
      [
        [1, 'fail'],
        [2, 'fail'],
      ],
    ],
  ]);
  expect(report.notRun.map(({ scenario, seed }) => [scenario, seed])).toEqual([
    [FAILING, 3],
    [MARKED, 1],
    [MARKED, 2],
    [MARKED, 3],
  ]);

  const once = await run(cwd, 'once', '--trials', '3', '-x');
  expect(once.report.scenarios.map(({ results }) => results.length)).toEqual([1]);
  const [name = ''] = Object.keys(historiesOf(join(cwd, 'once')));
  expect(historiesOf(join(cwd, 'once'))[name]).toBe(historiesOf(join(cwd, 'out'))[name]);
});

test(
  'a run that stopped leaves out crash points, which does not change the verdict of their scenario',
  { tag: '@long' },
  async ({}, testInfo) => {
    const { code, report } = await run(folderWith(testInfo), 'out', '--max-failures', '1', '--workers', '2');
    expect(code).toBe(1);
    expect(report.scenarios.find(({ id }) => id === MARKED)).toMatchObject({
      verdict: 'pass',
      crashPoints: { leftOut: 'the run stopped after 1 failed trial (--max-failures 1)', points: [] },
    });
  },
);

test('a run with fewer failures is whole', { tag: '@long' }, async ({}, testInfo) => {
  const { report } = await run(folderWith(testInfo), 'out', '--max-failures', '2', '--no-crash-points');
  expect(report.notRun).toEqual([]);
  expect(report.scenarios.map(({ verdict }) => verdict).sort()).toEqual(['fail', 'pass']);
});

for (const [flags, says] of [
  [['--max-failures', '0'], '--max-failures must be at least 1, not "0"'],
  [['-x', '--max-failures', '3'], "option '-x' cannot be used with option '--max-failures <n>'"],
] as const) {
  test(`refused: run ${flags.join(' ')}`, async () => {
    const { code, stderr } = await scaleproofHere(['run', ...flags]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `scaleproof: ${says}\n` });
  });
}
