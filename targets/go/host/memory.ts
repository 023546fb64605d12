const decoder = new TextDecoder();
/** 2 ** 32: the unit of the upper half of a 64-bit number. */
const HIGH = 4_294_967_296;
const WORD = 8;

/**
 * The linear memory of a Go program, with Go's calling convention for imports. Addresses are in bytes. 64-bit numbers are read
 * as JavaScript numbers: lengths, addresses and delays are far below 2 ** 53.
 */
export class GoMemory {
  readonly #memory: WebAssembly.Memory;
  #view: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#view = new DataView(memory.buffer);
  }

  /** The whole memory. Valid until the program next runs: growing detaches the buffer. */
  get buffer(): ArrayBuffer {
    return this.#memory.buffer;
  }

  /** Call this when the program reports that its memory has grown. */
  refresh(): void {
    this.#view = new DataView(this.#memory.buffer);
  }

  setUint8(address: number, value: number): void {
    this.#view.setUint8(address, value);
  }

  getUint32(address: number): number {
    return this.#view.getUint32(address, true);
  }

  setUint32(address: number, value: number): void {
    this.#view.setUint32(address, value, true);
  }

  getInt32(address: number): number {
    return this.#view.getInt32(address, true);
  }

  setInt32(address: number, value: number): void {
    this.#view.setInt32(address, value, true);
  }

  getFloat64(address: number): number {
    return this.#view.getFloat64(address, true);
  }

  setFloat64(address: number, value: number): void {
    this.#view.setFloat64(address, value, true);
  }

  getInt64(address: number): number {
    return this.#view.getUint32(address, true) + this.#view.getInt32(address + 4, true) * HIGH;
  }

  /** @param value whole, of at most 53 bits */
  setInt64(address: number, value: number): void {
    this.#view.setUint32(address, value, true);
    this.#view.setInt32(address + 4, Math.floor(value / HIGH), true);
  }

  /** A number that may need all 64 bits. */
  setBigInt64(address: number, value: bigint): void {
    this.#view.setBigInt64(address, value, true);
  }

  /** The bytes of a slice or string, not copied. @param address of its header: pointer and length */
  bytesOf(address: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, this.getInt64(address), this.getInt64(address + WORD));
  }

  /** A string, by the address of its header. */
  textOf(address: number): string {
    return decoder.decode(this.bytesOf(address));
  }

  /** The addresses of the elements of a slice of 8-byte elements. */
  *elementsOf(address: number): Generator<number> {
    const start = this.getInt64(address);
    const length = this.getInt64(address + WORD);
    for (let index = 0; index < length; index += 1) yield start + index * WORD;
  }
}
