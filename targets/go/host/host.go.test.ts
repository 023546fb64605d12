import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createRandom } from '../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../runtime/timeline.ts';
import { StalledError } from '../../../runtime/clock.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { WireError } from '../../../wire/wire.ts';
import type { Wire } from '../../../wire/wire.ts';
import { buildGoProgram } from '../build/build.ts';
import { goModule } from '../testing/sample.ts';
import { makeImage } from './image.ts';
import { GoProgram } from './instance.ts';
import type { GoProgramSite } from './instance.ts';
import { SAMPLE } from './testing/sample.ts';

/** Tests of the host with small programs, in virtual time, over wires of the test. */

const START_MS = Date.UTC(2026, 6, 1);
const FILES = new Map([['/etc/sample/config', new TextEncoder().encode('a setting')]]);

const samples = new Map<boolean, Promise<WebAssembly.Module>>();

/** Built once for all tests of a worker. @param coverage whether it counts which of its code has run */
function sampleModule(testInfo: Parameters<typeof goModule>[0], coverage = false): Promise<WebAssembly.Module> {
  const spec = {
    program: 'sample',
    version: 'host',
    module: 'scaleproof.invalid/sample',
    package: '.',
    source: goModule(testInfo, SAMPLE),
  };
  const sample =
    samples.get(coverage) ??
    buildGoProgram({ ...spec, ...(coverage && { coverage: [`${spec.module}/...`] }) }, { folder: testInfo.outputPath('cache') }).then(
      ({ artefact }) => new WebAssembly.Module(readFileSync(artefact.wasm)),
    );
  samples.set(coverage, sample);
  return sample;
}

interface Run {
  readonly args: readonly string[];
  readonly wire?: (clock: Clock) => Wire;
  readonly seed?: number;
  readonly withImage?: boolean;
  readonly coverage?: boolean;
  /** What to do with it while it runs. */
  readonly meanwhile?: (program: GoProgram, clock: Clock) => Promise<void>;
}

interface Ran {
  readonly code: number | 'killed';
  readonly lines: readonly string[];
  readonly tookMs: number;
  /** Only with `coverage`. */
  readonly covered?: ReadonlySet<number>;
}

async function run(
  testInfo: Parameters<typeof goModule>[0],
  { args, wire, seed = 1, withImage = false, coverage = false, meanwhile }: Run,
): Promise<Ran> {
  const module = await sampleModule(testInfo, coverage);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: createRandom(seed).fork('clock') });
  const clock = timeline.scope('target#1');
  const source = { module, command: ['sample', ...args], environment: { NAME: 'value' }, files: FILES };
  let said = '';
  const image = withImage ? makeImage(source) : undefined;
  if (withImage) expect(image).toBeDefined();
  const site: GoProgramSite = {
    ...source,
    image,
    clock,
    random: createRandom(seed),
    wireTo: (host) => (host === 'world.invalid' ? wire?.(timeline.scope('wire')) : undefined),
    onOutput: (_descriptor, bytes) => (said += new TextDecoder().decode(bytes)),
  };
  const program = new GoProgram(site);
  const work = async (): Promise<number | 'killed'> => {
    program.start();
    if (meanwhile === undefined) return program.exited;
    const killed = meanwhile(program, timeline.scope('test')).then(() => 'killed' as const);
    return Promise.race([program.exited, killed]);
  };
  const code = await timeline.run(work());
  const ran = { code, lines: said.trimEnd().split('\n'), tookMs: timeline.nowMs() - START_MS };
  return coverage ? { ...ran, covered: program.covered() } : ran;
}

test('timers fire in their order, in virtual time; one that was stopped does not', async ({}, testInfo) => {
  expect(await run(testInfo, { args: ['timers'] })).toEqual({
    code: 0,
    lines: ['30 30m0s', '60 1h0m0s', '90 1h30m0s', '2026-07-01T01:30:00Z'],
    tookMs: 5_400_000,
  });
});

test('no time passes while it computes, but no two moments have the same nanosecond', async ({}, testInfo) => {
  expect(await run(testInfo, { args: ['moments'] })).toEqual({ code: 0, lines: ['1 0s'], tookMs: 0 });
});

test('a thousand goroutines end at the same instant', async ({}, testInfo) => {
  expect(await run(testInfo, { args: ['goroutines'] })).toEqual({ code: 0, lines: ['499500'], tookMs: 0 });
});

