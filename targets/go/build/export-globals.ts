import { Reader, SECTION, WasmError, joined, numberBytes, readSections } from './wasm-module.ts';
import type { Section } from './wasm-module.ts';

/** The kinds of imports and exports. */
const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;

/**
 * Exports all mutable globals of a module, as `global0`, `global1` and so on by their index in the global section, so that a host
 * can read and set the program's state outside of its memory. All other sections, code in particular, are copied unchanged.
 * @param wasm a module of version 1
 * @throws WasmError if it is invalid, already has an export of such a name, or has globals of an unsupported form
 */
export function exportGlobals(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(wasm);
  const globals = sections.find(({ id }) => id === SECTION.global);
  if (globals === undefined) return new Uint8Array(wasm);
  const imported = sections.filter(({ id }) => id === SECTION.import).reduce((count, section) => count + importedGlobals(wasm, section), 0);
  const added = mutableGlobals(wasm, globals).map((place) => ({ name: `global${place}`, index: imported + place }));
  const exports = sections.find(({ id }) => id === SECTION.export);
  const body = exports === undefined ? withExports([], 0, added) : extended(wasm, exports, added);
  // Sections are ordered by id, so that there are only custom sections between the globals and the exports.
  const from = exports?.start ?? globals.end;
  const to = exports?.end ?? globals.end;
  return joined([wasm.subarray(0, from), Uint8Array.of(SECTION.export), numberBytes(body.length), body, wasm.subarray(to)]);
}

function extended(wasm: Uint8Array, section: Section, added: readonly { readonly name: string; readonly index: number }[]): Uint8Array {
  const reader = new Reader(wasm, section);
  const count = reader.number();
  const first = reader.at;
  const names = new Set<string>();
  for (let left = count; left > 0; left -= 1) {
    names.add(reader.text());
    reader.skip(1);
    reader.number();
  }
  const taken = added.find(({ name }) => names.has(name));
  if (taken !== undefined) throw new WasmError(`the module already exports ${taken.name}`);
  return withExports(wasm.subarray(first, section.end), count, added);
}

function withExports(
  entries: ArrayLike<number>,
  count: number,
  added: readonly { readonly name: string; readonly index: number }[],
): Uint8Array {
  const more = added.map(({ name, index }) => {
    const text = new TextEncoder().encode(name);
    return joined([numberBytes(text.length), text, Uint8Array.of(KIND.global), numberBytes(index)]);
  });
  return joined([numberBytes(count + added.length), Uint8Array.from(entries), ...more]);
}

/** How many globals a module imports: they have the first indices. */
function importedGlobals(wasm: Uint8Array, section: Section): number {
  const reader = new Reader(wasm, section);
  let globals = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.text();
    reader.text();
    const kind = reader.byte();
    if (kind === KIND.function) reader.number();
    else if (kind === KIND.table) {
      reader.skip(1);
      reader.limits();
    } else if (kind === KIND.memory) reader.limits();
    else if (kind === KIND.global) {
      reader.skip(2);
      globals += 1;
    } else if (kind === KIND.tag) {
      reader.skip(1);
      reader.number();
    } else throw new WasmError(`an import has the unknown kind ${kind}`);
  }
  return globals;
}

/** The indices of mutable globals in the global section. */
function mutableGlobals(wasm: Uint8Array, section: Section): number[] {
  const reader = new Reader(wasm, section);
  const count = reader.number();
  return Array.from({ length: count }, (_, place) => {
    reader.skip(1);
    const isMutable = reader.byte() === 1;
    reader.constant();
    return { place, isMutable };
  }).flatMap(({ place, isMutable }) => (isMutable ? [place] : []));
}
