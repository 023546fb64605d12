import { Reader, SECTION, WasmError, joined, numberBytes, readSections } from './wasm-module.ts';

/** Pages of WebAssembly memory per MiB. */
const PAGES_PER_MIB = 16;
/** Flag of a memory's limits: they include a maximum. */
const HAS_MOST = 1;

/** The size of a program's memory, in MiB. */
export interface MemorySize {
  /** From the start. Untouched memory costs nothing; growing later costs time. */
  readonly initialMiB: number;
  /** The maximum: beyond it Go exits the program, as the kernel kills a container. */
  readonly mostMiB: number;
}

/** For an unknown program. */
export const DEFAULT_MEMORY: MemorySize = { initialMiB: 64, mostMiB: 1_024 };

/**
 * Sets the size of a module's memory, which Go leaves as small as its data and without a maximum.
 * @param wasm a module of version 1 with its own memory
 * @throws WasmError if it has none, or needs more than the maximum from the start
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
    throw new WasmError(`the module needs ${Math.ceil(least / PAGES_PER_MIB)} MiB from the start, but may only have ${mostMiB} MiB`);
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
