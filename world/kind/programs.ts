import { defined } from '../../model/defined.ts';

/** The result of a program. */
export interface ProgramEnd {
  /** Its exit code; undefined if a signal killed it or it was never started. */
  readonly code: number | undefined;
  /** The program is not on PATH. */
  readonly isMissing: boolean;
  /** It did not finish within its limit, and was stopped. */
  readonly isLate: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a program. */
export interface ProgramOptions {
  /** Maximum run time. */
  readonly limitMs: number;
  /** When aborted, the program and everything that it started are stopped. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of its standard error. */
  readonly onLine?: (line: string) => void;
}

/** Starts programs for one owner. */
export interface Programs {
  /** Runs a program until it exits. Never rejects: failures are in the result. */
  run(program: string, args: readonly string[], options: ProgramOptions): Promise<ProgramEnd>;
}

/** From asking a program to stop until it is killed. */
const END_GRACE_MS = 5_000;

/**
 * Programs in their own process groups: Ctrl-C on a terminal reaches only the harness, which stops them in order.
 * @param environment added to this process's environment; undefined removes a variable
 */
export function createPrograms(environment: Readonly<Record<string, string | undefined>> = {}): Programs {
  return {
    run: async (program, args, { limitMs, signal, onLine }) => {
      // Most commands start no program.
      const { execa } = await import('execa');
      const child = execa(program, args, {
        env: { ...environment },
        stdin: 'ignore',
        reject: false,
        timeout: limitMs,
        ...defined({ cancelSignal: signal }),
        killDescendants: true,
        forceKillAfterDelay: END_GRACE_MS,
      });
      if (onLine !== undefined && child.pid !== undefined) void reportLines(child.iterable({ from: 'stderr' }), onLine);
      const { exitCode, code, timedOut, stdout, stderr } = await child;
      return { code: exitCode, isMissing: code === 'ENOENT', isLate: timedOut, stdout, stderr };
    },
  };
}

async function reportLines(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  try {
    for await (const line of lines) onLine(String(line));
  } catch {
    // The program's result is reported elsewhere.
  }
}
