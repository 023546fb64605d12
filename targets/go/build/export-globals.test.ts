import { expect, test } from '@playwright/test';
import { asGlobal, exportsOf } from '../testing/instantiate.ts';
import { exportGlobals } from './export-globals.ts';
import { WasmError } from './wasm-module.ts';

/** Header, then sections: id, size, content. All sizes are below 128. */
function moduleOf(...sections: readonly (readonly [id: number, ...content: number[]])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flatMap(([id, ...content]) => [id, content.length, ...content])]);
}

const I32 = 0x7f;
const I64 = 0x7e;
const F64 = 0x7c;
/** A custom section named `x`, with a byte. */
const CUSTOM = [0, 1, 120, 7] as const;
/** `env.g`, a constant i32. */
const IMPORT = [2, 1, 3, 101, 110, 118, 1, 103, 3, I32, 0] as const;
/** i32 var = -1 (needs two bytes of LEB128 if unsigned), i64 const = 2^40, i64 var = 300, f64 var = 0. */
const GLOBALS = [
  6,
  4,
  ...[I32, 1, 0x41, 0x7f, 0x0b],
  ...[I64, 0, 0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x0b],
  ...[I64, 1, 0x42, 0xac, 0x02, 0x0b],
  ...[F64, 1, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x0b],
] as const;
const MEMORY = [5, 1, 0, 1] as const;
/** `mem` */
const EXPORTS = [7, 1, 3, 109, 101, 109, 2, 0] as const;

test('mutable globals are exported by index, besides the existing exports', async () => {
  const exports = await exportsOf(exportGlobals(moduleOf(MEMORY, GLOBALS, EXPORTS, CUSTOM)));
  expect(Object.keys(exports)).toEqual(['mem', 'global0', 'global2', 'global3']);
  expect(asGlobal(exports['global0']).value).toBe(-1);
  expect(asGlobal(exports['global2']).value).toBe(300n);
  expect(asGlobal(exports['global3']).value).toBe(0);
});

test('the host can set them', async () => {
  const { global2 } = await exportsOf(exportGlobals(moduleOf(GLOBALS)));
  asGlobal(global2).value = 5n;
  expect(asGlobal(global2).value).toBe(5n);
});

test('an export section is added where it belongs if there is none, and imported globals have the first indices', async () => {
  const exports = await exportsOf(exportGlobals(moduleOf(IMPORT, CUSTOM, GLOBALS, CUSTOM)), { env: { g: 1 } });
  expect(Object.keys(exports)).toEqual(['global0', 'global2', 'global3']);
  expect(asGlobal(exports['global0']).value).toBe(-1);
});

test('everything else is unchanged, byte by byte', () => {
  const before = [MEMORY, GLOBALS] as const;
  const changed = exportGlobals(moduleOf(...before, EXPORTS, CUSTOM));
  const head = moduleOf(...before);
  expect(changed.subarray(0, head.length)).toEqual(head);
  const tail = moduleOf(CUSTOM).subarray(moduleOf().length);
  expect(changed.subarray(-tail.length)).toEqual(tail);
});

test('a module without globals is unchanged', () => {
  const wasm = moduleOf(MEMORY, EXPORTS);
  expect(exportGlobals(wasm)).toEqual(wasm);
});

for (const [what, wasm, message] of [
  ['not a module', Uint8Array.of(1, 2, 3), 'not a WebAssembly module'],
  ['a module that is cut off', moduleOf(GLOBALS).subarray(0, 20), 'cut off'],
  ['a number without an end', Uint8Array.from([...moduleOf(), 6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]), 'too long'],
  ['a computed global', moduleOf([6, 1, I32, 1, 0x6a, 0x0b]), 'unknown instruction: 0x6a'],
  ['a module that was already processed', exportGlobals(moduleOf(GLOBALS)), 'already exports global0'],
] as const) {
  test(`refused: ${what}`, () => {
    expect(() => exportGlobals(wasm)).toThrow(WasmError);
    expect(() => exportGlobals(wasm)).toThrow(message);
  });
}
