import { readFileSync } from 'node:fs';
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

/**
 * Reads a history file.
 * @throws HistoryError when it can't be read or is invalid anywhere but in an unfinished last line
 */
export function readHistory(path: string): ReadHistory {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new HistoryError(`${path}: can't be read (${error instanceof Error ? error.message : String(error)})`);
  }
  return parseHistory(text, path);
}

/**
 * Reads the lines of a history. Events must count up from 0 and time must not go back.
 * @param name for messages
 * @throws HistoryError
 */
export function parseHistory(text: string, name: string): ReadHistory {
  const lines = text.split('\n');
  const unfinished = lines.pop() ?? '';
  const events = lines.map((line, index) => parseEvent(line, { name, line: index + 1 }));
  let truncated = false;
  if (unfinished !== '') {
    if (isJson(unfinished)) events.push(parseEvent(unfinished, { name, line: lines.length + 1 }));
    else truncated = true;
  }
  checkOrder(events, name);
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

function checkOrder(events: readonly HistoryEvent[], name: string): void {
  let beforeMs = 0;
  events.forEach((event, index) => {
    const place = { name, line: index + 1 };
    if (event.i !== index) throw refusal(place, `has i ${event.i}, expected ${index}`);
    if (event.t < beforeMs) throw refusal(place, `goes back in time: t ${event.t} after ${beforeMs}`);
    beforeMs = event.t;
  });
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
