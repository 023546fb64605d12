import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { checkCatalogue } from '../checks/catalogue.ts';
import { faultCatalogue } from '../faults/catalogue.ts';
import { suites } from '../suites/catalogue.ts';
import { VACUITY_REASONS } from '../suites/vacuity-reasons.ts';
import { mutantsReportSchema } from './mutants-report.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

test('a mutant and the reference: the table, the report, and no histories left', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  // One after the other: with two processes, the order would be random.
  const flags = ['--scenario', 'registration/slow-kubelets', '--seeds', '2', '--workers', '1', '--out', 'out', '--verbose'];
  const { code, stdout, stderr } = await scaleproofHere(['mutants', '--mutant', 'double-launch', ...flags], cwd);
  expect(code, stdout + stderr).toBe(0);
  expect(stderr.match(/\w+ \S+ in \S+ seed \d+/g)).toEqual([
    'pass reference in registration/slow-kubelets seed 1',
    'pass reference in registration/slow-kubelets seed 2',
    'fail mutant:double-launch in registration/slow-kubelets seed 1',
    'fail mutant:double-launch in registration/slow-kubelets seed 2',
  ]);
  const row = stdout.split('\n').find((line) => line.startsWith('double-launch'));
  expect(row?.trim().split(/\s{2,}/)).toEqual([
    'double-launch',
    '✓',
    '…n/slow-kubelets',
    'launched-twice',
    expect.stringMatching(/^\d/),
    '2/2',
    '0',
  ]);
  expect(stdout).toContain('1 of 1 mutant caught as declared');
  expect(stdout).toContain('Only the whole matrix, without --mutant and');
  expect(existsSync(join(cwd, 'out/histories'))).toBe(false);
  const report = mutantsReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'out/mutants.json'), 'utf8')));
  expect(report).toMatchObject({ verdict: 'pass', seeds: [1, 2], trials: 4, mutants: [{ outcome: 'caught' }], control: [], unjudged: [] });
});

test('without any declared scenario nothing is proved: unknown, also as JSON', { tag: '@long' }, async ({}, testInfo) => {
  const flags = ['--mutant', 'mutant:new-token-on-retry', '--scenario', 'scheduling/node-selectors', '--out', testInfo.outputPath('out')];
  const { code, stdout } = await scaleproofHere(['mutants', ...flags, '--json']);
  expect(code).toBe(3);
  const report = mutantsReportSchema.parse(JSON.parse(stdout));
  expect(report).toMatchObject({ verdict: 'unknown', mutants: [{ outcome: 'not-run' }] });
  expect(report.skipped).toMatchObject([{ why: 'to save time', trials: 14 }]);
});

test('an unknown mutant and an invalid number', async () => {
  const unknown = await scaleproofHere(['mutants', '--mutant', 'new-token-on-retries']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean mutant:new-token-on-retry?') });
  expect(await scaleproofHere(['mutants', '--seeds', '0'])).toMatchObject({ code: 2 });
});

test('reasons for vacuous entries name existing ones, each once', () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    check: checkCatalogue.map(({ name }) => name),
    scenario: suites.flatMap(({ scenarios }) => scenarios.map(({ scenario }) => scenario.id)),
    fault: faultCatalogue.map(({ name }) => name),
  };
  const reasons = VACUITY_REASONS.flatMap(({ kind, names: all }) => all.map((name) => ({ kind, name })));
  const wrong = reasons.filter(({ kind, name }) => names[kind]?.includes(name) === false).map(({ kind, name }) => `${kind} ${name}`);
  const keys = reasons.map(({ kind, name }) => `${kind} ${name}`);
  expect([...wrong, ...keys.filter((key, index) => keys.indexOf(key) !== index)]).toEqual([]);
});
