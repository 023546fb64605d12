import { rm, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { ClusterConfig } from '../model/cluster.ts';
import type { Principal } from '../model/operation.ts';
import { DUMMY_ACCOUNT, clusterVariables } from '../model/program-environment.ts';
import type { ProgramEnvironment } from '../model/program-environment.ts';
import type { Log } from '../runtime/log.ts';
import { serveWire } from '../wire/http-server.ts';
import type { Wire } from '../wire/wire.ts';
import { withLocalQueueUrls } from './aws/sqs/local-urls.ts';
import type { World } from './world.ts';

/** `defaultGzipThresholdBytes` of `k8s.io/apiserver/pkg/endpoints/handlers/responsewriters`. Whoever sent the request, and whatever it was. */
const KUBE_COMPRESS_FROM_BYTES = 128 * 1024;

/** Whose sockets to open, and where to write their addresses. */
interface SocketsOptions {
  readonly world: World;
  /** The principal on these sockets: callers are identified by listener, never by credentials. */
  readonly principal: Principal;
  /** Counted from 1; a restarted program gets new sockets. */
  readonly incarnation?: number;
  /** The kubeconfig is written here; an existing file is left alone. */
  readonly kubeconfigPath: string;
  /** Gets errors of the wires that no caller should have seen. */
  readonly log: Log;
}

/** Open wires, and where to write their addresses. */
export interface ServedWires extends Pick<SocketsOptions, 'kubeconfigPath' | 'log'> {
  readonly kube: Wire;
  readonly aws: Wire;
  readonly cluster: ClusterConfig;
  /** The kubeconfig's user. */
  readonly user: string;
  /** By default free ports of loopback. */
  readonly listen?: Readonly<Record<'kube' | 'aws', { readonly host: string; readonly port: number }>>;
}

/** A principal's access to a world, for programs outside this process. */
export interface Sockets {
  /** e.g. `http://127.0.0.1:41234` */
  readonly kubeUrl: string;
  readonly awsUrl: string;
  /** The environment to start the program with, as kubectl, AWS SDKs and `controller/main.ts` read it. */
  readonly environment: ProgramEnvironment;
  /** Breaks every connection, closes the listeners, and removes the kubeconfig. */
  close(): Promise<void>;
}

/**
 * Serves a world's two wires for one principal on loopback sockets, each on a free port. The world must run on the real
 * timeline: an outside program has no other time.
 * @throws when the world's time is virtual, or the kubeconfig can't be written
 */
export async function openSockets({ world, principal, incarnation = 1, kubeconfigPath, log }: SocketsOptions): Promise<Sockets> {
  const { timeline, cluster } = world;
  if (timeline.virtual) throw new Error("a world on virtual time can't have sockets: programs outside it run in real time");
  const wires = world.open(principal, incarnation, timeline.scope(`${principal}#${incarnation}`));
  try {
    const aws = withLocalQueueUrls(wires.aws, cluster.region);
    const sockets = await serveWires({ kube: wires.kube, aws, cluster, user: principal, kubeconfigPath, log });
    const close = async (): Promise<void> => {
      // First breaks open connections, then accepts no new ones.
      wires.close();
      await sockets.close();
    };
    return { ...sockets, close };
  } catch (error) {
    wires.close();
    throw error;
  }
}

/**
 * Serves both wires of one program on loopback sockets, each on a free port. Plain HTTP, without credentials. The caller, who
 * opened the wires, closes them.
 * @throws when the kubeconfig can't be written
 */
export async function serveWires({ kube, aws, cluster, user, kubeconfigPath, log, listen }: ServedWires): Promise<Sockets> {
  const endings: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0)) await end();
  };
  try {
    const kubeServer = await serveWire({ wire: kube, log, compressFromBytes: KUBE_COMPRESS_FROM_BYTES, ...listen?.kube });
    endings.push(() => kubeServer.close());
    const awsServer = await serveWire({ wire: aws, log, ...listen?.aws });
    endings.push(() => awsServer.close());
    await writeFile(kubeconfigPath, formatKubeconfig(cluster.name, user, kubeServer.url), { flag: 'wx', mode: 0o600 });
    endings.push(() => rm(kubeconfigPath, { force: true }));
    return {
      kubeUrl: kubeServer.url,
      awsUrl: awsServer.url,
      environment: environmentOf(cluster, kubeconfigPath, kubeServer.url, awsServer.url),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The environment of a program that should use these sockets. */
export function environmentOf(cluster: ClusterConfig, kubeconfigPath: string, kubeUrl: string, awsUrl: string): ProgramEnvironment {
  const { INTERRUPTION_QUEUE_URL: queueUrl, ...variables } = clusterVariables(cluster);
  return {
    KUBECONFIG: kubeconfigPath,
    CLUSTER_ENDPOINT: kubeUrl,
    AWS_ENDPOINT_URL: awsUrl,
    ...variables,
    // SDKs send requests to the host in a queue's URL.
    INTERRUPTION_QUEUE_URL: queueUrl === '' ? '' : `${awsUrl}${new URL(queueUrl).pathname}`,
    ...DUMMY_ACCOUNT,
  };
}

/** A kubeconfig without credentials: the socket identifies the caller. */
export function formatKubeconfig(clusterName: string, user: string, server: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': clusterName,
    contexts: [{ name: clusterName, context: { cluster: clusterName, user } }],
    // JavaScript clients accept plain HTTP only with this; others ignore it.
    clusters: [{ name: clusterName, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: user, user: {} }],
  });
}
