import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { lockDirectory } from '../directory-lock.ts';
import { packageRoot } from '../../model/package-root.ts';
import { BIN, scaleproofHere, startScaleproof } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';
import { until } from '../testing/processes.ts';

const MUTANT = 'mutant:swallowed-topology-error';
/** A hook that logs its action and place. */
const HOOK = `{command: ["${process.execPath}", -e, 'require("fs").appendFileSync("hooks.log", process.argv[1] + " " + process.env.SCALEPROOF_PLACE + "\\n")', "\${ACTION}"]}`;
/** Cheap scenarios; the mutant fails the second one. */
const PASSED = 'scheduling/spread-without-selector';
const FAILED_BY_MUTANT = 'scheduling/negative-max-skew';
const SPOT = 'capacity/one-type-with-capacity';
/** Other tests use the second processor, and each process takes a second to start. */
const ONE = ['--workers', '1'];
/** The smallest plan that can reach a decision: the tail needs 20 probes. */
const planFor = (candidate: string, more = ''): string => `
name: upgrade
baseline: reference
candidate: ${candidate}
share: {clusters: 3}
stages: [{percent: 5, soak: 5m}, {percent: 100}]
rules: {success: {p1: 0.5}}
hooks: {deploy: ${HOOK}, rollback: ${HOOK}}
probes:
  spot: {atLeast: 4, scenarios: [${SPOT}]}
  topology: {atLeast: 4, scenarios: [${candidate === MUTANT ? FAILED_BY_MUTANT : PASSED}]}
  most: 24
${more}`;

test('a candidate that swallows topology errors is rolled back in the first stage', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(900_000);
  const cwd = folderWith(testInfo, { 'plan.yaml': planFor(MUTANT) });
  const { code, stdout, stderr } = await scaleproofHere(['canary', '--plan', 'plan.yaml', ...ONE], cwd);
  expect(code, stderr).toBe(1);
  expect(stdout).toContain('stage 1  5 %: 1 cluster with the candidate (cluster-01), soak 5 min');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('✗ ROLLED BACK in stage 1: The candidate fails invariants');
  expect(stdout).toMatch(/scaleproof replay sp1,scenario=scheduling\/negative-max-skew@\w+,target=mutant:swallowed-topology-error,/);
  expect(readFileSync(join(cwd, 'hooks.log'), 'utf8')).toBe('deploy cluster-01\nrollback cluster-01\n');
  const outcome: unknown = JSON.parse(readFileSync(join(cwd, 'runs/canary-upgrade/canary.json'), 'utf8'));
  expect(outcome).toMatchObject({ how: 'rolled-back', stage: 1, places: [], probes: { candidate: 8, baseline: 8 } });
  const again = await scaleproofHere(['canary', '--plan', 'plan.yaml'], cwd);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('this canary has been rolled back; a new canary needs its own --state directory');
});

test('scenarios over manifests are probes', { tag: '@long' }, async ({}, testInfo) => {
  test.slow();
  const shop = join(packageRoot(), 'fixtures/examples/manifests/shop');
  const plan = `
name: mix
baseline: reference
candidate: reference
share: {clusters: 2}
stages: [{percent: 100}]
rules: {success: {p1: 0.5}}
probes:
  spot: {atLeast: 4, scenarios: ['${shop}#manifests/spot-interruption']}
  topology: {atLeast: 4, scenarios: ['${shop}#manifests/zone-outage']}
  most: 24`;
  const cwd = folderWith(testInfo, { 'plan.yaml': plan });
  const { code, stdout, stderr } = await scaleproofHere(['canary', '--plan', 'plan.yaml', ...ONE], cwd);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('✓ ROLLED OUT in stage 1');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /note: 1 of 4 workloads in \S+ is not shown to be served note: Deployment shop\/recommendations: /,
  );
});

test('a good candidate is rolled out, even if the canary is killed in between', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(900_000);
  const cwd = folderWith(testInfo, { 'plan.yaml': planFor('reference') });
  const journal = join(cwd, 'state/journal.jsonl');
  const first = startScaleproof(['canary', '--plan', 'plan.yaml', ...ONE, '--state', 'state'], cwd);
  await until('the candidate is deployed', () => existsSync(journal) && readFileSync(journal, 'utf8').includes('"deployed"'));
  first.child.kill('SIGKILL');
  await first.finished;
  const withoutFlag = await scaleproofHere(['canary', '--plan', 'plan.yaml', '--state', 'state'], cwd);
  expect(withoutFlag.code).toBe(2);
  expect(withoutFlag.stderr).toContain(
    'a canary of this name is in progress, in stage 1: continue with `scaleproof canary --plan plan.yaml --state state --resume`',
  );
  const { code, stdout, stderr } = await scaleproofHere(
    ['canary', '--plan', 'plan.yaml', ...ONE, '--state', 'state', '--resume', '--json'],
    cwd,
  );
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    how: 'rolled-out',
    places: ['cluster-01', 'cluster-02', 'cluster-03'],
    decision: { verdict: 'advance' },
  });
  expect(readFileSync(join(cwd, 'hooks.log'), 'utf8')).toBe('deploy cluster-01\ndeploy cluster-02\ndeploy cluster-03\n');
});

