import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { z } from 'zod';
import { gateDecisionSchema } from '../gate/verdict.ts';
import { runFactsSchema } from '../reports/report-input.ts';
import { lockDirectory } from './directory-lock.ts';
import { scaleproofHere } from './testing/command.ts';
import type { Finished } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

/** Quick scenarios; the mutant fails the second one. */
const SCENARIOS = ['--scenario', 'provisioning/node-limit', '--scenario', 'scheduling/negative-max-skew'];
const MUTANT = 'mutant:swallowed-topology-error';
/** Laxer than the default, in a value that does not decide these gates. */
const LAX = 'unknown: { maxShare: 0.5 }';
/** None of these gates runs every scenario. */
const UNSEEN: unknown = expect.stringMatching(/^not covered: \d+ of \d+ scenarios/);
const LAX_NOTE = 'laxer than the default: unknown.maxShare 0.5 (0.05)';
/** Decides with few episodes. */
const QUICK = `
unknown: { maxShare: 0.5 }
success: { p1: 0.5 }
latency: { quantile: 0.75 }
episodes: { first: 20, step: 20, max: 60 }
`;
const QUICK_NOTE =
  'note: laxer than the default: success.p1 0.5 (0.95), latency.quantile 0.75 (0.95), episodes.first 20 (75), unknown.maxShare 0.5 (0.05)';
/** Other tests use the second processor, and each process takes a second to start. */
const ONE = ['--workers', '1'];
const CHEAP = 'scheduling/spread-without-selector';
const outcomeSchema = z.object({ decision: gateDecisionSchema, directories: z.array(z.string()), notes: z.array(z.string()) });

function outcomeIn(directory: string): z.infer<typeof outcomeSchema> {
  return outcomeSchema.parse(JSON.parse(readFileSync(join(directory, 'gate.json'), 'utf8')));
}

test(
  'run directories: a candidate that violates an invariant is rejected, one without a decision is held',
  { tag: '@long' },
  async ({}, testInfo) => {
    test.setTimeout(300_000);
    const cwd = folderWith(testInfo, { 'lax.yaml': LAX });
    for (const [target, out] of [
      ['reference', 'ours'],
      [MUTANT, 'worse'],
    ] as const)
      await scaleproofHere(['run', ...ONE, ...SCENARIOS, '--target', target, '--out', out], cwd);
    cpSync(join(cwd, 'ours'), join(cwd, 'same'), { recursive: true });

    const gate = (baseline: string, candidate: string, ...flags: readonly string[]): Promise<Finished> =>
      scaleproofHere(['gate', '--baseline', join(cwd, baseline), '--candidate', join(cwd, candidate), ...flags]);
    const out = (name: string): readonly string[] => ['--out', join(cwd, name)];
    const rejected = await gate('ours', 'worse', ...out('rejected'));
    expect(rejected.code, rejected.stderr).toBe(1);
    expect(rejected.stdout).toContain('✗ invariants');
    expect(rejected.stdout).toMatch(
      /scaleproof replay sp1,scenario=scheduling\/negative-max-skew@\w+,target=mutant:swallowed-topology-error,/,
    );
    expect(rejected.stdout).toContain('✗ REJECT: ');
    expect(rejected.stdout).toMatch(/\nReport: \S*rejected\/report\.html\n$/);
    const page = readFileSync(join(cwd, 'rejected/report.html'), 'utf8');
    expect(page).toContain('scheduling/negative-max-skew');
    // The runs have reports of their own, which the page links to.
    expect(page).toMatch(/href="\.\.\/worse\/report\.html#scenario-\d+-seed-1"/);
    expect(await scaleproofHere(['show-report', join(cwd, 'rejected')])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/rejected\/report\.html\n$/),
    });
    expect(outcomeIn(join(cwd, 'rejected')).decision).toMatchObject({
      verdict: 'fail',
      action: 'reject',
      episodes: { isPaired: true, seen: 2 },
    });

    // With --accept-existing, failures that the baseline has too do not reject.
    cpSync(join(cwd, 'worse'), join(cwd, 'as-bad'), { recursive: true });
    const strict = await gate('worse', 'as-bad', ...out('strict'));
    expect(strict.code).toBe(1);
    expect(strict.stdout.replaceAll(/\s+/g, ' ')).toContain('note: no failure is new: the baseline fails in the same ways.');
    const accepting = await gate('worse', 'as-bad', '--accept-existing', ...out('accepting'));
    expect(accepting.code).toBe(3);
    expect(accepting.stdout).toContain('✓ existing-failures');
    expect(accepting.stdout.replaceAll(/\s+/g, ' ')).toContain('note: laxer than the default: existing.failures accept (reject)');

    const held = await gate('ours', 'same', '--policy', join(cwd, 'lax.yaml'), '--json', ...out('held'));
    expect(held.code).toBe(3);
    expect(JSON.parse(held.stdout)).toEqual(JSON.parse(readFileSync(join(cwd, 'held/gate.json'), 'utf8')));
    const { decision, notes } = outcomeIn(join(cwd, 'held'));
    expect(notes).toEqual([LAX_NOTE, UNSEEN]);
    expect(decision).toMatchObject({ verdict: 'inconclusive', action: 'hold' });
    expect(decision.needs.episodes).toBeGreaterThan(0);

    const itself = await gate('ours', 'worse/../ours', ...out('itself'));
    expect(itself.code).toBe(2);
    expect(itself.stderr).toContain('are the same directory');
    expect(existsSync(join(cwd, 'itself'))).toBe(false);

    const larger = await scaleproofHere(['run', ...ONE, ...SCENARIOS, '--nodes', '3', '--out', 'larger'], cwd);
    expect(larger.code).toBe(0);
    const other = await gate('ours', 'larger', ...out('other'));
    expect(other.stdout.replaceAll(/\s+/g, ' ')).toContain('provisioning/node-limit is not compared: --nodes differs');
  },
);

