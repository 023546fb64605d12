import { join } from 'node:path';
import { createKubeClient } from '../clients/kube.ts';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import { defined } from '../model/defined.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { claimCluster } from '../world/kind/claim.ts';
import type { WorldRef } from '../harness/world-for.ts';
import type { EndpointFacts } from '../reports/report-input.ts';
import { packageRoot } from '../model/package-root.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { ClusterError } from '../world/kind/diagnose.ts';
import { adoptKindCluster, createKindCluster, deleteKindCluster } from '../world/kind/kind.ts';
import type { KindCluster } from '../world/kind/kind.ts';
import { exportKindLogs } from '../world/kind/kind-logs.ts';
import { startLocalStack, stopLocalStack } from '../world/kind/localstack-container.ts';
import { createPrograms } from '../world/kind/programs.ts';
import { clusterRequirements } from '../world/kind/requirements.ts';
import { RUN_VARIABLE, clusterName, folderOf, openRun, runName } from '../world/kind/run-state.ts';
import type { OpenRun } from '../world/kind/run-state.ts';
import { CLUSTER } from '../world/embedded.ts';
import { endRun } from '../world/kind/sweep.ts';
import type { Console } from './console.ts';
import { probeLocalStack } from './probe-localstack.ts';
import type { NodesFlag } from './options.ts';
import type { Ec2Choice } from './choose-ec2.ts';
import type { ProvidedWorld } from './world-host.ts';
import { PartClock } from './world-host.ts';

/** The environment variable that names the node image of kind's clusters. */
export const IMAGE_VARIABLE = 'SCALEPROOF_KIND_IMAGE';

/** The flags of `--world kind`. */
export interface KindOptions {
  /** Keep the clusters after the run. */
  readonly keep: boolean;
  /** Name of an existing cluster: no cluster is created or deleted. */
  readonly reuse: string | undefined;
  /** Number of parallel trials, each in its own cluster. */
  readonly clusters: number;
  readonly ec2: Ec2Choice;
  readonly nodes: NodesFlag['kind'];
}

