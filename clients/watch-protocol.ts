import { z } from 'zod';
import type { Line } from '../wire/wire.ts';
import type { WholeResponse } from './exchange.ts';

/** The server sent something that can't be parsed, or that can't be true. */
export class UnreadableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableError';
  }
}

const objectSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional(), resourceVersion: z.string().optional() }),
});

const listSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(objectSchema).nullish(),
});

const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: objectSchema }),
  z.object({ type: z.literal('BOOKMARK'), object: z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) }) }),
  z.object({ type: z.literal('ERROR'), object: z.unknown() }),
]);

export type ListPage = z.infer<typeof listSchema>;
export type WatchEvent = z.infer<typeof eventSchema>;

/** Reads one page of a list. @throws UnreadableError */
export function readListPage({ text, decoded }: Pick<WholeResponse, 'text' | 'decoded'>): ListPage {
  return check(listSchema, decoded ?? parse(text, 'a list'), 'a list');
}

/** Reads one line of a watch. @throws UnreadableError */
export function readWatchEvent(line: string | Line): WatchEvent {
  const json = typeof line === 'string' ? parse(line, 'a watch event') : (line.decoded ?? parse(line.text, 'a watch event'));
  return isChange(json) ? json : check(eventSchema, json, 'a watch event');
}

type ChangeEvent = Extract<WatchEvent, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

/** What the schema says of a change. Nearly all lines are changes, and the schema copies each of them. */
function isChange(json: unknown): json is ChangeEvent {
  const { type, object } = (json ?? {}) as { readonly type?: unknown; readonly object?: { readonly metadata?: Record<string, unknown> } };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return false;
  const { name, namespace, resourceVersion } = object?.metadata ?? {};
  return typeof name === 'string' && isTextOrAbsent(namespace) && isTextOrAbsent(resourceVersion);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableError(`${what} is not JSON: ${String(error)}`);
  }
}

function check<T>(schema: z.ZodType<T>, json: unknown, what: string): T {
  const result = schema.safeParse(json);
  if (!result.success) throw new UnreadableError(`${what} has the wrong shape: ${z.prettifyError(result.error)}`);
  return result.data;
}