test('a body that arrives over time is read as it arrives', async ({}, testInfo) => {
  const wire =
    (clock: Clock): Wire =>
    async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (const part of ['one\n', 'tw', 'o\n']) {
          await clock.sleep(1_000);
          yield part;
        }
      })(),
    });
  expect((await run(testInfo, { args: ['get', 'http://world.invalid/watch'], wire })).lines).toEqual(['200', '1s one', '3s two']);
});

test('requests arrive with method, path, headers and body', async ({}, testInfo) => {
  const seen: unknown[] = [];
  const wire =
    (): Wire =>
    async ({ method, path, headers, body }) => {
      seen.push({ method, path, host: headers['host'], type: headers['content-type'], body });
      return { status: 201, headers: { 'x-seen': 'yes' }, body: '{}' };
    };
  const { lines } = await run(testInfo, { args: ['post', 'http://world.invalid/a?b=c', '{"d":1}'], wire });
  expect(lines).toEqual(['201 yes <nil>']);
  expect(seen).toEqual([{ method: 'POST', path: '/a?b=c', host: 'world.invalid', type: 'application/json', body: '{"d":1}' }]);
});

test('a broken connection is a socket error; an unknown host is not found', async ({}, testInfo) => {
  const wire = (): Wire => async () => {
    throw new WireError('ECONNRESET', 'broken');
  };
  const { lines } = await run(testInfo, { args: ['get', 'http://world.invalid/'], wire });
  expect(lines).toEqual(['Get "http://world.invalid/": read tcp: read: Connection reset by peer false']);
  const { lines: unknown } = await run(testInfo, { args: ['get', 'http://elsewhere.invalid/'] });
  expect(unknown[0]).toContain('lookup elsewhere.invalid: no such host');
});

test('a cancelled request ends at once, even in the middle of its body', async ({}, testInfo) => {
  const silent =
    (clock: Clock): Wire =>
    async () => {
      await clock.sleep(3_600_000);
      return { status: 200, headers: {}, body: '' };
    };
  const givenUp = await run(testInfo, { args: ['give-up', 'http://world.invalid/'], wire: silent });
  expect(givenUp).toEqual({ code: 0, lines: ['Get "http://world.invalid/": context deadline exceeded true'], tookMs: 10_000 });
  const stuck =
    (clock: Clock): Wire =>
    async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield 'begun\n';
        await clock.sleep(3_600_000);
      })(),
    });
  const inBody = await run(testInfo, { args: ['give-up', 'http://world.invalid/'], wire: stuck });
  expect(inBody).toEqual({ code: 0, lines: ['200', '0s begun', 'context deadline exceeded true'], tookMs: 10_000 });
});

test('a panic exits it with code 2 and a trace; a recovered panic does not', async ({}, testInfo) => {
  const { code, lines } = await run(testInfo, { args: ['panic'] });
  expect(code).toBe(2);
  expect(lines[0]).toBe('panic: on purpose');
  expect(lines.join('\n')).toContain('main.main()');
  const recovered = await run(testInfo, { args: ['recover'] });
  expect(recovered).toMatchObject({ code: 0, lines: ['recovered: runtime error: invalid memory address or nil pointer dereference'] });
});

test('exit codes, a deadlock, and running out of memory', async ({}, testInfo) => {
  expect((await run(testInfo, { args: ['exit'] })).code).toBe(7);
  const hoard = await run(testInfo, { args: ['hoard'] });
  expect(hoard.code).toBe(2);
  expect(hoard.lines.join('\n')).toContain('out of memory');
  // In a deadlock, nothing is left to do in the world.
  await expect(run(testInfo, { args: ['deadlock'] })).rejects.toThrow(StalledError);
});

test('large output arrives complete and in order', async ({}, testInfo) => {
  const { lines } = await run(testInfo, { args: ['much'] });
  expect(lines).toHaveLength(20_000);
  expect(lines.every((line, index) => line === `${index} ${'x'.repeat(200)}`)).toBe(true);
});

test("it sees its arguments, environment and given files, and can't write files", async ({}, testInfo) => {
  const { lines } = await run(testInfo, { args: ['outside', 'an argument'] });
  expect(lines).toEqual(['a setting <nil> true 1 value an argument', 'open /etc/sample/new: Read-only file system']);
});

test('a signal that it handles does not stop it; nor does one that it ignores, by itself', async ({}, testInfo) => {
  const heeded: boolean[] = [];
  const terminate = async (program: GoProgram, clock: Clock): Promise<void> => {
    await clock.sleep(5_000);
    heeded.push(program.terminate());
    await clock.sleep(60_000);
  };
  const listening = await run(testInfo, { args: ['signal'], meanwhile: terminate });
  expect(listening).toEqual({ code: 3, lines: ['waiting', 'signal 6'], tookMs: 6_000 });
  const deaf = await run(testInfo, { args: ['timers'], meanwhile: terminate });
  expect(deaf.code).toBe('killed');
  expect(heeded).toEqual([true, false]);
});

