import { writeFileSync } from 'node:fs';
import { TRIALS_LABEL } from './claim.ts';
import { diagnose } from './diagnose.ts';
import type { Programs } from './programs.ts';

/** A cluster to be created. */
export interface KindClusterOptions {
  readonly name: string;
  /** Path of kind's configuration. */
  readonly config: string;
  /** The node image; by default kind's own. */
  readonly image?: string | undefined;
  /** Where the administrator's kubeconfig is written; no other is touched. */
  readonly kubeconfig: string;
  readonly signal?: AbortSignal;
  /** Called when each step begins, in kind's words. */
  readonly onProgress?: (step: string) => void;
}

/** A cluster's name and the administrator's kubeconfig. */
export interface KindCluster {
  readonly name: string;
  readonly kubeconfig: string;
}

/** The label that kind puts on its containers. */
export const KIND_LABEL = 'io.x-k8s.kind.cluster';

/** Most of it is for pulling the image. */
const CREATE_LIMIT_MS = 600_000;
const DELETE_LIMIT_MS = 60_000;
const ASK_LIMIT_MS = 30_000;
/** A cluster must stay deleted: a container may still start that was being created when its creator was killed. */
const DELETE_TRIES = 3;

/**
 * Creates a cluster with kind and removes everything from it that an autoscaler could trip over: kind's own node, which the
 * scheduler would use, and its volume provisioner, which would wait for a node. The rest of a failed cluster is left for
 * `exportKindLogs` and `deleteKindCluster`.
 * @throws ClusterError that says what to do
 */
export async function createKindCluster(programs: Programs, options: KindClusterOptions): Promise<KindCluster> {
  const { name, config, image, kubeconfig, signal, onProgress } = options;
  const args = ['create', 'cluster', '--name', name, '--config', config, '--kubeconfig', kubeconfig, '--retain'];
  const end = await programs.run('kind', [...args, ...(image === undefined ? [] : ['--image', image])], {
    limitMs: CREATE_LIMIT_MS,
    signal,
    onLine: (line) => {
      const step = stepOf(line);
      if (step !== undefined) onProgress?.(step);
    },
  });
  signal?.throwIfAborted();
  if (end.code !== 0) throw diagnose('kind', `create the cluster ${name}`, end);
  onProgress?.('Emptying the cluster');
  await emptyCluster(programs, name, signal);
  return { name, kubeconfig };
}

/** kind announces each step with a bullet, an emoji and dots, and marks it as done in a second line. */
function stepOf(line: string): string | undefined {
  const [, text] = /^ *• (.*?) *\.\.\. *$/u.exec(line) ?? [];
  return text?.replaceAll(/[\p{Extended_Pictographic}\uFE0F]/gu, '').trim();
}

/** A kubelet whose Node is deleted keeps its static pods running and does not register again before it restarts. */
async function emptyCluster(programs: Programs, name: string, signal: AbortSignal | undefined): Promise<void> {
  const commands = [
    ['delete', 'namespace', 'local-path-storage', '--ignore-not-found', '--wait=false'],
    ['delete', 'nodes', '--all'],
    // Pods can be created in the namespace only once its service account exists.
    ['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'],
    ['label', 'namespace', 'default', `${TRIALS_LABEL}=own`],
  ];
  for (const command of commands) {
    const kubectl = ['exec', `${name}-control-plane`, 'kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', ...command];
    const end = await programs.run('docker', kubectl, { limitMs: DELETE_LIMIT_MS, signal });
    signal?.throwIfAborted();
    if (end.code !== 0) throw diagnose('docker', `empty the cluster ${name}`, end);
  }
}

/**
 * Deletes a cluster, even an incomplete one; a missing one is not an error.
 * @param kubeconfig the file from which kind removes its entries
 * @throws ClusterError when some of it still exists
 */
export async function deleteKindCluster(programs: Programs, { name, kubeconfig }: KindCluster): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const end = await programs.run('kind', ['delete', 'cluster', '--name', name, '--kubeconfig', kubeconfig], { limitMs: DELETE_LIMIT_MS });
    const isGone = end.code === 0 && (await containersLabelled(programs, `${KIND_LABEL}=${name}`)).length === 0;
    if (isGone) return;
    if (attempt === DELETE_TRIES) throw diagnose('kind', `delete the cluster ${name}`, end);
  }
}

/** All clusters, including incomplete ones. @throws ClusterError */
export async function listKindClusters(programs: Programs): Promise<string[]> {
  const end = await programs.run('kind', ['get', 'clusters', '--quiet'], { limitMs: ASK_LIMIT_MS });
  if (end.code !== 0) throw diagnose('kind', 'list the clusters', end);
  return linesOf(end.stdout);
}

/** Writes the kubeconfig of an existing cluster. @throws ClusterError */
export async function adoptKindCluster(programs: Programs, cluster: KindCluster): Promise<KindCluster> {
  const end = await programs.run('kind', ['get', 'kubeconfig', '--name', cluster.name], { limitMs: ASK_LIMIT_MS });
  if (end.code !== 0) throw diagnose('kind', `use the cluster ${cluster.name}`, end);
  writeFileSync(cluster.kubeconfig, end.stdout, { mode: 0o600 });
  return cluster;
}

/** The containers with a label, `key` or `key=value`: their ids. @throws ClusterError */
export async function containersLabelled(programs: Programs, label: string): Promise<string[]> {
  const end = await programs.run('docker', ['ps', '--all', '--quiet', '--filter', `label=${label}`], { limitMs: ASK_LIMIT_MS });
  if (end.code !== 0) throw diagnose('docker', 'list the containers', end);
  return linesOf(end.stdout);
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}
