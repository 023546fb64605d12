import type { Bytes } from '../wire/wire.ts';
import { UnreadableError } from './watch-protocol.ts';

/** Longest line of a watch, in UTF-16 code units: client-go's limit for one frame of JSON is 16 MiB. */
export const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** Splits a stream of chunks into lines. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  readonly #maxLineLength: number;
  #rest = '';

  constructor(maxLineLength = MAX_LINE_LENGTH) {
    this.#maxLineLength = maxLineLength;
  }

  /**
   * Takes the next chunk. Returns the lines that it completed, without line ends and without blank lines. What follows
   * the last line end is kept for the next chunk.
   * @throws UnreadableError when a line is longer than the limit
   */
  push(chunk: Bytes): string[] {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    const parts = text.split('\n');
    const last = parts.pop() ?? '';
    const lines: string[] = [];
    for (const part of parts) {
      const line = this.#append(part).trim();
      this.#rest = '';
      if (line !== '') lines.push(line);
    }
    this.#rest = this.#append(last);
    return lines;
  }

  #append(part: string): string {
    if (this.#rest.length + part.length > this.#maxLineLength) {
      throw new UnreadableError(`a line is longer than ${this.#maxLineLength} characters`);
    }
    return this.#rest + part;
  }
}
