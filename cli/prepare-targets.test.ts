import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { loadTarget, targetDigestOf } from '../harness/load.ts';
import { CACHE_VARIABLE } from '../targets/go/artefacts/cache.ts';
import { manifestOf, putArtefact } from '../targets/go/testing/artefacts.ts';
import { chooseTarget } from './choose.ts';
import type { Console } from './console.ts';
import { prepareTarget, prepareTargets } from './prepare-targets.ts';
import { describeRun } from './run-facts.ts';
import { scaleproofHere, withEnvironment } from './testing/command.ts';
import type { Finished } from './testing/command.ts';

import { UsageError } from './usage-error.ts';

const SILENT: Console = { out: () => undefined, err: () => undefined, color: false, columns: 80, interactive: false };
const NAME = 'karpenter@1.14.1';

/** The test's own cache, and the command with that cache and without Go. */
function withCache(testInfo: TestInfo): { readonly folder: string; readonly run: (...args: string[]) => Promise<Finished> } {
  const cache = testInfo.outputPath('cache');
  const empty = testInfo.outputPath('empty');
  mkdirSync(empty, { recursive: true });
  return { folder: join(cache, 'targets'), run: (...args) => scaleproofHere(args, empty, { [CACHE_VARIABLE]: cache, PATH: empty }) };
}

/** The same for code that is no command. */
function inCache(testInfo: TestInfo, work: (folder: string) => Promise<void>): Promise<void> {
  const cache = testInfo.outputPath('cache');
  return withEnvironment({ [CACHE_VARIABLE]: cache, PATH: testInfo.outputPath('empty') }, () => work(join(cache, 'targets')));
}

const SCENARIO = ['--scenario', 'provisioning/small-scale-out-and-back'];
const REPLAY = `sp1,scenario=provisioning/small-scale-out-and-back@0123456789ab,target=karpenter%401.14.1@0123456789ab,seed=1,nodes=10,catalogue=0123456789ab`;

for (const args of [
  ['run', '--target', NAME, ...SCENARIO],
  ['gate', '--baseline', 'reference', '--candidate', NAME, ...SCENARIO],
  ['compare', 'reference', NAME, ...SCENARIO],
  ['crash-points', '--target', NAME, ...SCENARIO],
  ['replay', REPLAY],
  ['bench', '--target', NAME, ...SCENARIO],
  ['serve', '--port', '0', '--baseline', NAME],
]) {
  test(`${args[0] ?? ''}: a program that has not been built needs Go: one line, exit code 2`, async ({}, testInfo) => {
    const { code, stderr } = await withCache(testInfo).run(...args);
    expect(stderr).toContain(`scaleproof: ${NAME} is built with Go, and there is no go on PATH: install Go 1.26`);
    expect(code).toBe(2);
  });
}

for (const [name, says] of [
  ['karpenter', 'give karpenter a version, such as karpenter@1.14.1'],
  ['karpenter@1.14', '"1.14" is not a full version; give all three numbers'],
  ['karpenter@latest', 'the latest version changes over time'],
  ['karpenter@1.0.0', 'karpenter@1.0.0 is too old'],
  ['karpenter@1.14.1+reference', "karpenter@1.14.1 can't be confined to some pools"],
] as const) {
  test(`a bad version is a usage error: ${name}`, () => {
    expect(() => chooseTarget(name)).toThrow(UsageError);
    expect(() => chooseTarget(name)).toThrow(says);
  });
}

test('a checkout that was not built: the message says how', async ({}, testInfo) => {
  await inCache(testInfo, async () => {
    await expect(prepareTarget(chooseTarget('karpenter@mine'), SILENT)).rejects.toThrow(
      'karpenter@mine has not been built yet: run `scaleproof target build karpenter@mine --source DIR` (minutes; needs Go), with DIR a checkout; or give a release or a commit instead of "mine"',
    );
    const release = prepareTarget(chooseTarget('cluster-autoscaler@1.36.1'), SILENT);
    await expect(release).rejects.toThrow('`scaleproof target build cluster-autoscaler@1.36.1 --source DIR` (minutes; needs Go), with DIR');
    await expect(release).rejects.not.toThrow('or give a release');
  });
});

