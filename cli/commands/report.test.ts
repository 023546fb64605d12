import { mkdtempSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { ReportInput } from '../../reports/report-input.ts';
import { sampleGate } from '../../reports/testing/sample-gate.ts';
import { sampleRun } from '../../reports/testing/sample-run.ts';
import { scaleproofHere } from '../testing/command.ts';
import { folderWith, historiesOf } from '../testing/files.ts';

/** A run directory of a few made-up trials: one that fails, one that is truncated, and some that pass. */
function runDirectory(testInfo: TestInfo, name = 'run', input: ReportInput = sampleRun({ trials: 2 })): string {
  const directory = testInfo.outputPath(name);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  writeFileSync(join(directory, 'run.json'), JSON.stringify(input.run));
  for (const { result, events, seen } of input.trials) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    writeFileSync(join(directory, result.history), `${lines}${seen.truncated ? '{"i"' : ''}`);
  }
  return directory;
}

/** Every file below a folder, by its path, with the packed parts of report pages unpacked and appended. */
function filesIn(folder: string, below = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, below)).flatMap((name): [string, string][] => {
      const path = join(below, name);
      if (statSync(join(folder, path)).isDirectory()) return Object.entries(filesIn(folder, path));
      const text = readFileSync(join(folder, path), 'utf8');
      const packed = [...text.matchAll(/<template class="packed">([^<]*)<\/template>/g)].map(([, part = '']) =>
        inflateRawSync(Buffer.from(part, 'base64')).toString(),
      );
      return [[path, [text, ...packed].join('\n')]];
    }),
  );
}

const REPORTS = ['report.html', 'report.json', 'junit.xml'] as const;
const reportsOf = (directory: string): string[] => REPORTS.map((name) => readFileSync(join(directory, name), 'utf8'));

test('it writes the same as check, and exits with 0 with any verdict', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const checked = await scaleproofHere(['check', directory]);
  expect(checked.code).toBe(1);
  const before = reportsOf(directory);
  for (const name of REPORTS) rmSync(join(directory, name));
  const { code, stdout, stderr } = await scaleproofHere(['report', directory]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^Wrote .*(report\.html|report\.json|junit\.xml)$/gm)).toHaveLength(3);
  expect(reportsOf(directory)).toEqual(before);
  const json = await scaleproofHere(['report', directory, '--json']);
  expect(JSON.parse(json.stdout)).toEqual({ directory, ...(JSON.parse(before[1] ?? '') as object) });
});

test('--earlier shows the trend over earlier runs, named by directory or report.json, on the page and in report.json', async ({}, testInfo) => {
  const input = sampleRun({ trials: 1, only: ['provisioning/scale-out-and-back'] });
  const night = (day: number, scaleproof = '0.1.0'): string => {
    const run = { ...input.run, id: `night-${day}`, startedAt: `2025-12-0${day}T00:00:00.000Z`, versions: { scaleproof, node: 'v24' } };
    return runDirectory(testInfo, `night-${day}`, { ...input, run });
  };
  const [first, second] = [night(1, '0.0.9'), night(2)];
  const directory = runDirectory(testInfo, 'run', input);
  const without = await scaleproofHere(['report', directory, '--earlier', first]);
  expect(without).toMatchObject({
    code: 2,
    stderr: `scaleproof: --earlier ${first} has no report.json; write it with: scaleproof report ${first}\n`,
  });
  for (const one of [first, second, directory]) expect(await scaleproofHere(['report', one])).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await scaleproofHere([
    ...['report', directory, '--json', '--earlier', second, join(first, 'report.json'), directory],
  ]);
  expect(code).toBe(0);
  expect(stderr, 'nothing is left out silently').toBe(`--earlier ${directory} is the run itself, which the trend has anyway\n`);
  const { trend } = JSON.parse(stdout) as { trend: { run: string; notComparable: string[] }[] };
  expect(trend.map(({ run, notComparable }) => [run, notComparable])).toEqual([
    ['night-1', ['scaleproof 0.0.9, not 0.1.0']],
    ['night-2', []],
    [input.run.id, []],
  ]);
  expect(readFileSync(join(directory, 'report.html'), 'utf8')).toContain('Trend over 3 runs');
});

