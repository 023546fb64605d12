import type { ObjectRewrite } from './effects.ts';
import { asText, concat, isStream, withBody } from './wire.ts';
import type { Bytes, Line, WireResponse } from './wire.ts';

/** Rewrites the objects of a get or list. A body that is not a JSON object is passed on unchanged. */
export function rewriteAnswer(response: WireResponse, rewrite: ObjectRewrite): WireResponse {
  if (response.status >= 400 || isStream(response.body) || !isJson(response)) return response;
  const before = JSON.parse(asText(response.body)) as Record<string, unknown>;
  const after = Array.isArray(before['items'])
    ? { ...before, items: (before['items'] as Record<string, unknown>[]).map(rewrite) }
    : rewrite(before);
  return withBody(response, JSON.stringify(after));
}

/** Whether an answer's content is JSON. */
export function isJson({ headers }: WireResponse): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}

/** Rewrites the objects of whole watch lines. */
export function rewriteLines(lines: Bytes, rewrite: ObjectRewrite): string {
  return asText(lines)
    .split('\n')
    .map((line) => {
      if (line === '') return line;
      const event = JSON.parse(line) as { object: Record<string, unknown> };
      const object = rewrite(event.object);
      return object === event.object ? line : JSON.stringify({ ...event, object });
    })
    .join('\n');
}

/** Longest watch line that is put together from chunks, in characters or bytes: etcd refuses objects above 1.5 MiB. */
const MAX_LINE_LENGTH = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A watch's body, re-chunked at line ends. Text stays text, and bytes are not decoded. */
export async function* wholeLines(body: AsyncIterable<Bytes>): AsyncIterable<Bytes> {
  /** The chunks of an unfinished line. */
  let rest: Bytes[] = [];
  let restLength = 0;
  for await (const chunk of body) {
    const end = typeof chunk === 'string' ? chunk.lastIndexOf('\n') + 1 : chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = part(chunk, 0, end);
      yield rest.length === 0 ? lines : joined([...rest, lines]);
      rest = [];
      restLength = 0;
    }
    if (end === chunk.length) continue;
    rest.push(part(chunk, end, chunk.length));
    restLength += chunk.length - end;
    if (restLength > MAX_LINE_LENGTH) throw new Error(`a watch event is longer than ${MAX_LINE_LENGTH} characters`);
  }
}

function part(chunk: Bytes, from: number, to: number): Bytes {
  if (from === 0 && to === chunk.length) return chunk;
  return typeof chunk === 'string' ? chunk.slice(from, to) : chunk.subarray(from, to);
}

function joined(parts: readonly Bytes[]): Bytes {
  if (parts.every((one) => typeof one === 'string')) return parts.join('');
  return concat(parts.map((one) => (typeof one === 'string' ? Buffer.from(one) : one)));
}

/** How far a watch has been delivered. */
export interface Delivery {
  readonly events: number;
  /** What was delivered last; empty at first. */
  readonly last: Bytes | Line;
}

/** How the parts of a watch are read on their way. */
export interface Reading<Part> {
  /** Adds a part to a delivery. */
  note(before: Delivery, part: Part): Delivery;
  /** Rewrites its objects. */
  rewrite(part: Part, rewrite: ObjectRewrite): Part;
}

/** Complete lines, as text or bytes. */
export const TEXT: Reading<Bytes> = { note: noteDelivery, rewrite: rewriteLines };

/** Single lines of a world in this process. */
export const LINES: Reading<Line> = {
  note: ({ events }, line) => ({ events: events + 1, last: line }),
  rewrite: (line, rewrite) => {
    const { text } = line;
    const rewritten = rewriteLines(text, rewrite);
    return rewritten === text ? line : { text: rewritten };
  },
};

/** Adds complete lines of a watch to a delivery. */
export function noteDelivery(before: Delivery, lines: Bytes): Delivery {
  const events = countLines(lines);
  return { events: before.events + events, last: events === 0 ? before.last : lines };
}

/** Counts the lines that are not empty. */
function countLines(lines: Bytes): number {
  let count = 0;
  let start = 0;
  while (start < lines.length) {
    const found = typeof lines === 'string' ? lines.indexOf('\n', start) : lines.indexOf(NEWLINE, start);
    const end = found === -1 ? lines.length : found;
    if (end > start) count += 1;
    start = end + 1;
  }
  return count;
}

/** The resource version of the last delivered event; empty if it has none. */
export function lastRevision({ last }: Delivery): string {
  try {
    const event = eventOf(last) as { object?: { metadata?: { resourceVersion?: unknown } } };
    const revision = event.object?.metadata?.resourceVersion;
    return typeof revision === 'string' ? revision : '';
  } catch {
    return '';
  }
}

/** The last event of some lines, or that of one. */
function eventOf(lines: Bytes | Line): unknown {
  if (typeof lines === 'string' || lines instanceof Uint8Array) return JSON.parse(asText(lines).trimEnd().split('\n').at(-1) ?? '');
  return lines.decoded ?? JSON.parse(lines.text);
}