test('after Ctrl-C a canary can be rolled back', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(900_000);
  const cwd = folderWith(testInfo, { 'plan.yaml': planFor('reference') });
  const journal = join(cwd, 'runs/canary-upgrade/journal.jsonl');
  const { child, finished } = startScaleproof(['canary', '--plan', 'plan.yaml', ...ONE], cwd);
  await until('the candidate is deployed', () => existsSync(journal) && readFileSync(journal, 'utf8').includes('"deployed"'));
  child.kill('SIGINT');
  const { code, stderr } = await finished;
  expect(code, stderr).toBe(3);
  expect(stderr).toContain('the canary was interrupted, and can continue with');
  const undone = await scaleproofHere(['canary', '--plan', 'plan.yaml', '--rollback'], cwd);
  expect(undone.code, undone.stderr).toBe(1);
  expect(undone.stdout).toContain('ROLLED BACK in stage 1: it was requested');
  expect(readFileSync(join(cwd, 'hooks.log'), 'utf8')).toBe('deploy cluster-01\nrollback cluster-01\n');
});

test('a command in the plan probes the places', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(900_000);
  const run = `[${process.execPath}, ${BIN}, run, --target, "\${TARGET}", --scenario, "\${SCENARIO}", --seed, "\${SEED}", --trials, "\${TRIALS}", --workers, "1", --out, "\${OUT}"]`;
  const cwd = folderWith(testInfo, {
    'plan.yaml': planFor(MUTANT, `  command: ${run}`).replace('soak: 5m', 'soak: 0').replace('clusters: 3', 'clusters: 2'),
  });
  const { code, stdout, stderr } = await scaleproofHere(['canary', '--plan', 'plan.yaml'], cwd);
  expect(code, stderr).toBe(1);
  expect(stdout).toContain('ROLLED BACK in stage 1');
  expect(existsSync(join(cwd, 'runs/canary-upgrade/stage-1-batch-1/topology/candidate/cluster-01-1/run.json'))).toBe(true);
  expect(existsSync(join(cwd, 'runs/canary-upgrade/stage-1-batch-1/spot/baseline/cluster-02-1/run.json'))).toBe(true);
});

test('a dry run shows the plan and does nothing', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'plan.yaml': planFor('reference') });
  const { code, stdout } = await scaleproofHere(['canary', '--plan', 'plan.yaml', '--dry-run'], cwd);
  expect(code).toBe(0);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('stage 1 1 of 3 clusters (33.3 %, 5 % requested): cluster-01');
  expect(text).toContain('4 spot and 4 topology probes at least, 24 at most; soak 5 min');
  expect(text).toContain('stage 2 3 of 3 clusters (100 %): + cluster-02, cluster-03');
  expect(text).toMatch(/not covered: \d+ of \d+ scenarios; no scenario of profiles? .* and \d+ more \(--json\)/);
  expect(existsSync(join(cwd, 'runs'))).toBe(false);
});

test('a fleet without spot capacity has no spot probes, and the plan says so', async ({}, testInfo) => {
  const plan = planFor('reference').replace(`spot: {atLeast: 4, scenarios: [${SPOT}]}`, 'spot: {atLeast: 0}');
  const cwd = folderWith(testInfo, { 'plan.yaml': plan.replace('atLeast: 4', 'atLeast: 20').replace('{clusters: 3}', '{clusters: 1}') });
  const dry = await scaleproofHere(['canary', '--plan', 'plan.yaml', '--dry-run'], cwd);
  const text = dry.stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('20 topology probes at least, 24 at most');
  expect(text).toContain('probes.spot.atLeast 0 (100)');
  const { code, stdout, stderr } = await scaleproofHere(['canary', '--plan', 'plan.yaml', ...ONE], cwd);
  expect(code, stderr).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /✓ ROLLED OUT in stage 2: .* note: .*probes\.spot\.atLeast 0 \(100\).* note: not covered: /,
  );
  const outcome: unknown = JSON.parse(readFileSync(join(cwd, 'runs/canary-upgrade/canary.json'), 'utf8'));
  expect(outcome).toMatchObject({ how: 'rolled-out', unseen: { scenarios: expect.arrayContaining([SPOT]) as unknown } });
});

