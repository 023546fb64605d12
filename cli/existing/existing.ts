import { readContextName, readKubeconfig } from '../../clients/kubeconfig.ts';
import { createKubeClient } from '../../clients/kube.ts';
import { KubeError } from '../../clients/kube-client.ts';
import type { Discovery, KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { WorldRef } from '../../harness/world-for.ts';
import { defined } from '../../model/defined.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import { readText } from '../../wire/wire.ts';
import { CLUSTER } from '../../world/embedded.ts';
import { ClusterError } from '../../world/kind/diagnose.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import { RUN_VARIABLE, openRun, runName } from '../../world/kind/run-state.ts';
import type { OpenRun } from '../../world/kind/run-state.ts';
import { endRun } from '../../world/kind/sweep.ts';
import { cleanUp } from '../../world/real/tenant/clean.ts';
import { MAX_PODS, Tenant } from '../../world/real/tenant/tenant.ts';
import type { Console } from '../console.ts';
import { probeLocalStack } from '../probe-localstack.ts';
import type { ProvidedWorld, WorldHost } from '../world-host.ts';
import { UsageError } from '../usage-error.ts';
import { askToContinue } from './confirm.ts';
import { formatPlan, lookAt } from './plan.ts';

/** The flags of `--world existing`. */
export interface ExistingOptions {
  readonly kubeconfig: string;
  /** In routed mode of LocalStack, in observed mode of the EC2 to watch. */
  readonly endpoint: string | undefined;
  readonly mode: 'routed' | 'observed';
  readonly prefix: string;
  readonly maxInstances: number;
  /** Whether the user has confirmed the plan already. */
  readonly yes: boolean;
  /** Only print the plan. */
  readonly planOnly: boolean;
}

/** How long a run's objects may take to disappear at its end; in observed mode the target terminates real instances first. */
const CLEANUP_TIMEOUT_MS = { routed: 10_000, observed: 120_000 } as const;
/** How long to wait for a new namespace: pods can't be created in it before it has a service account. */
const ACCOUNT_TRIES = 40;
const ACCOUNT_PERIOD_MS = 250;

/** An existing cluster with other users: the run has its own namespace and leaves everything else alone. */
export function provideExisting(options: ExistingOptions, console: Console): ProvidedWorld {
  const { kubeconfig, endpoint, mode, prefix, maxInstances } = options;
  const clock = createRealTimeline().scope('existing');
  const run = runName(clock);
  const tenancy = { run, prefix };
  const region = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? CLUSTER.region;
  const observed = mode === 'observed' ? defined({ ec2: endpoint === undefined ? undefined : { endpoint, region } }) : undefined;
  const world: WorldRef = {
    kind: 'existing',
    kubeconfig,
    ...defined({ awsEndpoint: endpoint }),
    tenancy,
    maxInstances,
    ...defined({ observed }),
  };
  return { world, host: hostOf(options, world, new Tenant(tenancy), console) };
}

function hostOf(options: ExistingOptions, world: WorldRef, tenant: Tenant, console: Console): WorldHost {
  const { endpoint, mode } = options;
  const clock = createRealTimeline().scope('existing');
  let opened: OpenRun | undefined;

  return {
    times: [],
    cleanUpHint: `\`scaleproof sweep\` removes what is left: it has the label ${tenant.selector}`,
    agree: async ({ target, trials }) => {
      const isExternal = target.external !== undefined;
      if (mode === 'observed' && !isExternal)
        throw new UsageError(
          `--mode observed needs an autoscaler that already runs, from a file with \`external\` (docs/targets.md); ${target.name} is started by Scaleproof`,
        );
      const facts = await withClient(options, (client, about) => lookAt(client, about));
      const plan = {
        tenant,
        mode,
        target: target.name,
        canTaint: target.features.includes('taints'),
        isExternal,
        trials,
        maxPods: MAX_PODS,
        maxInstances: options.maxInstances,
        aws: describeAws(options),
      };
      for (const line of formatPlan(facts, plan)) (options.planOnly ? console.out : console.err)(`${line}\n`);
      if (options.planOnly) return false;
      if (!options.yes) await askToContinue(console);
      return true;
    },
    up: async ({ signal }) => {
      signal.throwIfAborted();
      const isRouted = mode === 'routed';
      const programs = createPrograms();
      await withClient(options, async (client, { server }) => {
        opened = await openRun(tenant.run, {
          clock,
          programs,
          usesEngine: false,
          ...defined({ aws: endpoint === undefined || !isRouted ? undefined : { endpoint, region: CLUSTER.region } }),
          tenancy: { kubeconfig: options.kubeconfig, server, run: tenant.run, prefix: options.prefix, isOwnTarget: isRouted },
        });
        await createNamespace(client, tenant, clock);
      });
      const environment = { [RUN_VARIABLE]: tenant.run, ...defined({ TMPDIR: opened?.folder }) };
      if (endpoint === undefined || !isRouted || opened === undefined) return { worlds: [world], environment };
      const ec2 = await probeLocalStack(endpoint, { clock, console, signal, accountsFile: opened.accounts });
      return { worlds: [{ ...world, accountsFile: opened.accounts }], environment, ec2 };
    },
    down: async () => {
      if (opened === undefined) return;
      const cleaning = {
        clock,
        owner: tenant,
        timeoutMs: CLEANUP_TIMEOUT_MS[mode],
        removeFinalizers: mode === 'routed',
        runContinues: false,
      };
      const left = await withClient(options, (client) => cleanUp({ ...cleaning, client }));
      if (left.length > 0) throw new ClusterError('some objects of this run still exist', left.join(', '));
      await endRun(opened, { programs: createPrograms(), clock });
    },
  };
}

function describeAws({ endpoint, mode }: ExistingOptions): string {
  if (mode === 'routed')
    return endpoint === undefined
      ? "Scaleproof's own, in memory: no instance is real"
      : `Scaleproof's own before the LocalStack at ${endpoint}`;
  return endpoint === undefined
    ? "the target's own, not watched (--aws-endpoint): instances are known only from their nodes"
    : `the target's own, watched at ${endpoint}`;
}

interface About {
  readonly server: string;
  readonly context: string;
  readonly version: string;
}

/** Runs work with a client of the cluster. @throws UsageError for a bad kubeconfig @throws ClusterError when the cluster can't be used */
async function withClient<T>(
  { kubeconfig }: ExistingOptions,
  work: (client: KubeClient & Discovery, about: About) => Promise<T>,
): Promise<T> {
  const clock = createRealTimeline().scope('existing');
  let access: Awaited<ReturnType<typeof readKubeconfig>>;
  let context: string;
  try {
    access = await readKubeconfig(kubeconfig);
    context = readContextName(kubeconfig);
  } catch (error) {
    throw new UsageError(`--kubeconfig ${kubeconfig}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const http = createHttpWire(access);
  try {
    const client = createKubeClient({ wire: http.wire, clock });
    const version = await http.wire({ method: 'GET', path: '/version', headers: { accept: 'application/json' } });
    const { gitVersion = 'unknown' } = JSON.parse(await readText(version.body)) as { gitVersion?: string };
    return await work(client, { server: access.baseUrl, context, version: gitVersion });
  } catch (error) {
    if (error instanceof UsageError || error instanceof ClusterError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ClusterError(`the cluster at ${access.baseUrl} can't be used: ${why}`, 'the kubeconfig must be of its administrator');
  } finally {
    http.destroy();
  }
}

/** Creates the run's namespace, and waits until pods can be created in it. */
async function createNamespace(client: KubeClient, tenant: Tenant, clock: { sleep(ms: number): Promise<void> }): Promise<void> {
  await client.create(RESOURCES.namespaces, { metadata: { name: tenant.namespace, labels: { ...tenant.labels } } });
  const account = (namespace: string): Promise<unknown> =>
    client.get({ type: SERVICE_ACCOUNTS, namespace, name: 'default' }).catch(ifUnserved);
  // If `default` has none, no controller creates service accounts here.
  if ((await account('default')) === undefined) return;
  for (let tries = 0; tries < ACCOUNT_TRIES && (await account(tenant.namespace)) === undefined; tries += 1)
    await clock.sleep(ACCOUNT_PERIOD_MS);
}

const SERVICE_ACCOUNTS = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true } as const;

function ifUnserved(error: unknown): undefined {
  if (!(error instanceof KubeError) || error.status !== 404) throw error;
}
