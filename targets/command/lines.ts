import type { LogLevel } from '../../runtime/log.ts';

/** How much of one line is kept. */
const MAX_LINE_LENGTH = 4_096;

/** Splits a stream of text into lines and truncates long ones, so that memory is bounded whatever a program writes. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  #line = '';
  #isCut = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    const [first = '', ...rest] = text.split('\n');
    this.#append(first);
    for (const part of rest) {
      this.#finish();
      this.#append(part);
    }
  }

  /** The stream has ended: the rest without a line feed is a line too. */
  end(): void {
    if (this.#line !== '') this.#finish();
  }

  #append(text: string): void {
    const room = MAX_LINE_LENGTH - this.#line.length;
    this.#line += text.slice(0, room);
    this.#isCut ||= text.length > room;
  }

  #finish(): void {
    const line = this.#line.replace(/\r$/, '');
    const isCut = this.#isCut;
    this.#line = '';
    this.#isCut = false;
    if (line !== '') this.#onLine(isCut ? `${line} [cut]` : line);
  }
}

/** Usually enough to see why a program exited. */
const MAX_LAST_LINES = 5;
const MAX_LAST_LENGTH = 300;

/** With such a line a Go program begins to die; its stacks follow. */
const GO_CRASH = /^(?:panic|fatal error): /;

/** The last lines of a program, bounded, joined to one line; of a Go program that crashed only the one that says why. */
export class LastWords {
  readonly #lines: string[] = [];
  #hasCrashed = false;

  hear(line: string): void {
    if (this.#hasCrashed) return;
    if (GO_CRASH.test(line)) {
      this.#hasCrashed = true;
      this.#lines.length = 0;
    }
    this.#lines.push(line.length > MAX_LAST_LENGTH ? `${line.slice(0, MAX_LAST_LENGTH)} [cut]` : line);
    if (this.#lines.length > MAX_LAST_LINES) this.#lines.shift();
  }

  text(): string {
    return this.#lines.map((line) => line.trim()).join(' | ');
  }
}

/** Go and Node programs write JSON lines; controller-runtime logs a recovered panic as "Observed a panic". */
export function levelOf(line: string): LogLevel {
  if (/\bObserved a panic\b/.test(line)) return 'panic';
  const [, level] = /"level" *: *"(\w+)"/i.exec(line) ?? /^([EWF])\d{4} \d\d:\d\d:\d\d\./.exec(line) ?? [];
  if (/"panic" *: *true/.test(line)) return 'panic';
  switch (level?.toLowerCase()) {
    case 'warn':
    case 'warning':
    case 'w':
      return 'warn';
    case 'error':
    case 'fatal':
    case 'panic':
    case 'dpanic':
    case 'e':
    case 'f':
      return 'error';
    default:
      return 'info';
  }
}
