/** A WebAssembly module is not one that this can change. */
export class WasmError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WasmError';
  }
}

/** Ids of sections (WebAssembly Core Specification, 5.5). */
const SECTION = { import: 2, global: 6, export: 7 } as const;
/** What an import or an export is. */
const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;
/** `\0asm` and version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00] as const;
/** Most bytes of a number of 32 bits, and of 64. */
const MAX_BYTES = { 32: 5, 64: 10 } as const;

interface Section {
  readonly id: number;
  /** From its id on. */
  readonly start: number;
  /** Of what it holds, behind its id and size. */
  readonly content: number;
  readonly end: number;
}

/**
 * Exports all mutable globals of a module, as `global0`, `global1` and so on by their place in the global section, so that a host can
 * read and set what the program keeps outside its memory. Nothing else is touched, code least of all: other sections are copied as they are.
 * @param wasm a module of version 1
 * @throws WasmError where it is none, has an export of such a name already, or globals that this doesn't know
 */
export function exportGlobals(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(wasm);
  const globals = sections.find(({ id }) => id === SECTION.global);
  if (globals === undefined) return new Uint8Array(wasm);
  const imported = sections.filter(({ id }) => id === SECTION.import).reduce((count, section) => count + importedGlobals(wasm, section), 0);
  const added = mutableGlobals(wasm, globals).map((place) => ({ name: `global${place}`, index: imported + place }));
  const exports = sections.find(({ id }) => id === SECTION.export);
  const body = exports === undefined ? withExports([], 0, added) : extended(wasm, exports, added);
  // Sections come in the order of their ids, and what stands between the globals and the exports is nothing but custom sections.
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
  if (taken !== undefined) throw new WasmError(`the module exports ${taken.name} already`);
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

function readSections(wasm: Uint8Array): Section[] {
  if (HEADER.some((byte, index) => wasm[index] !== byte)) throw new WasmError('this is no WebAssembly module of version 1');
  const reader = new Reader(wasm, { content: HEADER.length, end: wasm.length });
  const sections: Section[] = [];
  while (reader.at < wasm.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.number();
    const content = reader.at;
    reader.skip(size);
    sections.push({ id, start, content, end: reader.at });
  }
  return sections;
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
    } else throw new WasmError(`an import is of the unknown kind ${kind}`);
  }
  return globals;
}

/** The places of the mutable ones in the global section. */
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

/** Opcodes of constant expressions. */
const OPCODE = { end: 0x0b, globalGet: 0x23, i32: 0x41, i64: 0x42, f32: 0x43, f64: 0x44, refNull: 0xd0, refFunc: 0xd2 } as const;

/** Reads a part of a module from its beginning to its end. */
class Reader {
  readonly #wasm: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(wasm: Uint8Array, { content, end }: { readonly content: number; readonly end: number }) {
    this.#wasm = wasm;
    this.at = content;
    this.#end = end;
  }

  byte(): number {
    const byte = this.at < this.#end ? this.#wasm[this.at] : undefined;
    if (byte === undefined) throw new WasmError('the module is cut off');
    this.at += 1;
    return byte;
  }

  skip(bytes: number): void {
    if (this.at + bytes > this.#end) throw new WasmError('the module is cut off');
    this.at += bytes;
  }

  /** A whole number of 32 bits, as LEB128. */
  number(): number {
    let value = 0;
    for (let place = 0; place < MAX_BYTES[32]; place += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw new WasmError('a number is too long');
  }

  text(): string {
    const length = this.number();
    const start = this.at;
    this.skip(length);
    return new TextDecoder().decode(this.#wasm.subarray(start, this.at));
  }

  limits(): void {
    const hasMost = (this.byte() & 1) === 1;
    this.#passNumber(MAX_BYTES[64]);
    if (hasMost) this.#passNumber(MAX_BYTES[64]);
  }

  /** A constant expression, up to its end. */
  constant(): void {
    for (let opcode = this.byte(); opcode !== OPCODE.end; opcode = this.byte()) {
      if (opcode === OPCODE.i32 || opcode === OPCODE.globalGet || opcode === OPCODE.refFunc) this.#passNumber(MAX_BYTES[32]);
      else if (opcode === OPCODE.i64) this.#passNumber(MAX_BYTES[64]);
      else if (opcode === OPCODE.f32) this.skip(4);
      else if (opcode === OPCODE.f64) this.skip(8);
      else if (opcode === OPCODE.refNull) this.skip(1);
      else throw new WasmError(`a global begins with an unknown instruction: 0x${opcode.toString(16)}`);
    }
  }

  /** A number that is not needed, signed or not. */
  #passNumber(maxBytes: number): void {
    for (let read = 1; this.byte() >= 0x80; read += 1) if (read === maxBytes) throw new WasmError('a number is too long');
  }
}

function numberBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
