import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { readState } from '../gate/state.ts';
import type { StateVersion } from '../gate/state.ts';
import { episode } from '../gate/testing/episodes.ts';
import { packageRoot } from '../model/package-root.ts';
import { lockDirectory } from './directory-lock.ts';
import { start } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

const RULE = 'one at a time';

/** Starts a program that can use the lock and the state. */
function startProgram(body: string, cwd: string, ...args: string[]): ReturnType<typeof start> {
  const url = (path: string): string => JSON.stringify(pathToFileURL(join(packageRoot(), path)).href);
  const imports = `import { lockDirectory } from ${url('cli/directory-lock.ts')}; import { appendState } from ${url('gate/state.ts')};`;
  return start(process.execPath, ['--input-type=module', '-e', `${imports}\n${body}`, ...args], cwd);
}

test('only one lock of a directory at a time, under any name, until it is released', ({}, testInfo) => {
  const folder = folderWith(testInfo);
  const directory = join(folder, 'deep/state');
  const unlock = lockDirectory(directory, RULE);
  symlinkSync(directory, join(folder, 'alias'));
  for (const name of [directory, join(folder, 'alias')])
    expect(() => lockDirectory(name, RULE)).toThrow(
      `${name} is in use by another process: one at a time; \`lsof '${join(name, 'lock.db')}'\` shows which one`,
    );
  expect(readdirSync(directory)).toEqual(['lock.db']);
  unlock();
  unlock();
  const again = lockDirectory(directory, RULE);
  unlock();
  expect(() => lockDirectory(directory, RULE)).toThrow('is in use');
  again();
});

test('a path that cannot be a directory is an error', ({}, testInfo) => {
  const file = join(folderWith(testInfo, { file: '' }), 'file');
  expect(() => lockDirectory(file, RULE)).toThrow(`the directory ${file} can't be used: ENOTDIR`);
});

test('a lock file that cannot be opened is an error', ({}, testInfo) => {
  const directory = folderWith(testInfo);
  const path = join(directory, 'lock.db');
  mkdirSync(path);
  expect(() => lockDirectory(directory, RULE)).toThrow(`${path} can't be locked: unable to open database file`);
});

test('a lock file that cannot be written is an error', async ({}) => {
  test.skip(process.getuid?.() !== 0, 'only root can switch to another user');
  // Other users may not have access to the folder of this project.
  const cwd = mkdtempSync(join(tmpdir(), 'scaleproof-lock-'));
  try {
    chmodSync(cwd, 0o777);
    lockDirectory(cwd, RULE)();
    chmodSync(join(cwd, 'lock.db'), 0o644);
    const body = `process.setuid(65534); try { lockDirectory('.', '${RULE}'); } catch (error) { console.log(error.message); }`;
    expect((await startProgram(body, cwd).finished).stdout).toContain("lock.db can't be locked: EACCES");
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test('a killed process releases its lock', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const { child, finished } = startProgram(
    `const unlock = lockDirectory('state', '${RULE}'); console.log('locked'); process.once('SIGTERM', unlock); setInterval(() => undefined, 1_000);`,
    cwd,
  );
  try {
    if (child.stdout === null) throw new Error('a pipe');
    await once(child.stdout, 'data');
    expect(() => lockDirectory(join(cwd, 'state'), RULE)).toThrow('is in use by another process');
  } finally {
    child.kill('SIGKILL');
    await finished;
  }
  lockDirectory(join(cwd, 'state'), RULE)();
});

test('two processes that append episodes in turn do not damage the file', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const version: StateVersion = { target: 't', targetDigest: 'aaaa', world: 'embedded', catalogueDigest: 'cccc' };
  const [each, mostTries] = [40, 10_000_000];
  const body = `
    const [first, version, episode] = process.argv.slice(1).map((text) => JSON.parse(text));
    for (let seed = first, tries = 0; seed < first + ${each} && tries < ${mostTries}; tries += 1) {
      let unlock;
      try { unlock = lockDirectory('state', '${RULE}'); } catch (error) { if (!error.message.includes('${RULE}')) throw error; else continue; }
      appendState('state', version, [{ scenarioDigest: 'dddd', episode: { ...episode, seed } }]);
      unlock();
      seed += 1;
    }`;
  const both = [1, 1 + each].map((first) => startProgram(body, cwd, String(first), JSON.stringify(version), JSON.stringify(episode(1))));
  for (const { finished } of both) expect(await finished).toMatchObject({ code: 0, stderr: '' });
  const seeds = readState(join(cwd, 'state'), version).map((entry) => entry.episode.seed);
  expect(seeds.sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * each }, (_, index) => index + 1));
});
