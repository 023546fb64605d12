import { defined } from '../../../model/defined.ts';
import { BuildError } from './build-error.ts';

/** The result of a Go command. */
export interface GoEnd {
  /** Whether it succeeded. */
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to call it. */
export interface GoCall {
  readonly directory: string;
  /** Called with each line of its standard error. */
  readonly onLine?: (line: string) => void;
}

/** The Go command on PATH, for one build. */
export interface GoTool {
  /** @throws BuildError if Go is missing or too old; the signal's reason when it is aborted, after the child has exited */
  run(args: readonly string[], call: GoCall): Promise<GoEnd>;
  /** The same command with another toolchain and other variables. */
  with(program: string, environment: Readonly<Record<string, string>>): GoTool;
}

/** From telling it to stop until it is killed. */
const END_GRACE_MS = 2_000;
/** Limit of one call. A cold build of a large program takes minutes on a small machine. */
const LIMIT_MS = 3_600_000;

/**
 * The same for every build. GOFLAGS can only be overridden by a value, not removed; and go.mod is a copy that may be changed,
 * because a replacement needs its own checksums.
 */
const ENVIRONMENT = { GOOS: 'js', GOARCH: 'wasm', CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=mod' } as const;

/**
 * @param what the program and the required Go, for messages
 */
export function createGo(
  what: { readonly name: string; readonly goHint: string },
  signal: AbortSignal | undefined,
  program = 'go',
  environment: Readonly<Record<string, string>> = {},
): GoTool {
  return {
    run: async (args, { directory, onLine }) => {
      signal?.throwIfAborted();
      // Most commands start no program.
      const { execa } = await import('execa');
      const child = execa(program, args, {
        cwd: directory,
        env: { ...ENVIRONMENT, ...environment, PWD: directory },
        stdin: 'ignore',
        reject: false,
        timeout: LIMIT_MS,
        maxBuffer: 2 ** 26,
        ...defined({ cancelSignal: signal }),
        killDescendants: true,
        forceKillAfterDelay: END_GRACE_MS,
      });
      const told = onLine === undefined || child.pid === undefined ? undefined : tell(child.iterable({ from: 'stderr' }), onLine);
      const { exitCode, code, timedOut, stdout, stderr } = await child;
      await told;
      signal?.throwIfAborted();
      if (code === 'ENOENT') throw new BuildError(missing(what), { isRefusal: true });
      if (timedOut) throw new BuildError(`go ${args[0] ?? ''} did not exit within ${LIMIT_MS / 60_000} minutes`);
      const end = { isDone: exitCode === 0, stdout, stderr };
      if (!end.isDone) refuseOldGo(`${stdout}\n${stderr}`, what.name);
      return end;
    },
    with: (other, more) => createGo(what, signal, other, { ...environment, ...more }),
  };
}

function missing({ name, goHint }: { readonly name: string; readonly goHint: string }): string {
  return `${name} is built with Go, and there is no go on PATH: install ${goHint} from https://go.dev/dl`;
}

/** In the Go command's words; in JSON with an escaped sign. */
const TOO_OLD = /requires go (?:>=|\\u003e=) (\S+) \(running go ([^;)]+)(?:; GOTOOLCHAIN=([^)]+))?\)/;

/** @throws BuildError if that is the error */
function refuseOldGo(said: string, name: string): void {
  const [, needed, running, policy] = TOO_OLD.exec(said) ?? [];
  if (needed === undefined || running === undefined) return;
  const fix =
    policy === undefined
      ? `install Go ${needed} or later from https://go.dev/dl`
      : `install Go ${needed} or later from https://go.dev/dl, or set GOTOOLCHAIN=auto, so that Go downloads it (it is ${policy} here)`;
  throw new BuildError(`${name} needs Go ${needed}, and this is Go ${running}: ${fix}`, { isRefusal: true });
}

async function tell(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  try {
    for await (const line of lines) onLine(String(line));
  } catch {
    // The call's own result has the error.
  }
}
