import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../runtime/clock.ts';
import { diagnose } from '../diagnose.ts';
import { KIND_LABEL, containersLabelled } from '../kind.ts';
import type { ProgramEnd, Programs } from '../programs.ts';
import { RUN_LABEL } from '../run-state.ts';
import type { NodeFiles } from './node-files.ts';

/** Where node containers are created, as plain data: trials run in separate processes. */
export interface RealNodesRef {
  /** The kind cluster that they join. */
  readonly cluster: string;
  /** The run whose label they have. */
  readonly run: string;
  /** Its temporary folder: everything in it is deleted with it. */
  readonly folder: string;
}

/** The label of containers that act as instances: the cluster that their nodes joined. */
export const NODE_LABEL = 'scaleproof.node-of';
/** The label by which kind knows a container's role in its cluster. Source: kind, `pkg/cluster/constants/constants.go`. */
const ROLE_LABEL = 'io.x-k8s.kind.role';
/** The network that all kind clusters share. Source: kind, `pkg/cluster/internal/providers/docker/provider.go`. */
const NETWORK = 'kind';

/** A container is created from a local image: on a busy disk that takes some seconds. */
const CREATE_LIMIT_MS = 120_000;
const START_LIMIT_MS = 60_000;
const COPY_LIMIT_MS = 30_000;
const EXEC_LIMIT_MS = 30_000;
const REMOVE_LIMIT_MS = 60_000;
/** Until systemd answers in a container that was just started. */
const SYSTEMD_LIMIT_MS = 30_000;
const SYSTEMD_PERIOD_MS = 1_000;

/**
 * How `docker create` creates a node's container: like kind's workers, with the run's label, and never restarted. kind's label
 * makes it part of the cluster, so it is deleted with it.
 * Source: kind, `pkg/cluster/internal/providers/docker/provision.go` (commonArgs, runArgsForNode).
 */
export function createArguments(ref: Pick<RealNodesRef, 'cluster' | 'run'>, { name, image }: { name: string; image: string }): string[] {
  const labels = [`${KIND_LABEL}=${ref.cluster}`, `${ROLE_LABEL}=worker`, `${RUN_LABEL}=${ref.run}`, `${NODE_LABEL}=${ref.cluster}`];
  return [
    ...['create', '--name', name, '--hostname', name, '--tty', '--net', NETWORK, '--restart=no', '--init=false', '--cgroupns=private'],
    ...labels.flatMap((label) => ['--label', label]),
    ...['--privileged', '--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined'],
    ...['--tmpfs', '/tmp', '--tmpfs', '/run', '--volume', '/var', '--volume', '/lib/modules:/lib/modules:ro'],
    ...['--env', 'KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER'],
    image,
  ];
}

/** The containers of a cluster's real nodes. Every method throws a ClusterError (`diagnose.ts`) when docker refuses. */
export class NodeContainers {
  readonly #ref: RealNodesRef;
  readonly #programs: Programs;
  readonly #clock: Clock;

  constructor(parts: { readonly ref: RealNodesRef; readonly programs: Programs; readonly clock: Clock }) {
    this.#ref = parts.ref;
    this.#programs = parts.programs;
    this.#clock = parts.clock;
  }

  /** Creates a container without starting it. */
  async create(name: string, image: string): Promise<void> {
    await this.#docker(`create the container ${name}`, createArguments(this.#ref, { name, image }), CREATE_LIMIT_MS);
  }

  async start(name: string): Promise<void> {
    await this.#docker(`start the container ${name}`, ['start', name], START_LIMIT_MS);
  }

  /** Writes files into a container, running or not. */
  async write(name: string, files: NodeFiles): Promise<void> {
    const { folder } = this.#ref;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const staged = mkdtempSync(join(folder, 'node-'));
    try {
      stage(staged, files);
      await this.#docker(`write files to the container ${name}`, ['cp', `${staged}/.`, `${name}:/`], COPY_LIMIT_MS);
    } finally {
      rmSync(staged, { recursive: true, force: true });
    }
  }

  /** Runs a program in a container. @returns its output */
  async exec(name: string, command: readonly string[]): Promise<string> {
    return this.#docker(`run ${command[0] ?? ''} in ${name}`, ['exec', name, ...command], EXEC_LIMIT_MS);
  }

  /** Starts, stops or restarts a container's kubelet with systemd, which may itself still be starting. */
  async service(name: string, what: 'start' | 'stop' | 'restart', signal: AbortSignal): Promise<void> {
    const deadlineMs = this.#clock.nowMs() + SYSTEMD_LIMIT_MS;
    for (;;) {
      try {
        await this.exec(name, ['systemctl', what, 'kubelet']);
        return;
      } catch (error) {
        if (this.#clock.nowMs() > deadlineMs) throw error;
      }
      await this.#clock.sleep(SYSTEMD_PERIOD_MS, signal);
    }
  }

  /** Removes a container with its volumes at once, in any state; a missing one is not an error. */
  async remove(name: string): Promise<void> {
    const end = await this.#run(['rm', '--force', '--volumes', name], REMOVE_LIMIT_MS);
    if (end.code !== 0 && !/No such container|removal of container .* is already in progress/i.test(end.stderr)) {
      throw diagnose('docker', `remove the container ${name}`, end);
    }
  }

  /** Removes all containers of the cluster's real nodes. */
  async removeAll(): Promise<void> {
    const ids = await containersLabelled(this.#programs, `${NODE_LABEL}=${this.#ref.cluster}`);
    await Promise.all(ids.map((id) => this.remove(id)));
  }

  async #docker(doing: string, args: readonly string[], limitMs: number): Promise<string> {
    const end = await this.#run(args, limitMs);
    if (end.code !== 0) throw diagnose('docker', doing, end);
    return end.stdout;
  }

  #run(args: readonly string[], limitMs: number): Promise<ProgramEnd> {
    return this.#programs.run('docker', args, { limitMs });
  }
}

/** Like folders in an image, whatever the umask: docker copies their modes to the container. */
const FOLDER_MODE = 0o755;

function stage(root: string, files: NodeFiles): void {
  const makeFolder = (path: string): void => {
    if (path === root) return;
    makeFolder(dirname(path));
    mkdirSync(path, { recursive: true });
    chmodSync(path, FOLDER_MODE);
  };
  chmodSync(root, FOLDER_MODE);
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    makeFolder(text === undefined ? target : dirname(target));
    if (text !== undefined) writeFileSync(target, text);
  }
}