test('trials that did not start in either run are lost, not left out', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  await scaleproofHere(
    ['run', '--scenario', 'provisioning/node-limit', '--trials', '3', '--no-crash-points', ...ONE, '--out', 'ours'],
    cwd,
  );
  const path = join(cwd, 'ours/run.json');
  const run = runFactsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const reason = 'the run was interrupted before it started';
  const notStarted = run.planned.slice(1);
  for (const { history } of notStarted) rmSync(join(cwd, 'ours', history));
  const notRun = notStarted.map(({ scenario, title, suite, seed }) => ({ scenario, title, suite, seed, reason }));
  writeFileSync(path, JSON.stringify({ ...run, notRun }));
  cpSync(join(cwd, 'ours'), join(cwd, 'theirs'), { recursive: true });
  const { code } = await scaleproofHere(['gate', '--baseline', 'ours', '--candidate', 'theirs', '--out', 'out'], cwd);
  expect(code).toBe(3);
  const { decision, notes } = outcomeIn(join(cwd, 'out'));
  expect(decision.criteria.find(({ criterion }) => criterion === 'known-trials')).toMatchObject({
    verdict: 'inconclusive',
    numbers: { baseline: 2, candidate: 2 },
  });
  expect(notes).toEqual([
    ...['ours', 'theirs'].map((side) => `2 trials of ${side} have no verdict: ${reason} (provisioning/node-limit seed 2, ...)`),
    UNSEEN,
  ]);
});

test('targets: as many seeds as it takes; episodes in the state directory are not run again', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(900_000);
  const cwd = folderWith(testInfo, { 'quick.yaml': QUICK });
  const flags = ['--scenario', CHEAP, '--policy', join(cwd, 'quick.yaml'), '--state', join(cwd, 'state'), '--seed', '5'];
  const first = await scaleproofHere(
    ['gate', '--baseline', 'reference', '--candidate', 'reference', ...flags, ...ONE, '--out', 'first'],
    cwd,
  );
  expect(first.code, first.stdout).toBe(0);
  expect(first.stdout).toContain('✓ PROMOTE: ');
  expect(first.stdout.replaceAll(/\s+/g, ' ')).toContain(QUICK_NOTE);
  expect(readdirSync(join(cwd, 'first')).sort()).toEqual(['gate.json', 'report.html', 'seeds-from-5']);
  expect(outcomeIn(join(cwd, 'first')).decision.episodes).toEqual({ isPaired: true, baseline: 20, candidate: 20, seen: 20 });

  // One after the other in one process, as a server runs them: each releases the directory.
  for (const name of ['again', 'once-more']) {
    const out = join(cwd, name);
    const again = await scaleproofHere(['gate', '--baseline', 'reference', '--candidate', 'reference', ...flags, '--out', out]);
    expect(again.code, again.stderr).toBe(0);
    expect(readdirSync(out).sort(), 'nothing was run').toEqual(['gate.json', 'report.html']);
    expect(outcomeIn(out).decision).toEqual(outcomeIn(join(cwd, 'first')).decision);
  }

  const [file] = readdirSync(join(cwd, 'state')).filter((name) => name.endsWith('.jsonl'));
  const path = join(cwd, 'state', file ?? '');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"leaked":0', '"leaked":1'));
  const known = ['gate', '--baseline', 'reference', '--candidate', 'reference', ...flags.with(-1, '6'), '--out', 'known'];
  const leaked = await scaleproofHere(known, cwd);
  expect(leaked.code, 'a known leak counts, even with other seeds').toBe(1);
  expect(outcomeIn(join(cwd, 'known')).decision.criteria.find(({ criterion }) => criterion === 'leaks')?.verdict).toBe('fail');
});