test('its own servers can be called from outside', async ({}, testInfo) => {
  const answers: unknown[] = [];
  const { code } = await run(testInfo, {
    args: ['serve'],
    meanwhile: async (program, clock) => {
      await clock.sleep(1_000);
      expect(program.hasServer).toBe(true);
      answers.push(await program.get('http://127.0.0.1:8081/readyz'), (await program.get('http://127.0.0.1:9/')).status);
    },
  });
  expect(code).toBe('killed');
  expect(answers).toEqual([{ status: 200, body: 'ok' }, 0]);
});

for (const withImage of [false, true]) {
  test(`the same seed gives the same random numbers, another seed others, ${withImage ? 'from an image' : 'from the start'}`, async ({}, testInfo) => {
    const said = async (seed: number): Promise<string> => (await run(testInfo, { args: ['chance'], seed, withImage })).lines[1] ?? '';
    const [first, again, other] = [await said(1), await said(1), await said(2)];
    expect(again).toBe(first);
    for (const [index, word] of first.split(' ').entries()) expect(word).not.toBe(other.split(' ')[index]);
  });
}

test('from an image it continues as from the start: files, goroutines, timers, output', async ({}, testInfo) => {
  const wire = (): Wire => async () => ({ status: 200, headers: {}, body: 'answer\n' });
  const fromStart = await run(testInfo, { args: ['restored'], wire });
  expect(fromStart).toEqual({
    code: 0,
    lines: ['begun a setting 2', '200', '0s answer', 'a timer from before', 'value 2026-07-01T00:02:00Z'],
    tookMs: 120_000,
  });
  expect(await run(testInfo, { args: ['restored'], wire, withImage: true })).toEqual(fromStart);
});

test('there is no image of a program that sends no request, or exits before it does', async ({}, testInfo) => {
  const module = await sampleModule(testInfo);
  for (const mode of ['exit', 'outside']) {
    expect(makeImage({ module, command: ['sample', mode, 'x'], environment: {}, files: FILES })).toBeUndefined();
  }
});

test('a killed program does nothing any more, and its memory is released', async ({}, testInfo) => {
  const { code, lines } = await run(testInfo, {
    args: ['timers'],
    meanwhile: async (program, clock) => {
      await clock.sleep(45 * 60_000);
      program.kill();
      await clock.sleep(2 * 3_600_000);
    },
  });
  expect({ code, lines }).toEqual({ code: 'killed', lines: ['30 30m0s'] });
});

test('the blocks that a program ran are the same each time, and differ by what it did', async ({}, testInfo) => {
  const wire = (): Wire => async () => ({ status: 200, headers: {}, body: 'answer\n' });
  const args = ['restored'];
  const { covered, ...fromStart } = await run(testInfo, { args, wire, coverage: true });
  expect(fromStart, 'it does the same as without').toEqual(await run(testInfo, { args, wire }));
  expect(covered?.size).toBeGreaterThan(0);
  expect((await run(testInfo, { args, wire, coverage: true })).covered).toEqual(covered);
  expect((await run(testInfo, { args, wire, coverage: true, withImage: true })).covered).toEqual(covered);
  const { covered: other, lines } = await run(testInfo, { args: ['goroutines'], coverage: true });
  expect(lines).toEqual(['499500']);
  expect([...(other ?? [])].some((block) => covered?.has(block) !== true)).toBe(true);
});

test('what a program had run by the time it was killed, or ended itself, is known', async ({}, testInfo) => {
  const killedAfter = async (seconds: number): Promise<number> => {
    const { covered } = await run(testInfo, {
      args: ['restored'],
      wire: () => async () => ({ status: 200, headers: {}, body: 'answer\n' }),
      coverage: true,
      meanwhile: async (program, clock) => {
        await clock.sleep(seconds * 1_000);
        program.kill();
      },
    });
    return covered?.size ?? 0;
  };
  const early = await killedAfter(30);
  expect(early).toBeGreaterThan(0);
  expect(await killedAfter(90), 'its timer has fired').toBe(early + 1);
  const { code, covered } = await run(testInfo, { args: ['exit'], coverage: true });
  expect(code).toBe(7);
  expect(covered?.size).toBeGreaterThan(0);
});
