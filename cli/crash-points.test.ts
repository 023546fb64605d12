import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runReportSchema } from '../reports/run-report.ts';
import { readReport } from '../reports/testing/read-report.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith, historiesOf } from './testing/files.ts';

/** Nothing to do, so a target has few side effects. */
const NOTHING = `\
import { pool, scenario } from 'scaleproof';

export const nothing = scenario({
  id: 'mine/nothing',
  title: 'nothing to do',
  pools: [pool('default', { instanceTypes: ['m6i.large'] })],
  run: () => Promise.resolve(),
});
`;

test('the target is killed twice at each side effect; check and replay give the same bytes', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'nothing.ts': NOTHING });
  const all = await scaleproofHere(['crash-points', '--scenario', './nothing.ts', '--seed', '3', '--out', 'all'], cwd);
  expect(all.code, all.stdout + all.stderr).toBe(0);
  expect(all.stdout).toMatch(/^ *K +OPERATION +OBJECT +BEFORE +AFTER/);
  expect(all.stdout).toMatch(/patch ec2nodeclasses .* pass +pass/);

  const report = runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'all/report.json'), 'utf8')));
  const crashPoints = report.scenarios[0]?.crashPoints;
  const points = crashPoints?.points ?? [];
  expect(points.length).toBeGreaterThan(0);
  expect(points.map(({ nth }) => nth)).toEqual(points.map((_point, index) => index + 1));
  expect(crashPoints).toMatchObject({ passed: 2 * points.length, failed: 0, unknown: 0 });
  expect(report).toMatchObject({ verdict: 'pass', totals: { trials: { passed: 1 }, crashPoints: { passed: 2 * points.length } } });
  expect(all.stdout).toContain(`${points.length} side effects, ${2 * points.length} crash points: ${2 * points.length} passed`);
  expect(readReport(join(cwd, 'all/report.html'))).toContain('Killed at each side effect');

  const last = points.at(-1)?.after;
  expect(last?.replay).toContain(`,crash=after:${points.length},`);
  const again = await scaleproofHere(['replay', last?.replay ?? '', '--out', 'again'], cwd);
  expect(again.code, again.stdout + again.stderr).toBe(0);
  const [first, second] = [historiesOf(join(cwd, 'all')), historiesOf(join(cwd, 'again'))];
  expect(Object.keys(second)).toHaveLength(2);
  for (const [name, history] of Object.entries(second)) expect(first[name] === history, name).toBe(true);

  const before = readFileSync(join(cwd, 'again/report.json'), 'utf8');
  const checked = await scaleproofHere(['check', 'again'], cwd);
  expect(checked.code, checked.stderr).toBe(0);
  expect(readFileSync(join(cwd, 'again/report.json'), 'utf8')).toBe(before);

  const beyond = await scaleproofHere(['replay', (last?.replay ?? '').replace(/after:\d+/, 'after:9999'), '--out', 'beyond'], cwd);
  expect(beyond.code, beyond.stdout).toBe(3);
  expect(beyond.stdout).toContain('UNKNOWN');
});

test('FROM..TO is upgraded at each side effect of FROM; a replay gives the same bytes', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'nothing.ts': NOTHING });
  const target = ['--target', 'reference..mutant:no-drain'];
  const all = await scaleproofHere(['crash-points', '--scenario', './nothing.ts', ...target, '--out', 'all'], cwd);
  expect(all.code, all.stdout + all.stderr).toBe(0);
  expect(all.stdout).toMatch(/^ *K +OPERATION +OBJECT +UPGRADE/);
  const [scenario] = runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'all/report.json'), 'utf8'))).scenarios;
  const points = scenario?.crashPoints?.points ?? [];
  expect(points.length).toBeGreaterThan(0);
  expect(scenario?.crashPoints).toMatchObject({ passed: points.length, failed: 0, unknown: 0 });
  expect(readReport(join(cwd, 'all/report.html'))).toContain('Upgraded at each side effect');

  const replay = points.at(-1)?.upgrade?.replay ?? '';
  expect(replay).toContain(`,crash=upgrade:${points.length},catalogue=`);
  const again = await scaleproofHere(['replay', replay, '--out', 'again'], cwd);
  expect(again.code, again.stdout + again.stderr).toBe(0);
  // The trial that counts can be replayed alone.
  const counted = scenario?.results[0]?.replay ?? '';
  expect(counted).toContain(',upgrade=none,');
  expect((await scaleproofHere(['replay', counted, '--out', 'counted'], cwd)).code).toBe(0);
  const first = historiesOf(join(cwd, 'all'));
  const repeated = { ...historiesOf(join(cwd, 'again')), ...historiesOf(join(cwd, 'counted')) };
  expect(Object.keys(repeated)).toHaveLength(2);
  for (const [name, history] of Object.entries(repeated)) expect(first[name] === history, name).toBe(true);

  const refused = await scaleproofHere(['replay', replay.replace('reference..mutant:no-drain', 'reference')], cwd);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('reference is not an upgrade');
});

for (const { args, says } of [
  { args: ['--scenario', 'no/such'], says: 'no scenario is named "no/such"' },
  { args: ['--scenario', 'scheduling/spot-spread', '--target', 'plain'], says: 'does not have the feature spot' },
  { args: [], says: "required option '--scenario" },
]) {
  test(`crash-points ${args.join(' ')} is refused: ${says}`, async () => {
    const { code, stderr } = await scaleproofHere(['crash-points', ...args]);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
}
