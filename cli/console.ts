/** Where a command prints. */
export interface Console {
  /** Results: standard output. */
  out(text: string): void;
  /** Progress and errors: standard error. */
  err(text: string): void;
  /** Whether standard error is a terminal, so that a progress line can be rewritten. */
  readonly interactive: boolean;
  readonly color: boolean;
  /** Columns of the terminal, or a sensible default without one. */
  readonly columns: number;
  /** Print everything: a line for each trial, and all tables. */
  readonly verbose?: boolean;
}

export const DEFAULT_COLUMNS = 80;

/** The process's own console. Colour only on a terminal, and only if NO_COLOR is not set. */
export function processConsole(): Console {
  const isTerminal = process.stdout.isTTY;
  // A reader that closes its pipe early (`| head`) must not end the run.
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

/** Undefined without a terminal, and for a terminal of unknown size, which reports 0. */
function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}
