import { Reader, SECTION, WasmError, joined, numberBytes, readSections } from './wasm-module.ts';

/** A page of WebAssembly's memory. */
const PAGES_PER_MIB = 16;
/** Of a memory's limits: whether they name a maximum. */
const HAS_MOST = 1;

/** How much memory a program has, in MiB. */
export interface MemorySize {
  /** From the start. What is not touched costs nothing; what grows later costs time. */
  readonly initialMiB: number;
  /** More than this it doesn't get: Go then ends the program, as the kernel ends a container. */
  readonly mostMiB: number;
}

/** Of a program of which nothing is known. */
export const DEFAULT_MEMORY: MemorySize = { initialMiB: 64, mostMiB: 1_024 };

/**
 * Sets the size of a module's memory, which Go leaves as small as its data and without a maximum.
 * @param wasm a module of version 1 with one memory of its own
 * @throws WasmError where it has none, or needs more than that from the start
 */
export function sizeMemory(wasm: Uint8Array, { initialMiB, mostMiB }: MemorySize): Uint8Array<ArrayBuffer> {
  const section = readSections(wasm).find(({ id }) => id === SECTION.memory);
  if (section === undefined) throw new WasmError('the module has no memory of its own');
  const reader = new Reader(wasm, section);
  const count = reader.number();
  if (count !== 1) throw new WasmError(`the module has ${count} memories, not one`);
  reader.skip(1);
  const least = reader.number();
  const most = mostMiB * PAGES_PER_MIB;
  if (least > most)
    throw new WasmError(`the module needs ${Math.ceil(least / PAGES_PER_MIB)} MiB from the start, and may have ${mostMiB} MiB`);
  const initial = Math.max(least, initialMiB * PAGES_PER_MIB);
  const body = joined([numberBytes(1), Uint8Array.of(HAS_MOST), numberBytes(initial), numberBytes(most)]);
  return joined([
    wasm.subarray(0, section.start),
    Uint8Array.of(SECTION.memory),
    numberBytes(body.length),
    body,
    wasm.subarray(section.end),
  ]);
}
