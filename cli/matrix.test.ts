import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { matrixReportSchema } from '../reports/matrix-report.ts';
import type { MatrixReport } from '../reports/matrix-report.ts';
import { scaleproofHere, startScaleproof } from './testing/command.ts';
import { BURST, ENDLESS, folderWith } from './testing/files.ts';
import { canSeeProcesses, until } from './testing/processes.ts';

const SMALL = 'provisioning/small-scale-out-and-back';
/** The mutant fails it, and `plain` can't run it. */
const SKEW = 'scheduling/negative-max-skew';
const MUTANT = 'mutant:swallowed-topology-error';

async function matrix(cwd: string, ...args: readonly string[]): Promise<Awaited<ReturnType<typeof scaleproofHere>>> {
  return scaleproofHere(['matrix', ...args, '--workers', '1', '--out', 'out'], cwd);
}

function read(cwd: string, out = 'out'): MatrixReport {
  return matrixReportSchema.parse(JSON.parse(readFileSync(join(cwd, out, 'matrix.json'), 'utf8')));
}

/** When each history was written. */
function writtenAt(cwd: string, paths: readonly string[]): number[] {
  return paths.map((path) => statSync(join(cwd, 'out', path)).mtimeMs);
}

/** The verdicts of a scenario, a word for each version. */
function verdictsOf({ scenarios }: MatrixReport, id: string): string {
  return (
    scenarios
      .find((scenario) => scenario.id === id)
      ?.cells.map(({ verdict }) => verdict)
      .join(' ') ?? ''
  );
}

test('versions across, scenarios down: what changed, the riskiest upgrade first, with the place of the evidence', async ({}, testInfo) => {
  test.slow();
  const cwd = folderWith(testInfo);
  const { code, stdout, stderr } = await matrix(cwd, 'plain', 'reference', MUTANT, '--scenario', SMALL, '--scenario', SKEW, '--json');
  expect(code, stderr).toBe(0);
  const made = read(cwd);
  expect(JSON.parse(stdout)).toEqual(made);
  expect(made.versions.map(({ target, folder }) => [target, folder])).toEqual([
    ['plain', 'plain'],
    ['reference', 'reference'],
    [MUTANT, 'mutant-swallowed-topology-error'],
  ]);
  expect(verdictsOf(made, SMALL)).toBe('pass pass pass');
  expect(verdictsOf(made, SKEW)).toBe('not-run pass fail');
  const [riskiest, other] = made.upgrades;
  expect([riskiest, other].map((upgrade) => [upgrade?.from, upgrade?.risk.level])).toEqual([
    [1, 'fail'],
    [0, 'none'],
  ]);
  const [change] = riskiest?.scenarios ?? [];
  expect(change).toMatchObject({ scenario: SKEW, kind: 'fails', before: 'pass', after: 'fail' });
  expect(change?.findings[0]).toMatchObject({ code: 'pod-not-served', trials: 1, seed: 1 });
  const broken = riskiest?.requirements ?? [];
  expect(broken.length).toBeGreaterThan(0);
  expect(change?.breaches).toEqual(broken.map(({ requirement }) => requirement));
  // Every place exists on its page.
  for (const { page } of [...made.scenarios, ...made.requirements].flatMap((row): readonly { readonly page: string }[] => row.cells)) {
    const [path = '', place] = page.split('#');
    expect(readFileSync(join(cwd, 'out', path), 'utf8')).toContain(place === undefined ? '<html' : `id="${place}"`);
  }
  const page = readFileSync(join(cwd, 'out/matrix.html'), 'utf8');
  expect(page).toContain('was pass');
  expect(page, 'a pass without a verdict before is no news').not.toContain('was not run');
  const words = await matrix(cwd, 'plain', 'reference', MUTANT, '--scenario', SMALL, '--scenario', SKEW);
  expect(words.stderr).toBe('5 trials of the matrix had been run before\n');
  const told = words.stdout.replaceAll(/\s+/g, ' ');
  expect(told).toMatch(/^reference -> mutant:swallowed-topology-error \d MUST requirements? newly broken.* 1 scenario newly fails/);
  expect(told).toContain(`${SKEW} newly fails: pod-not-served: Pod`);
  expect(words.stdout).toMatch(/^plain +1 +0 +0 +1 +0 +none$/m);
});