test('--earlier refuses what is not the report of a run, and runs that are named twice', async ({}, testInfo) => {
  const directory = runDirectory(testInfo, 'run', sampleRun({ trials: 1, only: ['provisioning/scale-out-and-back'] }));
  expect((await scaleproofHere(['report', directory])).code).toBe(0);
  const report = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')) as { run: object };
  const file = (name: string, content: unknown): string => {
    const path = testInfo.outputPath(name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const copy = file('copy.json', { ...report, run: { ...report.run, id: 'copy' } });
  mkdirSync(testInfo.outputPath('gate'));
  file('gate/gate.json', '{}');
  for (const [paths, says] of [
    [[testInfo.outputPath('nowhere')], 'does not exist'],
    [[testInfo.outputPath('gate')], 'is the directory of a gate: name run directories'],
    [[testInfo.outputPath('.')], 'has no report.json: name run directories'],
    [[file('text.json', 'oops')], "can't be read as JSON"],
    [[file('other.json', { kind: 'Other', apiVersion: 'v1' })], 'is not the report of a run'],
    [[file('later.json', { ...report, apiVersion: 'scaleproof/v2' })], 'has the format scaleproof/v2'],
    [[file('bad.json', { ...report, verdict: 'great' })], 'is not a valid report.json: verdict: '],
    [[copy, file('again.json', readFileSync(copy, 'utf8'))], 'is the same run as'],
    [
      Array.from({ length: 30 }, (_, index) => file(`${index}.json`, { ...report, run: { ...report.run, id: `run-${index}` } })),
      'takes at most 29 runs, not 30',
    ],
    [[copy, '--anonymous', '--out', testInfo.outputPath('out')], '--earlier and --anonymous cannot be combined'],
  ] as const) {
    const { code, stderr } = await scaleproofHere(['report', directory, '--earlier', ...paths]);
    expect(stderr).toContain(says);
    expect(code, stderr).toBe(2);
  }
});

test('a file that cannot be written is a usage error in one line', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  // Linux can't create folders in /proc: it reports ENOENT.
  for (const flags of [
    ['--badge', '/proc/nope/badge.svg'],
    ['--github', '/proc/nope/summary.md'],
  ]) {
    const { code, stderr } = await scaleproofHere(['report', directory, ...flags], testInfo.outputPath('.'));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^scaleproof: \/proc\/nope\/\S+ can't be written: E.*\n$/) });
  }
});

test('--out creates another run directory, and does not change the first one', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const out = testInfo.outputPath('out');
  const { code } = await scaleproofHere(['report', directory, '--out', out, '--badge']);
  expect(code).toBe(0);
  expect(readdirSync(directory).sort()).toEqual(['histories', 'run.json']);
  expect(historiesOf(out)).toEqual(historiesOf(directory));
  const made = reportsOf(out);
  expect((await scaleproofHere(['check', out])).code).toBe(1);
  expect(reportsOf(out)).toEqual(made);
  expect(readFileSync(join(out, 'badge.svg'), 'utf8')).toContain('2 of 6 failed');
  expect(JSON.parse(readFileSync(join(out, 'badge.json'), 'utf8'))).toMatchObject({ schemaVersion: 1, message: '2 of 6 failed' });
});

test('--badge takes a file of any name, and writes the JSON beside it', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  await scaleproofHere(['report', directory, '--badge', join(directory, 'public/verdict.svg')]);
  expect(readdirSync(join(directory, 'public')).sort()).toEqual(['verdict.json', 'verdict.svg']);
});

test('--github appends to the step summary, and prints annotations', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const summary = join(directory, 'summary.md');
  writeFileSync(summary, 'earlier text\n');
  const env = { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' };
  const plain = await scaleproofHere(['report', directory], directory, env);
  expect(plain.stdout, 'nothing is written for GitHub without the flag').not.toContain('::error');
  expect(readFileSync(summary, 'utf8')).toBe('earlier text\n');
  const { code, stdout } = await scaleproofHere(['report', directory, '--github'], directory, env);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^::error title=crashes\/killed-after-launch seed 1%3A fail::leaked-instance/m);
  expect(readFileSync(summary, 'utf8')).toMatch(/^earlier text\n## ❌ Scaleproof: fail\n/);
});

