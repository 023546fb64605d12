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
  /** Whether everything shall be told: a line for each trial, and all tables. By default what matters. */
  readonly verbose?: boolean;
}

const DEFAULT_COLUMNS = 80;

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
    columns: columnsOf(process.stdout) ?? columnsOf(process.stderr) ?? DEFAULT_COLUMNS,
  };
}

/** Undefined where it is no terminal, and of one that nobody has told its size, which says 0. */
function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}
