import { expect, test } from '@playwright/test';
import { faultCatalogue } from '../faults/catalogue.ts';
import type { Form } from './parameters.ts';
import { DEFAULT_COLUMNS } from './console.ts';
import { scaleproof, scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

interface Row {
  readonly id?: string;
  readonly name?: string;
  readonly summary: string;
}

interface FaultRow extends Row {
  readonly name: string;
  readonly legal: boolean;
  readonly capabilities: readonly string[];
  readonly forms: readonly Form[];
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
  test(`list ${what}: an array of objects with ${key} and summary, or each in words`, async () => {
    const rows = await rowsOf(what);
    const names = rows.map((row) => row[key]);
    expect(names).toContain(known);
    expect(new Set(names).size).toBe(rows.length);
    for (const { summary } of rows) expect(summary).not.toBe('');
    const { stdout } = await scaleproofHere(['list', what]);
    const words = stdout.replaceAll(/\s+/g, ' ');
    for (const row of rows) expect(words).toContain(`${row[key] ?? ''} ${row.summary}`);
    expect(stdout.split('\n').filter((line) => line.length > DEFAULT_COLUMNS && !line.includes('{'))).toEqual([]);
    const one = await scaleproofHere(['list', what, known, '--json']);
    expect(JSON.parse(one.stdout)).toEqual(rows.filter((row) => row[key] === known));
    const none = await scaleproofHere(['list', what, 'nothing-like-it']);
    expect(none).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`none of the ${what} has "nothing-like-it" in its name`),
    });
  });
}

test('list requirements: all requirements, and which scenarios test them', async () => {
  const { stdout } = await scaleproofHere(['list', 'requirements', '--json']);
  const rows = JSON.parse(stdout) as Record<string, unknown>[];
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(rows.find(({ id }) => id === 'CRA-03')).toEqual({
    id: 'CRA-03',
    level: 'MUST',
    area: 'controller crashes',
    profile: 'core',
    title: 'After a graceful restart nothing is launched for pods whose nodes are on their way.',
    scenarios: expect.arrayContaining(['crashes/restarted-during-boot']),
  });
  const { stdout: words } = await scaleproofHere(['list', 'requirements', 'CRA-03']);
  expect(words).toContain('After a graceful restart');
  expect(words).toContain('MUST, core; tested by crashes/restarted-during-boot');
  expect(words).toMatch(/\d+ of \d+ requirements are tested by scenarios/);
});

test('list faults: parameters, needed capabilities and whether it is legal; each example can be injected', async () => {
  const { stdout } = await scaleproofHere(['list', 'faults', 'insufficient-capacity']);
  expect(stdout).toContain(`\
  legal; needs capacity.set
  instanceTypes  list of text: only these types; by default all
  zones          list of text: only these zones; by default all
  capacityTypes  list of ("spot" | "on-demand"): only these capacity types; by
                 default both
  remaining      whole number >= 0, by default 0: instances left in each
                 affected offering
`);
  const rows = JSON.parse((await scaleproofHere(['list', 'faults', '--json'])).stdout) as FaultRow[];
  for (const { name, capabilities, forms } of rows) {
    expect(capabilities.length, name).toBeGreaterThan(0);
    const fault = faultCatalogue.find((one) => one.name === name);
    for (const { examples, parameters } of forms) {
      for (const params of examples)
        expect(fault?.params.safeParse(params), `${name} ${JSON.stringify(params)}`).toMatchObject({ success: true });
      // The parameter that distinguishes the forms needs no description.
      const unexplained = parameters.filter(({ description, takes }) => description === undefined && !/^"[\w-]+"$/.test(takes));
      expect(unexplained, name).toEqual([]);
    }
  }
  expect(rows.find(({ name }) => name === 'topology-skew')).toMatchObject({ legal: false, capabilities: ['wire.kube'] });
  expect(rows.find(({ name }) => name === 'lost-answer')).toMatchObject({ capabilities: ['wire.aws', 'wire.kube'] });
});

test('targets are named reference, reference:quick, plain, mutant:NAME', async () => {
  const names = (await rowsOf('targets')).map(({ name = '' }) => name);
  expect(names.filter((name) => !name.startsWith('mutant:'))).toEqual(['reference', 'reference:quick', 'plain']);
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

test('the help of the program groups all commands, that of run all flags', async () => {
  const headings = ({ stdout }: { readonly stdout: string }): string[] => stdout.split('\n').filter((line) => /^\S.*:$/.test(line));
  expect(headings(await scaleproofHere(['--help']))).toEqual([
    'Options:',
    'Run and judge:',
    'Reports:',
    'Evaluate a version:',
    'Crashes, planted bugs, cost:',
    'Worlds and targets:',
    'Real clusters:',
    'Help:',
    'Examples:',
  ]);
  const run = await scaleproofHere(['run', '--help']);
  expect(headings(run)).toEqual(['Scenarios, by default all:', 'Target and trials:', 'Output:', 'World:', 'Options:', 'Examples:']);
  const [, options = ''] = run.stdout.split('\nOptions:\n');
  expect(options).toMatch(/^ {2}-h, --help .*\n\nExamples:\n/);
});

test('the examples in the help of run work', async () => {
  const { stdout } = await scaleproofHere(['run', '--help']);
  const examples = [...stdout.matchAll(/^ {2}scaleproof (run .*)$/gm)].map(([, line = '']) => line.split(' '));
  expect(examples.length).toBeGreaterThanOrEqual(3);
  for (const example of examples) {
    for (const flag of example.filter((word) => word.startsWith('-')))
      expect(stdout, example.join(' ')).toMatch(new RegExp(`^ {2}${flag} `, 'm'));
    // Those with files or runs of the user can't be tried here.
    if (example.some((word) => word.startsWith('./') || word === '--last-failed')) continue;
    expect(await scaleproofHere([...example, '--list'])).toMatchObject({ code: 0, stderr: '' });
  }
});

test('without a command: help on standard error, a usage error', async ({}, testInfo) => {
  const { code, stdout, stderr } = await scaleproof([], folderWith(testInfo));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Usage: scaleproof ');
});

test('--version', async () => {
  const { code, stdout } = await scaleproofHere(['--version']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});
