import { expect, test } from '@playwright/test';
import { exportsOf } from '../testing/instantiate.ts';
import { sizeMemory } from './memory-size.ts';
import { WasmError } from './wasm-module.ts';

const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** One memory of one page, exported as `m`. */
const ONE_PAGE = Uint8Array.from([...HEADER, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x6d, 2, 0]);

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

async function memoryOf(wasm: Uint8Array<ArrayBuffer>): Promise<Memory> {
  return (await exportsOf(wasm))['m'] as Memory;
}

test("a memory has the requested size from the start, and can't exceed the maximum", async () => {
  const memory = await memoryOf(sizeMemory(ONE_PAGE, { initialMiB: 3, mostMiB: 4 }));
  expect(memory.buffer.byteLength).toBe(3 * 2 ** 20);
  expect(memory.grow(16)).toBe(48);
  expect(() => memory.grow(1)).toThrow(RangeError);
});

test('a module that needs more from the start gets it', async () => {
  const wide = sizeMemory(ONE_PAGE, { initialMiB: 2, mostMiB: 8 });
  expect((await memoryOf(sizeMemory(wide, { initialMiB: 1, mostMiB: 8 }))).buffer.byteLength).toBe(2 * 2 ** 20);
  expect(() => sizeMemory(wide, { initialMiB: 1, mostMiB: 1 })).toThrow('the module needs 2 MiB from the start, but may only have 1 MiB');
});

test('a module without memory is refused', () => {
  expect(() => sizeMemory(Uint8Array.from(HEADER), { initialMiB: 1, mostMiB: 1 })).toThrow(WasmError);
});