test('--github-comment prints only Markdown on standard output', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const { code, stdout, stderr } = await scaleproofHere(['report', directory, '--github-comment']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^## ❌ Scaleproof: fail\n[^]*### What did not pass\n/);
  expect(stdout).not.toContain('Wrote');
  expect(stderr).toMatch(/^Wrote .*report\.html$/m);
});

test('the directory of a gate: its page is written again, and a comment is printed', async ({}, testInfo) => {
  const directory = folderWith(testInfo, { 'gate.json': JSON.stringify(sampleGate()) });
  const written = await scaleproofHere(['report', directory]);
  expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Wrote .*report\.html\n$/) });
  expect(readFileSync(join(directory, 'report.html'), 'utf8')).toContain('The candidate fails invariants, success.');
  const { code, stdout } = await scaleproofHere(['report', directory, '--github-comment']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^## ❌ Scaleproof gate: reject\n/);
  const refused = await scaleproofHere(['report', directory, '--anonymous', '--out', 'x']);
  expect(refused.code).toBe(2);
  expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(/--\w+ applies only to runs, and .* is the directory of a gate/);
  writeFileSync(join(directory, 'gate.json'), '{}');
  const damaged = await scaleproofHere(['report', directory]);
  expect(damaged).toMatchObject({ code: 2, stderr: expect.stringContaining("gate.json can't be read") });
});

for (const { flags, says } of [
  { flags: ['--github-comment', '--json'], says: '--github-comment and --json both print to standard output' },
  { flags: ['--history', 'x'], says: '--history is for --allure' },
  { flags: ['--hide', 'x'], says: '--hide is for --anonymous' },
  { flags: ['--anonymous'], says: '--anonymous needs --out' },
  { flags: ['--anonymous', '--hide', 'node', '--out', 'OUT'], says: '"node" can\'t be hidden, since histories use this word themselves' },
  { flags: ['--github', 'summary.md', '--json'], says: '--github and --json both print to standard output' },
  { flags: ['--out', '.'], says: '--out . is not empty' },
]) {
  test(`usage error: ${flags.join(' ')}`, async ({}, testInfo) => {
    const directory = runDirectory(testInfo);
    const { code, stdout, stderr } = await scaleproofHere([
      'report',
      directory,
      ...flags.map((flag) => flag.replace('OUT', testInfo.outputPath('out'))),
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^scaleproof: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });
}

test('--github without GitHub asks for a file', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const env = { GITHUB_STEP_SUMMARY: '' };
  const { code, stderr } = await scaleproofHere(['report', directory, '--github'], directory, env);
  expect(code).toBe(2);
  expect(stderr).toContain('GITHUB_STEP_SUMMARY is not set');
});

test('--allure builds the site with Allure’s own command, with the history of runs', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const history = testInfo.outputPath('history/runs.jsonl');
  const made = await scaleproofHere(['report', directory, '--allure', '--history', history]);
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
  const results = filesIn(join(directory, 'allure/allure-results'));
  const again = await scaleproofHere(['report', directory, '--allure', '--history', history]);
  expect(again.code, again.stderr).toBe(0);
  expect(filesIn(join(directory, 'allure/allure-results')), 'the same run, the same bytes').toEqual(results);

  const site = filesIn(join(directory, 'allure/allure-report'));
  const all = Object.values(site).join('\n');
  for (const name of [
    'crashes/killed-after-launch seed 1',
    'scheduling/spot-spread seed 2',
    'capacity/reserved-capacity seed 1',
    'Found: leaked-instance',
  ])
    expect(all, name).toContain(name);
  expect(site['index.html']).not.toContain('googletagmanager');
  const runs = readFileSync(history, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { testResults: Record<string, { name: string; status: string }> });
  expect(runs).toHaveLength(2);
  expect(Object.values(runs[1]?.testResults ?? {}).find(({ name }) => name === 'crashes/killed-after-launch seed 1')?.status).toBe(
    'failed',
  );
  expect(Object.keys(runs[1]?.testResults ?? {}).sort()).toEqual(Object.keys(runs[0]?.testResults ?? {}).sort());
});

