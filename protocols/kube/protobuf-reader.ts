/** The error for bytes that are not valid protobuf. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtobufError';
  }
}

/** One field of a message: a varint, or bytes (a string, a message, packed numbers), or 8 or 4 bytes of a fixed number. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
  /** The length of a fixed-size number; undefined for all others. */
  readonly fixedBytes?: 4 | 8;
}

/** Most bytes of a varint. */
const MAX_VARINT_BYTES = 10;

/** The fields of a message in the order in which they were sent. @throws ProtobufError */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      const byte = bytes[at];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      at += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return value;
    }
    throw new ProtobufError('proto: integer overflow');
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new ProtobufError('unexpected EOF');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        fields.push({ number, value: varint() });
        break;
      case 1:
        fields.push({ number, value: take(8), fixedBytes: 8 });
        break;
      case 2:
        fields.push({ number, value: take(Number(varint())) });
        break;
      case 5:
        fields.push({ number, value: take(4), fixedBytes: 4 });
        break;
      default:
        throw new ProtobufError(`proto: illegal wireType ${Number(tag & 7n)}`);
    }
  }
  return fields;
}
