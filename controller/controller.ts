import { createEc2Client } from '../clients/ec2.ts';
import { createSqsClient } from '../clients/sqs.ts';
import type { SqsClient } from '../clients/sqs-client.ts';
import type { AwsCredentials } from '../clients/ec2-sdk.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import { logFailure } from '../runtime/log.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Wire } from '../wire/wire.ts';
import { KARPENTER, isTrue, nodePoolOf } from './api.ts';
import {
  COLLECTION_FIRST_PERIOD_MS,
  COLLECTION_FIRST_ROUNDS,
  INSTANCE_TYPES_PERIOD_MS,
  INSTANCE_TYPES_RETRY_MS,
  REPAIR_POLL_MS,
} from './constants.ts';
import { createContext } from './context.ts';
import type { Context } from './context.ts';
import { describeError } from './core/errors.ts';
import { Notifier } from './core/notifier.ts';
import { readQueue } from './interruption/queue-reader.ts';
import { lead } from './leader.ts';
import type { Leadership } from './leader.ts';
import { startLifecycle } from './lifecycle/lifecycle.ts';
import { createParts } from './parts.ts';
import type { Parts } from './parts.ts';
import type { Periods } from './periods.ts';
import { Provisioner } from './provisioning/provisioner.ts';
import type { PoolScope } from './scope.ts';

/** What one incarnation of the autoscaler gets: two wires, a runtime and its configuration. */
interface ControllerSite {
  readonly runtime: Runtime;
  readonly kube: Wire;
  readonly aws: Wire;
  readonly cluster: ClusterConfig;
  /** By default the standard ones. */
  readonly periods?: Periods;
  /** The pools that it is confined to, if other autoscalers handle the others. By default all. */
  readonly pools?: PoolScope;
  /** The credentials that sign requests to EC2; without them nothing is signed. */
  readonly credentials?: AwsCredentials;
  /** The URL for signatures; by default the region's own. */
  readonly ec2Endpoint?: string;
  readonly sqsEndpoint?: string;
  /** The id of this replica, which then works only while it holds the lease. By default it works at once. */
  readonly identity?: string;
  /** Called with the context as soon as it exists, for serving metrics. */
  readonly onContext?: (context: Context) => void;
}

/** Options of a controller besides its parts. */
interface ControllerOptions {
  readonly sqs?: SqsClient;
  readonly identity?: string;
  /** Called when it can't go on: everything it has started must stop then. */
  readonly onFailure?: (error: unknown) => void;
}

export interface Controller {
  /** Resolves when it has read the cluster and the instance types, and is working. Rejects when it was stopped before. */
  readonly ready: Promise<void>;
  /** Resolves after the runtime's signal was aborted and everything has stopped. Rejects when the lease was lost. */
  readonly done: Promise<void>;
}

/** Creates the parts from the context; `createParts` creates the correct ones. */
export type PartsFactory = (context: Context) => Parts;

/** Starts the autoscaler without waiting for anything. */
export function createController(site: ControllerSite, makeParts: PartsFactory = createParts): Controller {
  const { kube, aws, cluster, periods, pools, credentials, ec2Endpoint, sqsEndpoint, identity, onContext } = site;
  const { runtime, stop } = withStop(site.runtime);
  const ec2 = createEc2Client({
    wire: aws,
    clock: runtime.clock,
    random: runtime.random.fork('ec2'),
    region: cluster.region,
    ...defined({ credentials, endpoint: ec2Endpoint }),
  });
  const context = createContext({
    runtime,
    kube,
    ec2,
    cluster,
    ...defined({ periods, pools }),
  });
  onContext?.(context);
  const options = { onFailure: stop, ...defined({ identity }) };
  if (cluster.interruptionQueueUrl === undefined) return startController(context, makeParts(context), options);
  const sqs = createSqsClient({
    wire: aws,
    clock: runtime.clock,
    random: runtime.random.fork('sqs'),
    region: cluster.region,
    ...defined({ credentials, endpoint: sqsEndpoint }),
  });
  return startController(context, makeParts(context), { ...options, sqs });
}

/** The same runtime with a signal that can also be aborted from inside. */
function withStop(runtime: Runtime): { runtime: Runtime; stop: (reason: unknown) => void } {
  const own = new AbortController();
  const stop = (reason: unknown): void => own.abort(reason);
  if (runtime.signal.aborted) stop(runtime.signal.reason);
  runtime.signal.addEventListener('abort', () => stop(runtime.signal.reason), { once: true });
  return { runtime: { ...runtime, signal: own.signal }, stop };
}

/** The same, from an existing context and parts. */
export function startController(context: Context, parts: Parts, options: ControllerOptions = {}): Controller {
  const ready = Promise.withResolvers<void>();
  // Not every caller awaits it.
  ready.promise.catch(() => undefined);
  const done = work(context, parts, options, ready.resolve).catch((error: unknown) => {
    ready.reject(error);
    const wasStopped = context.runtime.signal.aborted;
    options.onFailure?.(error);
    if (!wasStopped) throw error;
  });
  return { ready: ready.promise, done };
}

