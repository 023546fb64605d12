import { existsSync, rmSync } from 'node:fs';
import { KIND_LABEL, containersLabelled, deleteKindCluster, listKindClusters } from './kind.ts';
import type { LabelledProcess, Life } from './processes.ts';
import { lifeOf, processesLabelled } from './processes.ts';
import { diagnose } from './diagnose.ts';
import type { Programs } from './programs.ts';
import { RUN_LABEL, RUN_VARIABLE, isClusterOf } from './run-state.ts';
import type { RunState } from './run-state.ts';

/** What a dead run left on the machine. */
export interface Leftovers {
  readonly clusters: readonly string[];
  /** Ids of containers that are not part of a cluster. */
  readonly containers: readonly string[];
  readonly processes: readonly LabelledProcess[];
  readonly folders: readonly string[];
}

/** Whether a run goes on. */
export function lifeOfRun(state: RunState, programs: Programs): Promise<Life> {
  return lifeOf(state.process, programs);
}

/**
 * Looks for what a run left.
 * @param programs that meet the run's engine
 * @throws ClusterError when that does not answer
 */
export async function findLeftovers({ run, folder }: RunState, programs: Programs): Promise<Leftovers> {
  const ofClusters = new Set(await containersLabelled(programs, KIND_LABEL));
  const labelled = await containersLabelled(programs, `${RUN_LABEL}=${run}`);
  return {
    clusters: (await listKindClusters(programs)).filter((cluster) => isClusterOf(run, cluster)),
    containers: labelled.filter((id) => !ofClusters.has(id)),
    processes: processesLabelled(RUN_VARIABLE, run),
    folders: existsSync(folder) ? [folder] : [],
  };
}

const REMOVE_LIMIT_MS = 60_000;
/** What was still under way while the rest was removed is found by looking again. */
const MAX_LOOKS = 3;

/**
 * Removes what a run left, processes first, since they could make more of it, and then looks again.
 * @returns everything that was found and removed
 * @throws ClusterError when some of it can't be removed
 */
export async function removeLeftovers(state: RunState, programs: Programs): Promise<Leftovers> {
  let removed: Leftovers = { clusters: [], containers: [], processes: [], folders: [] };
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const found = await findLeftovers(state, programs);
    if (isNothing(found)) break;
    for (const process of found.processes) endProcess(process, state.run);
    for (const name of found.clusters) await deleteKindCluster(programs, { name, kubeconfig: `${state.folder}/kubeconfig` });
    for (const id of found.containers) {
      const end = await programs.run('docker', ['rm', '--force', '--volumes', id], { limitMs: REMOVE_LIMIT_MS });
      if (end.code !== 0) throw diagnose('docker', `remove the container ${id}`, end);
    }
    for (const folder of found.folders) rmSync(folder, { recursive: true, force: true });
    removed = joined(removed, found);
  }
  return removed;
}

export function isNothing(found: Leftovers): boolean {
  return [found.clusters, found.containers, found.processes, found.folders].every((list) => list.length === 0);
}

/** Kills it, if its id still means the same process. */
function endProcess({ pid, started }: LabelledProcess, run: string): void {
  const isSame = processesLabelled(RUN_VARIABLE, run).some((one) => one.pid === pid && one.started === started);
  if (!isSame) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function joined(left: Leftovers, right: Leftovers): Leftovers {
  const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];
  return {
    clusters: unique([...left.clusters, ...right.clusters]),
    containers: unique([...left.containers, ...right.containers]),
    processes: [...left.processes, ...right.processes.filter(({ pid }) => !left.processes.some((one) => one.pid === pid))],
    folders: unique([...left.folders, ...right.folders]),
  };
}
