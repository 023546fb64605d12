import { execa } from 'execa';
import { defined } from '../../../model/defined.ts';
import { BuildError } from './build-error.ts';

/** How the Go command ended. */
export interface GoEnd {
  /** Whether it did what it was told. */
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** How it is called. */
export interface GoCall {
  readonly directory: string;
  /** Told of each line of its standard error. */
  readonly onLine?: (line: string) => void;
}

/** The Go command on PATH, for one build. */
export interface GoTool {
  /** @throws BuildError where there is no Go, or it is too old; the signal's reason when it is aborted: no child is left then */
  run(args: readonly string[], call: GoCall): Promise<GoEnd>;
  /** The same command with another toolchain and other variables. */
  with(program: string, environment: Readonly<Record<string, string>>): GoTool;
}

/** From asking it to end until it is killed. */
const END_GRACE_MS = 2_000;
/** Of one call. A cold build of a large program takes minutes on a small machine. */
const LIMIT_MS = 3_600_000;

/**
 * What is the same for every build. GOFLAGS can't be emptied but by another value, and go.mod is a copy that may change: a
 * replacement needs sums of its own.
 */
const ENVIRONMENT = { GOOS: 'js', GOARCH: 'wasm', CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=mod' } as const;

/**
 * @param what is to be built, and which Go builds it, for messages
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
      if (timedOut) throw new BuildError(`go ${args[0] ?? ''} did not end within ${LIMIT_MS / 60_000} minutes`);
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

/** As the Go command says it, in JSON with an escaped sign. */
const TOO_OLD = /requires go (?:>=|\\u003e=) (\S+) \(running go ([^;)]+)(?:; GOTOOLCHAIN=([^)]+))?\)/;

/** @throws BuildError where that is what it says */
function refuseOldGo(said: string, name: string): void {
  const [, needed, running, policy] = TOO_OLD.exec(said) ?? [];
  if (needed === undefined || running === undefined) return;
  const mend =
    policy === undefined
      ? `install Go ${needed} or later from https://go.dev/dl`
      : `install Go ${needed} or later from https://go.dev/dl, or set GOTOOLCHAIN=auto, with which Go fetches it by itself (it is ${policy} here)`;
  throw new BuildError(`${name} needs Go ${needed}, and this is Go ${running}: ${mend}`, { isRefusal: true });
}

async function tell(lines: AsyncIterable<unknown>, onLine: (line: string) => void): Promise<void> {
  try {
    for await (const line of lines) onLine(String(line));
  } catch {
    // How it ended is told elsewhere.
  }
}
