import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { HISTORY_FORMAT, eventSchema } from './events.ts';
import type { HistoryEvent } from './events.ts';

/** A history that can't be read; the message gives file, line and problem. */
export class HistoryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HistoryError';
  }
}

interface ReadHistory {
  readonly events: HistoryEvent[];
  /** The last line was cut off: the process that wrote it was killed. */
  readonly truncated: boolean;
}

/** How much of a file is read at once. A history of a large cluster is longer than any text can be. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * Reads a history file.
 * @throws HistoryError when it can't be read or is invalid anywhere but in an unfinished last line
 */
export function readHistory(path: string): ReadHistory {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return readChunks(chunksOf(file, path), path);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the lines of a history. Events must count up from 0 and time must not go back.
 * @param name for messages
 * @throws HistoryError
 */
export function parseHistory(text: string, name: string): ReadHistory {
  return readChunks([text], name);
}

/** @throws HistoryError */
function* chunksOf(file: number, path: string): Generator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    let length: number;
    try {
      length = readSync(file, buffer);
    } catch (error) {
      throw unreadable(path, error);
    }
    if (length === 0) break;
    yield decoder.write(buffer.subarray(0, length));
  }
  yield decoder.end();
}

function readChunks(chunks: Iterable<string>, name: string): ReadHistory {
  const events: HistoryEvent[] = [];
  const add = (line: string): void => {
    events.push(inOrder(parseEvent(line, { name, line: events.length + 1 }), events, name));
  };
  let unfinished = '';
  for (const chunk of chunks) {
    const lines = (unfinished + chunk).split('\n');
    unfinished = lines.pop() ?? '';
    lines.forEach(add);
  }
  const truncated = unfinished !== '' && !isJson(unfinished);
  if (unfinished !== '' && !truncated) add(unfinished);
  return { events, truncated };
}

interface Place {
  readonly name: string;
  readonly line: number;
}

function parseEvent(line: string, place: Place): HistoryEvent {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    throw refusal(place, 'is not JSON');
  }
  const { type, format } = (raw ?? {}) as { type?: unknown; format?: unknown };
  if (type === 'trial.begin' && format !== HISTORY_FORMAT) {
    throw refusal(place, `has history format ${JSON.stringify(format)}; this version reads format ${HISTORY_FORMAT} only`);
  }
  const parsed = eventSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? 'the event' : issue.path.join('.');
  throw refusal(place, `is not an event: ${field}: ${issue?.message ?? 'not valid'} (type ${JSON.stringify(type)})`);
}

/** The event, if it follows those before. */
function inOrder(event: HistoryEvent, before: readonly HistoryEvent[], name: string): HistoryEvent {
  const place = { name, line: before.length + 1 };
  const beforeMs = before.at(-1)?.t ?? 0;
  if (event.i !== before.length) throw refusal(place, `has i ${event.i}, expected ${before.length}`);
  if (event.t < beforeMs) throw refusal(place, `goes back in time: t ${event.t} after ${beforeMs}`);
  return event;
}

function unreadable(path: string, error: unknown): HistoryError {
  return new HistoryError(`${path}: can't be read (${error instanceof Error ? error.message : String(error)})`);
}

function refusal({ name, line }: Place, message: string): HistoryError {
  return new HistoryError(`${name}: line ${line} ${message}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
