import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { CACHE_VARIABLE } from '../targets/go/artefacts/cache.ts';
import { putArtefact } from '../targets/go/testing/artefacts.ts';
import { scaleproofHere } from './testing/command.ts';
import type { Finished } from './testing/command.ts';

/** The test's own cache, and the command with that cache and without Go. */
function withCache(testInfo: TestInfo): { readonly folder: string; readonly run: (...args: string[]) => Promise<Finished> } {
  const cache = testInfo.outputPath('cache');
  const empty = testInfo.outputPath('empty');
  mkdirSync(empty, { recursive: true });
  return {
    folder: join(cache, 'targets'),
    run: (...args) => scaleproofHere(['target', ...args], empty, { [CACHE_VARIABLE]: cache, PATH: empty }),
  };
}

for (const name of ['build', 'list', 'prune']) {
  test(`help: scaleproof target ${name} --help`, async () => {
    const { code, stdout, stderr } = await scaleproofHere(['target', name, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: scaleproof target ${name} `);
    expect(stdout).toContain('--json');
  });
}

test('without Go: one line that says which version and where to get it, a usage error', async ({}, testInfo) => {
  const { run, folder } = withCache(testInfo);
  const { code, stdout, stderr } = await run('build', 'karpenter@1.14.1');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^scaleproof: karpenter@1\.14\.1 is built with Go, and there is no go on PATH: install Go 1\.26\.\d+ or later from https:\/\/go\.dev\/dl\n$/,
  );
  expect(existsSync(folder)).toBe(false);
});

for (const [what, args, message] of [
  ['no version', ['karpenter'], 'give karpenter a version'],
  ['a program that there is not', ['autoscaler@1.0.0'], 'there is no program "autoscaler" to build'],
  ['a checkout that is not there', ['karpenter@mine', '--source', 'nowhere'], '--source nowhere is not a directory; name a checkout'],
  ['a checkout under the name of a release', ['karpenter@1.14.1', '--source', '.'], 'karpenter@1.14.1 is a published release'],
  ['a folder that is no checkout', ['karpenter@mine', '--source', '.'], 'is not a checkout of a Go module: it has no go.mod'],
] as const) {
  test(`build refuses ${what}: exit code 2`, async ({}, testInfo) => {
    const { code, stderr } = await withCache(testInfo).run('build', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.split('\n')).toHaveLength(2);
  });
}

test('list shows all builds, as text and as JSON', async ({}, testInfo) => {
  const { run, folder } = withCache(testInfo);
  expect(await run('list')).toMatchObject({
    code: 0,
    stdout: 'No target has been built. Build one with: scaleproof target build karpenter@1.14.1\n',
  });
  putArtefact(folder, { version: '1.14.0', builtAt: '2026-11-01T10:20:30.000Z' });
  const directory = putArtefact(folder, { builtAt: '2026-11-02T00:00:00.000Z' });
  putArtefact(folder, {
    version: 'mine',
    builtAt: '2026-11-03T00:00:00.000Z',
    local: { directories: ['/src/provider', '/src/core'], sha256: 'a'.repeat(64) },
  });
  mkdirSync(join(folder, 'left'));
  const { stdout } = await run('list');
  expect(stdout).toMatch(/^karpenter@1\.14\.0 {2}2026-11-01 10:20 {2}21 B {2}go1\.26\.8 {2}[0-9a-f]{12}\nkarpenter@1\.14\.1 {2}/);
  expect(stdout).toMatch(/^karpenter@mine {4}.* {2}[0-9a-f]{12} {2}from \/src\/provider, \/src\/core$/m);
  expect(stdout).toContain("left  can't be used: it has no manifest.json\n");
  const { artefacts, broken } = JSON.parse((await run('list', '--json')).stdout) as { artefacts: object[]; broken: object[] };
  expect(artefacts).toMatchObject([
    { version: '1.14.0' },
    { version: '1.14.1', directory, goVersion: 'go1.26.8', wasm: { bytes: 21 } },
    { version: 'mine' },
  ]);
  expect(broken).toMatchObject([{ name: 'left' }]);
});

test('prune removes the selected builds and prints the freed size; --dry-run removes nothing', async ({}, testInfo) => {
  const { run, folder } = withCache(testInfo);
  const old = putArtefact(folder, { version: '1.14.0', builtAt: '2020-01-01T00:00:00.000Z' });
  const young = putArtefact(folder, { builtAt: '2099-01-01T00:00:00.000Z' });
  const dry = await run('prune', '--older-than', '30d', '--dry-run');
  expect(dry.stdout).toMatch(new RegExp(`^would remove ${basename(old)} {2}\\d+ B\n\\d+ B would be freed\\.\n$`));
  expect(existsSync(old)).toBe(true);
  const wet = await run('prune', '--older-than', '30d', '--json');
  expect(JSON.parse(wet.stdout)).toMatchObject({ dryRun: false, removed: [{ name: basename(old), directory: old }] });
  expect([old, young].map((path) => existsSync(path))).toEqual([false, true]);
  expect(await run('prune', '--keep', '1')).toMatchObject({ code: 0, stdout: 'Nothing to remove.\n' });
  expect((await run('prune', 'karpenter@1.14.1')).stdout).toContain(`removed ${basename(young)}`);
  expect(existsSync(young)).toBe(false);
});

for (const [what, args, message] of [
  ['nothing', [], 'target prune takes one of a NAME, --keep N, --older-than DURATION and --all'],
  ['two rules', ['--all', '--keep', '1'], 'target prune takes one of'],
  ['an invalid number', ['--keep', 'some'], '--keep must be a whole number, not "some"'],
  ['an invalid duration', ['--older-than', 'long'], '--older-than must be a duration such as 30d or 12h, not "long"'],
  ['an unknown build', ['karpenter@1.0.0'], 'nothing named karpenter@1.0.0 was built'],
] as const) {
  test(`prune refuses ${what}: exit code 2`, async ({}, testInfo) => {
    const { code, stderr } = await withCache(testInfo).run('prune', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
}