test(
  'a gate stops when no further trial can change its decision, at the same trial with any number of workers',
  { tag: '@long' },
  async ({}, testInfo) => {
    test.setTimeout(300_000);
    const cwd = folderWith(testInfo);
    const gate = (workers: string): Promise<Finished> =>
      scaleproofHere(['gate', '--baseline', 'reference', '--candidate', MUTANT, ...SCENARIOS, '--workers', workers, '--out', workers], cwd);
    const [one, three] = [await gate('1'), await gate('3')];
    for (const { code, stdout, stderr } of [one, three]) {
      expect(code, stderr).toBe(1);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
        'note: stopped after 20 of 152 trials: the candidate fails invariants, success, and no further trial could change that; 132 trials saved',
      );
    }
    const outcome: unknown = JSON.parse(readFileSync(join(cwd, '1/gate.json'), 'utf8'));
    expect(outcome).toMatchObject({
      stopped: { criteria: ['invariants', 'success'], trials: { run: 20, planned: 152 } },
      decision: { action: 'reject', episodes: { baseline: 10, candidate: 10, seen: 10 } },
    });
    const { decision } = outcomeIn(join(cwd, '1'));
    expect(outcomeIn(join(cwd, '3')).decision).toEqual(decision);
    const histories = (workers: string, side: string): string[] =>
      readdirSync(join(cwd, workers, 'seeds-from-1', side, 'histories')).sort();
    for (const side of ['baseline', 'candidate']) {
      expect(histories('1', side)).toHaveLength(10);
      expect(histories('3', side)).toEqual(histories('1', side));
    }
    // The evidence is there, and the trials that were left out have a reason.
    const { scenario, seed, replay } = decision.criteria[0]?.evidence[0] ?? {};
    expect(histories('1', 'candidate')).toContain(`${String(scenario).replace('/', '.')}-seed-${String(seed)}.jsonl`);
    expect(replay).toContain(`target=${MUTANT}`);
    const { notRun } = runFactsSchema.parse(JSON.parse(readFileSync(join(cwd, '1/seeds-from-1/candidate/run.json'), 'utf8')));
    expect(notRun).toHaveLength(66);
    expect(notRun[0]?.reason).toBe('the gate had ended: the candidate was certain to fail invariants, success');
  },
);

test(
  'after a gate that stopped early, the next one with its state runs only the trials that are missing',
  { tag: '@long' },
  async ({}, testInfo) => {
    const cwd = folderWith(testInfo);
    const gate = (out: string): Promise<Finished> =>
      scaleproofHere(['gate', '--baseline', 'reference', '--candidate', MUTANT, ...SCENARIOS, '--state', 'state', '--out', out], cwd);
    const historiesOf = (out: string, side: string): string[] => readdirSync(join(cwd, out, 'seeds-from-1', side, 'histories'));
    for (const out of ['first', 'second']) {
      const { code, stderr } = await gate(out);
      expect(code, stderr).toBe(1);
    }
    for (const side of ['baseline', 'candidate']) {
      const first = historiesOf('first', side);
      expect(first).toHaveLength(10);
      expect(historiesOf('second', side).filter((history) => first.includes(history))).toEqual([]);
    }
    expect(JSON.parse(readFileSync(join(cwd, 'second/gate.json'), 'utf8'))).toMatchObject({
      stopped: { trials: { run: 40, planned: 152 } },
      decision: { action: 'reject', episodes: { baseline: 20, candidate: 20, seen: 20 } },
    });
  },
);

test('with the default policy, as many seeds as the sequential test and the tail need', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(900_000);
  const cwd = folderWith(testInfo);
  const gate = ['gate', '--baseline', 'plain', '--candidate', 'plain', '--scenario', CHEAP, '--out', 'out'];
  const { code, stdout } = await scaleproofHere([...gate, ...ONE], cwd);
  expect(code, stdout).toBe(0);
  expect(outcomeIn(join(cwd, 'out')).decision.episodes).toEqual({ isPaired: true, baseline: 75, candidate: 75, seen: 75 });
});