test('a run is pinned to one build, whatever is built later', async ({}, testInfo) => {
  await inCache(testInfo, async (folder) => {
    const first = putArtefact(folder, { builtAt: '2026-11-01T00:00:00.000Z' });
    const [one, same, other] = await prepareTargets([chooseTarget(NAME), chooseTarget(NAME), chooseTarget('reference')], SILENT);
    expect(one?.ref).toEqual({ name: NAME, artefact: basename(first) });
    expect(same).toBe(one);
    expect(other?.ref).toEqual({ name: 'reference' });
    putArtefact(folder, { builtAt: '2026-11-02T00:00:00.000Z' });
    expect((await loadTarget(one?.ref ?? { name: '' })).program?.artefact().directory).toBe(first);
  });
});

test('a modified artefact is refused', async ({}, testInfo) => {
  await inCache(testInfo, async (folder) => {
    writeFileSync(join(putArtefact(folder), 'program.wasm'), 'other');
    await expect(prepareTarget(chooseTarget(NAME), SILENT)).rejects.toThrow(UsageError);
    await expect(prepareTarget(chooseTarget(NAME), SILENT)).rejects.toThrow('program.wasm is not what was built');
  });
});

test('the digest of a target is that of its program; for a target file, that of both', async ({}, testInfo) => {
  await inCache(testInfo, async (folder) => {
    const { ref } = chooseTarget(NAME);
    expect(await targetDigestOf(ref)).toBeUndefined();
    putArtefact(folder);
    expect(await targetDigestOf(ref)).toBe(manifestOf().wasm.sha256);
    expect(await targetDigestOf({ name: 'reference' })).toBeUndefined();
    const path = testInfo.outputPath('target.yaml');
    writeFileSync(path, `go: ${NAME}\n`);
    const whole = await targetDigestOf({ file: `file://${path}` });
    writeFileSync(path, `go: ${NAME}\nenvironment: {LOG_LEVEL: debug}\n`);
    const changed = await targetDigestOf({ file: `file://${path}` });
    expect(new Set([whole, changed, manifestOf().wasm.sha256]).size).toBe(3);
  });
});

test('run.json says what the program was built from, without paths of the machine', async ({}, testInfo) => {
  await inCache(testInfo, async (folder) => {
    putArtefact(folder, { replaces: [{ module: 'a.invalid/a@v1.0.0', by: '/home/somebody/a', evidence: 'asked' }] });
    const target = await prepareTarget(chooseTarget(NAME), SILENT);
    const run = { id: 'x', startedAt: '2026-11-01T00:00:00.000Z', chosen: [], target, world: undefined, nodes: 10, seed: 1, trials: 1 };
    const facts = await describeRun({ ...run, loaded: await loadTarget(target.ref), planned: [], notRun: [] });
    expect(facts.target).toMatchObject({
      name: NAME,
      digest: manifestOf().wasm.sha256,
      program: {
        name: 'karpenter',
        version: '1.14.1',
        sha256: manifestOf().wasm.sha256,
        moduleVersion: 'v1.14.1',
        goVersion: 'go1.26.8',
        replaces: [{ module: 'a.invalid/a@v1.0.0', by: 'a folder', evidence: 'asked' }],
      },
    });
  });
});

test('replay warns if the program of its target has changed', async ({}, testInfo) => {
  const { run, folder } = withCache(testInfo);
  putArtefact(folder);
  const { stderr } = await run('replay', REPLAY);
  expect(stderr).toContain(
    `the program of target ${NAME} has changed (digest 0123456789ab then, ${manifestOf().wasm.sha256.slice(0, 12)} now)`,
  );
});
