/** A WebAssembly module that can't be changed here. */
export class WasmError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WasmError';
  }
}

/** Ids of sections (WebAssembly Core Specification, 5.5). */
export const SECTION = { import: 2, memory: 5, global: 6, export: 7 } as const;
/** `\0asm` and version 1. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00] as const;
/** Most bytes of a 32-bit number, and of a 64-bit one. */
const MAX_BYTES = { 32: 5, 64: 10 } as const;

export interface Section {
  readonly id: number;
  /** From its id on. */
  readonly start: number;
  /** Start of its content, after id and size. */
  readonly content: number;
  readonly end: number;
}

/** The sections of a module, in order. @throws WasmError if it is not a module */
export function readSections(wasm: Uint8Array): Section[] {
  if (HEADER.some((byte, index) => wasm[index] !== byte)) throw new WasmError('this is not a WebAssembly module of version 1');
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

/** Opcodes of constant expressions. */
const OPCODE = { end: 0x0b, globalGet: 0x23, i32: 0x41, i64: 0x42, f32: 0x43, f64: 0x44, refNull: 0xd0, refFunc: 0xd2 } as const;

/** Reads a part of a module from start to end. */
export class Reader {
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

  /** A 32-bit integer in LEB128. */
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
      else throw new WasmError(`a global starts with an unknown instruction: 0x${opcode.toString(16)}`);
    }
  }

  /** Skips a number, signed or not. */
  #passNumber(maxBytes: number): void {
    for (let read = 1; this.byte() >= 0x80; read += 1) if (read === maxBytes) throw new WasmError('a number is too long');
  }
}

export function numberBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
