import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { putArtefact } from '../testing/artefacts.ts';
import { ArtefactError, artefactsFolder, findArtefact, listArtefacts, requireArtefact, verifyArtefact } from './cache.ts';
import { RECIPE, parseManifest } from './manifest.ts';
import { pruned } from './prune.ts';
import { manifestOf } from '../testing/artefacts.ts';

test('the cache is at the path in the variables, or in the home directory', () => {
  expect(artefactsFolder({ SCALEPROOF_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a/targets');
  expect(artefactsFolder({ SCALEPROOF_CACHE: '', XDG_CACHE_HOME: '/b' })).toBe('/b/scaleproof/targets');
  expect(artefactsFolder({})).toBe(join(homedir(), '.cache/scaleproof/targets'));
});

test('the newest artefact of a version is found, but none of another recipe', ({}, testInfo) => {
  const folder = testInfo.outputPath('targets');
  expect(findArtefact('karpenter', '1.14.1', folder)).toBeUndefined();
  expect(() => requireArtefact('karpenter', '1.14.1', false, folder)).toThrow(ArtefactError);
  expect(() => requireArtefact('karpenter', '1.14.1', false, folder)).toThrow('run `scaleproof target build karpenter@1.14.1`');
  putArtefact(folder, { goVersion: 'go1.26.7', builtAt: '2026-11-03T00:00:00.000Z' });
  const newest = putArtefact(folder, { goVersion: 'go1.26.8', builtAt: '2026-11-04T00:00:00.000Z' });
  putArtefact(folder, { recipe: RECIPE + 1, builtAt: '2026-11-05T00:00:00.000Z' });
  putArtefact(folder, { version: '1.14.0', builtAt: '2026-11-06T00:00:00.000Z' });
  const found = requireArtefact('karpenter', '1.14.1', false, folder);
  expect(found.directory).toBe(newest);
  expect(found.wasm).toBe(join(newest, 'program.wasm'));
  expect(found.crds).toEqual([join(newest, 'crds/nodepools.yaml')]);
});

test('leftovers of a killed build are not artefacts, and a folder without a manifest is broken', ({}, testInfo) => {
  const folder = testInfo.outputPath('targets');
  mkdirSync(join(folder, '.builds/build-x'), { recursive: true });
  mkdirSync(join(folder, 'karpenter@1-x'));
  const other = putArtefact(folder);
  writeFileSync(join(other, 'manifest.json'), JSON.stringify({ ...manifestOf(), format: 99 }));
  expect(listArtefacts(folder)).toEqual({
    artefacts: [],
    broken: [
      { name: 'karpenter@1-x', directory: join(folder, 'karpenter@1-x'), problem: 'it has no manifest.json' },
      {
        name: basename(other),
        directory: other,
        problem: 'manifest.json: format: must be 1: it was written by another version of Scaleproof',
      },
    ],
  });
});

for (const [what, spoil, message] of [
  ['a program that was changed', (at: string) => writeFileSync(join(at, 'program.wasm'), 'other'), 'program.wasm is not what was built'],
  [
    'a definition that was changed',
    (at: string) => writeFileSync(join(at, 'crds/nodepools.yaml'), ''),
    'nodepools.yaml is not what was built',
  ],
  ['a missing program', (at: string) => rmSync(join(at, 'program.wasm')), "program.wasm can't be read"],
] as const) {
  test(`verifying finds ${what}, and says what to do`, async ({}, testInfo) => {
    const folder = testInfo.outputPath('targets');
    const directory = putArtefact(folder);
    const artefact = requireArtefact('karpenter', '1.14.1', false, folder);
    await verifyArtefact(artefact);
    spoil(directory);
    await expect(verifyArtefact(artefact)).rejects.toThrow(ArtefactError);
    await expect(verifyArtefact(artefact)).rejects.toThrow(message);
    await expect(verifyArtefact(artefact)).rejects.toThrow(`scaleproof target prune ${basename(directory)}`);
  });
}

test('a changed build of a checkout is built again from the checkout', async ({}, testInfo) => {
  const folder = testInfo.outputPath('targets');
  writeFileSync(
    join(putArtefact(folder, { version: 'mine', local: { directories: ['/src'], sha256: 'a'.repeat(64) } }), 'program.wasm'),
    '',
  );
  const artefact = requireArtefact('karpenter', 'mine', true, folder);
  await expect(verifyArtefact(artefact)).rejects.toThrow('build it again with `scaleproof target build karpenter@mine --source DIR`');
});

test("an invalid manifest is refused with the field's name", () => {
  expect(parseManifest(JSON.stringify(manifestOf()))).toEqual(manifestOf());
  expect(() => parseManifest('{')).toThrow('is not JSON');
  expect(() => parseManifest(JSON.stringify({ ...manifestOf(), wasm: { sha256: 'x', bytes: 1 } }))).toThrow(
    'wasm.sha256: must be a SHA-256',
  );
  // A name that points outside the folder.
  const crds = [{ file: '../../x.yaml', sha256: manifestOf().digest }];
  expect(() => parseManifest(JSON.stringify(manifestOf({ crds })))).toThrow('crds.0.file');
});

test('pruning by age, by count and by name', ({}, testInfo) => {
  const folder = testInfo.outputPath('targets');
  const day = (day: number): string => `2026-11-0${day}T00:00:00.000Z`;
  const a = basename(putArtefact(folder, { builtAt: day(1) }));
  const b = basename(putArtefact(folder, { builtAt: day(2), goVersion: 'go1.26.9' }));
  const c = basename(putArtefact(folder, { builtAt: day(3), version: '1.14.0' }));
  const other = basename(putArtefact(folder, { builtAt: day(1), program: 'other' }));
  mkdirSync(join(folder, 'broken'));
  const namesOf = (rule: Parameters<typeof pruned>[1]): string[] =>
    pruned(listArtefacts(folder), rule)
      .map(({ name }) => name)
      .sort();
  const nowMs = Date.parse(day(4));
  expect(namesOf({ kind: 'all' })).toEqual([a, b, c, other, 'broken'].sort());
  expect(namesOf({ kind: 'keep', count: 1 })).toEqual([a, b, 'broken'].sort());
  expect(namesOf({ kind: 'keep', count: 3 })).toEqual(['broken']);
  expect(namesOf({ kind: 'older', thanMs: 36 * 3_600_000, nowMs })).toEqual([a, b, other, 'broken'].sort());
  expect(namesOf({ kind: 'named', name: 'karpenter@1.14.1' })).toEqual([a, b].sort());
  expect(namesOf({ kind: 'named', name: a })).toEqual([a]);
  expect(namesOf({ kind: 'named', name: 'broken' })).toEqual(['broken']);
  expect(namesOf({ kind: 'named', name: 'karpenter' })).toEqual([]);
});
