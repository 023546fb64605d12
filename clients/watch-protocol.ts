import { z } from 'zod';

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
export function readListPage(text: string): ListPage {
  return read(listSchema, text, 'a list');
}

/** Reads one line of a watch. @throws UnreadableError */
export function readWatchEvent(line: string): WatchEvent {
  return read(eventSchema, line, 'a watch event');
}

function read<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UnreadableError(`${what} is not JSON: ${String(error)}`);
  }
  const result = schema.safeParse(json);
  if (!result.success) throw new UnreadableError(`${what} has the wrong shape: ${z.prettifyError(result.error)}`);
  return result.data;
}
