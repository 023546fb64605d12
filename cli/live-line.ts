import type { Console } from './console.ts';

const REWRITE = '\r\u001b[K';

/** The last line of a terminal, which is rewritten; other lines are printed above it. Without a terminal it is not shown. */
export class LiveLine {
  readonly #console: Console;
  #shown = '';

  constructor(console: Console) {
    this.#console = console;
  }

  /** @param text fits the terminal */
  show(text: string): void {
    this.#shown = text;
    if (this.#console.interactive) this.#console.err(`${REWRITE}${text}`);
  }

  /** Prints lines that stay. */
  print(lines: string): void {
    this.#console.err(this.#console.interactive ? `${REWRITE}${lines}\n${this.#shown}` : `${lines}\n`);
  }

  close(): void {
    this.show('');
  }
}
