import { execa } from 'execa';
import { createRealTimeline } from '../../runtime/timeline.ts';

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
  /**
   * Whether nothing is to outlive it: what it left running in its process group is killed when it has ended, after a grace for what
   * still writes for it.
   */
  readonly leavesNothing?: boolean;
}

/** Starts programs for one owner. */
export interface Programs {
  /** Runs a program to its end. Never rejects: what went wrong is in the answer. */
  run(program: string, args: readonly string[], options: ProgramOptions): Promise<ProgramEnd>;
}

/** From asking a program to end until it is killed, and from its end until those that still have its output are. */
const END_GRACE_MS = 5_000;

/**
 * Programs in process groups of their own: Ctrl-C on a terminal reaches the harness alone, which ends them in order.
 * @param environment what they get beside the environment of this process; undefined takes a variable away
 */
export function createPrograms(environment: Readonly<Record<string, string | undefined>> = {}): Programs {
  return {
    run: async (program, args, { limitMs, signal, onLine, leavesNothing = false }) => {
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
      const closed = new AbortController();
      if (leavesNothing) child.nodeChildProcess.once('exit', () => void killLater(child, closed.signal));
      const { exitCode, code, timedOut, stdout, stderr } = await child;
      closed.abort();
      if (leavesNothing) child.kill('SIGKILL');
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

/** Kills what is left of a program's group, unless its output is closed before. */
async function killLater(child: { kill(signal: 'SIGKILL'): boolean }, closed: AbortSignal): Promise<void> {
  try {
    await createRealTimeline().scope('programs').sleep(END_GRACE_MS, closed);
    child.kill('SIGKILL');
  } catch {
    // Nobody has its output any more.
  }
}