test('the matrix is written again from its directory alone', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  expect((await matrix(cwd, 'plain', 'reference', '--scenario', SMALL)).code).toBe(0);
  const before = read(cwd);
  for (const name of ['matrix.json', 'matrix.html', 'matrix.md', 'plain/report.html']) rmSync(join(cwd, 'out', name));
  const again = await scaleproofHere(['report', 'out'], cwd);
  expect(again).toEqual({ code: 0, stdout: 'Wrote out/matrix.html\nWrote out/matrix.json\n', stderr: '' });
  expect(read(cwd)).toEqual(before);
  for (const name of ['matrix.html', 'matrix.md', 'plain/report.html']) expect(existsSync(join(cwd, 'out', name))).toBe(true);
  const shown = await scaleproofHere(['show-report', 'out'], cwd);
  expect(shown.stdout).toMatch(/^file:.*\/out\/matrix\.html\n$/);
  const refused = await scaleproofHere(['report', 'out', '--badge'], cwd);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--badge applies only to runs, and out is the directory of a matrix'),
  });
  // Each version is a run like any other.
  expect((await scaleproofHere(['check', 'out/plain'], cwd)).code).toBe(0);
});

test('only what is missing is run: new versions, seeds, changed sources, and what a crash left unfinished', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const flags = ['--scenario', './burst.ts', '--scenario', SMALL];
  expect((await matrix(cwd, 'plain', ...flags)).code).toBe(0);
  const [burst, small] = ['mine.burst', 'provisioning.small-scale-out-and-back'].map((name) => `plain/histories/${name}-seed-1.jsonl`) as [
    string,
    string,
  ];
  const before = writtenAt(cwd, [burst, small]);

  const more = await matrix(cwd, 'plain', 'reference', ...flags, '--seeds', '2');
  expect(more.stderr).toContain('2 trials of the matrix had been run before');
  expect(writtenAt(cwd, [burst, small])).toEqual(before);
  expect(read(cwd).scenarios.flatMap(({ cells }) => cells.map(({ trials }) => trials.passed))).toEqual([2, 2, 2, 2]);

  // A changed scenario is another one, and the page shows only what is requested.
  writeFileSync(join(cwd, 'burst.ts'), BURST.replace('replicas: 5', 'replicas: 6'));
  const changed = await matrix(cwd, 'plain', ...flags);
  expect(changed.stderr).toContain('1 trial of the matrix had been run before');
  const after = writtenAt(cwd, [burst, small]);
  expect(after[1]).toBe(before[1]);
  expect(after[0]).toBeGreaterThan(before[0] ?? Infinity);
  expect(read(cwd).versions.map(({ target }) => target)).toEqual(['plain']);

  // A history that is not listed as done is of a process that was killed. So is a line that is cut off.
  writeFileSync(join(cwd, 'out', burst), '');
  const cells = join(cwd, 'out/plain/cells.jsonl');
  writeFileSync(
    cells,
    readFileSync(cells, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('burst'))
      .join('\n'),
  );
  appendFileSync(cells, '{"history":"histories/mine.burst');
  rmSync(join(cwd, 'out', small));
  const again = await matrix(cwd, 'plain', ...flags);
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('before') });
  expect((await matrix(cwd, 'plain', ...flags)).stderr).toContain('2 trials of the matrix had been run before');
  expect(verdictsOf(read(cwd), 'mine/burst')).toBe('pass');
});

test('Ctrl-C leaves what is done, and the same command continues', async ({}, testInfo) => {
  test.skip(!canSeeProcesses, 'the system has no /proc');
  const cwd = folderWith(testInfo, { 'endless.ts': ENDLESS });
  const flags = ['plain', '--scenario', SMALL, '--scenario', './endless.ts', '--workers', '1', '--out', 'out'];
  const { child, finished } = startScaleproof(['matrix', ...flags], cwd);
  const endless = join(cwd, 'out/plain/histories/mine.endless-seed-1.jsonl');
  await until('the endless trial runs', () => existsSync(endless) && readFileSync(endless, 'utf8').includes('"type":"target.start"'));
  child.kill('SIGINT');
  const { code, stderr } = await finished;
  expect(code).toBe(3);
  expect(stderr).toContain('interrupted; the same command continues the matrix');
  expect(existsSync(endless), 'what was cut short is no result').toBe(false);
  const made = read(cwd);
  expect([verdictsOf(made, SMALL), verdictsOf(made, 'mine/endless')]).toEqual(['pass', 'missing']);
  const again = await matrix(cwd, 'plain', '--scenario', SMALL);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('1 trial of the matrix had been run before') });
});

