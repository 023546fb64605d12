import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { scaleproofHere } from '../testing/command.ts';
import { folderWith } from '../testing/files.ts';
import { until } from '../testing/processes.ts';
import { showReport } from './show-report.ts';

function runIn(folder: string, name: string, writtenS = 1, facts = 'run.json', page = 'report.html'): string {
  const directory = join(folder, 'runs', name);
  mkdirSync(directory, { recursive: true });
  for (const file of [facts, page]) writeFileSync(join(directory, file), '{}');
  utimesSync(join(directory, facts), writtenS, writtenS);
  return directory;
}

const urlOf = (directory: string): string => pathToFileURL(join(directory, 'report.html')).href;

/** What the command prints on a terminal. */
async function onTerminal(
  directory: string,
  desktop: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const console = {
    out: (text: string) => void (stdout += text),
    err: (text: string) => void (stderr += text),
    interactive: true,
    color: false,
    columns: 80,
  };
  const code = await showReport(directory, console, desktop);
  return { code, stdout, stderr };
}

test('without a terminal it prints the address of the newest report, or of the given one', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const [new_, old] = [runIn(cwd, 'a new & #1', 2_000), runIn(cwd, 'old', 1_000)];
  expect(await scaleproofHere(['show-report'], cwd)).toEqual({ code: 0, stdout: `${urlOf(new_)}\n`, stderr: '' });
  expect(await scaleproofHere(['show-report', 'runs/old'], cwd)).toEqual({ code: 0, stdout: `${urlOf(old)}\n`, stderr: '' });
});

test('gates, comparisons and matrices have reports, too', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  runIn(cwd, 'a-run', 1_000);
  const gate = runIn(cwd, 'gate-1', 2_000, 'gate.json');
  expect(await scaleproofHere(['show-report'], cwd)).toEqual({ code: 0, stdout: `${urlOf(gate)}\n`, stderr: '' });
  const compared = pathToFileURL(join(runIn(cwd, 'compared', 3_000, 'compare.json', 'compare.html'), 'compare.html')).href;
  expect(await scaleproofHere(['show-report'], cwd)).toEqual({ code: 0, stdout: `${compared}\n`, stderr: '' });
  const matrix = pathToFileURL(join(runIn(cwd, 'matrix', 4_000, 'matrix.json', 'matrix.html'), 'matrix.html')).href;
  expect(await scaleproofHere(['show-report'], cwd)).toEqual({ code: 0, stdout: `${matrix}\n`, stderr: '' });
});

test('with a terminal and a display it opens the report, with the address as one argument', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const directory = runIn(folder, 'a & "b"; $(c)');
  const seen = join(folder, 'seen');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "$SEEN.part"\nmv "$SEEN.part" "$SEEN"\n`);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, SEEN: seen };

  const shown = await onTerminal(directory, { platform: 'linux', env: { ...env, DISPLAY: ':0' } });
  expect(shown).toEqual({ code: 0, stdout: `${urlOf(directory)}\n`, stderr: '' });
  await until('the report was opened', () => existsSync(seen));
  expect(readFileSync(seen, 'utf8')).toBe(`1\n${urlOf(directory)}\n`);
});

test('without a display nothing is started', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const directory = runIn(folder, 'x');
  // An attempt would fail, since the opener is not there.
  const shown = await onTerminal(directory, { platform: 'linux', env: { PATH: folder, DISPLAY: '' } });
  expect(shown).toEqual({ code: 0, stdout: `${urlOf(directory)}\n`, stderr: '' });
});

test('an opener that is not installed is named, and the address is printed', async ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const directory = runIn(folder, 'x');
  expect(await onTerminal(directory, { platform: 'darwin', env: { PATH: folder } })).toEqual({
    code: 0,
    stdout: `${urlOf(directory)}\n`,
    stderr: 'open could not be started; open the address in a browser\n',
  });
});

test('without a report it says what to do', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  expect(await scaleproofHere(['show-report'], cwd)).toMatchObject({
    code: 2,
    stderr: 'scaleproof: there is no directory of a run, a gate, a comparison or a matrix in runs/; name one\n',
  });
  const missing = await scaleproofHere(['show-report', 'nowhere'], cwd);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain(
    'nowhere has no report.html, compare.html or matrix.html; `scaleproof report DIR` writes the page of a run, a gate or a matrix',
  );
});
