import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import type { TestInfo } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { sources, suites } from '../suites/catalogue.ts';
import { commandLine } from './main.ts';
import { SHELLS } from './options.ts';
import type { Shell } from './options.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

const SILENT = { out: () => undefined, err: () => undefined, interactive: false, color: false, columns: 80 };

/** The line is completed at its end. Prints one word a line. */
const DRIVERS: Readonly<Record<Shell, (script: string, line: string) => readonly string[]>> = {
  bash: (script, line) => [
    '--norc',
    '-c',
    `source "$1"; COMP_LINE=$2; COMP_POINT=\${#2}; _scaleproof; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    script,
    line,
  ],
  // Its completion needs a terminal, so what it calls is replaced.
  zsh: (script, line) => [
    '-f',
    '-c',
    `compadd() { shift; print -l -- "$@" }; _files() { print FILES }; source "$1"; words=("\${(@s: :)2}"); CURRENT=$#words; _scaleproof`,
    'zsh',
    script,
    line,
  ],
  fish: (script, line) => ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line],
};

async function completed(shell: Shell, line: string, testInfo: TestInfo): Promise<string[]> {
  const { code, stdout } = await scaleproofHere(['completion', shell]);
  expect(code).toBe(0);
  const script = join(folderWith(testInfo), 'script');
  writeFileSync(script, stdout);
  const typed = line.split(' ').at(-1) ?? '';
  const words = execFileSync(shell, DRIVERS[shell](script, line), { encoding: 'utf8', cwd: folderWith(testInfo) }).split('\n');
  return words.filter((word) => word !== '' && word.startsWith(typed)).map((word) => word.split('\t')[0] ?? '');
}

for (const shell of SHELLS) {
  test.describe(shell, () => {
    test.skip(spawnSync(shell, ['--version']).status !== 0, `${shell} is not installed`);

    test(`${shell} completes commands, also those of commands`, async ({}, testInfo) => {
      const commands = commandLine(SILENT, () => undefined).commands.map((command) => command.name());
      expect(await completed(shell, 'scaleproof ', testInfo)).toEqual(expect.arrayContaining(commands));
      expect(await completed(shell, 'scaleproof show', testInfo)).toEqual(['show-report']);
      expect(await completed(shell, 'scaleproof target b', testInfo)).toEqual(['build']);
      expect(await completed(shell, 'scaleproof completion z', testInfo)).toEqual(['zsh']);
      expect(await completed(shell, 'scaleproof init pl', testInfo)).toEqual(['playwright']);
    });

    test(`${shell} completes the flags of the command`, async ({}, testInfo) => {
      expect((await completed(shell, 'scaleproof run --grep', testInfo)).sort()).toEqual(['--grep', '--grep-invert']);
      expect(await completed(shell, 'scaleproof run --seed 7 --max', testInfo)).toContain('--max-failures');
      expect(await completed(shell, 'scaleproof target build --so', testInfo)).toEqual(['--source']);
      expect(await completed(shell, 'scaleproof gate --trials', testInfo)).toEqual([]);
    });

    test(`${shell} completes scenarios, suites, profiles, targets and choices`, async ({}, testInfo) => {
      const ids = sources.map(({ scenario }) => scenario.id).filter((id) => id.startsWith('scheduling/s'));
      expect((await completed(shell, 'scaleproof run --scenario scheduling/s', testInfo)).sort()).toEqual(ids.sort());
      const names = suites.map(({ name }) => name).filter((name) => name.startsWith('c'));
      expect((await completed(shell, 'scaleproof compare a b --suite c', testInfo)).sort()).toEqual(names.sort());
      expect((await completed(shell, 'scaleproof run --profile e', testInfo)).sort()).toEqual(['endurance', 'extended']);
      expect(await completed(shell, 'scaleproof gate --candidate pl', testInfo)).toEqual(['plain']);
      expect(await completed(shell, 'scaleproof run --world k', testInfo)).toEqual(['kind']);
    });
  });
}

test('bash completes only the part after a colon, which it takes for a word of its own', async () => {
  const { stdout } = await scaleproofHere(['completion', 'bash']);
  const line = 'scaleproof run --target mutant:swallowed-topology-error:q';
  const program = `${stdout}\nCOMP_WORDBREAKS=':'; COMP_LINE='${line}'; COMP_POINT=${line.length}; _scaleproof; echo "$COMPREPLY"`;
  expect(execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' })).toBe('quick\n');
});

test('a shell without a script is refused', async () => {
  const { code, stderr } = await scaleproofHere(['completion', 'tcsh']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "scaleproof: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
  });
});
