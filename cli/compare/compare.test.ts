import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { targetComparisonSchema } from '../../history/comparison.ts';
import type { HistoryEvent } from '../../history/events.ts';
import { defined } from '../../model/defined.ts';
import type { RunFacts } from '../../reports/report-input.ts';
import { sampleRun } from '../../reports/testing/sample-run.ts';
import { scaleproofHere } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';

const SCALE_OUT = 'provisioning/scale-out-and-back';
const KILLED = 'crashes/killed-after-launch';

interface Sample {
  readonly only?: readonly string[];
  readonly trials?: number;
  readonly facts?: (run: RunFacts) => RunFacts;
  readonly rewrite?: (events: HistoryEvent[]) => HistoryEvent[];
}

/** Writes a run directory. */
function runDirectory(testInfo: TestInfo, name: string, sample: Sample = {}): string {
  const { only = [SCALE_OUT], trials: count = 2, facts = (run) => run, rewrite } = sample;
  const { run, trials } = sampleRun({ only, trials: count, ...defined({ rewrite }) });
  const directory = join(folderWith(testInfo), name);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  writeFileSync(join(directory, 'run.json'), JSON.stringify(facts(run)));
  for (const { result, events } of trials)
    writeFileSync(join(directory, result.history), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return directory;
}

async function compare(
  testInfo: TestInfo,
  ...args: readonly string[]
): Promise<Awaited<ReturnType<typeof scaleproofHere>> & { readonly out: string }> {
  const out = join(folderWith(testInfo), 'compared');
  return { ...(await scaleproofHere(['compare', ...args, '--out', out])), out };
}

test('two runs side by side: output and files are the same', async ({}, testInfo) => {
  const [a, b] = [runDirectory(testInfo, 'a', { only: [KILLED] }), runDirectory(testInfo, 'b', { only: [KILLED], trials: 3 })];
  const { code, stdout, stderr, out } = await compare(testInfo, a, b, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const comparison = targetComparisonSchema.parse(JSON.parse(stdout));
  expect(readFileSync(join(out, 'compare.json'), 'utf8')).toBe(stdout);
  expect(comparison.compared).toEqual({ trials: 2, scenarios: [KILLED] });
  expect(comparison.leftOut).toEqual([{ scenario: KILLED, seeds: [3], why: 'A has none' }]);
  const leaks = comparison.sections.flatMap(({ rows }) => rows).find(({ id }) => id === 'leaks');
  expect(leaks?.cells.map(({ of, detail }) => [of, detail])).toEqual(Array(2).fill(['1 of 2 trials', '1 of 12 instances']));
  expect(comparison.broken).toEqual(expect.arrayContaining([expect.objectContaining({ letter: 'A', code: 'leaked-instance', trials: 1 })]));
  expect(readFileSync(join(out, 'compare.html'), 'utf8')).toContain('Leaked an instance');
  expect(readFileSync(join(out, 'compare.md'), 'utf8')).toContain('| Leaked an instance |');
});

test('a comparison for the terminal and in Markdown', async ({}, testInfo) => {
  const [a, b] = [runDirectory(testInfo, 'a'), runDirectory(testInfo, 'b')];
  const { code, stdout } = await compare(testInfo, a, b);
  expect(code).toBe(0);
  expect(stdout).toMatch(/pending -> running p50 +\d+ s +\d+ s/);
  const sentences = stdout.replaceAll(/\s+/g, ' ');
  expect(sentences).toContain('Too few trials to tell any difference. `--trials 5` on both sides is enough for some figures.');
  const again = await scaleproofHere(['compare', a, b, '--format', 'markdown', '--out', join(folderWith(testInfo), 'again')]);
  expect(again.stdout).toContain('# Scaleproof comparison');
});

test('--grep chooses among the scenarios of run directories', async ({}, testInfo) => {
  const [a, b] = ['a', 'b'].map((name) => runDirectory(testInfo, name, { only: [SCALE_OUT, KILLED] }));
  const { code, stdout, stderr } = await compare(testInfo, a ?? '', b ?? '', '--grep', '^crashes/', '--json');
  expect(code, stderr).toBe(0);
  expect(targetComparisonSchema.parse(JSON.parse(stdout)).compared.scenarios).toEqual([KILLED]);
});

test('runs without a trial in common: says why, exit code 3', async ({}, testInfo) => {
  const nodes = (events: HistoryEvent[]): HistoryEvent[] =>
    events.map((event) => (event.type === 'trial.begin' ? { ...event, nodes: 50 } : event));
  const [a, b] = [runDirectory(testInfo, 'a'), runDirectory(testInfo, 'b', { rewrite: nodes })];
  const { code, stdout } = await compare(testInfo, a, b);
  expect(code).toBe(3);
  expect(stdout).toContain(`${SCALE_OUT}, seeds 1, 2: --nodes differ`);
  expect(stdout).toContain('NOTHING TO COMPARE');
});

test('real and virtual time are not compared', async ({}, testInfo) => {
  const real = (run: RunFacts): RunFacts => ({ ...run, world: { ...run.world, name: 'kind', capabilities: [] } });
  const [a, b] = [runDirectory(testInfo, 'a'), runDirectory(testInfo, 'b', { facts: real })];
  const { code, stderr } = await compare(testInfo, a, b);
  expect(code).toBe(2);
  expect(stderr).toContain('A (reference) ran in virtual time and B (reference) in real time');
});

test('targets are run, with the same seeds, in turn, and leave run directories', async ({}, testInfo) => {
  test.slow();
  const { code, stdout, stderr, out } = await compare(
    testInfo,
    'reference',
    'plain',
    '--scenario',
    SCALE_OUT,
    '--trials',
    '2',
    '--workers',
    '1',
    '--verbose',
    '--json',
  );
  expect(code).toBe(0);
  expect(stderr.match(/\w+ in \S+ seed \d+/g)).toEqual(
    [1, 2].flatMap((seed) => ['reference', 'plain'].map((name) => `${name} in ${SCALE_OUT} seed ${seed}`)),
  );
  const { sides, sections } = targetComparisonSchema.parse(JSON.parse(stdout));
  expect(sides.map(({ letter, target, trials }) => [letter, target, trials])).toEqual([
    ['A', 'reference', 2],
    ['B', 'plain', 2],
  ]);
  // A pod with 1.5 CPUs fills a node with two, minus what the node reserves.
  const cpu = sections.flatMap(({ rows }) => rows).find(({ id }) => id === 'utilisation-cpu');
  for (const { value = 0 } of cpu?.cells ?? []) expect(value).toBeCloseTo(1.5 / 1.93, 2);
  expect(cpu?.cells).toHaveLength(2);
  expect(existsSync(join(out, 'A', 'run.json'))).toBe(true);
  const again = await scaleproofHere(['compare', join(out, 'A'), join(out, 'B'), '--json', '--out', join(out, 'again')]);
  expect(targetComparisonSchema.parse(JSON.parse(again.stdout)).sections).toEqual(sections);
});

test('trials that one side can’t run, or does not have, are not run on the others', async ({}, testInfo) => {
  const spot = 'scheduling/spot-spread';
  const small = 'provisioning/small-scale-out-and-back';
  const named = ['--scenario', spot, '--scenario', small, '--workers', '1'];
  const { code, stdout, out } = await compare(testInfo, 'reference', 'plain', ...named, '--json');
  expect(code).toBe(0);
  const { compared, leftOut } = targetComparisonSchema.parse(JSON.parse(stdout));
  expect(compared).toEqual({ trials: 1, scenarios: [small] });
  expect(leftOut).toEqual([
    { scenario: spot, seeds: [1], why: "A has none: plain can't run it; B has none: target plain does not have the feature spot" },
  ]);
  expect(readdirSync(join(out, 'A', 'histories'))).toHaveLength(1);

  const again = join(out, 'again');
  const args = [join(out, 'A'), 'plain', '--scenario', small, '--scenario', SCALE_OUT, '--trials', '2', '--out', again, '--json'];
  const extended = await scaleproofHere(['compare', ...args]);
  expect(extended.code, extended.stderr).toBe(0);
  expect(readdirSync(join(again, 'B', 'histories'))).toHaveLength(1);
  const { leftOut: left } = targetComparisonSchema.parse(JSON.parse(extended.stdout));
  expect(left.map(({ scenario, seeds }) => ({ scenario, seeds }))).toEqual([
    { scenario: small, seeds: [2] },
    { scenario: SCALE_OUT, seeds: [1, 2] },
  ]);
  expect(left[0]?.why).toMatch(/^A has none; B has none: \S+ has no such trial$/);
});

for (const [line, why] of [
  ['compare', 'missing required argument'],
  ['compare reference', 'compare needs at least two'],
  ['compare reference nobody', 'no target is named "nobody"'],
  ['compare reference ./docs', './docs is not a run directory'],
  ['compare reference plain --scenario no/such', 'no scenario is named "no/such"'],
  ['compare reference plain --nodes simulated2', '--nodes must be a whole number'],
  ['compare reference plain --format html', "argument 'html' is invalid"],
] as const) {
  test(`refused: ${line}`, async () => {
    const { code, stderr } = await scaleproofHere(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });
}

test('flags for running targets are refused if all sides are run directories', async ({}, testInfo) => {
  const [a, b] = [runDirectory(testInfo, 'a'), runDirectory(testInfo, 'b')];
  const { code, stderr } = await compare(testInfo, a, b, '--trials', '5');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--trials applies only to targets') as unknown });
});
