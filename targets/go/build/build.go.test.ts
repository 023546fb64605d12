import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { findArtefact, listArtefacts, verifyArtefact } from '../artefacts/cache.ts';
import type { Artefact } from '../artefacts/cache.ts';
import { exportsOf, asGlobal } from '../testing/instantiate.ts';
import { ASKING, HELLO, goModule } from '../testing/sample.ts';
import { BuildError } from './build-error.ts';
import { buildGoProgram } from './build.ts';
import type { BuildProgress, GoProgramSpec } from './spec.ts';

const FAKE_FETCH = fileURLToPath(new URL('../testing/fake-fetch/main.ts', import.meta.url));

/** A sample to build, with its own cache. */
function sample(testInfo: TestInfo, main: string): { readonly spec: GoProgramSpec; readonly folder: string } {
  const source = goModule(testInfo, main);
  return {
    spec: { program: 'sample', version: 'mine', module: 'scaleproof.invalid/sample', package: '.', source },
    folder: testInfo.outputPath('cache'),
  };
}

/** Runs a program under Node, with the toolchain's own host. */
function runUnderNode({ wasm }: Artefact, args: readonly string[]): string[] {
  const { stdout: root } = spawnSync('go', ['env', 'GOROOT'], { encoding: 'utf8' });
  const host = join(root.trim(), 'lib/wasm/wasm_exec_node.js');
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', FAKE_FETCH, host, wasm, ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

test('files that a module lacks for js are added for the build, and are among its inputs', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(greeting) }\n');
  await expect(buildGoProgram(spec, { folder })).rejects.toThrow('greeting');
  const greeting = (text: string): GoProgramSpec => {
    return { ...spec, additions: { [spec.module]: { 'greeting_js.go': `package main\n\nconst greeting = "${text}"\n` } } };
  };
  const { artefact } = await buildGoProgram(greeting('hello'), { folder });
  expect(runUnderNode(artefact, [])).toEqual(['hello']);
  expect(existsSync(join(spec.source ?? '', 'greeting_js.go'))).toBe(false);
  expect((await buildGoProgram(greeting('hello'), { folder })).isFound).toBe(true);
  expect((await buildGoProgram(greeting('bye'), { folder })).isFound).toBe(false);
});

test('a program is built once, and reused until its source changes', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, HELLO);
  const steps: BuildProgress['step'][] = [];
  const first = await buildGoProgram(spec, { folder, onProgress: ({ step }) => steps.push(step) });
  expect(first.isFound).toBe(false);
  expect([...new Set(steps)]).toEqual(['go', 'resolve', 'compile', 'finish']);
  await verifyArtefact(first.artefact);
  expect(first.artefact.manifest).toMatchObject({
    program: 'sample',
    version: 'mine',
    local: { directories: [spec.source] },
    sums: {},
    replaces: [],
  });
  expect(findArtefact('sample', 'mine', folder)).toEqual(first.artefact);

  expect(await buildGoProgram(spec, { folder })).toEqual({ artefact: first.artefact, isFound: true });

  appendFileSync(join(spec.source ?? '', 'main.go'), '\nvar Changed = 1\n');
  const second = await buildGoProgram(spec, { folder });
  expect(second.isFound).toBe(false);
  expect(second.artefact.name).not.toBe(first.artefact.name);
  expect(listArtefacts(folder).artefacts).toHaveLength(2);
  expect(findArtefact('sample', 'mine', folder)).toEqual(second.artefact);
});

test('its mutable globals are exported for the host, and its names for profiles', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, HELLO);
  const { artefact } = await buildGoProgram(spec, { folder });
  const wasm = new Uint8Array(readFileSync(artefact.wasm));
  // Instantiating calls nothing.
  const anything = new Proxy({}, { get: () => () => 0 });
  const exports = await exportsOf(wasm, { gojs: anything });
  // SP, CTXT, g, RET0 to RET3 and PAUSE (cmd/link/internal/wasm).
  expect(Object.keys(exports).filter((name) => name.startsWith('global'))).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `global${index}`),
  );
  expect(Object.keys(exports)).toEqual(expect.arrayContaining(['run', 'resume', 'getsp', 'mem']));
  expect(asGlobal(exports['global7']).value).toBe(0);
  expect(Buffer.from(wasm).includes('runtime.mallocgc')).toBe(true);
  expect(runUnderNode(artefact, ['a'])).toEqual(['hello']);
});

test("two concurrent builds: the second waits and reuses the first one's artefact", async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, HELLO);
  const both = await Promise.all([buildGoProgram(spec, { folder }), buildGoProgram(spec, { folder })]);
  expect(both.map(({ isFound }) => isFound).sort()).toEqual([false, true]);
  expect(both[0].artefact).toEqual(both[1].artefact);
});

test('the same source gives the same bytes', async ({}, testInfo) => {
  const { spec } = sample(testInfo, HELLO);
  const [one, other] = [testInfo.outputPath('one'), testInfo.outputPath('other')];
  const { artefact: first } = await buildGoProgram(spec, { folder: one });
  const { artefact: second } = await buildGoProgram(spec, { folder: other });
  expect(second.name).toBe(first.name);
  expect(second.manifest.wasm).toEqual(first.manifest.wasm);
});

