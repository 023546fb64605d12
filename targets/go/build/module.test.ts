import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { BuildError } from './build-error.ts';
import { failure } from './failure.ts';
import { evidenceOf, moduleHash, refusedModule } from './module.ts';
import type { DownloadedModule, PseudoVersion } from './module.ts';

const PSEUDO: PseudoVersion = {
  module: 'sigs.k8s.io/karpenter',
  version: 'v1.14.1-0.20260819221709-6e7eab7a0f48',
  tag: 'v1.14.1',
  timestamp: '20260819221709',
  commit: '6e7eab7a0f48',
};
const COMMIT = '6e7eab7a0f4800000000000000000000000000ff';

function release(testInfo: TestInfo, facts: Partial<DownloadedModule> = {}): DownloadedModule {
  const directory = testInfo.outputPath('release');
  mkdirSync(join(directory, 'b'), { recursive: true });
  writeFileSync(join(directory, 'b/two.go'), 'package b\n');
  writeFileSync(join(directory, 'go.mod'), 'module m\n');
  return { path: PSEUDO.module, version: PSEUDO.tag, directory, sum: 'h1:x', commit: undefined, time: undefined, ...facts };
}

for (const [what, said, found] of [
  [
    'a proxy without its files',
    'pkg/a.go:25:2: sigs.k8s.io/karpenter@v1.14.1-0.20260819221709-6e7eab7a0f48: reading https://proxy.invalid/x.zip: 403 Forbidden\n\tserver response: no',
    PSEUDO,
  ],
  [
    'a proxy that does not know the version',
    'go: sigs.k8s.io/karpenter@v1.14.1-0.20260819221709-6e7eab7a0f48: reading https://proxy.invalid/x.info: 404 Not Found',
    PSEUDO,
  ],
  ['a release that is refused', 'go: sigs.k8s.io/karpenter@v1.14.1: reading https://proxy.invalid/x.info: 404 Not Found', undefined],
  ['a commit without an earlier release', 'go: example.com/m@v0.0.0-20260819221709-6e7eab7a0f48: reading https://x: 404', undefined],
  ['something else', 'main.go:3:1: syntax error', undefined],
] as const) {
  test(`which module is refused: ${what}`, () => expect(refusedModule(said)).toEqual(found));
}

test("a module's hash is the one in go.sum, and depends on its name", ({}, testInfo) => {
  const { directory } = release(testInfo);
  // Computed with sha256sum and openssl from the two files.
  expect(moduleHash(directory, 'm@v1')).toBe('h1:VMU0JfuRwrPl7VN7cU7EJICvLFvUK59/ln/4J5IfHnw=');
  expect(moduleHash(directory, 'm@v1')).not.toBe(moduleHash(directory, 'm@v2'));
});

test("the files of a release are compared with the program's go.sum first", ({}, testInfo) => {
  const found = release(testInfo);
  const sum = moduleHash(found.directory, `${PSEUDO.module}@${PSEUDO.version}`);
  const goSum = (hash: string): string => `${PSEUDO.module} ${PSEUDO.version}/go.mod h1:mod=\n${PSEUDO.module} ${PSEUDO.version} ${hash}\n`;
  expect(evidenceOf(PSEUDO, found, goSum(sum))).toBe('content');
  expect(() => evidenceOf(PSEUDO, { ...found, commit: COMMIT }, goSum('h1:other='))).toThrow(BuildError);
});

test('then the commits, then their times; a difference is refused', ({}, testInfo) => {
  const evidence = (facts: Partial<DownloadedModule>): string => evidenceOf(PSEUDO, release(testInfo, facts), '');
  expect(evidence({ commit: COMMIT, time: '2020-01-01T00:00:00Z' })).toBe('commit');
  expect(evidence({ time: '2026-08-19T22:17:09Z' })).toBe('time');
  expect(evidence({ time: '2026-08-20T00:17:09+02:00' })).toBe('time');
  expect(evidence({})).toBe('none');
  expect(() => evidence({ commit: 'f'.repeat(40), time: '2026-08-19T22:17:09Z' })).toThrow('is not the same: it is commit fff');
  expect(() => evidence({ time: '2026-08-19T22:17:10Z' })).toThrow('is not the same: it was committed at 2026-08-19T22:17:10Z');
});

test("a failure message has Go's last output and one hint", () => {
  const said = `go: downloading x v1\n${Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n')}\nlink: signal: killed\n`;
  expect(failure('it failed', said).split('\n')).toHaveLength(13);
  expect(failure('it failed', said)).toMatch(/^it failed; memory ran out.*Go said:\n {2}line 19\n[^]*signal: killed$/);
  expect(failure('it failed', 'x.go:1: undefined: syscall.SIGUSR1')).toContain('does not support GOOS=js');
  expect(failure('it failed', 'x.go:1: no')).toContain('by hand');
});
