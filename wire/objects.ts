import type { ObjectRewrite } from './effects.ts';
import { asText, isStream } from './wire.ts';
import type { Bytes, WireResponse } from './wire.ts';

/** Rewrites the objects of a get or list. What is no object in JSON is passed on as it is. */
export function rewriteAnswer(response: WireResponse, rewrite: ObjectRewrite): WireResponse {
  if (response.status >= 400 || isStream(response.body) || !isJson(response)) return response;
  const before = JSON.parse(asText(response.body)) as Record<string, unknown>;
  const after = Array.isArray(before['items'])
    ? { ...before, items: (before['items'] as Record<string, unknown>[]).map(rewrite) }
    : rewrite(before);
  return { ...response, body: JSON.stringify(after) };
}

function isJson({ headers }: WireResponse): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}

/** Rewrites the objects of whole watch lines. */
export function rewriteLines(lines: string, rewrite: ObjectRewrite): string {
  return lines
    .split('\n')
    .map((line) => {
      if (line === '') return line;
      const event = JSON.parse(line) as { object: Record<string, unknown> };
      const object = rewrite(event.object);
      return object === event.object ? line : JSON.stringify({ ...event, object });
    })
    .join('\n');
}

/** Longest watch line that is put together from chunks, in characters: etcd refuses objects above 1.5 MiB. */
const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** A watch's body in chunks that end where lines end. */
export async function* wholeLines(body: AsyncIterable<Bytes>): AsyncIterable<string> {
  const utf8 = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const text = rest + (typeof chunk === 'string' ? chunk : utf8.decode(chunk, { stream: true }));
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (rest.length > MAX_LINE_LENGTH) throw new Error(`a watch event is longer than ${MAX_LINE_LENGTH} characters`);
    if (end > 0) yield text.slice(0, end);
  }
}

/** How far a watch has been delivered. */
export interface Delivery {
  readonly events: number;
  /** The last event delivered, empty if none. */
  readonly lastLine: string;
}

/** Adds whole lines of a watch to what has been delivered. */
export function noteDelivery(before: Delivery, lines: string): Delivery {
  const events = lines.split('\n').filter((line) => line !== '');
  return { events: before.events + events.length, lastLine: events.at(-1) ?? before.lastLine };
}

/** The resource version of a watch event's object; empty where it has none. */
export function revisionOf(line: string): string {
  try {
    const event = JSON.parse(line) as { object?: { metadata?: { resourceVersion?: unknown } } };
    const revision = event.object?.metadata?.resourceVersion;
    return typeof revision === 'string' ? revision : '';
  } catch {
    return '';
  }
}
