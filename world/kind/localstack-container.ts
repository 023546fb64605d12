import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import { LocalStackEndpoint, LocalStackError } from '../real/localstack/endpoint.ts';
import { ClusterError, diagnose } from './diagnose.ts';
import type { Programs } from './programs.ts';
import { RUN_LABEL } from './run-state.ts';

/** The last release that is free of charge, and the one that is known to work. */
export const LOCALSTACK_IMAGE = 'localstack/localstack:4.14.0';
/** The gateway's port inside the container. Source: LocalStack's configuration documentation. */
const GATEWAY_PORT = '4566/tcp';
const SERVICES = 'ec2,sqs,iam,sts,ssm';

/** Most of it is for pulling the image. */
const START_LIMIT_MS = 600_000;
const ASK_LIMIT_MS = 30_000;
const REMOVE_LIMIT_MS = 60_000;
/** From the container's start until its gateway answers: it takes 3 to 6 s on an idle machine. */
const READY_LIMIT_MS = 120_000;
const READY_PERIOD_MS = 500;

/** A LocalStack owned by the run. */
export interface LocalStackContainer {
  readonly id: string;
  /** On a free port of loopback. */
  readonly endpoint: string;
}

/**
 * Starts LocalStack in a container with the run's label. Its port is published on loopback only.
 * @param options.region used in health requests
 * @throws ClusterError that says what to do; anything started is removed
 */
export async function startLocalStack(
  programs: Programs,
  { run, region, clock, signal }: { readonly run: string; readonly region: string; readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<LocalStackContainer> {
  const args = ['run', '--detach', '--label', `${RUN_LABEL}=${run}`, '--publish', '127.0.0.1::4566', '--env', `SERVICES=${SERVICES}`];
  const end = await programs.run('docker', [...args, LOCALSTACK_IMAGE], { limitMs: START_LIMIT_MS, signal });
  signal?.throwIfAborted();
  if (end.code !== 0) throw diagnose('docker', `start LocalStack (${LOCALSTACK_IMAGE})`, end);
  const id = end.stdout.trim();
  try {
    const endpoint = `http://${await addressOf(programs, id)}`;
    await untilReady({ url: endpoint, region, clock, ...defined({ signal }) });
    return { id, endpoint };
  } catch (error) {
    await stopLocalStack(programs, id);
    throw error;
  }
}

/** Removes the container. @throws ClusterError when it still exists */
export async function stopLocalStack(programs: Programs, id: string): Promise<void> {
  const end = await programs.run('docker', ['rm', '--force', '--volumes', id], { limitMs: REMOVE_LIMIT_MS });
  if (end.code !== 0) throw diagnose('docker', `remove LocalStack's container ${id}`, end);
}

async function addressOf(programs: Programs, id: string): Promise<string> {
  const end = await programs.run('docker', ['port', id, GATEWAY_PORT], { limitMs: ASK_LIMIT_MS });
  const [address = ''] = end.stdout.trim().split('\n');
  if (end.code !== 0 || address === '') throw diagnose('docker', "find LocalStack's port", end);
  return address;
}

/** @throws ClusterError when it does not answer in time */
async function untilReady(site: {
  readonly url: string;
  readonly region: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { url, region, clock, signal } = site;
  const endpoint = new LocalStackEndpoint({ url, region, clock });
  const deadlineMs = clock.nowMs() + READY_LIMIT_MS;
  try {
    for (;;) {
      try {
        await endpoint.check();
        return;
      } catch (error) {
        if (!(error instanceof LocalStackError)) throw error;
        if (clock.nowMs() > deadlineMs)
          throw new ClusterError(`LocalStack did not come up in ${READY_LIMIT_MS / 1_000} s`, `${error.message} (see docker logs)`);
      }
      await clock.sleep(READY_PERIOD_MS, signal);
    }
  } finally {
    endpoint.destroy();
  }
}
