import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { gateOutcomeSchema } from '../../gate/outcome.ts';
import type { GateOutcome } from '../../gate/outcome.ts';
import type { RunFacts } from '../../reports/report-input.ts';
import { readRunFacts, writeRunFacts } from '../run-directory.ts';
import { scaleproofHere } from '../testing/command.ts';
import type { Finished } from '../testing/command.ts';
import { folderWith, historiesOf } from '../testing/files.ts';

const SCENARIO = ['--scenario', 'scheduling/spread-without-selector', '--seed', '3', '--workers', '1'];
/** Decides with 20 episodes. */
const QUICK = `
success: { p1: 0.5 }
latency: { quantile: 0.75 }
episodes: { first: 20, step: 20, max: 60 }
`;
/** The same with one look, as a gate in shards has. */
const ONCE = QUICK.replace('max: 60', 'max: 20');

/** What a run records of a program that a machine built. */
function builtAt(time: string): NonNullable<RunFacts['target']['program']> {
  return {
    name: 'karpenter',
    version: '1.14.1',
    sha256: 'a'.repeat(64),
    builtAt: time,
    module: 'example.com/a',
    goVersion: 'go1.26.0',
    sums: {},
    replaces: [],
  };
}

function outcomeIn(directory: string): GateOutcome {
  return gateOutcomeSchema.parse(JSON.parse(readFileSync(join(directory, 'gate.json'), 'utf8')));
}

test('shards merged in any order decide as the whole gate does', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(300_000);
  const cwd = folderWith(testInfo, { 'quick.yaml': QUICK, 'once.yaml': ONCE, 'other.yaml': QUICK.replace('step: 20', 'step: 21') });
  const gate = (out: string, ...flags: string[]): Promise<Finished> =>
    scaleproofHere(['gate', '--baseline', 'reference', '--candidate', 'plain', ...SCENARIO, '--out', out, ...flags], cwd);
  for (const number of [1, 2, 3]) {
    const shard = await gate(`shard-${number}`, '--policy', 'quick.yaml', '--shard', `${number}/3`);
    expect(shard).toMatchObject({ code: 0, stdout: `Shard: shard-${number}; scaleproof merge joins all shards, and decides\n` });
  }
  const merged = await scaleproofHere(['merge', 'shard-3', 'shard-1', 'shard-2', '--out', 'merged'], cwd);
  const whole = await gate('whole', '--policy', 'once.yaml');
  expect(merged.stdout).toContain('candidate  plain, 20 episodes, 20 paired by scenario and seed');
  expect(merged).toMatchObject({ code: whole.code, stdout: whole.stdout.replace('whole/report.html', 'merged/report.html') });
  for (const side of ['baseline', 'candidate'])
    expect(historiesOf(join(cwd, 'merged', side))).toEqual(historiesOf(join(cwd, 'whole/seeds-from-3', side)));
  const outcome = { ...outcomeIn(join(cwd, 'whole')), directories: [join(cwd, 'merged')] };
  expect(outcomeIn(join(cwd, 'merged'))).toEqual(outcome);

  await gate('other', '--policy', 'other.yaml', '--shard', '2/3');
  for (const [directories, message] of [
    [['shard-1', 'shard-2'], '1 of 3 shards are missing: 3'],
    [['shard-1', 'other', 'shard-3'], 'shard-1 and other are not shards of the same gate (gate-shard.json)'],
    [['shard-1', 'shard-1/baseline'], 'shard-1/baseline is not a shard of a gate: it has no gate-shard.json'],
  ] as const) {
    expect(await scaleproofHere(['merge', ...directories, '--out', 'refused'], cwd)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  }

  // Each machine builds a Go program by itself, and may be stopped before its last trial.
  const change = (directory: string, fields: (facts: RunFacts) => Partial<RunFacts>): void => {
    const facts = readRunFacts(join(cwd, directory));
    writeRunFacts(join(cwd, directory), { ...facts, ...fields(facts) });
  };
  for (const number of [1, 2, 3])
    change(`shard-${number}/candidate`, ({ target }) => ({ target: { ...target, program: builtAt(`2026-11-0${number}T00:00:00.000Z`) } }));
  expect((await scaleproofHere(['merge', 'shard-1', 'shard-2', 'shard-3', '--out', 'built'], cwd)).code).toBe(whole.code);
  change('shard-2/candidate', () => ({ wallMs: undefined }));
  const interrupted = await scaleproofHere(['merge', 'shard-1', 'shard-2', 'shard-3', '--out', 'refused'], cwd);
  expect(interrupted).toMatchObject({ code: 2, stderr: 'scaleproof: shard-2/candidate was interrupted: run this shard again\n' });
});

test('a shard of a gate is refused where it makes no sense', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'few.yaml': 'episodes: { first: 20 }' });
  for (const [flags, message] of [
    [['--shard', '80/80'], '--shard 80/80: there are only 75 pairs; use fewer shards'],
    [
      ['--shard', '1/2', '--policy', 'few.yaml'],
      '--shard: a gate in shards looks only once, so its episodes.max is episodes.first; with that',
    ],
    [['--shard', '1/2', '--state', 'kept'], "--shard can't be used with --state: a shard keeps its trials in its own directory"],
    [['--shard', '1/2', '--json'], '--json prints the decision, and a shard makes none: pass it to scaleproof merge'],
  ] as const) {
    const { code, stderr } = await scaleproofHere(['gate', '--baseline', 'reference', '--candidate', 'plain', ...SCENARIO, ...flags], cwd);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  }
});
