import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import type { ClusterAccess } from '../clients/kubeconfig.ts';
import { packageRoot } from '../model/package-root.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { readText } from '../wire/wire.ts';
import type { WireRequest } from '../wire/wire.ts';
import { usageOf } from './usage.ts';

/** A running API server. */
export interface ApiServerUnderTest {
  readonly kubeconfig: string;
  readonly access: ClusterAccess;
  /** Processor time of its process so far. */
  readonly cpuMs: () => Promise<number>;
}

/** A server with the pods and nodes in it. */
export interface Filled {
  readonly server: ApiServerUnderTest;
  readonly namespace: string;
  /** Processor time of each creation. */
  readonly createdMs: number;
}

/** A running `world up --no-limits`, for an autoscaler. */
export interface RunningWorld extends ApiServerUnderTest {
  readonly awsUrl: string;
  stop(): Promise<void>;
}

const printed = z.object({ target: z.object({ KUBECONFIG: z.string(), AWS_ENDPOINT_URL: z.string() }) });

/** Starts a world whose control plane leaves objects alone. It ends with this process. @throws Error if it does not start */
export async function startWorld(): Promise<RunningWorld> {
  const parts = ['--without', 'scheduler,controllers,cloud-controller'];
  const args = [
    join(packageRoot(), 'bin/scaleproof.js'),
    'world',
    'up',
    '--quick',
    '--no-limits',
    '--json',
    ...parts,
    '--while',
    String(process.pid),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const line = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data') as Promise<[string]>, exited.then(() => undefined)]);
  if (line === undefined) throw new Error('the world did not start');
  const { KUBECONFIG: kubeconfig, AWS_ENDPOINT_URL: awsUrl } = printed.parse(JSON.parse(line[0])).target;
  return {
    kubeconfig,
    awsUrl,
    access: await readKubeconfig(kubeconfig),
    cpuMs: async () => (await usageOf(child.pid ?? 0)).cpuMs,
    stop: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}

/** A real API server, whose processor time its own metrics say. etcd's is not in it. @throws Error if its metrics can't be read */
export async function realServer(kubeconfig: string): Promise<ApiServerUnderTest> {
  const access = await readKubeconfig(kubeconfig);
  const cpuMs = async (): Promise<number> => {
    const text = (await ask(access, { method: 'GET', path: '/metrics', headers: {} })).body;
    const [, seconds] = /^process_cpu_seconds_total (\S+)$/m.exec(text) ?? [];
    if (seconds === undefined) throw new Error(`${kubeconfig}: its API server does not say how much processor time it has used`);
    return Number(seconds) * 1_000;
  };
  await cpuMs();
  return { kubeconfig, access, cpuMs };
}

/** One request on a connection of its own. @throws Error with the answer if the server refuses it, unless that was expected */
export async function ask(
  access: ClusterAccess,
  request: WireRequest,
  mayBe: readonly number[] = [],
): Promise<{ readonly status: number; readonly body: string }> {
  const client = createHttpWire(access);
  try {
    const { status, body } = await client.wire(request);
    const text = await readText(body);
    if (status >= 400 && !mayBe.includes(status)) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
    return { status, body: text };
  } finally {
    client.destroy();
  }
}
