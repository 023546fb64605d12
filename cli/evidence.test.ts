import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scaleproofHere } from './testing/command.ts';
import { BURST, folderWith, historiesOf } from './testing/files.ts';

const HISTORY = 'histories/mine.burst-seed-1.jsonl';

test('a planted bug: exit code 1, findings with a replay line that reproduces it to the byte, and check agrees', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const flags = ['--target', 'mutant:new-token-on-retry', '--scenario', 'api-pressure/lost-launch-answer', '--seed', '3'];
  const { code, stdout, stderr } = await scaleproofHere(['run', ...flags, '--out', 'run'], cwd);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^\[1\/1\] fail api-pressure\/lost-launch-answer seed 3: leaked-instance[^[]*\n$/);
  expect(stdout).toContain('✗ FAIL api-pressure/lost-launch-answer seed 3');
  expect(stdout).toMatch(/leaked-instance no-leaked-instances, instance\/i-[0-9a-f]{17}\n/);
  const [, line = ''] = /scaleproof replay (\S+)\n/.exec(stdout) ?? [];
  expect(line).toContain('target=mutant:new-token-on-retry,seed=3');

  const replayed = await scaleproofHere(['replay', line, '--out', 'replay'], cwd);
  expect(replayed.code).toBe(1);
  expect(replayed.stderr).not.toContain('warning');
  expect(historiesOf(join(cwd, 'replay'))).toEqual(historiesOf(join(cwd, 'run')));

  const before = readFileSync(join(cwd, 'run/report.json'), 'utf8');
  const checked = await scaleproofHere(['check', join(cwd, 'run')]);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain(line);
  expect(readFileSync(join(cwd, 'run/report.json'), 'utf8')).toBe(before);
});

test('check needs only the directory, and reports what is wrong with it', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const directory = join(cwd, 'run');
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const run = await scaleproofHere(['run', '--scenario', './burst.ts', '--out', 'run'], cwd);
  expect(run.code, run.stderr).toBe(0);
  const made = { report: read('report.json'), junit: read('junit.xml'), html: read('report.html') };
  rmSync(join(cwd, 'burst.ts'));
  for (const name of ['report.json', 'junit.xml', 'report.html']) rmSync(join(directory, name));

  await test.step('the source is gone: the same verdict and reports', async () => {
    const { code, stdout } = await scaleproofHere(['check', 'run'], cwd);
    expect(code).toBe(0);
    expect(stdout).toBe(run.stdout);
    expect({ report: read('report.json'), junit: read('junit.xml'), html: read('report.html') }).toEqual(made);
    const json = await scaleproofHere(['check', directory, '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ directory, ...(JSON.parse(made.report) as object) });
  });

  const history = read(HISTORY);
  const lines = history.split('\n');
  const middle = Math.floor(lines.length / 2);
  for (const { what, text, says } of [
    {
      what: 'a line is missing',
      text: lines.toSpliced(middle, 1).join('\n'),
      says: `line ${middle + 1} has i ${middle + 1}, expected ${middle}`,
    },
    { what: 'a line is broken', text: lines.with(middle, '{"i":').join('\n'), says: `line ${middle + 1} is not JSON` },
    {
      what: 'a line is not an event',
      text: lines.with(middle, `{"i":${middle},"t":0,"type":"nonsense"}`).join('\n'),
      says: `line ${middle + 1} is not an event`,
    },
    {
      what: 'it is of another seed',
      text: history.replace('"seed":1,', '"seed":2,'),
      says: 'another trial: its seed is 2, and run.json has 1',
    },
    {
      what: 'it is of another target',
      text: history.replace('"target":{"name":"reference"', '"target":{"name":"other"'),
      says: 'another trial: its target is other, and run.json has reference',
    },
    {
      what: 'it is of another version of the scenario',
      text: history.replace(/"digest":"\w+"/, '"digest":"0123456789abcdef"'),
      says: 'another trial: its source of the scenario is 0123456789ab, and run.json has',
    },
    { what: 'it is of another format', text: history.replace(/"format":\d+/, '"format":99'), says: 'has history format 99' },
  ]) {
    await test.step(`a tampered history is refused: ${what}`, async () => {
      writeFileSync(join(directory, HISTORY), text);
      const { code, stdout, stderr } = await scaleproofHere(['check', directory]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^scaleproof: [^\n]+\n$/);
      expect(stderr).toContain('mine.burst-seed-1.jsonl');
      expect(stderr).toContain(says);
    });
  }

  await test.step('a truncated history is judged as far as it goes, and does not pass', async () => {
    writeFileSync(join(directory, HISTORY), history.slice(0, Math.floor(history.length / 2)));
    const { code, stdout } = await scaleproofHere(['check', directory]);
    expect(code).toBe(3);
    expect(stdout).toContain('the history is truncated');
  });

  await test.step('a missing history is reported, and the run does not pass', async () => {
    rmSync(join(directory, HISTORY));
    const { code, stdout, stderr } = await scaleproofHere(['check', directory]);
    expect(code).toBe(3);
    expect(stderr).toBe(`${HISTORY} is missing: mine/burst with seed 1 was not judged\n`);
    expect(stdout).toContain('? UNKNOWN');
  });
});

for (const { what, run, says } of [
  { what: 'has no run.json', run: undefined, says: 'has no run.json' },
  { what: 'has a run.json that is not JSON', run: '{', says: 'run.json is not JSON' },
  { what: 'has a run.json of something else', run: '{"format":1}', says: 'run.json is not a valid description of a run: id' },
]) {
  test(`check refuses a directory that ${what}`, async ({}, testInfo) => {
    const directory = folderWith(testInfo, run === undefined ? {} : { 'run.json': run });
    const { code, stdout, stderr } = await scaleproofHere(['check', directory]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^scaleproof: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });
}

test('a run.json with a duplicate trial or history is refused', { tag: '@long' }, async ({}, testInfo) => {
  const directory = folderWith(testInfo, { 'burst.ts': BURST });
  await scaleproofHere(['run', '--scenario', './burst.ts', '--trials', '2', '--out', 'run'], directory);
  const path = join(directory, 'run/run.json');
  const whole = readFileSync(path, 'utf8');
  const [first, second] = ['histories/mine.burst-seed-1.jsonl', 'histories/mine.burst-seed-2.jsonl'];
  for (const [text, says] of [
    [whole.replace(second, first), `planned: ${first} is duplicated`],
    [whole.replace(/"seed": 2,/, '"seed": 1,'), 'planned: mine/burst with seed 1 is duplicated'],
  ] as const) {
    writeFileSync(path, text);
    const { code, stderr } = await scaleproofHere(['check', 'run'], directory);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  }
});

test('replay warns about what has changed', { tag: '@long' }, async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const line = 'sp1,scenario=./burst.ts%23burst@000000000000,target=reference,seed=1,nodes=10,catalogue=111111111111';
  const { code, stderr } = await scaleproofHere(['replay', line, '--out', 'replay'], cwd);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: the source of \.\/burst\.ts#burst has changed \(digest 000000000000 then, [0-9a-f]{12} now\)/);
  expect(stderr).toContain('warning: the instance catalogue has changed (digest 111111111111 then');
});
