import { parse } from 'yaml';
import { z } from 'zod';
import { ClusterError, diagnose } from '../diagnose.ts';
import type { Programs } from '../programs.ts';

/** What a cluster's machines need to know to join it. */
export interface ControlPlaneFacts {
  /** Id of its own node's image. */
  readonly image: string;
  /** Address of its API server for containers of kind's network. */
  readonly server: string;
  /** Its CA certificate, PEM. */
  readonly authority: string;
  /** The bootstrap token with which a kubelet requests its own credentials. */
  readonly token: string;
  /** The KubeletConfiguration that kubeadm gives every node. */
  readonly kubeletConfig: Readonly<Record<string, unknown>>;
  /** The image of pod sandboxes, which every node has. */
  readonly pauseImage: string;
  /** The number of nodes that the machine has room for at the same time. */
  readonly maxNodes: number;
}

const API_PORT = 6443;
const ASK_LIMIT_MS = 30_000;
/** How long the token is valid unless it is deleted. */
const TOKEN_LIFETIME = '2h';
/** The architecture of node images; instance types of other architectures have no machine here. */
const ARCHITECTURE = 'amd64';

/** A node's inotify instances (128 per user by default): systemd, the kubelet, containerd and D-Bus use this many. */
const INOTIFY_INSTANCES_PER_NODE = 13;
/** A control plane uses 26, the rest is for other programs on the machine. */
const INOTIFY_INSTANCES_OF_OTHER_PROGRAMS = 60;
/** kind's recommendation (https://kind.sigs.k8s.io/docs/user/known-issues): enough for 34 nodes. */
const INOTIFY_INSTANCES_WANTED = 512;

const configSchema = z.looseObject({ kind: z.literal('KubeletConfiguration') });

/**
 * Reads what a cluster's machines need to know from its control plane, and creates a token for them.
 * @throws ClusterError when it does not answer, or its machines have another architecture
 */
export async function readControlPlane(programs: Programs, cluster: string): Promise<ControlPlaneFacts> {
  const container = containerOf(cluster);
  const docker = async (doing: string, args: readonly string[]): Promise<string> => {
    const end = await programs.run('docker', args, { limitMs: ASK_LIMIT_MS });
    if (end.code !== 0) throw diagnose('docker', `${doing} of the cluster ${cluster}`, end);
    return end.stdout.trim();
  };
  const exec = (doing: string, ...command: string[]): Promise<string> => docker(doing, ['exec', container, ...command]);

  const image = await docker('find the node image', ['inspect', '--format', '{{.Image}}', container]);
  const architecture = await docker('inspect the node image', ['image', 'inspect', '--format', '{{.Architecture}}', image]);
  if (architecture !== ARCHITECTURE) {
    throw new ClusterError(
      `real nodes need machines of ${ARCHITECTURE}, but the node image is for ${architecture}`,
      `use a Docker engine and a node image for ${ARCHITECTURE}, or simulated nodes`,
    );
  }
  const images = await exec('list the images', 'ctr', '--namespace', 'k8s.io', 'images', 'list', '--quiet');
  const pauseImage = images.split('\n').find((name) => /\/pause:[\w.]+$/.test(name));
  if (pauseImage === undefined) throw new ClusterError(`the node image of ${cluster} has no pause image`, 'use a node image of kind');
  const inotifyInstances = Number(await exec('read the limits', 'cat', '/proc/sys/fs/inotify/max_user_instances'));
  return {
    image,
    server: `https://${container}:${API_PORT}`,
    authority: `${await exec('read the CA certificate', 'cat', '/etc/kubernetes/pki/ca.crt')}\n`,
    token: await exec('create a token', 'kubeadm', 'token', 'create', '--ttl', TOKEN_LIFETIME),
    kubeletConfig: configSchema.parse(parse(await exec('read the kubelet configuration', 'cat', '/var/lib/kubelet/config.yaml'))),
    pauseImage,
    maxNodes: Math.max(0, Math.floor((inotifyInstances - INOTIFY_INSTANCES_OF_OTHER_PROGRAMS) / INOTIFY_INSTANCES_PER_NODE)),
  };
}

/** Kubelets of more nodes would not start, which would look like slow registrations. */
export function tooManyNodes({ maxNodes }: Pick<ControlPlaneFacts, 'maxNodes'>): ClusterError {
  return new ClusterError(
    `more than ${maxNodes} real nodes at the same time are too many for this machine: it allows too few inotify instances`,
    `raise fs.inotify.max_user_instances to ${INOTIFY_INSTANCES_WANTED} on the Docker engine's host, or use simulated nodes`,
  );
}

/** Deletes the token. A control plane that does not answer is not an error: the token expires by itself. */
export async function deleteToken(programs: Programs, cluster: string, { token }: Pick<ControlPlaneFacts, 'token'>): Promise<void> {
  await programs.run('docker', ['exec', containerOf(cluster), 'kubeadm', 'token', 'delete', token], { limitMs: ASK_LIMIT_MS });
}

function containerOf(cluster: string): string {
  return `${cluster}-control-plane`;
}
