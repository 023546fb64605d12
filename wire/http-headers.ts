import type { IncomingHttpHeaders } from 'node:http';

/** Headers that belong to one connection, not to the message: they never travel on a wire. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
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
    if (value === undefined || OF_THE_CONNECTION.has(name)) continue;
    result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

/** A wire's headers as a socket may send them, without the named one. Lengths are the sender's to set. */
export function toSocket(headers: Readonly<Record<string, string>>, without?: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name === 'content-length' || name === without || OF_THE_CONNECTION.has(name)) continue;
    result[name] = value;
  }
  return result;
}
