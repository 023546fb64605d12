import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import { queueUrlOf } from '../world/aws/sqs/queues.ts';
import { CLUSTER } from '../world/embedded.ts';
import { environmentOf, formatKubeconfig } from '../world/sockets.ts';
import type { Address, ExternalAccess } from '../targets/target.ts';

/** Addresses that mean any of this machine's. */
const ANY: readonly string[] = ['0.0.0.0', '::'];
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/**
 * Writes the kubeconfig of a target that somebody else runs into the run directory.
 * @param world that is up; by default the embedded one
 * @returns what its user has to set up, a line each; nothing where it talks to endpoints of its own
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
  // In a LocalStack every trial has an account: the queue's URL is known only to whom asks for it by its name.
  const hasOwnQueue = world.kind !== 'embedded' && world.awsEndpoint !== undefined;
  const all = hasOwnQueue ? environment : { ...environment, INTERRUPTION_QUEUE_URL: url };
  return [
    `The target is one that somebody else runs: start it, or roll it out, with this set-up. Its first request is waited for, ${external.withinMs / 1_000} s at most.`,
    ...Object.entries(all).map(([name, value]) => `  export ${name}='${value}'`),
    ...(isOpen(external)
      ? [
          "  NOTE: whoever reaches these addresses is the cluster's administrator, without a password: keep them to a network of the cluster's own.",
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