test('control characters in a plan are escaped', async ({}, testInfo) => {
  const evil = '"\\e[2J"';
  const cwd = folderWith(testInfo, { 'plan.yaml': planFor('reference').replaceAll('"${ACTION}"', evil) });
  const { code, stdout, stderr } = await scaleproofHere(['canary', '--plan', join(cwd, 'plan.yaml'), '--dry-run']);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('\\x1b[2J');
  expect(stdout).not.toContain('\u001b');
});

for (const [what, change, message] of [
  [
    'pools for a target that cannot be confined',
    [
      ['{clusters: 3}', '{pools: [a, b]}'],
      ['candidate: reference', 'candidate: plain'],
    ],
    'two autoscalers in one cluster fight over one lease and one set of claims',
  ],
  ['an unknown target', [['candidate: reference', 'candidate: referenc']], 'no target is named "referenc"; did you mean reference or'],
  ['an unknown scenario', [[SPOT, 'scheduling/none']], 'no scenario is named "scheduling/none"'],
  ['a probe of both kinds', [[SPOT, PASSED]], 'under both kinds of probes'],
  [
    'a spot probe without spot',
    [[SPOT, 'provisioning/cpu-limit']],
    "provisioning/cpu-limit can't be a spot probe: no pool of it allows spot instances",
  ],
  [
    'an unknown scenario of a kind that is off',
    [[`atLeast: 4, scenarios: [${SPOT}]`, 'atLeast: 0, scenarios: [scheduling/none]']],
    'no scenario is named "scheduling/none"',
  ],
  ['no probes', [[/atLeast: 4/g, 'atLeast: 0']], "probes must have probes: spot.atLeast and topology.atLeast can't both be 0"],
] as const)
  test(`a plan is rejected before anything is done: ${what}`, async ({}, testInfo) => {
    const source = change.reduce((text, [from, to]) => text.replace(from, to), planFor('reference'));
    const cwd = folderWith(testInfo, { 'plan.yaml': source });
    const { code, stderr } = await scaleproofHere(['canary', '--plan', join(cwd, 'plan.yaml'), '--state', join(cwd, 'state')]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync(join(cwd, 'state'))).toBe(false);
  });

test('files that cannot be read are reported', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'plan.yaml': planFor('reference'), file: '' });
  mkdirSync(join(cwd, 'state/journal.jsonl'), { recursive: true });
  const plan = join(cwd, 'plan.yaml');
  for (const [args, message] of [
    [['--plan', cwd], `${cwd} is a directory; name a plan file`],
    [['--plan', join(cwd, 'none.yaml')], `the plan file ${join(cwd, 'none.yaml')} does not exist`],
    [['--plan', plan, '--state', join(cwd, 'file')], `the directory ${join(cwd, 'file')} can't be used: ENOTDIR`],
    [['--plan', plan, '--state', join(cwd, 'state')], `the journal ${join(cwd, 'state/journal.jsonl')} can't be read: EISDIR`],
  ] as const) {
    const { code, stderr } = await scaleproofHere(['canary', ...args]);
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(stderr).toContain(message);
  }
  lockDirectory(join(cwd, 'state'), 'the lock is free')();
});

test('a baseline that fails its own probes is found before anything is changed', async ({}, testInfo) => {
  test.setTimeout(600_000);
  const source = planFor('reference').replace('baseline: reference', `baseline: ${MUTANT}`).replace(PASSED, FAILED_BY_MUTANT);
  const cwd = folderWith(testInfo, { 'plan.yaml': source });
  const { code, stderr } = await scaleproofHere(['canary', '--plan', 'plan.yaml', ...ONE], cwd);
  expect(code, stderr).toBe(2);
  expect(stderr).toContain(
    "the baseline does not pass scheduling/negative-max-skew (fail), so this scenario can't judge a candidate; nothing has been changed",
  );
  expect(existsSync(join(cwd, 'hooks.log'))).toBe(false);
});

test('a scenario that is not a probe of its kind is rejected', { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(600_000);
  const source = planFor('reference').replace(PASSED, 'provisioning/node-limit');
  const cwd = folderWith(testInfo, { 'plan.yaml': source });
  const { code, stderr } = await scaleproofHere(['canary', '--plan', 'plan.yaml', ...ONE], cwd);
  expect(code, stderr).toBe(2);
  expect(stderr).toContain("provisioning/node-limit can't be a topology probe: no pod of it has a hard topology spread constraint");
  expect(existsSync(join(cwd, 'hooks.log'))).toBe(false);
});
