const FIRST_BYTES = 4_096;
/** Longest text whose characters are copied one by one, which is faster than a call for each. */
const SHORT = 32;
/** Bytes of a negative number. */
const NEGATIVE_BYTES = 10;
const [VARINT, EIGHT_BYTES, LENGTH] = [0, 1, 2];

/** A message that is written from its end to its start: the length of what is in a field is known before its head is written. */
export class ProtobufBuffer {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Where the written part starts. */
  #start = FIRST_BYTES;

  /** Of what is written. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Everything that was written, as bytes of their own. */
  take(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, this.#start);
  }

  /** Writes the head of a field whose content is all that was written since the buffer had this length. */
  close(number: number, lengthBefore: number): void {
    this.#varint(this.length - lengthBefore);
    this.#varint(number * 8 + LENGTH);
  }

  text(number: number, value: string): void {
    const before = this.length;
    if (value.length > SHORT || !this.#ascii(value)) {
      const length = Buffer.byteLength(value);
      this.#reserve(length);
      this.#start -= length;
      this.#bytes.write(value, this.#start, length);
    }
    this.close(number, before);
  }

  bytes(number: number, value: Uint8Array): void {
    const before = this.length;
    this.raw(value);
    this.close(number, before);
  }

  /** Bytes without a head. */
  raw(value: ArrayLike<number>): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#bytes.set(value, this.#start);
  }

  /** A whole number, which takes ten bytes if it is negative. */
  int(number: number, value: number): void {
    if (value < 0) this.#negative(value);
    else this.#varint(value);
    this.#varint(number * 8 + VARINT);
  }

  double(number: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
    this.#varint(number * 8 + EIGHT_BYTES);
  }

  /** @returns false, with nothing written, if other characters are in it */
  #ascii(value: string): boolean {
    const { length } = value;
    this.#reserve(length);
    const start = this.#start - length;
    for (let at = 0; at < length; at += 1) {
      const code = value.charCodeAt(at);
      if (code > 0x7f) return false;
      this.#bytes[start + at] = code;
    }
    this.#start = start;
    return true;
  }

  /** @param value a safe integer, not negative */
  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
    this.#reserve(size);
    this.#start -= size;
    let rest = value;
    let at = this.#start;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80;
    this.#bytes[at] = rest;
  }

  #negative(value: number): void {
    this.#reserve(NEGATIVE_BYTES);
    this.#start -= NEGATIVE_BYTES;
    let rest = BigInt.asUintN(64, BigInt(value));
    for (let at = 0; at < NEGATIVE_BYTES; at += 1) {
      const isLast = at === NEGATIVE_BYTES - 1;
      this.#bytes[this.#start + at] = Number(rest & 0x7fn) | (isLast ? 0 : 0x80);
      rest >>= 7n;
    }
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const { length } = this;
    const larger = Buffer.allocUnsafe(2 * (length + size));
    this.#bytes.copy(larger, larger.length - length, this.#start);
    this.#start = larger.length - length;
    this.#bytes = larger;
  }
}
