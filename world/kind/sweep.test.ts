import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { start, usersEnvironment } from '../../cli/testing/command.ts';
import { canSeeProcesses } from '../../cli/testing/processes.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { createPrograms } from './programs.ts';
import { folderOf, openRun, readStates, runName } from './run-state.ts';
import type { RunState } from './run-state.ts';
import { processesLabelled } from './processes.ts';
import { findLeftovers, isNothing, lifeOfRun, removeLeftovers } from './sweep.ts';
import { MOMENTS, createFakeEngine } from './testing/fake-engine.ts';
import type { FakeEngine } from './testing/fake-engine.ts';

test.skip(!canSeeProcesses, 'remaining processes are found through /proc, which this system does not have');

const MAIN = join(import.meta.dirname, 'testing/main.ts');

/** Starts a run that creates and deletes a cluster. @returns its exit code, undefined if it was killed */
async function makeAndDelete(engine: FakeEngine, states: string): Promise<number | undefined> {
  const args = ['--no-warnings', MAIN, states, join(engine.directory, 'owner')];
  return (await start(process.execPath, args, engine.directory, { ...usersEnvironment(), ...engine.environment }).finished).code;
}

/** The state of the only recorded run. */
function onlyState(directory: string): RunState {
  const [file, ...others] = readStates(directory);
  expect(others).toEqual([]);
  if (file === undefined || !('state' in file)) throw new Error(`no state: ${JSON.stringify(file)}`);
  return file.state;
}

test('a run that exits by itself leaves nothing, not even its state', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  const states = testInfo.outputPath('states');
  expect(await makeAndDelete(engine, states)).toBe(0);
  expect(readdirSync(states)).toEqual([]);
  expect(engine.clusters()).toEqual([]);
});

for (const moment of MOMENTS) {
  test(`killed when ${moment}: its leftovers are found and removed, and nothing else`, async ({}, testInfo) => {
    const engine = createFakeEngine(testInfo);
    const states = testInfo.outputPath('states');
    // Objects of others, one of them with a name like ours.
    engine.write('clusters/kind', '');
    engine.write('clusters/scaleproof-other-1', '');
    engine.write('containers/c0ffee', 'other\n');
    engine.write('kill-at', moment);
    expect(await makeAndDelete(engine, states)).toBe(undefined);
    const state = onlyState(states);
    engine.write('containers/cafe', `${state.run}\n`);
    engine.write('kill-at', '');

    const programs = createPrograms(engine.environment);
    const site = { programs, clock: createRealTimeline().scope('test'), accounts: [] };
    expect(await lifeOfRun(state, programs)).toBe('dead');
    expect(existsSync(state.folder)).toBe(true);
    const removed = await removeLeftovers(state, site);
    expect(removed.folders).toEqual([state.folder]);
    expect(removed.containers).toEqual(['cafe']);
    if (moment === 'kind create has a container') expect(removed.processes.length, 'kind was still at work').toBeGreaterThan(0);
    expect(isNothing(await findLeftovers(state, site))).toBe(true);
    expect(processesLabelled('SCALEPROOF_RUN', state.run)).toEqual([]);
    expect(engine.clusters()).toEqual(['kind', 'scaleproof-other-1']);
    expect(engine.containers()).toEqual(['c0ffee']);
  });
}

/** A run of this process. */
async function ownRun(
  testInfo: TestInfo,
): Promise<{ readonly states: string; readonly path: string; readonly state: RunState; close(): void }> {
  const states = testInfo.outputPath('states');
  const clock = createRealTimeline().scope('test');
  const opened = await openRun(runName(clock), { clock, programs: createPrograms(), usesEngine: true, directory: states });
  return { states, path: join(states, `${opened.run}.json`), state: onlyState(states), close: opened.close };
}