test('requests go to fetch although the program sets its own dialer, with the errors of sockets', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, ASKING);
  const { artefact } = await buildGoProgram(spec, { folder });
  const at = (path: string): string => `http://world.invalid/${path}`;
  const asked = [
    'ok',
    'refuse/ECONNRESET',
    'refuse/ECONNREFUSED',
    'refuse/EPIPE',
    'refuse/ETIMEDOUT',
    'refuse/EOF',
    'refuse',
    'refuse/EOTHER',
  ];
  const broken = ['break/ECONNRESET', 'break/ETIMEDOUT', 'break/EOF', 'break'];
  const get = (path: string, what: string): string => `Get "${at(path)}": ${what}`;
  expect(runUnderNode(artefact, [...asked, ...broken].map(at))).toEqual([
    '200 part <nil>',
    get('refuse/ECONNRESET', 'read tcp: read: Connection reset by peer op=read errno=104'),
    get('refuse/ECONNREFUSED', 'dial tcp: connect: Connection refused op=dial errno=111'),
    get('refuse/EPIPE', 'write tcp: write: Broken pipe op=write errno=32'),
    get('refuse/ETIMEDOUT', 'read tcp: read: Connection timed out op=read errno=110 timeout'),
    get('refuse/EOF', 'EOF'),
    get('refuse', 'net/http: fetch() failed: TypeError: fake failure'),
    get('refuse/EOTHER', 'net/http: fetch() failed: Error: fake EOTHER'),
    '200 part read tcp: read: Connection reset by peer op=read errno=104',
    '200 part read tcp: read: Connection timed out op=read errno=110 timeout',
    '200 part unexpected EOF cut',
    '200 part fake failure',
  ]);
});

test('the overlay also applies to a toolchain that Go downloads', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, ASKING);
  const { stdout } = spawnSync('go', ['env', 'GOVERSION', 'GOMODCACHE'], { encoding: 'utf8' });
  const [, cache = ''] = stdout.split('\n');
  const there = existsSync(join(cache, 'golang.org')) ? readdirSync(join(cache, 'golang.org')) : [];
  const [, other] = there.map((name) => /^toolchain@v\S+?-(go1\.26\.\d+)\./.exec(name)).find((match) => match !== null) ?? [];
  test.skip(other === undefined, 'Go has not downloaded a 1.26 toolchain on this machine');
  appendFileSync(join(spec.source ?? '', 'go.mod'), `\ntoolchain ${other ?? ''}\n`);
  const policy = process.env['GOTOOLCHAIN'];
  process.env['GOTOOLCHAIN'] = 'auto';
  try {
    const { artefact } = await buildGoProgram(spec, { folder });
    expect(artefact.manifest.goVersion).toBe(other);
    expect(runUnderNode(artefact, ['http://world.invalid/ok'])).toEqual(['200 part <nil>']);
  } finally {
    if (policy === undefined) delete process.env['GOTOOLCHAIN'];
    else process.env['GOTOOLCHAIN'] = policy;
  }
});

for (const [what, main, message] of [
  [
    'does not compile',
    'package main\n\nfunc main() { undefined() }\n',
    /does not compile; check whether .*Go said:\n.*undefined: undefined/s,
  ],
  ['is not a program', 'package sample\n', 'is not a main package'],
  [
    'needs a package that does not exist',
    'package main\n\nimport _ "scaleproof.invalid/sample/none"\n\nfunc main() {}\n',
    'lacks a dependency',
  ],
] as const) {
  test(`a build of source that ${what} leaves nothing behind`, async ({}, testInfo) => {
    const { spec, folder } = sample(testInfo, main);
    const failed = buildGoProgram(spec, { folder });
    await expect(failed).rejects.toThrow(BuildError);
    await expect(failed).rejects.toThrow(message);
    expect(listArtefacts(folder)).toEqual({ artefacts: [], broken: [] });
    if (existsSync(join(folder, '.builds'))) expect(readdirSync(join(folder, '.builds'))).toEqual(['lock.db']);
  });
}

test('coverage that nobody could read is refused, and with the overlay it is another build', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, HELLO);
  const counting = { ...spec, coverage: ['scaleproof.invalid/sample/...'] };
  await expect(buildGoProgram({ ...counting, overlay: false }, { folder })).rejects.toThrow('coverage needs the overlay');
  const { artefact } = await buildGoProgram(counting, { folder });
  expect(artefact.manifest.flags).toEqual([
    '-trimpath',
    '-buildvcs=false',
    '-cover',
    '-covermode=set',
    '-coverpkg=scaleproof.invalid/sample/...',
  ]);
  expect((await buildGoProgram(spec, { folder })).artefact.manifest.digest).not.toBe(artefact.manifest.digest);
});

test('an interrupted build leaves nothing behind', async ({}, testInfo) => {
  const { spec, folder } = sample(testInfo, HELLO);
  const controller = new AbortController();
  const interrupted = buildGoProgram(spec, {
    folder,
    signal: controller.signal,
    onProgress: ({ step }) => {
      if (step === 'compile') controller.abort(new Error('interrupted'));
    },
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  expect(readdirSync(join(folder, '.builds'))).toEqual(['lock.db']);
  expect(listArtefacts(folder).artefacts).toEqual([]);
  // The cache is no longer locked.
  expect((await buildGoProgram(spec, { folder })).isFound).toBe(false);
  expect(dirname(listArtefacts(folder).artefacts[0]?.directory ?? '')).toBe(folder);
});
