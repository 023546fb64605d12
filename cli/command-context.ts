import type { Console } from './console.ts';

/** What the definition of a command needs to run it. */
export interface CommandContext {
  readonly console: Console;
  /** Takes the exit code. */
  readonly finish: (code: number) => void;
}