test('whether a run is alive depends on its process, not just the id', async ({}, testInfo) => {
  const { state, close } = await ownRun(testInfo);
  try {
    const programs = createPrograms();
    const life = (change: Partial<RunState['process']>): Promise<string> =>
      lifeOfRun({ ...state, process: { ...state.process, ...change } }, programs);
    expect(await life({})).toBe('alive');
    expect(await life({ started: '1' }), 'the id is used by another process').toBe('dead');
    expect(await life({ boot: 'another' }), 'the machine was rebooted').toBe('dead');
    expect(await life({ host: 'another' })).toBe('elsewhere');
    expect(await life({ namespace: 'pid:[1]' }), 'in another container').toBe('elsewhere');
  } finally {
    close();
  }
  expect(existsSync(folderOf(state.run))).toBe(false);
});

for (const [what, change] of [
  ['names a folder of something else', { folder: '/home' }],
  ['names a folder above', { folder: `${folderOf('x')}/..` }],
  ['is of another format', { format: 'scaleproof.run-state/v2' }],
] as const) {
  test(`a state file that ${what} is refused`, async ({}, testInfo) => {
    const { path, states, state, close } = await ownRun(testInfo);
    try {
      writeFileSync(path, JSON.stringify({ ...state, ...change }));
      expect(readStates(states)).toEqual([{ path, problem: expect.stringMatching(/folder|format/) as unknown }]);
    } finally {
      close();
    }
  });
}

test('the command shows what it would remove, removes it, leaves live runs alone, and keeps what it could not check', async ({}, testInfo) => {
  const engine = createFakeEngine(testInfo);
  const home = testInfo.outputPath('home');
  const states = join(home, 'scaleproof');
  mkdirSync(states, { recursive: true });
  engine.write('kill-at', 'kind create ends');
  await makeAndDelete(engine, states);
  const dead = onlyState(states);
  engine.write('kill-at', '');
  const clock = createRealTimeline().scope('test');
  const alive = await openRun(runName(clock), { clock, programs: createPrograms(), usesEngine: true, directory: states });
  engine.write(`clusters/scaleproof-${alive.run}-1`, '');
  try {
    const command = join(import.meta.dirname, '../../bin/scaleproof.js');
    const sweep = (...flags: string[]): ReturnType<typeof start>['finished'] =>
      start(process.execPath, [command, 'sweep', ...flags], home, { ...usersEnvironment(), ...engine.environment, XDG_STATE_HOME: home })
        .finished;

    const dry = await sweep('--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain(`would remove cluster scaleproof-${dead.run}-1\n`);
    expect(dry.stdout).toContain(`run ${alive.run} is still running; nothing is removed`);
    expect(engine.clusters()).toContain(`scaleproof-${dead.run}-1`);

    engine.refuse('docker', 'Cannot connect to the Docker daemon at unix:///nowhere.');
    const vain = await sweep();
    expect(vain.code).toBe(3);
    expect(vain.stdout).toContain('the docker engine does not answer');
    expect(readStates(states)).toHaveLength(2);
    rmSync(join(engine.directory, 'docker'));

    const swept = await sweep('--json');
    expect(swept.code).toBe(0);
    expect(JSON.parse(swept.stdout)).toMatchObject({
      dryRun: false,
      runs: expect.arrayContaining([
        expect.objectContaining({
          run: dead.run,
          life: 'dead',
          leftovers: {
            clusters: [`scaleproof-${dead.run}-1`],
            containers: [],
            processes: [],
            folders: [dead.folder],
            accounts: [],
            objects: [],
          },
        }),
        expect.objectContaining({ run: alive.run, life: 'alive' }),
      ]),
    });
    expect(engine.clusters()).toEqual([`scaleproof-${alive.run}-1`]);
    expect(readStates(states)).toHaveLength(1);
    expect(JSON.parse(readFileSync(join(states, `${alive.run}.json`), 'utf8'))).toMatchObject({ run: alive.run });
  } finally {
    alive.close();
  }
});