test('a scenario that neither target can run is left out, with a note', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'quick.yaml': QUICK });
  const flags = ['--scenario', 'scheduling/spot-spread', '--scenario', CHEAP, '--policy', 'quick.yaml', '--out', 'out'];
  const { code, stdout } = await scaleproofHere(['gate', '--baseline', 'plain', '--candidate', 'plain', ...flags, ...ONE], cwd);
  expect(code, stdout).toBe(0);
  expect(outcomeIn(join(cwd, 'out')).decision.episodes).toMatchObject({ baseline: 20, candidate: 20 });
  expect(outcomeIn(join(cwd, 'out')).notes).toEqual([
    QUICK_NOTE.slice('note: '.length),
    '1 scenario that neither target can run is left out: target plain does not have the feature spot',
    UNSEEN,
  ]);
  const only = await scaleproofHere(['gate', '--baseline', 'plain', '--candidate', 'plain', ...flags.slice(0, 2)], cwd);
  expect(only.code).toBe(2);
  expect(only.stderr).toContain('there is nothing to compare: 1 scenario that neither target can run');
});

test('a state directory that is in use, or is a file, is refused', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { file: '' });
  const unlock = lockDirectory(cwd, 'the test has it');
  const gate = ['gate', '--baseline', 'reference', '--candidate', 'reference', '--scenario', 'provisioning/node-limit'];
  for (const [state, message] of [
    [cwd, 'is in use by another process: only one gate can use a --state directory'],
    [join(cwd, 'file'), `the directory ${join(cwd, 'file')} can't be used: ENOTDIR`],
  ] as const) {
    const { code, stderr } = await scaleproofHere([...gate, '--state', state, '--out', join(cwd, 'out')]);
    expect({ state, code }).toEqual({ state, code: 2 });
    expect(stderr).toContain(message);
  }
  unlock();
});

test('flags that do not apply to run directories are refused', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const sides = ['baseline', 'candidate'].flatMap((side) => {
    const directory = join(folder, side);
    mkdirSync(directory);
    writeFileSync(join(directory, 'run.json'), '{}');
    return [`--${side}`, directory];
  });
  for (const flag of ['--state', '--seed', '--workers', '--baseline-version', '--candidate-version']) {
    const { code, stderr } = await scaleproofHere(['gate', ...sides, flag, '7', '--out', join(folder, 'out')]);
    expect({ flag, code }).toEqual({ flag, code: 2 });
    expect(stderr).toContain(`${flag} applies only to targets, and these are run directories: leave it out`);
  }
  for (const flag of ['--grep', '--grep-invert']) {
    const { code, stderr } = await scaleproofHere(['gate', ...sides, flag, 'spot', '--out', join(folder, 'out')]);
    expect({ flag, code }).toEqual({ flag, code: 2 });
    expect(stderr).toContain('--scenario, --profile and --grep apply only to targets');
  }
});

test('invalid policies, targets and scenarios are refused', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, {
    'loose.yaml': 'success: { p0: 0.9, p1: 0.95 }',
    'typo.yaml': 'succes: { p0: 0.9 }',
    'broken.yaml': 'success: {',
    'alias.yaml': 'success: *none',
  });
  const both = ['--baseline', 'reference', '--candidate', 'reference'];
  for (const [args, message] of [
    [[...both, '--policy', join(cwd, 'loose.yaml')], 'must have a p1 less than p0'],
    [[...both, '--policy', join(cwd, 'typo.yaml')], 'did you mean success?'],
    [[...both, '--policy', join(cwd, 'broken.yaml')], 'broken.yaml'],
    [[...both, '--policy', join(cwd, 'nowhere.yaml')], 'the policy file nowhere.yaml does not exist'],
    [[...both, '--policy', cwd], `${cwd} is a directory; name a policy file`],
    [[...both, '--policy', join(cwd, 'loose.yaml/p.yaml')], "the policy file loose.yaml/p.yaml can't be read: ENOTDIR"],
    [[...both, '--policy', join(cwd, 'alias.yaml')], 'alias.yaml: not valid YAML: Unresolved alias'],
    [['--baseline', 'reference'], 'gate needs a candidate: pass --candidate, or set `candidate` in the configuration file'],
    [['--baseline', 'reference', '--candidate', 'referense'], 'reference'],
    [['--baseline', 'reference', '--candidate', cwd], `${cwd} is not a run directory: it has no run.json`],
    [[...both, '--scenario', 'no/such'], 'no scenario is named "no/such"'],
  ] as const) {
    const { code, stderr } = await scaleproofHere(['gate', ...args, '--out', join(cwd, 'out')]);
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(stderr.replaceAll(`${cwd}/`, '')).toContain(message);
  }
  expect(existsSync(join(cwd, 'out')), 'nothing was written').toBe(false);
});
