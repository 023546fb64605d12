import { join } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import { packageRoot } from '../model/package-root.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { ClusterError } from '../world/kind/diagnose.ts';
import { adoptKindCluster, createKindCluster, deleteKindCluster } from '../world/kind/kind.ts';
import type { KindCluster } from '../world/kind/kind.ts';
import { exportKindLogs } from '../world/kind/kind-logs.ts';
import { createPrograms } from '../world/kind/programs.ts';
import { clusterRequirements } from '../world/kind/requirements.ts';
import { RUN_VARIABLE, clusterName, folderOf, openRun, runName } from '../world/kind/run-state.ts';
import { chooseWorld } from './choose-world.ts';
import type { WORLDS } from './choose-world.ts';
import type { Console } from './console.ts';
import { UsageError } from './usage-error.ts';

/** The environment variable that names the node image of kind's clusters. */
export const IMAGE_VARIABLE = 'SCALEPROOF_KIND_IMAGE';

/** What a world needs outside of the trials' processes, which are only told how to reach it. */
export interface WorldHost {
  /**
   * @param directory of the run, for logs of what does not come up
   * @throws ClusterError that says what to do
   */
  up(options: { readonly signal: AbortSignal; readonly directory: string }): Promise<void>;
  /**
   * Takes down what `up` started, all or part of it.
   * @param logs where to collect logs first
   * @throws ClusterError when some of it is still there
   */
  down(options: { readonly logs: string | undefined }): Promise<void>;
}

/** A world that trials can be planned in before it is there. */
export interface ProvidedWorld {
  /** What trials are told of it; by default the embedded one. */
  readonly world: WorldRef | undefined;
  /** What has to be up meanwhile, if anything. */
  readonly host?: WorldHost;
}

/** The flags that say where to run. */
export interface WorldFlags {
  readonly kubeconfig: string | undefined;
  readonly awsEndpoint: string | undefined;
  readonly keep: boolean;
  readonly reuse: string | undefined;
}

/**
 * The world that the flags name; nothing is started yet.
 * @throws UsageError when a flag is missing, or says nothing in this world
 */
export function provideWorld(name: (typeof WORLDS)[number], flags: WorldFlags, console: Console): ProvidedWorld {
  const { kubeconfig, awsEndpoint, keep, reuse } = flags;
  if (name === 'kind') {
    if (kubeconfig !== undefined) throw new UsageError('--kubeconfig names the cluster of --world existing; --world kind makes its own');
    if (awsEndpoint !== undefined) throw new UsageError('--aws-endpoint is for --world existing');
    return provideKind({ keep, reuse }, console);
  }
  if (keep || reuse !== undefined)
    throw new UsageError(`--${keep ? 'keep' : 'reuse'} is for --world kind, which makes a cluster of its own`);
  return { world: chooseWorld(name, { kubeconfig, awsEndpoint }) };
}

/**
 * The world of `--world kind`: a cluster of the run's own, or one that is there already.
 * @param keep the cluster outlives the run
 * @param reuse name of a cluster that is there: nothing is made, nothing is deleted
 */
function provideKind({ keep, reuse }: { readonly keep: boolean; readonly reuse: string | undefined }, console: Console): ProvidedWorld {
  const clock = createRealTimeline().scope('kind');
  const run = runName(clock);
  const programs = createPrograms({ [RUN_VARIABLE]: run });
  const cluster: KindCluster = { name: reuse ?? clusterName(run, 1), kubeconfig: join(folderOf(run), 'kubeconfig') };
  const say = (text: string): void => console.err(`kind: ${text}\n`);
  const endings: (() => Promise<void> | void)[] = [];

  return {
    world: { kind: 'kind', kubeconfig: cluster.kubeconfig },
    host: {
      up: async ({ signal, directory }) => {
        const missing = (await clusterRequirements(programs)).find(({ isThere }) => !isThere);
        if (missing !== undefined)
          throw new ClusterError(
            `can't use kind: ${missing.name}: ${missing.found}`,
            `${missing.mend ?? ''} (scaleproof doctor shows all)`,
          );
        signal.throwIfAborted();
        const opened = await openRun(run, clock, programs);
        endings.push(() => opened.close());
        if (reuse !== undefined) {
          await adoptKindCluster(programs, cluster);
          say(`using the cluster ${cluster.name}`);
          return;
        }
        const { since } = stopwatch(clock);
        let isUp = false;
        endings.push(async () => {
          if (keep && isUp) {
            say(
              `the cluster ${cluster.name} is kept: use it again with --reuse ${cluster.name}, delete it with kind delete cluster --name ${cluster.name}`,
            );
            return;
          }
          const { since: sinceDown } = stopwatch(clock);
          await deleteKindCluster(programs, cluster);
          say(`cluster ${cluster.name} deleted in ${sinceDown()}`);
        });
        say(`creating the cluster ${cluster.name}`);
        try {
          const image = process.env[IMAGE_VARIABLE];
          await createKindCluster(programs, {
            ...cluster,
            config: join(packageRoot(), 'kind-config.yaml'),
            ...(image === undefined || image === '' ? {} : { image }),
            signal,
            onProgress: (step) => say(`${since()}: ${step}`),
          });
          isUp = true;
        } catch (error) {
          if (!signal.aborted) await collectLogs(join(directory, 'kind'));
          throw error;
        }
        say(`${since()}: the cluster is up`);
      },
      down: async ({ logs }) => {
        if (logs !== undefined && endings.length > 0) await collectLogs(logs);
        // Last first; what can't be ended leaves the state of the run, for a sweep to read.
        for (const end of endings.splice(0).reverse()) await end();
      },
    },
  };

  async function collectLogs(directory: string): Promise<void> {
    try {
      await exportKindLogs(programs, cluster.name, directory);
      say(`logs of the cluster: ${directory}`);
    } catch (error) {
      // They help to understand another failure, which is told anyway.
      say(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Seconds from now, in words. */
function stopwatch(clock: Clock): { since(): string } {
  const startMs = clock.nowMs();
  return { since: () => `${((clock.nowMs() - startMs) / 1_000).toFixed(1)} s` };
}

/**
 * Does the work of a run while its world is up, and takes the world down again, whatever happens.
 * @param isWell whether logs are of no use to anybody
 * @returns what the work gave; or why there was none, when the world did not come up
 */
export async function whileUp<T>(
  host: WorldHost | undefined,
  run: { readonly signal: AbortSignal; readonly directory: string; readonly console: Console },
  work: () => Promise<T>,
  isWell: (result: T) => boolean,
): Promise<{ readonly result: T } | { readonly reason: string }> {
  if (host === undefined) return { result: await work() };
  const { signal, directory, console } = run;
  let logs: string | undefined;
  try {
    await host.up({ signal, directory });
    const result = await work();
    if (!signal.aborted && !isWell(result)) logs = join(directory, 'kind');
    return { result };
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { reason: 'the run was interrupted before it began' };
    if (!(error instanceof ClusterError)) throw error;
    console.err(`scaleproof: ${error.message.replaceAll('\n', ' ')}\n`);
    return { reason: error.message };
  } finally {
    await host.down({ logs }).catch((error: unknown) => {
      const what = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      console.err(`scaleproof: ${what}; \`scaleproof sweep\` removes what is left\n`);
    });
  }
}
