/** Where a command prints. */
export interface Console {
  /** Results: standard output. */
  out(text: string): void;
  /** Progress and errors: standard error. */
  err(text: string): void;
  /** Whether standard error is a terminal that a progress line can be rewritten on. */
  readonly interactive: boolean;
  readonly color: boolean;
  /** Columns of the terminal, or a sensible width without one. */
  readonly columns: number;
}

const DEFAULT_COLUMNS = 120;

/** The process's own console. Colour only on a terminal, and not where NO_COLOR is set. */
export function processConsole(): Console {
  const isTerminal = process.stdout.isTTY;
  // A reader that has seen enough (`| head`) ends neither the run nor its verdict.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    interactive: process.stderr.isTTY && process.env['CI'] === undefined,
    color: isTerminal && (process.env['NO_COLOR'] ?? '') === '',
    // A terminal that nobody has told its size says 0.
    columns: isTerminal && process.stdout.columns > 0 ? process.stdout.columns : DEFAULT_COLUMNS,
  };
}
