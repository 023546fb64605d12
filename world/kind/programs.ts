import { execa } from 'execa';

/** How a program ended. */
export interface ProgramEnd {
  /** Its exit code; undefined when a signal ended it or it was never started. */
  readonly code: number | undefined;
  /** There is no such program on PATH. */
  readonly isMissing: boolean;
  /** It did not end within its limit, and was ended. */
  readonly isLate: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a program is started with. */
export interface ProgramOptions {
  /** Longest that it may take. */
  readonly limitMs: number;
  /** Aborted: the program and all that it started are ended. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each line that it writes to standard error. */
  readonly onLine?: (line: string) => void;
}

/** Starts programs for one owner. */
export interface Programs {
  /** Runs a program to its end. Never rejects: what went wrong is in the answer. */
  run(program: string, args: readonly string[], options: ProgramOptions): Promise<ProgramEnd>;
}

/** From asking a program to end until it is killed. */
const END_GRACE_MS = 5_000;

/**
 * Programs in process groups of their own: Ctrl-C on a terminal reaches the harness alone, which ends them in order.
 * @param environment what they get beside the environment of this process; undefined takes a variable away
 */
export function createPrograms(environment: Readonly<Record<string, string | undefined>> = {}): Programs {
  return {
    run: async (program, args, { limitMs, signal, onLine }) => {
      const child = execa(program, args, {
        env: { ...environment },
        stdin: 'ignore',
        reject: false,
        timeout: limitMs,
        ...(signal === undefined ? {} : { cancelSignal: signal }),
        killDescendants: true,
        forceKillAfterDelay: END_GRACE_MS,
      });
      if (onLine !== undefined && child.pid !== undefined) void tell(child.iterable({ from: 'stderr' }), onLine);
      const { exitCode, code, timedOut, stdout, stderr } = await child;
      return { code: exitCode, isMissing: code === 'ENOENT', isLate: timedOut, stdout, stderr };
    },
  };
}

async function tell(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  try {
    for await (const line of lines) onLine(String(line));
  } catch {
    // How the program ended is told elsewhere.
  }
}
