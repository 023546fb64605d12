import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import type { ClusterAccess } from '../clients/kubeconfig.ts';
import { withTokenFile } from '../clients/token-file.ts';
import { defined } from '../model/defined.ts';
import type { Clock } from '../runtime/clock.ts';
import { avoidExitDeadlock } from '../runtime/exit-deadlock.ts';
import type { Log } from '../runtime/log.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import type { HttpWire } from '../wire/http-wire.ts';
import type { WireRequest } from '../wire/wire.ts';
import { SHUTDOWN_LIMIT_MS } from './constants.ts';
import type { Context } from './context.ts';
import { createController } from './controller.ts';
import { ConfigError, readProcessConfig } from './environment.ts';
import type { ProcessConfig } from './environment.ts';
import { exposeMetrics } from './gauges.ts';
import { serveMetrics } from './metrics-server.ts';

/**
 * The autoscaler as a separate process, for any cluster and EC2 endpoint. Configured by environment variables (see
 * environment.ts); logs JSON lines to standard error; stops at SIGTERM or SIGINT. Exit codes: 0 stopped, 1 failed (the lease was
 * lost, the metrics port is in use, or work in progress did not end after a stop), 2 invalid configuration.
 */
async function main(): Promise<number> {
  let config: ProcessConfig;
  let access: ClusterAccess;
  try {
    config = readProcessConfig(process.argv.slice(2), process.env);
    access = await readAccess(config.kubeconfig);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message} (docs/controller.md has the variables)\n`);
    return 2;
  }

  const clock = createRealTimeline().scope('controller');
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => stopping.abort(new Error(`stopped by ${signal}`));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  const kube = connect(access, clock);
  const ec2 = createHttpWire({ baseUrl: config.ec2Endpoint });
  const sqs = createHttpWire({ baseUrl: config.sqsEndpoint });
  const log = jsonLines(clock);
  let context: Context | undefined;
  let isReady = false;
  let server: Server | undefined;
  try {
    const controller = createController({
      // A process can't be replayed, so its seed is arbitrary.
      runtime: { clock, random: createRandom(`${process.pid} ${clock.nowMs()}`), log, signal: stopping.signal },
      kube: kube.wire,
      aws: (request) => (isForSqs(request) ? sqs : ec2).wire(request),
      cluster: config.cluster,
      periods: config.periods,
      ...defined({ pools: config.pools }),
      ec2Endpoint: config.ec2Endpoint,
      sqsEndpoint: config.sqsEndpoint,
      ...(config.leaderElection ? { identity: `${hostname()}_${process.pid}` } : {}),
      onContext: (made) => {
        context = made;
      },
      ...defined({ credentials: config.credentials }),
    });
    controller.ready.then(
      () => {
        isReady = true;
      },
      () => undefined,
    );
    if (config.metrics !== undefined) {
      const site = { metrics: () => (context === undefined ? '' : exposeMetrics(context)), isReady: () => isReady };
      server = await serveMetrics(site, config.metrics);
      log('info', 'serves metrics', { ...config.metrics });
    }
    await Promise.race([controller.done, overdue(clock, stopping.signal)]);
    return 0;
  } catch (error) {
    log('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  } finally {
    server?.close();
    server?.closeAllConnections();
    kube.destroy();
    ec2.destroy();
    sqs.destroy();
  }
}

/** Rejects when the time limit after a stop has passed. */
async function overdue(clock: Clock, stopping: AbortSignal): Promise<never> {
  await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
  await clock.sleep(SHUTDOWN_LIMIT_MS);
  throw new Error(`work in progress did not end within ${SHUTDOWN_LIMIT_MS} ms of the stop`);
}

/** SQS uses JSON and names its operation in a header; EC2 uses forms. */
function isForSqs({ headers }: WireRequest): boolean {
  return headers['x-amz-target']?.startsWith('AmazonSQS.') ?? false;
}

/** @throws ConfigError with a single line */
async function readAccess(kubeconfig: string): Promise<ClusterAccess> {
  try {
    return await readKubeconfig(kubeconfig);
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new ConfigError(`KUBECONFIG: ${kubeconfig}: ${line}`);
  }
}

/** A wire to the cluster. A token file is read again when it is renewed. */
function connect(access: ClusterAccess, clock: Clock): HttpWire {
  if (access.tokenFile === undefined) return createHttpWire(access);
  const { tokenFile, bearerToken: _first, ...server } = access;
  const http = createHttpWire(server);
  return { ...http, wire: withTokenFile(tokenFile, http.wire, clock) };
}

function jsonLines(clock: Clock): Log {
  return (level, message, fields) => {
    const time = new Date(clock.nowMs()).toISOString();
    const severity = level === 'panic' ? { level: 'error', panic: true } : { level };
    process.stderr.write(`${JSON.stringify({ time, ...severity, message, ...fields })}\n`);
  };
}

avoidExitDeadlock();
// Immediately: a process that lost its lease must not go on, whatever is still pending.
process.exit(await main());
