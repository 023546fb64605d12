import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { diffOf, drawMutants } from './draw.ts';
import { mutableSources } from './workplace.ts';

/** Some: each draw parses all. */
const SOURCES = mutableSources().slice(0, 10);

test('the same seed draws the same mutants, and a larger draw begins with them', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.integer({ min: 1, max: 50 }), fc.nat(50), (seed, count, more) => {
      const drawn = drawMutants(SOURCES, { count, seed });
      expect(drawMutants(SOURCES.toReversed(), { count: count + more, seed }).slice(0, count)).toEqual(drawn);
    }),
    { numRuns: 10 },
  );
});

test('another seed draws others', () => {
  const [one, other] = [1, 2].map((seed) => drawMutants(SOURCES, { count: 20, seed }));
  expect(one).not.toEqual(other);
});

test('no site is drawn twice, and each mutant changes its file', () => {
  const all = drawMutants(SOURCES, { count: Infinity, seed: 1 });
  const sites = new Set(all.map(({ file, start, end, kind }) => `${file} ${start} ${end} ${kind}`));
  expect(sites.size).toBe(all.length);
  expect(all.filter(({ original, replacement }) => original === replacement)).toEqual([]);
});

test('a diff shows the first line that changes', () => {
  const source = { file: 'a.ts', text: 'const a = [\n  1,\n  b < c,\n];\n' };
  const mutants = drawMutants([source], { count: Infinity, seed: 1 });
  const diffs = mutants.filter(({ kind }) => kind === 'comparison').map((mutant) => ({ line: mutant.line, ...diffOf(source, mutant) }));
  expect(diffs).toEqual([{ line: 3, before: 'b < c,', after: 'b <= c,' }]);
});
