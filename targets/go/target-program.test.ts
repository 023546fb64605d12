import { expect, test } from '@playwright/test';
import { parseTargetVersion, specOf } from './build/programs.ts';
import { builtOf } from './target-program.ts';
import { putArtefact } from './testing/artefacts.ts';

test('a build without coverage is not one with coverage, nor is one with that of other packages', ({}, testInfo) => {
  const folder = testInfo.outputPath('cache');
  const plain = specOf(parseTargetVersion('karpenter@1.14.1'), {});
  const counting = specOf(parseTargetVersion('karpenter@1.14.1-coverage'), {});
  // A program of one's own may have coverage of other packages under the same version.
  const other = { ...counting, coverage: ['example.com/other/...'] };
  const built = putArtefact(folder);
  expect(builtOf(plain, folder)?.directory).toBe(built);
  expect(builtOf(counting, folder)).toBeUndefined();
  const flags = ['-trimpath', '-cover', '-covermode=set', `-coverpkg=${counting.coverage?.join() ?? ''}`];
  const withCoverage = putArtefact(folder, { version: '1.14.1-coverage', flags });
  expect(builtOf(plain, folder)?.directory).toBe(built);
  expect(builtOf(counting, folder)?.directory).toBe(withCoverage);
  expect(builtOf(other, folder)).toBeUndefined();
});
