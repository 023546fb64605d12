import { parse } from 'yaml';
import { z } from 'zod';
import { ClusterError, diagnose } from '../diagnose.ts';
import type { Programs } from '../programs.ts';

/** What the machines of a cluster have to know to become nodes of it. */
export interface ControlPlaneFacts {
  /** Id of the image that its own node runs. */
  readonly image: string;
  /** Of its API server, for containers of kind's network. */
  readonly server: string;
  /** Certificate of its authority, PEM. */
  readonly authority: string;
  /** With which a kubelet asks for credentials of its own. */
  readonly token: string;
  /** The KubeletConfiguration that kubeadm gives to every node. */
  readonly kubeletConfig: Readonly<Record<string, unknown>>;
  /** The image of pods' sandboxes, which every node has. */
  readonly pauseImage: string;
  /** As many nodes as the machine has room for at a time. */
  readonly maxNodes: number;
}

const API_PORT = 6443;
const ASK_LIMIT_MS = 30_000;
/** How long the token serves if nobody takes it back. */
const TOKEN_LIFETIME = '2h';
/** What node images are made for; instance types of other architectures have no machine here. */
const ARCHITECTURE = 'amd64';

/** Of the kernel's, which are 128 for a user by default: systemd, the kubelet, containerd and D-Bus of a node have so many. */
const INOTIFY_INSTANCES_A_NODE = 13;
/** A control plane has 26, the rest is for whatever else runs on the machine. */
const INOTIFY_INSTANCES_OF_OTHERS = 60;
/** What kind recommends (https://kind.sigs.k8s.io/docs/user/known-issues): enough for 34 nodes. */
const INOTIFY_INSTANCES_WANTED = 512;

const configSchema = z.looseObject({ kind: z.literal('KubeletConfiguration') });

/**
 * Asks a cluster's control plane for what its machines have to know, and makes a token for them.
 * @throws ClusterError when it does not answer, or its machines are of another architecture
 */
export async function askControlPlane(programs: Programs, cluster: string): Promise<ControlPlaneFacts> {
  const container = containerOf(cluster);
  const docker = async (doing: string, args: readonly string[]): Promise<string> => {
    const end = await programs.run('docker', args, { limitMs: ASK_LIMIT_MS });
    if (end.code !== 0) throw diagnose('docker', `${doing} of the cluster ${cluster}`, end);
    return end.stdout.trim();
  };
  const exec = (doing: string, ...command: string[]): Promise<string> => docker(doing, ['exec', container, ...command]);

  const image = await docker('find the node image', ['inspect', '--format', '{{.Image}}', container]);
  const architecture = await docker('look at the node image', ['image', 'inspect', '--format', '{{.Architecture}}', image]);
  if (architecture !== ARCHITECTURE) {
    throw new ClusterError(
      `real nodes need machines of ${ARCHITECTURE}, and the node image is for ${architecture}`,
      `use a Docker engine and a node image of ${ARCHITECTURE}, or simulated nodes`,
    );
  }
  const images = await exec('list the images', 'ctr', '--namespace', 'k8s.io', 'images', 'list', '--quiet');
  const pauseImage = images.split('\n').find((name) => /\/pause:[\w.]+$/.test(name));
  if (pauseImage === undefined) throw new ClusterError(`the node image of ${cluster} has no pause image`, 'use a node image of kind');
  const inotifyInstances = Number(await exec('read the limits', 'cat', '/proc/sys/fs/inotify/max_user_instances'));
  return {
    image,
    server: `https://${container}:${API_PORT}`,
    authority: `${await exec('read the authority', 'cat', '/etc/kubernetes/pki/ca.crt')}\n`,
    token: await exec('make a token', 'kubeadm', 'token', 'create', '--ttl', TOKEN_LIFETIME),
    kubeletConfig: configSchema.parse(parse(await exec('read the kubelet configuration', 'cat', '/var/lib/kubelet/config.yaml'))),
    pauseImage,
    maxNodes: Math.max(0, Math.floor((inotifyInstances - INOTIFY_INSTANCES_OF_OTHERS) / INOTIFY_INSTANCES_A_NODE)),
  };
}

/** Kubelets of more nodes would not start, which would look like slow registrations. */
export function tooManyNodes({ maxNodes }: Pick<ControlPlaneFacts, 'maxNodes'>): ClusterError {
  return new ClusterError(
    `more than ${maxNodes} real nodes at a time are too many for this machine, which allows too few inotify instances`,
    `raise fs.inotify.max_user_instances to ${INOTIFY_INSTANCES_WANTED} where the Docker engine runs, or use simulated nodes`,
  );
}

/** Takes the token back. A control plane that does not answer is no error: the token ends by itself. */
export async function withdrawToken(programs: Programs, cluster: string, { token }: Pick<ControlPlaneFacts, 'token'>): Promise<void> {
  await programs.run('docker', ['exec', containerOf(cluster), 'kubeadm', 'token', 'delete', token], { limitMs: ASK_LIMIT_MS });
}

function containerOf(cluster: string): string {
  return `${cluster}-control-plane`;
}
