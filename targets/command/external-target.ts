import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CutShortError } from '../../model/cut-short.ts';
import { defined } from '../../model/defined.ts';
import type { Address, ExternalAccess, Target, TargetProcess, TargetSite } from '../target.ts';
import type { Operations } from './pools.ts';
import { constantsOf } from './target-file.ts';
import type { ExternalTargetFile } from './target-file.ts';

/**
 * An externally run target, such as a Deployment in the cluster, that was configured to send its requests to our sockets. It is
 * ready with its first request; without one a trial can't be judged. In a world without wires it counts as ready
 * immediately.
 */
export function externalTarget(file: ExternalTargetFile, resources: readonly string[], operations: Operations): Target {
  const { within: withinMs, host, kube, aws } = file.external;
  const external = { kube, aws, withinMs, ...defined({ host }) };
  return {
    name: file.name,
    summary: `an externally run program, at ${formatAddress(kube)} and ${formatAddress(aws)}`,
    time: 'real',
    external,
    features: file.features,
    constants: constantsOf(file),
    resources,
    start: (site) => new Visits(site, external),
    ...operations,
  };
}

/** Receives the requests of one trial. */
class Visits implements TargetProcess {
  readonly ready: Promise<void>;
  readonly done: Promise<void>;
  readonly #folder: Promise<string>;

  constructor(site: TargetSite, external: ExternalAccess) {
    this.#folder = mkdtemp(join(tmpdir(), 'scaleproof-target-'));
    this.ready = this.#untilSeen(site, external);
    this.ready.catch(() => undefined);
    this.done = new Promise((resolve) => site.runtime.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  async kill(): Promise<void> {
    await rm(await this.#folder, { recursive: true, force: true });
  }

  async #untilSeen({ openSockets, runtime: { clock } }: TargetSite, { kube, aws, withinMs }: ExternalAccess): Promise<void> {
    if (openSockets === undefined) return;
    const seen = Promise.withResolvers<void>();
    const over = new AbortController();
    try {
      await openSockets(join(await this.#folder, 'kubeconfig'), { listen: { kube, aws }, onRequest: () => seen.resolve() });
    } catch (error) {
      throw new CutShortError(`the target's requests can't be received: ${error instanceof Error ? error.message : String(error)}`);
    }
    const late = clock.sleep(withinMs, over.signal).then(() => {
      throw new CutShortError(
        `no request of the target came to ${formatAddress(kube)} or ${formatAddress(aws)} within ${withinMs / 1_000} s: is it running, with the set-up that was printed?`,
      );
    });
    late.catch(() => undefined);
    try {
      await Promise.race([seen.promise, late]);
    } finally {
      over.abort(new Error('it was seen'));
    }
  }
}

function formatAddress({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
