import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { readState } from '../gate/state.ts';
import type { StateVersion } from '../gate/state.ts';
import { episode } from '../gate/testing/episodes.ts';
import { packageRoot } from '../model/package-root.ts';
import { lockDirectory } from './directory-lock.ts';
import { identityOf, identityOfThis } from '../world/kind/processes.ts';
import { createPrograms } from '../world/kind/programs.ts';
import { start } from './testing/command.ts';
import { folderWith } from './testing/files.ts';

const RULE = 'one at a time';
const programs = createPrograms();

/** A program that has what it needs of ours. */
function startProgram(body: string, cwd: string, ...args: string[]): ReturnType<typeof start> {
  const url = (path: string): string => JSON.stringify(pathToFileURL(join(packageRoot(), path)).href);
  const imports = `import { lockDirectory } from ${url('cli/directory-lock.ts')}; import { appendState } from ${url('gate/state.ts')};`;
  return start(process.execPath, ['--input-type=module', '-e', `${imports}\n${body}`, ...args], cwd);
}

test('a directory is had by one at a time, and given back', async ({}, testInfo) => {
  const directory = join(folderWith(testInfo), 'deep/state');
  const unlock = await lockDirectory(directory, RULE);
  await expect(lockDirectory(directory, RULE)).rejects.toThrow(`${directory} is in use by process ${process.pid}: one at a time`);
  unlock();
  expect(readdirSync(directory)).toEqual([]);
  (await lockDirectory(directory, RULE))();
});

test('what nobody has any more is taken over, what somebody has is not', async ({}, testInfo) => {
  const directory = folderWith(testInfo);
  const own = await identityOfThis(programs);
  const path = join(directory, 'lock');
  const left = {
    'its number is free': JSON.stringify({ ...own, pid: 99_999_999 }),
    'another process has its number': JSON.stringify({ ...own, started: 'before that' }),
    'the machine was started since': JSON.stringify({ ...own, boot: 'before that' }),
    'a predecessor of the container': JSON.stringify({ ...own, host: 'its own', namespace: 'its own' }),
    'no process': JSON.stringify({ pid: 1 }),
    nothing: '',
  };
  for (const [who, content] of Object.entries(left)) {
    writeFileSync(path, content);
    (await lockDirectory(directory, RULE))();
    expect(readdirSync(directory), who).toEqual([]);
  }
  const other = JSON.stringify(await identityOf(process.ppid, programs));
  for (const name of ['lock', 'lock.take-over']) {
    writeFileSync(path, left['its number is free']);
    writeFileSync(join(directory, name), other);
    await expect(lockDirectory(directory, RULE), name).rejects.toThrow(`is in use by process ${process.ppid}: one at a time`);
  }
});

test('what was being taken over is left to people', async ({}, testInfo) => {
  const directory = folderWith(testInfo, { lock: '', 'lock.take-over': '' });
  await expect(lockDirectory(directory, RULE)).rejects.toThrow(
    `was being taken over by a process that is no more: one at a time; remove ${join(directory, 'lock.take-over')}`,
  );
});

test('what can not be a directory is said', async ({}, testInfo) => {
  const file = join(folderWith(testInfo, { file: '' }), 'file');
  await expect(lockDirectory(file, RULE)).rejects.toThrow(`the directory ${file} can't be used: ENOTDIR`);
});

test('a killed process leaves nothing that blocks', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const { child, finished } = startProgram(
    `await lockDirectory('state', '${RULE}'); console.log('locked'); setInterval(() => undefined, 1_000);`,
    cwd,
  );
  if (child.stdout === null) throw new Error('a pipe');
  await once(child.stdout, 'data');
  await expect(lockDirectory(join(cwd, 'state'), RULE)).rejects.toThrow(`is in use by process ${child.pid ?? ''}`);
  child.kill('SIGKILL');
  await finished;
  (await lockDirectory(join(cwd, 'state'), RULE))();
});

test('two processes that add episodes in turn damage nothing', async ({}, testInfo) => {
  const cwd = folderWith(testInfo);
  const version: StateVersion = { target: 't', targetDigest: 'aaaa', world: 'embedded', catalogueDigest: 'cccc' };
  const [each, mostTries] = [40, 10_000_000];
  const body = `
    const [first, version, episode] = process.argv.slice(1).map((text) => JSON.parse(text));
    for (let seed = first, tries = 0; seed < first + ${each} && tries < ${mostTries}; tries += 1) {
      let unlock;
      try { unlock = await lockDirectory('state', '${RULE}'); } catch (error) { if (!error.message.includes('${RULE}')) throw error; else continue; }
      appendState('state', version, [{ scenarioDigest: 'dddd', episode: { ...episode, seed } }]);
      unlock();
      seed += 1;
    }`;
  const both = [1, 1 + each].map((first) => startProgram(body, cwd, String(first), JSON.stringify(version), JSON.stringify(episode(1))));
  for (const { finished } of both) expect(await finished).toMatchObject({ code: 0, stderr: '' });
  const seeds = readState(join(cwd, 'state'), version).map((entry) => entry.episode.seed);
  expect(seeds.sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * each }, (_, index) => index + 1));
});
