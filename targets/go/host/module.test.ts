import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@playwright/test';
import { CompiledProgram } from './module.ts';

/** A module that exports one function `f`, which does nothing. */
const MODULE = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[7, 5, 1, 1, 0x66, 0, 0],
  ...[10, 4, 1, 2, 0, 0x0b],
]);

function program(folder: string): CompiledProgram {
  const path = `${folder}.wasm`;
  writeFileSync(path, MODULE);
  return new CompiledProgram(path, folder);
}

function codePath(folder: string): string {
  return join(folder, `v8-${process.versions.v8}-${process.arch}`);
}

/** One run of a program. @param meanwhile called before it ends */
function runOnce(compiled: CompiledProgram, meanwhile: () => void = () => undefined): void {
  const f = new WebAssembly.Instance(compiled.module, {}).exports['f'] as () => void;
  f();
  meanwhile();
  compiled.runOver(f);
}

/** Makes V8 drop the code of all functions that are not running. */
function dropCode(): void {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--stress-flush-code');
  try {
    const collect = runInNewContext('gc') as () => void;
    collect();
    collect();
  } finally {
    setFlagsFromString('--no-stress-flush-code');
    setFlagsFromString('--no-expose-gc');
  }
}

test('optimized code is stored after the first run, and read by the next process', ({}, testInfo) => {
  const folder = testInfo.outputPath('code');
  runOnce(program(folder));
  expect(existsSync(codePath(folder))).toBe(true);
  const next = program(folder);
  rmSync(codePath(folder));
  runOnce(next);
  // It has the stored code, and would add to it later.
  expect(existsSync(codePath(folder))).toBe(false);
});

for (const [what, damaged] of [
  ['changed', (bytes: Buffer) => bytes.map((byte, at) => (at < 100 ? byte : byte ^ 0xff))],
  ['zeroed', (bytes: Buffer) => bytes.map((byte, at) => (at < bytes.length / 2 ? byte : 0))],
  ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['without a digest, as an earlier version stored it,', (bytes: Buffer) => bytes.subarray(32)],
] as const) {
  test(`stored code that is ${what} is never executed, and replaced`, ({}, testInfo) => {
    const folder = testInfo.outputPath('code');
    runOnce(program(folder));
    const whole = readFileSync(codePath(folder));
    const bytes = damaged(whole);
    writeFileSync(codePath(folder), bytes);
    runOnce(program(folder));
    expect(readFileSync(codePath(folder)).equals(bytes)).toBe(false);
    expect(readFileSync(codePath(folder))).toHaveLength(whole.length);
  });
}

test('a run may end long after the program was compiled, when V8 has dropped unused code', ({}, testInfo) => {
  const folder = testInfo.outputPath('code');
  const compiled = program(folder);
  runOnce(compiled, dropCode);
  expect(existsSync(codePath(folder))).toBe(true);
});
