import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Episode } from './episode.ts';
import { appendState, formatEntry, formatHeader, parseState, readState, stateFile, StateError } from './state.ts';
import type { StateEntry } from './state.ts';
import { LIMIT_MS, episode as cleanEpisode } from './testing/episodes.ts';

const version = { target: './my autoscaler.yaml', targetDigest: 'aaaa', world: 'embedded', catalogueDigest: 'cccc' };

const episode = (seed: number, scenario = 'a/b'): Episode => ({
  ...cleanEpisode(seed),
  scenario,
  latencies: [{ phase: 'pending -> running', valuesMs: [1.5, 2], censoredMs: [LIMIT_MS] }],
  utilisation: { cpu: 0.5, memory: 0.25 },
});
const entry = (seed: number, scenarioDigest = 'dddd'): StateEntry => ({ scenarioDigest, episode: episode(seed) });

test('episodes accumulate, and a repetition counts once', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  expect(readState(directory, version)).toEqual([]);
  expect(appendState(directory, version, [entry(1), entry(2), entry(1)])).toEqual({ added: 2, repeated: 1 });
  expect(appendState(directory, version, [entry(2), entry(3)])).toEqual({ added: 1, repeated: 1 });
  expect(readState(directory, version)).toEqual([entry(1), entry(2), entry(3)]);
});

test('another digest of the target is another version', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  appendState(directory, version, [entry(1)]);
  expect(readState(directory, { ...version, targetDigest: 'bbbb' })).toEqual([]);
});

test('a truncated line is dropped, and the next append continues', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  appendState(directory, version, [entry(1), entry(2)]);
  const path = stateFile(directory, version);
  const whole = readFileSync(path, 'utf8');
  for (const cut of [whole.length - 1, whole.length - 40]) {
    writeFileSync(path, whole.slice(0, cut));
    expect(readState(directory, version)).toEqual([entry(1)]);
    expect(appendState(directory, version, [entry(2)])).toEqual({ added: 1, repeated: 0 });
    expect(readFileSync(path, 'utf8')).toBe(whole);
  }
  writeFileSync(path, '{"form');
  expect(readState(directory, version)).toEqual([]);
  appendState(directory, version, [entry(1), entry(2)]);
  expect(readFileSync(path, 'utf8')).toBe(whole);
});

test('wherever a file is truncated, the complete lines are read', () => {
  const text = formatHeader(version) + [1, 2, 3].map((seed) => formatEntry(entry(seed))).join('');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length }), (cut) => {
      const lines = text.slice(0, cut).split('\n').length - 1;
      const state = parseState(Buffer.from(text.slice(0, cut)), 'f');
      expect(state?.entries.map(({ episode: { seed } }) => seed)).toEqual(lines === 0 ? undefined : [1, 2, 3].slice(0, lines - 1));
    }),
  );
});

test('episodes with other settings are refused, with the differences', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  appendState(directory, version, [entry(1)]);
  const elsewhere = { ...version, world: 'kind', catalogueDigest: 'eeee' };
  const differing =
    "the world was embedded and is kind, the instance catalogue's digest was cccc and is eeee; name another --state directory";
  expect(() => readState(directory, elsewhere)).toThrow(differing);
  expect(() => appendState(directory, elsewhere, [entry(2)])).toThrow(StateError);
  expect(() => appendState(directory, version, [entry(2, 'ffff')])).toThrow('another version of scenario a/b (digest dddd, now ffff)');
  expect(readState(directory, version)).toEqual([entry(1)]);
});

test('a damaged file is refused, with the line', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  appendState(directory, version, [entry(1)]);
  const path = stateFile(directory, version);
  const whole = readFileSync(path, 'utf8');
  for (const [damage, message] of [
    [`${whole}nonsense\n`, 'line 3 is not JSON'],
    [`${whole}{"scenarioDigest":"dddd"}\n`, 'line 3: episode'],
    [whole.replace('"formatNumber":1', '"formatNumber":2'), 'has format number 2, and this version reads 1'],
    ['{}\n', "is not a file of a gate's episodes"],
  ] as const) {
    writeFileSync(path, damage);
    expect(() => readState(directory, version)).toThrow(message);
  }
});

test('errors of the file system name the file', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  const path = stateFile(directory, version);
  mkdirSync(path, { recursive: true });
  expect(() => readState(directory, version)).toThrow(
    new StateError(
      `${path} can't be read: EISDIR: illegal operation on a directory, read; name another --state directory, or remove the file`,
    ),
  );
  const file = testInfo.outputPath('file');
  writeFileSync(file, '');
  expect(() => appendState(file, version, [entry(1)])).toThrow(StateError);
});

test('the size of a file is limited', ({}, testInfo) => {
  const directory = testInfo.outputPath('state');
  const many = Array.from({ length: 10_000 }, (_, seed) => entry(seed));
  appendState(directory, version, many);
  expect(() => appendState(directory, version, [entry(10_000)])).toThrow('is full');
  appendFileSync(stateFile(directory, version), formatEntry(entry(10_000)));
  expect(() => readState(directory, version)).toThrow('has more than 10000 episodes');
});

test('names of targets become file names', () => {
  expect(stateFile('d', { ...version, target: '../../etc/passwd' })).toMatch(
    /^d\/etc-passwd-[0-9a-f]{12}\.episodes\.jsonl$|^d\/-?etc-passwd-[0-9a-f]{12}\.episodes\.jsonl$/,
  );
  expect(stateFile('d', { ...version, target: 'a b' })).not.toBe(stateFile('d', { ...version, target: 'a-b' }));
});
