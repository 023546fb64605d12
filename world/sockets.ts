import { rm, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { ClusterConfig } from '../model/cluster.ts';
import type { Principal } from '../model/operation.ts';
import type { Log } from '../runtime/log.ts';
import { serveWire } from '../wire/http-server.ts';
import type { World } from './world.ts';

/** Whose sockets to open, and where to say how they are reached. */
interface SocketsOptions {
  readonly world: World;
  /** Who speaks on these sockets: they are told apart by listener, never by credentials. */
  readonly principal: Principal;
  /** Counted from 1; a program that was started again speaks on sockets of its own. */
  readonly incarnation?: number;
  /** The kubeconfig is written here; a file that is there already is left alone. */
  readonly kubeconfigPath: string;
  /** Told of errors of the wires that no caller should have met. */
  readonly log: Log;
}

/** One principal's way into a world, for programs outside this process. */
export interface Sockets {
  /** e.g. `http://127.0.0.1:41234` */
  readonly kubeUrl: string;
  readonly awsUrl: string;
  /** What the program is started with: what kubectl, AWS SDKs and `controller/main.ts` read. */
  readonly environment: Readonly<Record<string, string>>;
  /** Breaks every connection, ends the listeners, and removes the kubeconfig. */
  close(): Promise<void>;
}

/**
 * Serves a world's two wires for one principal on loopback sockets, each on a free port. Plain HTTP, and nobody is asked
 * for credentials. The world must run on the real timeline: a program outside knows no other time.
 * @throws when the world's time is virtual, or the kubeconfig can't be written
 */
export async function openSockets({ world, principal, incarnation = 1, kubeconfigPath, log }: SocketsOptions): Promise<Sockets> {
  const { timeline, cluster } = world;
  if (timeline.virtual) throw new Error('a world on virtual time has no sockets: what is outside of it waits in real time');
  const scope = timeline.scope(`${principal}#${incarnation}`);
  const wires = world.open(principal, incarnation, scope);
  // In the order of ending: what is open is broken first, then nobody is let in any more.
  const endings: (() => Promise<void> | void)[] = [() => wires.close()];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0)) await end();
  };
  try {
    const kube = await serveWire({ wire: wires.kube, log });
    endings.push(() => kube.close());
    const aws = await serveWire({ wire: wires.aws, log });
    endings.push(() => aws.close());
    await writeFile(kubeconfigPath, formatKubeconfig(cluster.name, principal, kube.url), { flag: 'wx', mode: 0o600 });
    endings.push(() => rm(kubeconfigPath, { force: true }));
    const environment = { KUBECONFIG: kubeconfigPath, AWS_ENDPOINT_URL: aws.url, ...ofCluster(cluster), ...DUMMY_ACCOUNT };
    return { kubeUrl: kube.url, awsUrl: aws.url, environment, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** SDKs sign with whatever keys they find; with these they look no further, least of all for real ones. */
const DUMMY_ACCOUNT = {
  AWS_ACCESS_KEY_ID: 'scaleproof',
  AWS_SECRET_ACCESS_KEY: 'scaleproof',
  AWS_EC2_METADATA_DISABLED: 'true',
} as const;

/** The cluster's configuration as `controller/main.ts` reads it: docs/controller.md has the variables. */
function ofCluster(cluster: ClusterConfig): Record<string, string> {
  return {
    AWS_REGION: cluster.region,
    CLUSTER_NAME: cluster.name,
    SUBNETS: formatPairs(cluster.subnets),
    SECURITY_GROUP_ID: cluster.securityGroupId,
    IMAGE_IDS: formatPairs(cluster.imageIds),
  };
}

function formatPairs(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

function formatKubeconfig(clusterName: string, user: string, server: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': clusterName,
    contexts: [{ name: clusterName, context: { cluster: clusterName, user } }],
    // Clients in JavaScript take plain HTTP only with this; to the others it says nothing.
    clusters: [{ name: clusterName, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: user, user: {} }],
  });
}
