import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parseRunFacts } from '../reports/report-input.ts';
import { runReportSchema } from '../reports/run-report.ts';
import type { RunReport } from '../reports/run-report.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith, historiesOf } from './testing/files.ts';

/** One pod, so a target has some side effects. */
const ONE_POD = `\
import { pool, scenario } from 'scaleproof';

export const onePod = scenario({
  id: 'mine/one-pod',
  title: 'one pod',
  crashPoints: true,
  pools: [pool('default', { instanceTypes: ['m6i.large'] })],
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 1, cpu: '500m', memory: '1Gi' });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
  },
});
`;

/**
 * Two scenarios, one of them with crash points, which belong to the shard of its first seed. The target is `plain`, which has fewer
 * side effects than the reference.
 */
const FLAGS = ['--target', 'plain', '--scenario', './one-pod.ts', '--scenario', 'crashes/killed-after-launch', '--seed', '3'];

function reportOf(directory: string): RunReport {
  return runReportSchema.parse(JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')));
}

/** A report without times and directory. */
function comparable({ run, ...rest }: RunReport): unknown {
  const { id: _id, startedAt: _startedAt, wallMs: _wallMs, ratio: _ratio, ...facts } = run;
  return { ...rest, run: facts };
}

test('shards merged in any order give the whole run: the same histories, and the same report', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(600_000);
  const cwd = folderWith(testInfo, { 'one-pod.ts': ONE_POD });
  const run = (out: string, ...flags: string[]) =>
    scaleproofHere(['run', ...FLAGS, '--trials', '2', '--workers', '1', '--out', out, ...flags], cwd);
  expect((await run('whole')).code).toBe(0);
  for (const number of [1, 2, 3]) expect((await run(`shard-${number}`, '--shard', `${number}/3`)).code).toBe(0);
  const merged = await scaleproofHere(['merge', 'shard-3', 'shard-1', 'shard-2', '--out', 'merged'], cwd);
  expect(merged.code, merged.stderr).toBe(0);

  const [whole, joined] = [join(cwd, 'whole'), join(cwd, 'merged')];
  expect(historiesOf(joined)).toEqual(historiesOf(whole));
  expect(comparable(reportOf(joined))).toEqual(comparable(reportOf(whole)));
  expect(reportOf(joined).scenarios.some(({ crashPoints }) => (crashPoints?.passed ?? 0) > 10)).toBe(true);
  const facts = parseRunFacts(readFileSync(join(joined, 'run.json'), 'utf8'), 'run.json');
  expect(facts.shard).toBeUndefined();
  const own = [1, 2, 3].map((number) => parseRunFacts(readFileSync(join(cwd, `shard-${number}`, 'run.json'), 'utf8'), 'run.json'));
  expect(own.map(({ planned }) => planned.filter(({ crash }) => crash === undefined).length)).toEqual([2, 1, 1]);

  for (const [directories, message] of [
    [['shard-1', 'shard-2'], '1 of 3 shards are missing: 3'],
    [['shard-1', 'shard-2', 'shard-1'], 'shard-1 and shard-1 are both shard 1 of 3'],
    [['whole'], 'whole is a whole run, not a shard'],
    [['shard-1', 'whole'], 'whole is a whole run, and shard-1 one of 3'],
    [['nowhere'], 'nowhere is not a run directory'],
  ] as const) {
    const refused = await scaleproofHere(['merge', ...directories.map((name) => join(cwd, name)), '--out', join(cwd, 'refused')]);
    expect(refused.code).toBe(2);
    expect(refused.stderr.replaceAll(`${cwd}/`, '')).toContain(message);
  }
  const other = await run('other', '--shard', '2/3', '--nodes', '3');
  expect(other.code).toBe(0);
  const unrelated = await scaleproofHere(['merge', 'shard-1', 'other', 'shard-3'], cwd);
  expect(unrelated).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('shard-1 and other are not shards of the same run: they differ in flags'),
  });
});

test('a shard is I/N', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'one-pod.ts': ONE_POD });
  for (const [shard, message] of [
    ['0/2', '--shard I/N: I must be at least 1, not "0"'],
    ['3/2', '--shard 3/2: there are 2 shards, counted from 1'],
    ['2', '--shard is I/N, as in 2/4, not "2"'],
    ['9/9', '--shard 9/9: there are only 2 trials; use fewer shards'],
  ] as const) {
    const { code, stderr } = await scaleproofHere(['run', ...FLAGS, '--shard', shard], cwd);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `scaleproof: ${message}\n` });
  }
});
