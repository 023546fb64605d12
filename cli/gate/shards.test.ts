import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { gateOutcomeSchema } from '../../gate/outcome.ts';
import type { GateOutcome } from '../../gate/outcome.ts';
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
/** Needs more than the first 20. */
const LONGER = QUICK.replace('p1: 0.5', 'p1: 0.9');

function outcomeIn(directory: string): GateOutcome {
  return gateOutcomeSchema.parse(JSON.parse(readFileSync(join(directory, 'gate.json'), 'utf8')));
}

test('shards merged in any order decide as the whole gate does', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(300_000);
  const cwd = folderWith(testInfo, { 'quick.yaml': QUICK, 'longer.yaml': LONGER });
  const gate = (out: string, ...flags: string[]): Promise<Finished> =>
    scaleproofHere(['gate', '--baseline', 'reference', '--candidate', 'plain', ...SCENARIO, '--out', out, ...flags], cwd);
  for (const number of [1, 2, 3]) {
    const shard = await gate(`shard-${number}`, '--policy', 'quick.yaml', '--shard', `${number}/3`);
    expect(shard).toMatchObject({ code: 0, stdout: `Shard: shard-${number}; scaleproof merge joins all shards, and decides\n` });
  }
  const merged = await scaleproofHere(['merge', 'shard-3', 'shard-1', 'shard-2', '--out', 'merged'], cwd);
  const whole = await gate('whole', '--policy', 'quick.yaml');
  expect(merged.stdout).toContain('candidate  plain, 20 episodes, 20 paired by scenario and seed');
  expect(merged).toMatchObject({ code: whole.code, stdout: whole.stdout.replace('whole/report.html', 'merged/report.html') });
  for (const side of ['baseline', 'candidate'])
    expect(historiesOf(join(cwd, 'merged', side))).toEqual(historiesOf(join(cwd, 'whole/seeds-from-3', side)));
  const outcome = { ...outcomeIn(join(cwd, 'whole')), directories: [join(cwd, 'merged')] };
  expect(outcomeIn(join(cwd, 'merged'))).toEqual(outcome);

  await gate('other', '--policy', 'longer.yaml', '--shard', '2/3');
  for (const [directories, message] of [
    [['shard-1', 'shard-2'], '1 of 3 shards are missing: 3'],
    [['shard-1', 'other', 'shard-3'], 'shard-1 and other are not shards of the same gate: their sides or policies differ'],
    [['shard-1', 'shard-1/baseline'], 'shard-1/baseline is not a shard of a gate: it has no gate-shard.json'],
  ] as const) {
    const refused = await scaleproofHere(['merge', ...directories, '--out', 'refused'], cwd);
    expect(refused.code).toBe(2);
    expect(refused.stderr.replaceAll(`${cwd}/`, '')).toContain(message);
  }
});

test('shards that the first look leaves undecided say how to run more', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'longer.yaml': LONGER });
  const sides = ['--baseline', 'reference', '--candidate', 'reference'];
  const only = await scaleproofHere(['gate', ...sides, ...SCENARIO, '--policy', 'longer.yaml', '--shard', '1/1', '--out', 'only'], cwd);
  expect(only.code, only.stderr).toBe(0);
  const merged = await scaleproofHere(['merge', 'only', '--out', 'merged'], cwd);
  expect(merged).toMatchObject({ code: 3, stdout: expect.stringContaining('? success') });
  expect(outcomeIn(join(cwd, 'merged')).notes).toContain(
    'a gate in shards compares only once: for 40 pairs, run the shards with a policy whose episodes.first is 40',
  );
});

test('a shard of a gate is refused where it makes no sense', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  for (const [flags, message] of [
    [['--shard', '80/80'], '--shard 80/80: there are only 75 pairs; use fewer shards'],
    [['--shard', '1/2', '--state', 'kept'], "--shard can't be used with --state: a shard keeps its trials in its own directory"],
    [['--shard', '1/2', '--json'], '--json prints the decision, and a shard makes none: pass it to scaleproof merge'],
  ] as const) {
    const { code, stderr } = await scaleproofHere(['gate', '--baseline', 'reference', '--candidate', 'plain', ...SCENARIO, ...flags], cwd);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  }
});
