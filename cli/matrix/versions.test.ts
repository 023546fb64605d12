import { expect, test } from '@playwright/test';
import { chooseVersions } from './versions.ts';

const BUILT = ['1.14.1', '1.9.0', '1.10.2', '1.14.0', '1.15.0'];

function labels(...names: string[]): string[] {
  return chooseVersions(names, () => BUILT).versions.map(({ label }) => label);
}

test('a range is every release that is built, from one to the other, by number', () => {
  expect(labels('karpenter@1.9.0', '..', 'karpenter@1.14.1')).toEqual(
    ['1.9.0', '1.10.2', '1.14.0', '1.14.1'].map((version) => `karpenter@${version}`),
  );
  expect(labels('karpenter@1.10', '..', 'karpenter@1.14')).toEqual(['karpenter@1.10.2', 'karpenter@1.14.0', 'karpenter@1.14.1']);
  expect(labels('reference', 'karpenter@1.14', '..', 'karpenter@v1.14.0', 'plain')).toEqual(['reference', 'karpenter@1.14.0', 'plain']);
});

test('an end that is named in full is built if necessary; which releases are left out is said', () => {
  expect(labels('karpenter@1.14.3', '..', 'karpenter@1.15.1')).toEqual(['karpenter@1.14.3', 'karpenter@1.15.0', 'karpenter@1.15.1']);
  const { notes } = chooseVersions(['karpenter@1.14.0', '..', 'karpenter@1.15.0'], () => BUILT);
  expect(notes).toEqual([
    expect.stringContaining('karpenter@1.14.0, karpenter@1.14.1, karpenter@1.15.0. Releases between that are not built'),
  ]);
});

test('an end that nothing built belongs to is refused, with what to do', () => {
  expect(() => labels('karpenter@1.11', '..', 'karpenter@1.14.1')).toThrow(
    'no release of karpenter@1.11 is built; name it in full, as in karpenter@1.11.0, or build it: scaleproof target build karpenter@1.11.0',
  );
  expect(() => labels('karpenter@main', '..', 'karpenter@1.14.1')).toThrow(`"karpenter@main" can't be an end of a range`);
  expect(() => labels('karpenter@1.14.0', '..')).toThrow(`"" can't be an end of a range`);
  expect(() => labels('karpenter@1.14.0', '..', 'other@1.15.0')).toThrow('there is no program "other" to build');
});

test('more columns than a page can show are refused', () => {
  const many = Array.from({ length: 25 }, (_, index) => `1.14.${index}`);
  expect(() => chooseVersions(['karpenter@1.14.0', '..', 'karpenter@1.14.30'], () => many)).toThrow(
    'a matrix has at most 24 versions, not 26',
  );
});
