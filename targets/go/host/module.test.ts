import { existsSync, writeFileSync } from 'node:fs';
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
  const first = program(folder);
  const { exports } = new WebAssembly.Instance(first.module, {});
  first.runOver(exports['f']);
  expect(existsSync(`${folder}/v8-${process.versions.v8}-${process.arch}`)).toBe(true);
  expect(Object.keys(new WebAssembly.Instance(program(folder).module, {}).exports)).toEqual(['f']);
});

test('a run may end long after the program was compiled, when V8 has dropped unused code', ({}, testInfo) => {
  const folder = testInfo.outputPath('code');
  const compiled = program(folder);
  const { exports } = new WebAssembly.Instance(compiled.module, {});
  dropCode();
  compiled.runOver(exports['f']);
  expect(existsSync(`${folder}/v8-${process.versions.v8}-${process.arch}`)).toBe(true);
});
