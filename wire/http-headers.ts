import type { IncomingHttpHeaders, OutgoingMessage } from 'node:http';
import type { Bytes } from './wire.ts';

/** Hop-by-hop headers belong to one connection, not to the message: they are never passed on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  // Its body is here already: the server has answered it.
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A received message's headers as a wire carries them. */
export function fromSocket(headers: IncomingHttpHeaders): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || HOP_BY_HOP.has(name)) continue;
    result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

/** A wire's headers as a socket may send them, without the named one. The sender sets the length itself. */
export function toSocket(headers: Readonly<Record<string, string>>, without?: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name === 'content-length' || name === without || HOP_BY_HOP.has(name)) continue;
    result[name] = asBytes(value);
  }
  return result;
}

/** Node.js sends one byte a character, and refuses others: these are sent as UTF-8, as Go does. */
function asBytes(value: string): string {
  return /[^\u{0}-\u{ff}]/u.test(value) ? Buffer.from(value).toString('latin1') : value;
}

/** Longest body that is copied to be sent together with its headers: one system call instead of a gathering one, which costs more. */
const MAX_JOINED_BYTES = 16 * 1024;

/** A complete body as `end` of an outgoing message sends it at the least cost. */
export function endWith(message: OutgoingMessage, body: Bytes): void {
  if (typeof body !== 'string' && body.length <= MAX_JOINED_BYTES) {
    // Node.js joins headers and a text. In Latin-1, each character is one byte.
    message.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
  } else {
    message.end(body);
  }
}