test('without the command it writes results, and says how to install it', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  // Nothing above this folder has packages.
  const cwd = mkdtempSync(join(tmpdir(), 'scaleproof-report-'));
  try {
    const env = { PATH: dirname(process.execPath) };
    const { code, stderr } = await scaleproofHere(['report', directory, '--allure'], cwd, env);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Install it with `npm install --save-dev allure`');
    expect(existsSync(join(directory, 'allure/allure-results/environment.properties'))).toBe(true);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test('--allure does not remove results that it did not write', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  mkdirSync(join(directory, 'allure/allure-results'), { recursive: true });
  writeFileSync(join(directory, 'allure/allure-results/mine-result.json'), '{}');
  const { code, stderr } = await scaleproofHere(['report', directory, '--allure']);
  expect(code).toBe(2);
  expect(stderr).toContain('that scaleproof did not write');
  expect(existsSync(join(directory, 'allure/allure-results/mine-result.json'))).toBe(true);
});

test('--anonymous: no output about a real mutant names it, and check gives the same result', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const flags = [
    '--target',
    'mutant:new-token-on-retry',
    '--scenario',
    'api-pressure/lost-launch-answer',
    '--seed',
    '3',
    '--no-crash-points',
  ];
  expect((await scaleproofHere(['run', ...flags, '--out', 'fresh-token'], cwd)).code).toBe(1);
  const [directory, out] = [join(cwd, 'fresh-token'), join(cwd, 'out')];
  const history = testInfo.outputPath('history.jsonl');
  const all = ['--allure', '--history', history, '--badge', '--github', join(out, 'summary.md'), '--anonymous', '--out', out];
  const { code, stdout } = await scaleproofHere(['report', directory, ...all]);
  expect(code).toBe(0);

  const isNamed = /fresh.?token|mutant/i;
  expect(isNamed.test(filesIn(directory)['report.json'] ?? '')).toBe(true);
  const annotations = stdout.split('\n').filter((line) => line.startsWith('::'));
  expect(annotations.length).toBeGreaterThan(0);
  const written: Record<string, string> = { ...filesIn(out), history: readFileSync(history, 'utf8'), annotations: annotations.join('\n') };
  for (const [name, content] of Object.entries(written)) {
    expect(isNamed.exec(name)?.[0], name).toBeUndefined();
    expect(isNamed.exec(content)?.[0], name).toBeUndefined();
  }
  expect(JSON.parse(written['report.json'] ?? '')).toMatchObject({
    verdict: 'fail',
    run: { id: 'anonymous', target: { name: 'the target' } },
  });

  expect(written['allure/allure-report/index.html'], 'no name of the repository').toContain('"repoName":""');

  const before = reportsOf(out);
  expect((await scaleproofHere(['check', out])).code).toBe(1);
  expect(reportsOf(out)).toEqual(before);
});

test('a history of runs with names is not shown in an anonymous site', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const history = testInfo.outputPath('history.jsonl');
  writeFileSync(history, '{"name":"Scaleproof: reference in the embedded world"}\n');
  const { code, stderr } = await scaleproofHere([
    'report',
    directory,
    '--anonymous',
    '--out',
    testInfo.outputPath('out'),
    '--allure',
    '--history',
    history,
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('contains names');
});

test('a truncated history stays truncated in the anonymous copy', async ({}, testInfo) => {
  const directory = runDirectory(testInfo);
  const out = testInfo.outputPath('out');
  await scaleproofHere(['report', directory, '--anonymous', '--out', out]);
  const before = reportsOf(out);
  await scaleproofHere(['check', out]);
  expect(reportsOf(out)).toEqual(before);
  expect(before[1]).toContain('"truncated": true');
});
