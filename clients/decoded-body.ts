/** Bytes in place of a body that is already decoded: the SDK passes them on as they are, since they are not empty. */
export interface DecodedBody extends Uint8Array {
  readonly decoded: object;
}

export function decodedBody(decoded: object): DecodedBody {
  return Object.assign(new Uint8Array(1), { decoded });
}

export function isDecoded(body: Uint8Array | string): body is DecodedBody {
  return typeof body !== 'string' && 'decoded' in body;
}
