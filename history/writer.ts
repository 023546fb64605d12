import type { EventOf, HistoryEvent, NewEvent, Recorder } from './events.ts';
import { describeBytes, mayHoldSecrets, redact, redactAll } from './redact.ts';

/** A trial with more events than this is not recorded further, and its verdict is unknown. */
export const MAX_EVENTS = 500_000;
/** A line longer than this loses its request body, and its texts are cut. */
export const MAX_EVENT_BYTES = 64 * 1024;
/** How much of a text is kept in a line that is too long. */
const MAX_TEXT_LENGTH = 4_096;
/** Lines are buffered until they are flushed, but at most this many bytes. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

interface RecorderOptions {
  readonly nowMs: () => number;
  /** Start of the trial's clock, milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** Takes complete lines, each with its line feed; several at once. */
  readonly write: (lines: string) => void;
  /** MAX_EVENTS by default. */
  readonly maxEvents?: number;
}

/** A recorder that buffers lines until they are flushed. */
interface BufferedRecorder extends Recorder {
  /** Writes the buffered lines. */
  flush(): void;
}

/**
 * Writes a history: stamps events with their index and time, redacts secrets, and writes JSON lines with the fields in the
 * given order, so that equal trials give equal bytes.
 *
 * `record` returns the event's index. Once the history is full, one `harness.error` says so, and only the events that end a
 * trial are still written; `record` then returns the index of the last written event.
 */
export function createRecorder({ nowMs, startMs, write, maxEvents = MAX_EVENTS }: RecorderOptions): BufferedRecorder {
  let next = 0;
  let lines: string[] = [];
  let bufferedLength = 0;
  let isFull = false;

  const flush = (): void => {
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    bufferedLength = 0;
    write(text);
  };
  const append = (event: NewEvent): number => {
    const line = serialise({ i: next, t: nowMs() - startMs, ...event });
    lines.push(line);
    bufferedLength += line.length;
    next += 1;
    if (bufferedLength > MAX_BUFFERED_BYTES) flush();
    return next - 1;
  };
  return {
    flush,
    record(event) {
      if (next < maxEvents || event.type === 'supervisor' || event.type === 'trial.end') return append(event);
      if (!isFull) {
        isFull = true;
        return append({ type: 'harness.error', message: `the history is full: more than ${maxEvents} events` });
      }
      return next - 1;
    },
  };
}

/** One line of a history, with its line feed. */
function serialise(event: HistoryEvent): string {
  const plain = JSON.stringify(event);
  const clean = mayHoldSecrets(plain) ? withoutSecrets(event) : event;
  let line = clean === event ? plain : JSON.stringify(clean);
  if (Buffer.byteLength(line) > MAX_EVENT_BYTES) line = JSON.stringify(shorten(clean));
  return `${line}\n`;
}

function withoutSecrets(event: HistoryEvent): HistoryEvent {
  const clean = redact(event) as HistoryEvent;
  // The body of a request for a Secret may lack its kind.
  if (clean.type !== 'request.start' || !(clean.object?.startsWith('secrets') ?? false)) return clean;
  return { ...clean, input: redactAll(clean.input) as EventOf<'request.start'>['input'] };
}

/** The event with its request body replaced by size and digest, and its texts truncated. */
function shorten(event: HistoryEvent): HistoryEvent {
  const small: HistoryEvent =
    event.type === 'request.start' && event.input !== undefined
      ? { ...event, input: { omitted: `too long: ${describeBytes(JSON.stringify(event.input))}` } }
      : event;
  return cutTexts(small) as HistoryEvent;
}

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_TEXT_LENGTH) {
    return `${value.slice(0, MAX_TEXT_LENGTH)} [cut: ${value.length} characters]`;
  }
  if (Array.isArray(value)) return value.map(cutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, cutTexts(child)]));
}
