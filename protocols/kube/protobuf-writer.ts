const utf8 = new TextEncoder();

/** Bytes, or parts that are joined once at the end. */
export type Parts = readonly (Uint8Array | Parts)[];

/** A field with a string or a nested message. */
export function writeField(number: number, value: string | Parts): Parts {
  const bytes = typeof value === 'string' ? utf8.encode(value) : joined(value);
  return writeBytes(number, bytes);
}

/** A field with bytes. */
function writeBytes(number: number, bytes: Uint8Array): Parts {
  return [writeVarint(number * 8 + 2), writeVarint(bytes.length), bytes];
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