/** The world of `--world kind`: the run's own clusters, or an existing one, and LocalStack. */
export function provideKind({ keep, reuse, clusters, ec2, nodes }: KindOptions, console: Console): ProvidedWorld {
  const clock = createRealTimeline().scope('kind');
  const run = runName(clock);
  const programs = createPrograms({ [RUN_VARIABLE]: run });
  const wanted = Array.from({ length: clusters }, (_, index): KindCluster => ({
    name: reuse ?? clusterName(run, index + 1),
    kubeconfig: join(folderOf(run), `kubeconfig-${index + 1}`),
  }));
  const parts = new PartClock(clock);
  const say = (text: string): void => console.err(`kind: ${text}\n`);
  /** Undoes what was started, in reverse order. */
  const endings: (() => Promise<void> | void)[] = [];

  return {
    world: refOf(wanted[0] as KindCluster),
    host: {
      cleanUpHint: '`scaleproof sweep` removes what is left',
      get times() {
        return parts.times;
      },
      up: async ({ signal, directory }) => {
        const missing = (await clusterRequirements(programs)).find(({ isThere }) => !isThere);
        if (missing !== undefined)
          throw new ClusterError(
            `can't use kind: ${missing.name}: ${missing.found}`,
            `${missing.fix ?? ''} (scaleproof doctor shows everything)`,
          );
        signal.throwIfAborted();
        const aws =
          ec2.kind === 'localstack' && ec2.endpoint !== undefined ? { endpoint: ec2.endpoint, region: CLUSTER.region } : undefined;
        const opened = await openRun(run, { clock, programs, usesEngine: true, ...defined({ aws }) });
        endings.push(() => endRun(opened, { programs, clock }));
        const found = await together(signal, (either) => [localStackUp(either, opened), clustersUp(either, directory)] as const);
        return {
          worlds: wanted.map((cluster) => refOf(cluster, found?.endpoint, opened)),
          environment: { [RUN_VARIABLE]: run, TMPDIR: opened.folder },
          ...defined({ ec2: found }),
        };
      },
      down: async ({ logs }) => {
        if (logs !== undefined && endings.length > 0) for (const { name } of wanted) await collectLogs(name, join(logs, name));
        await endAll(endings.splice(0).reverse());
      },
    },
  };

  function refOf({ name, kubeconfig }: KindCluster, awsEndpoint?: string, opened?: OpenRun): WorldRef {
    return {
      kind: 'kind',
      kubeconfig,
      ec2: ec2.kind,
      ...defined({
        awsEndpoint,
        nodes: nodes === 'simulated' ? undefined : { cluster: name, run, folder: folderOf(run) },
        // Not needed for the run's own LocalStack, which is removed with its accounts.
        accountsFile: ec2.kind === 'localstack' && ec2.endpoint !== undefined ? opened?.accounts : undefined,
      }),
    };
  }

  async function localStackUp(signal: AbortSignal, { accounts }: OpenRun): Promise<EndpointFacts | undefined> {
    if (ec2.kind === 'embedded') return undefined;
    if (ec2.endpoint !== undefined) return probeLocalStack(ec2.endpoint, { clock, console, signal, accountsFile: accounts });
    say('starting LocalStack');
    const { result, took } = await parts.time('LocalStack', 'upMs', () => {
      return startLocalStack(programs, { run, region: CLUSTER.region, clock, signal });
    });
    endings.push(async () => {
      await parts.time('LocalStack', 'downMs', () => stopLocalStack(programs, result.id));
    });
    say(`LocalStack is up after ${took}`);
    return probeLocalStack(result.endpoint, { clock, console, signal, accountsFile: accounts });
  }

  /** The first one alone, since it pulls the image and creates kind's network. Then the others in parallel. */
  async function clustersUp(signal: AbortSignal, directory: string): Promise<void> {
    const [first, ...others] = wanted as [KindCluster, ...KindCluster[]];
    await clusterUp(first, signal, directory);
    if (others.length === 0) return;
    await together(signal, (either) => others.map((cluster) => clusterUp(cluster, either, directory)) as [Promise<void>]);
  }

  async function clusterUp(cluster: KindCluster, signal: AbortSignal, directory: string): Promise<void> {
    const { name } = cluster;
    if (reuse !== undefined) {
      await adoptKindCluster(programs, cluster);
      await claim(cluster);
      say(`using the cluster ${name}`);
      return;
    }
    const part = `cluster ${name}`;
    let isUp = false;
    endings.push(async () => {
      if (keep && isUp) {
        say(`the cluster ${name} is kept: use it again with --reuse ${name}, delete it with kind delete cluster --name ${name}`);
        return;
      }
      const { took } = await parts.time(part, 'downMs', () => deleteKindCluster(programs, cluster));
      say(`cluster ${name} deleted in ${took}`);
    });
    say(`creating the cluster ${name}`);
    try {
      const image = process.env[IMAGE_VARIABLE];
      const { took } = await parts.time(part, 'upMs', () =>
        createKindCluster(programs, {
          ...cluster,
          config: join(packageRoot(), 'kind-config.yaml'),
          ...defined({ image: image === '' ? undefined : image }),
          signal,
          onProgress: (step) => say(`${name}: ${step}`),
        }),
      );
      isUp = true;
      say(`the cluster ${name} is up after ${took}`);
    } catch (error) {
      if (!signal.aborted) await collectLogs(name, join(directory, 'kind', name));
      throw error;
    }
  }

  async function claim({ name, kubeconfig }: KindCluster): Promise<void> {
    const server = createHttpWire(await readKubeconfig(kubeconfig));
    try {
      await claimCluster(createKubeClient({ wire: server.wire, clock }), name);
    } finally {
      server.destroy();
    }
  }

  async function collectLogs(name: string, directory: string): Promise<void> {
    try {
      await exportKindLogs(programs, name, directory);
      say(`logs of the cluster: ${directory}`);
    } catch (error) {
      // The logs only help to explain another failure, which is reported anyway.
      say(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Runs all of them in order, even if some fail. The last one, which forgets the run, needs all others to have succeeded. */
async function endAll(endings: readonly (() => Promise<void> | void)[]): Promise<void> {
  const errors: Error[] = [];
  for (const [index, end] of endings.entries()) {
    if (index === endings.length - 1 && errors.length > 0) break;
    try {
      await end();
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
}

/**
 * Starts tasks in parallel and waits for all of them, so that nothing is still starting afterwards. The first failure aborts the
 * others.
 * @returns the result of the first task
 */
async function together<T>(signal: AbortSignal, begin: (signal: AbortSignal) => readonly [Promise<T>, ...Promise<unknown>[]]): Promise<T> {
  const failing = new AbortController();
  const works = begin(AbortSignal.any([signal, failing.signal]));
  const watched = works.map((work) =>
    work.catch((error: unknown) => {
      failing.abort(error);
    }),
  );
  await Promise.all(watched);
  signal.throwIfAborted();
  failing.signal.throwIfAborted();
  return works[0];
}