async function work(context: Context, parts: Parts, { sqs, identity }: ControllerOptions, onReady: () => void): Promise<void> {
  const { runtime, state, ec2, cluster, periods } = context;
  let leadership: Leadership | undefined;
  try {
    if (identity !== undefined) leadership = await lead(context, identity);
    await state.synced;
    await readInstanceTypes(context);
    runtime.signal.throwIfAborted();
    const provisioner = new Provisioner(context, parts);
    const lifecycle = startLifecycle(context, parts);
    onReady();
    runtime.log('info', 'ready');
    const stopped = Promise.all([
      lifecycle.done,
      provisioner.run(),
      ...(sqs === undefined || cluster.interruptionQueueUrl === undefined
        ? []
        : [readQueue(context, sqs, cluster.interruptionQueueUrl, parts.interruption)]),
      repeat(
        context,
        'instance types',
        () => (context.instanceTypes.lacksPrices() ? INSTANCE_TYPES_RETRY_MS : INSTANCE_TYPES_PERIOD_MS),
        () => context.instanceTypes.refresh(),
        priceNews(context),
      ),
      repeat(
        context,
        'emptiness',
        () => periods.disruptionPollMs,
        () => parts.emptiness.sweep(),
      ),
      repeat(
        context,
        'disruption',
        () => periods.disruptionPollMs,
        () => parts.disruption.sweep(),
      ),
      repeat(
        context,
        'expiry',
        () => periods.pendingRetryMs,
        () => parts.expiry.sweep(),
      ),
      repeat(
        context,
        'static capacity',
        () => periods.poolSweepMs,
        () => parts.staticCapacity.sweep(),
        poolNews(context),
      ),
      repeat(
        context,
        'node repair',
        () => REPAIR_POLL_MS,
        () => parts.repairer.sweep(),
      ),
      repeat(
        context,
        'pools',
        () => periods.poolSweepMs,
        () => parts.poolKeeper.sweep(),
        poolNews(context),
      ),
      repeat(context, 'instance collection', collectionPeriods(periods), () => parts.collector.collectInstances()),
      repeat(
        context,
        'claim collection',
        () => periods.collectionPeriodMs,
        () => parts.collector.collectClaims(),
        deadNodes(context),
      ),
    ]);
    // A lost lease ends everything: another replica may be active.
    await (leadership === undefined ? stopped : Promise.race([stopped, leadership.lost]));
  } finally {
    // Released only after a stop: a lost lease can't be released.
    if (runtime.signal.aborted) await leadership?.release();
    ec2.destroy();
    sqs?.destroy();
  }
}

/** Nothing can be planned without instance types: they are read until EC2 responds. */
async function readInstanceTypes({ runtime, instanceTypes }: Context): Promise<void> {
  for (;;) {
    try {
      return await instanceTypes.refresh();
    } catch (error) {
      runtime.signal.throwIfAborted();
      logFailure(runtime.log, 'error', `instance types: ${describeError(error)}`, error);
    }
    await runtime.clock.sleep(INSTANCE_TYPES_RETRY_MS, runtime.signal);
  }
}

/** Repeats something until the signal is aborted, also when notified; failures are logged. */
async function repeat(
  { runtime }: Context,
  name: string,
  nextPeriodMs: () => number,
  round: () => Promise<void>,
  news: Notifier = new Notifier(),
): Promise<void> {
  const { clock, signal, log } = runtime;
  while (!signal.aborted) {
    try {
      await news.wait(clock, nextPeriodMs(), signal);
      await round();
    } catch (error) {
      if (!signal.aborted) logFailure(log, 'error', `${name}: ${describeError(error)}`, error);
    }
  }
}

/** Instances are collected often after a start, when a predecessor's launches may be left over. */
function collectionPeriods({ collectionPeriodMs }: Periods): () => number {
  let rounds = 0;
  return () => {
    rounds += 1;
    return rounds <= COLLECTION_FIRST_ROUNDS ? COLLECTION_FIRST_PERIOD_MS : collectionPeriodMs;
  };
}

function poolNews({ state }: Context): Notifier {
  const news = new Notifier();
  state.pools.onChange(() => news.notify());
  state.classes.onChange(() => news.notify());
  // Existing pools count too: a class needs its finalizer before anything is created for it.
  news.notify();
  return news;
}

/** Notifies when a first pool allows spot, and its prices are not known yet. */
function priceNews({ state, instanceTypes }: Context): Notifier {
  const news = new Notifier();
  let didLack = false;
  state.pools.onChange(() => {
    const lacks = instanceTypes.lacksPrices();
    if (lacks && !didLack) news.notify();
    didLack = lacks;
  });
  return news;
}

/** Notifies when a node is no longer Ready: its instance may be gone. */
function deadNodes({ state, scope }: Context): Notifier {
  const news = new Notifier();
  const notReady = new Set<string>();
  state.nodes.onChange((type, node) => {
    if (!scope.owns(nodePoolOf(node))) return;
    const name = node.metadata.name ?? '';
    const isDead =
      type !== 'DELETED' && node.metadata.labels?.[KARPENTER.initialized] === 'true' && !isTrue(node.status?.conditions, 'Ready');
    if (!isDead) notReady.delete(name);
    else if (!notReady.has(name)) {
      notReady.add(name);
      news.notify();
    }
  });
  return news;
}
