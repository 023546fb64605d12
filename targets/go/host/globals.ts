import { CONSTANTS } from './files.ts';
import { FetchHeaders } from './http.ts';
import type { Fetch } from './http.ts';

/** What a Go program's global object needs. */
export interface GlobalsSite {
  readonly fetch: Fetch;
  /** Functions of its file system. */
  readonly files: Readonly<Record<string, unknown>>;
  /** Receives what the program offers its host (see `targets/go/build/overlay.ts`). */
  readonly hooks: object;
  /** Called with errors that the program's own standard library logs. */
  readonly complain: (message: string) => void;
  readonly wallMs: () => number;
  readonly fillRandom: (bytes: Uint8Array) => void;
  /** The name under which it runs. */
  readonly name: string;
}

/** Process numbers as in a container, where the program is the first process. */
const PROCESS_ID = 1;
/** Karpenter's image, like most, runs as this user (`nonroot` of distroless). */
const USER_ID = 65_532;

/**
 * The global object of one Go program: only what its standard library uses, and nothing else of this process. `net/http` uses
 * `fetch` if there is one, and `time` takes the zone from Date, which is UTC here as in a container.
 */
export function createGlobals({ fetch, files, hooks, complain, wallMs, fillRandom, name }: GlobalsSite): Record<string, unknown> {
  const globals: Record<string, unknown> = {
    Object,
    Array,
    Uint8Array,
    Error,
    TypeError,
    Promise,
    AbortController,
    Headers: FetchHeaders,
    fetch,
    fs: { ...files, constants: CONSTANTS },
    goHost: hooks,
    console: { error: (...said: readonly unknown[]) => complain(said.map(String).join(' ')) },
    path: { resolve: (...parts: readonly string[]) => parts.join('/') },
    Date: dateOf(wallMs),
    process: {
      pid: PROCESS_ID,
      ppid: 0,
      argv0: name,
      getuid: () => USER_ID,
      geteuid: () => USER_ID,
      getgid: () => USER_ID,
      getegid: () => USER_ID,
      getgroups: () => [USER_ID],
      umask: () => 0o022,
      cwd: () => '/',
      chdir: () => undefined,
    },
    crypto: {
      getRandomValues: (bytes: Uint8Array) => {
        fillRandom(bytes);
        return bytes;
      },
    },
  };
  globals['globalThis'] = globals;
  return globals;
}

/** A Date with the trial's time, and only UTC. */
function dateOf(wallMs: () => number): unknown {
  return class {
    getTime(): number {
      return wallMs();
    }

    getTimezoneOffset(): number {
      return 0;
    }
  };
}
