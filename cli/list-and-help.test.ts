import { expect, test } from '@playwright/test';
import { scaleproof, scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

interface Row {
  readonly id?: string;
  readonly name?: string;
  readonly summary: string;
}

async function rowsOf(what: string): Promise<Row[]> {
  const { code, stdout, stderr } = await scaleproofHere(['list', what, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Row[];
}

for (const [what, key, known] of [
  ['suites', 'name', 'scheduling'],
  ['scenarios', 'id', 'scheduling/spot-spread'],
  ['faults', 'name', 'topology-skew'],
  ['checks', 'name', 'no-leaked-instances'],
  ['targets', 'name', 'reference'],
] as const) {
  test(`list ${what}: an array of objects with ${key} and summary, or a line for each`, async () => {
    const rows = await rowsOf(what);
    const names = rows.map((row) => row[key]);
    expect(names).toContain(known);
    expect(new Set(names).size).toBe(rows.length);
    for (const { summary } of rows) expect(summary).not.toBe('');
    const { stdout } = await scaleproofHere(['list', what]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual(rows.map((row) => [row[key], row.summary]));
  });
}

test('targets are named reference, plain, mutant:NAME', async () => {
  const names = (await rowsOf('targets')).map(({ name = '' }) => name);
  expect(names.filter((name) => !name.startsWith('mutant:'))).toEqual(['reference', 'plain']);
  expect(names.filter((name) => name.startsWith('mutant:')).length).toBeGreaterThan(3);
});

for (const command of [[], ['run'], ['check'], ['replay'], ['list']]) {
  test(`help: scaleproof ${[...command, '--help'].join(' ')}`, async () => {
    const { code, stdout, stderr } = await scaleproofHere([...command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['scaleproof', ...command].join(' ')} `);
    if (command.length === 0) for (const name of ['run', 'check', 'replay', 'list', 'Exit codes']) expect(stdout).toContain(name);
    else expect(stdout).toContain('--json');
  });
}

test('without a command there is help on standard error: that is wrong usage', async ({}, testInfo) => {
  const { code, stdout, stderr } = await scaleproof([], folderWith(testInfo));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Usage: scaleproof ');
});

test('--version', async () => {
  const { code, stdout } = await scaleproofHere(['--version']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});