test('shards joined in any order give the whole matrix, which can be extended', async ({}, testInfo) => {
  test.slow();
  const cwd = folderWith(testInfo);
  const flags = ['matrix', 'plain', 'reference', '--scenario', SMALL, '--scenario', SKEW, '--seeds', '2', '--workers', '1'];
  const run = (out: string, ...more: string[]) => scaleproofHere([...flags, '--out', out, ...more], cwd);
  expect((await run('whole')).code).toBe(0);
  for (const number of [1, 2, 3]) expect((await run(`shard-${number}`, '--shard', `${number}/3`)).code).toBe(0);
  expect(read(cwd, 'shard-2').scenarios.map(({ cells }) => cells.map(({ verdict }) => verdict))).toContainEqual(['missing', 'missing']);
  const merged = await scaleproofHere(['merge', 'shard-3', 'shard-1', 'shard-2', '--out', 'merged'], cwd);
  expect(merged.code, merged.stderr).toBe(0);
  expect(read(cwd, 'merged')).toEqual(read(cwd, 'whole'));
  const again = await run('merged');
  expect(again.stderr).toBe('6 trials of the matrix had been run before\n');
  for (const [directories, message] of [
    [['shard-1', 'shard-3'], '1 of 3 shards are missing: 2'],
    [['whole'], 'is a whole run, not a shard'],
    [['shard-1', 'nowhere'], 'nowhere is not the directory of a matrix'],
  ] as const) {
    const refused = await scaleproofHere(['merge', ...directories, '--out', 'refused'], cwd);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  }
  expect(
    (await scaleproofHere(['matrix', 'plain', '--scenario', SMALL, '--shard', '1/3', '--workers', '1', '--out', 'other'], cwd)).code,
  ).toBe(0);
  const unlike = await scaleproofHere(['merge', 'shard-1', 'other'], cwd);
  expect(unlike).toMatchObject({ code: 2, stderr: expect.stringContaining('are not shards of the same matrix') });
});

test('a command that is refused while it plans leaves nothing that the next one refuses', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const flags = ['plain', 'reference', '--scenario', SMALL];
  const empty = await matrix(cwd, ...flags, '--shard', '2/3');
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('--shard 2/3 has no trial') });
  expect(readdirSync(join(cwd, 'out'))).toEqual(['lock.db']);
  const { code, stderr } = await matrix(cwd, ...flags);
  expect(code, stderr).toBe(0);
});

test('a directory with something else in it is refused, and not touched', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'notes.txt': 'mine' });
  const { code, stderr } = await scaleproofHere(['matrix', 'plain', '--scenario', SMALL, '--out', '.'], cwd);
  expect(code).toBe(2);
  expect(stderr).toContain('--out . is not the directory of a matrix');
  expect(existsSync(join(cwd, 'lock.db'))).toBe(false);
});

for (const [line, why] of [
  ['matrix', 'missing required argument'],
  ['matrix reference nobody', 'no target is named "nobody"'],
  ['matrix reference plain reference', 'reference is named twice'],
  ['matrix reference .. plain', '"reference" can\'t be an end of a range'],
  ['matrix karpenter@1.14.1 .. karpenter@1.14.0', 'the first version is the older one'],
  ['matrix .. karpenter@1.14.0', '.. stands between two versions'],
  ['matrix karpenter@1.0 .. karpenter@1.14.0', 'karpenter@1.0.0 is too old'],
  ['matrix reference --scenario no/such', 'no scenario is named "no/such"'],
  ['matrix reference --seeds 0', '--seeds must be at least 1'],
] as const) {
  test(`refused: ${line}`, async ({}, testInfo) => {
    const { code, stderr } = await scaleproofHere(line.split(' '), folderWith(testInfo));
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });
}
