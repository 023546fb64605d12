import { join } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import type { EndpointFacts, PartTimes } from '../reports/report-input.ts';
import type { Clock } from '../runtime/clock.ts';
import { ClusterError } from '../world/kind/diagnose.ts';
import { LocalStackError } from '../world/real/localstack/endpoint.ts';
import type { Target } from '../targets/target.ts';
import type { Console } from './console.ts';

/** A running world. */
export interface WorldUp {
  /** One for each parallel trial: each runs one at a time. */
  readonly worlds: readonly WorldRef[];
  /** Facts about an EC2 that is not Scaleproof's own. */
  readonly ec2?: EndpointFacts;
  /** Environment variables for programs that its trials start. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The parts of a world that run outside the trials' processes. */
export interface WorldHost {
  /**
   * Prints the plan and asks the user, if others use the world, too.
   * @returns whether to continue
   * @throws UsageError when the user does not agree, or the target can't run there
   */
  agree?(run: { readonly target: Target; readonly trials: number }): Promise<boolean>;
  /**
   * @param options.directory of the run, for logs of parts that fail to start
   * @throws ClusterError or LocalStackError that says what to do
   */
  up(options: { readonly signal: AbortSignal; readonly directory: string }): Promise<WorldUp>;
  /**
   * Removes what `up` started, completely or in part.
   * @param options.logs the folder to collect logs in first
   * @throws ClusterError when something is left
   */
  down(options: { readonly logs: string | undefined }): Promise<void>;
  /** How the user can remove what `down` could not. */
  readonly cleanUpHint: string;
  /** How long its parts have taken so far to start and to be removed. */
  readonly times: readonly PartTimes[];
}

/** A world that trials can be planned for before it runs. */
export interface ProvidedWorld {
  /** The world for the trials; the embedded one by default. */
  readonly world: WorldRef | undefined;
  /** What has to run during the trials, if anything. */
  readonly host?: WorldHost;
}

/** Measures the parts of a world, in the order in which they were started. */
export class PartClock {
  readonly #clock: Clock;
  readonly #times: { part: string; upMs?: number; downMs?: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get times(): readonly PartTimes[] {
    return this.#times;
  }

  /** Does the work and records how long it took, if it succeeded. @returns its result, and the time in words */
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

/** The outcome of a run in a world. */
export type Done<T> = (
  | { readonly result: T }
  /** Why there is no result: the world did not start. */
  | { readonly reason: string }
) & {
  /** Something of the world could not be removed. */
  readonly isLeft: boolean;
};

/**
 * Starts the world of a run, does the work, and always removes the world again.
 * @param isWell whether logs are not needed
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
    if (signal.aborted && error === signal.reason) done = { reason: 'the run was interrupted before it started' };
    else {
      if (!(error instanceof ClusterError || error instanceof LocalStackError)) throw error;
      console.err(`scaleproof: ${error.message.replaceAll('\n', ' ')}\n`);
      done = { reason: error.message };
    }
  } finally {
    await host.down({ logs: isWorthLogs ? join(directory, 'kind') : undefined }).catch((error: unknown) => {
      isLeft = true;
      const what = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      console.err(`scaleproof: ${what}; ${host.cleanUpHint}\n`);
    });
  }
  return { ...done, isLeft };
}
