const utf8 = new TextEncoder();

/** Bytes, or parts that are joined once at the end. */
export type Parts = readonly (Uint8Array | Parts)[];

/** A field with a string or a nested message. */
export function writeField(number: number, value: string | Parts): Parts {
  const bytes = typeof value === 'string' ? utf8.encode(value) : joined(value);
  return writeBytes(number, bytes);
}

/** A field with bytes. */
export function writeBytes(number: number, bytes: Uint8Array): Parts {
  return [writeVarint(number * 8 + 2), writeVarint(bytes.length), bytes];
}

/** A field with a whole number, which takes ten bytes if it is negative. */
export function writeInt(number: number, value: number): Parts {
  return [writeVarint(number * 8), value < 0 ? writeNegative(value) : writeVarint(value)];
}

/** A field with a number of eight bytes. */
export function writeDouble(number: number, value: number): Parts {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return [writeVarint(number * 8 + 1), bytes];
}

/** All parts in one piece. */
export function joined(parts: Parts): Uint8Array {
  const flat: Uint8Array[] = [];
  const collect = (part: Uint8Array | Parts): void => {
    if (part instanceof Uint8Array) flat.push(part);
    else for (const one of part) collect(one);
  };
  collect(parts);
  return Buffer.concat(flat);
}

/** @param value a safe integer, not negative */
function writeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}

function writeNegative(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(rest)]);
}
