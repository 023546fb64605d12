import { join } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import type { EndpointFacts, PartTimes } from '../reports/report-input.ts';
import type { Clock } from '../runtime/clock.ts';
import { ClusterError } from '../world/kind/diagnose.ts';
import { LocalStackError } from '../world/real/localstack/endpoint.ts';
import type { Target } from '../targets/target.ts';
import type { Console } from './console.ts';

/** A world that is up. */
export interface WorldUp {
  /** As many as there can be trials side by side: each takes one at a time. */
  readonly worlds: readonly WorldRef[];
  /** What was found of the EC2 that is not ours. */
  readonly ec2?: EndpointFacts;
  /** What programs started for its trials get in their environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a world needs outside of the trials' processes, which are only told how to reach it. */
export interface WorldHost {
  /**
   * Tells what is about to be done, and asks, where the world is not the run's alone.
   * @returns whether to go on
   * @throws UsageError when that is not allowed
   */
  agree?(run: { readonly target: Target; readonly trials: number }): Promise<boolean>;
  /**
   * @param options.directory of the run, for logs of what does not come up
   * @throws ClusterError or LocalStackError that says what to do
   */
  up(options: { readonly signal: AbortSignal; readonly directory: string }): Promise<WorldUp>;
  /**
   * Takes down what `up` started, all or part of it.
   * @param options.logs where to collect logs first
   * @throws ClusterError when some of it is still there
   */
  down(options: { readonly logs: string | undefined }): Promise<void>;
  /** How to remove what `down` could not. */
  readonly mend: string;
  /** How long its parts took so far to come up and to be taken down. */
  readonly times: readonly PartTimes[];
}

/** A world that trials can be planned in before it is there. */
export interface ProvidedWorld {
  /** What trials are told of it; by default the embedded one. */
  readonly world: WorldRef | undefined;
  /** What has to be up meanwhile, if anything. */
  readonly host?: WorldHost;
}

/** The times of a world's parts, in the order in which they began to come up. */
export class PartClock {
  readonly #clock: Clock;
  readonly #times: { part: string; upMs?: number; downMs?: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get times(): readonly PartTimes[] {
    return this.#times;
  }

  /** Does the work and notes how long it took, if it succeeded. @returns what it gave, and the time in words */
  async time<T>(part: string, way: 'upMs' | 'downMs', work: () => Promise<T>): Promise<{ readonly result: T; readonly took: string }> {
    const startMs = this.#clock.nowMs();
    const known = this.#times.find((one) => one.part === part);
    const times = known ?? { part };
    if (known === undefined) this.#times.push(times);
    const result = await work();
    const ms = Math.round(this.#clock.nowMs() - startMs);
    times[way] = ms;
    return { result, took: `${(ms / 1_000).toFixed(1)} s` };
  }
}

/** How a run in a world fared. */
export type Done<T> = (
  | { readonly result: T }
  /** Why there is none: the world did not come up. */
  | { readonly reason: string }
) & {
  /** Something of the world could not be taken down. */
  readonly isLeft: boolean;
};

/**
 * Does the work of a run while its world is up, and takes the world down again, whatever happens.
 * @param isWell whether logs are of no use to anybody
 */
export async function whileUp<T>(
  host: WorldHost | undefined,
  run: { readonly signal: AbortSignal; readonly directory: string; readonly console: Console },
  work: (up: WorldUp | undefined) => Promise<T>,
  isWell: (result: T) => boolean,
): Promise<Done<T>> {
  if (host === undefined) return { result: await work(undefined), isLeft: false };
  const { signal, directory, console } = run;
  let isWorthLogs = false;
  let done: { readonly result: T } | { readonly reason: string };
  let isLeft = false;
  try {
    const result = await work(await host.up({ signal, directory }));
    isWorthLogs = !signal.aborted && !isWell(result);
    done = { result };
  } catch (error) {
    if (signal.aborted && error === signal.reason) done = { reason: 'the run was interrupted before it began' };
    else {
      if (!(error instanceof ClusterError || error instanceof LocalStackError)) throw error;
      console.err(`scaleproof: ${error.message.replaceAll('\n', ' ')}\n`);
      done = { reason: error.message };
    }
  } finally {
    await host.down({ logs: isWorthLogs ? join(directory, 'kind') : undefined }).catch((error: unknown) => {
      isLeft = true;
      const what = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      console.err(`scaleproof: ${what}; ${host.mend}\n`);
    });
  }
  return { ...done, isLeft };
}
