import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import type { ResultPromise } from 'execa';
import { createRealTimeline } from '../runtime/timeline.ts';
import { artefactsFolder } from '../targets/go/artefacts/cache.ts';

/** The newest release that the Go module proxy has. */
export const TOXIPROXY_VERSION = 'v2.5.0';
const PACKAGE = 'github.com/Shopify/toxiproxy/v2/cmd/server';
const BUILD_TIMEOUT_MS = 300_000;
/** How long it may take to listen. */
const START_ATTEMPTS = 100;
const ATTEMPT_PERIOD_MS = 50;

/** A running Toxiproxy without toxics. */
export interface Toxiproxy {
  /** `HOST:PORT`; what it forwards is not changed. */
  readonly address: string;
  readonly pid: number;
  stop(): void;
}

/** Builds Toxiproxy, unless an earlier run did. @returns the program, or why there is none */
async function build(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const folder = join(artefactsFolder(), '..', `toxiproxy-${TOXIPROXY_VERSION}`);
  const program = join(folder, 'server');
  if (existsSync(program)) return { program };
  await mkdir(folder, { recursive: true });
  const options = { cwd: folder, env: { GOBIN: folder, GOFLAGS: '-mod=mod' }, reject: false, timeout: BUILD_TIMEOUT_MS } as const;
  const built = await execa('go', ['install', `${PACKAGE}@${TOXIPROXY_VERSION}`], options);
  if (!built.failed) return { program };
  const why =
    built.code === 'ENOENT' ? 'Go is not installed' : `it can't be built: ${built.stderr.trim().split('\n').at(-1) ?? built.shortMessage}`;
  return { missing: why };
}

/** Starts Toxiproxy before `upstream`. @param upstream `HOST:PORT` @returns why it is missing, if it is */
export async function startToxiproxy(upstream: string): Promise<Toxiproxy | { readonly missing: string }> {
  const built = await build();
  if ('missing' in built) return built;
  const [port, apiPort] = [await freePort(), await freePort()];
  const child: ResultPromise<{ reject: false; stdio: 'ignore' }> = execa(built.program, ['-host', '127.0.0.1', '-port', String(apiPort)], {
    reject: false,
    stdio: 'ignore',
    env: { LOG_LEVEL: 'error' },
  });
  const stop = (): void => void child.kill();
  const address = `127.0.0.1:${port}`;
  const body = JSON.stringify({ name: 'bench', listen: address, upstream, enabled: true });
  const clock = createRealTimeline().scope('toxiproxy');
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    await clock.sleep(ATTEMPT_PERIOD_MS);
    const answer = await fetch(`http://127.0.0.1:${apiPort}/proxies`, { method: 'POST', body }).catch(() => undefined);
    if (answer?.status === 201 && child.pid !== undefined) return { address, pid: child.pid, stop };
  }
  stop();
  return { missing: `it did not listen within ${(START_ATTEMPTS * ATTEMPT_PERIOD_MS) / 1_000} s` };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
