import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import { queueUrlOf } from '../world/aws/sqs/queues.ts';
import { CLUSTER } from '../world/embedded.ts';
import { environmentOf, formatKubeconfig } from '../world/sockets.ts';
import type { Address, ExternalAccess } from '../targets/target.ts';

/** Addresses that mean all interfaces of this machine. */
const ANY: readonly string[] = ['0.0.0.0', '::'];
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/**
 * Writes the kubeconfig of an external target into the run directory.
 * @param world the running world; the embedded one by default
 * @returns instructions for the user, as lines; none if the target uses its own endpoints
 */
export function writeSetUp(external: ExternalAccess, directory: string, world: WorldRef = { kind: 'embedded' }): string[] {
  if (world.kind !== 'embedded' && world.observed !== undefined) return [];
  const folder = resolve(directory, 'target');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'kubeconfig');
  const kubeUrl = urlOf(external.kube, external.host);
  const awsUrl = urlOf(external.aws, external.host);
  writeFileSync(path, formatKubeconfig(CLUSTER.name, 'target', kubeUrl), { mode: 0o600 });
  const queue = queueUrlOf(CLUSTER.region, CLUSTER.name);
  const { INTERRUPTION_QUEUE_URL: url, ...environment } = environmentOf({ ...CLUSTER, interruptionQueueUrl: queue }, path, kubeUrl, awsUrl);
  // In LocalStack every trial has its own account, so the target has to look up the queue's URL by its name.
  const hasOwnQueue = world.kind !== 'embedded' && world.awsEndpoint !== undefined;
  const all = hasOwnQueue ? environment : { ...environment, INTERRUPTION_QUEUE_URL: url };
  return [
    `This target is external: start it, or roll it out, with these settings. Scaleproof waits ${external.withinMs / 1_000} s at most for its first request.`,
    ...Object.entries(all).map(([name, value]) => `  export ${name}='${value}'`),
    ...(isOpen(external)
      ? [
          '  NOTE: everybody who can reach these addresses is an administrator of the cluster, without a password: use a network that only the cluster has.',
        ]
      : []),
  ];
}

function urlOf({ host, port }: Address, name: string | undefined): string {
  const known = name ?? (ANY.includes(host) ? '127.0.0.1' : host);
  return `http://${known.includes(':') ? `[${known}]` : known}:${port}`;
}

function isOpen({ kube, aws }: ExternalAccess): boolean {
  return [kube, aws].some(({ host }) => !LOOPBACK.includes(host));
}
