import { existsSync, rmSync } from 'node:fs';
import { KIND_LABEL, containersLabelled, deleteKindCluster, listKindClusters } from './kind.ts';
import type { LabelledProcess, Life } from './processes.ts';
import { lifeOf, processesLabelled } from './processes.ts';
import { ClusterError, diagnose } from './diagnose.ts';
import type { Clock } from '../../runtime/clock.ts';
import { clearAccounts, findAccountLeftovers } from '../real/localstack/sweep-account.ts';
import type { AccountLeftovers } from '../real/localstack/sweep-account.ts';
import { clearTenancy, findTenantsLeftovers } from '../real/tenant/sweep-tenant.ts';
import type { Programs } from './programs.ts';
import { RUN_LABEL, RUN_VARIABLE, isClusterOf, readAccounts } from './run-state.ts';
import type { OpenRun, RunState } from './run-state.ts';

/** What a dead run left on the machine. */
export interface Leftovers {
  readonly clusters: readonly string[];
  /** Ids of containers that are not part of its clusters. */
  readonly containers: readonly string[];
  readonly processes: readonly LabelledProcess[];
  readonly folders: readonly string[];
  /** What its trials' accounts in a LocalStack not owned by the run still contain. */
  readonly accounts: readonly AccountLeftovers[];
  /** What it created in an existing cluster, as `nodes/NAME`. */
  readonly objects: readonly string[];
}

/** The dependencies of a sweep. */
export interface SweepSite {
  /** Run with the environment of the run's engine. */
  readonly programs: Programs;
  readonly clock: Clock;
  /** Accounts that the run's trials were about to use. */
  readonly accounts: readonly string[];
}

/** Whether a run is still alive. */
export function lifeOfRun(state: RunState, programs: Programs): Promise<Life> {
  return lifeOf(state.process, programs);
}

/**
 * Finds what a run left.
 * @throws ClusterError when the run's engine does not answer
 */
export async function findLeftovers(state: RunState, { programs, clock, accounts }: SweepSite): Promise<Leftovers> {
  const { run, folder, engine, aws, tenancy } = state;
  return {
    ...(engine === undefined ? { clusters: [], containers: [] } : await inEngine(run, programs)),
    processes: processesLabelled(RUN_VARIABLE, run),
    folders: existsSync(folder) ? [folder] : [],
    accounts: aws === undefined ? [] : await findAccountLeftovers(accounts, { ...aws, clock }),
    objects: tenancy === undefined ? [] : await inCluster(tenancy, () => findTenantsLeftovers(tenancy, clock)),
  };
}

async function inCluster<T>({ server }: NonNullable<RunState['tenancy']>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClusterError(`can't clean the cluster at ${server}: ${why}`, 'sweep again when it can be reached');
  }
}

async function inEngine(run: string, programs: Programs): Promise<Pick<Leftovers, 'clusters' | 'containers'>> {
  const clusters = (await listKindClusters(programs)).filter((cluster) => isClusterOf(run, cluster));
  // The parts of its own clusters are deleted with them; in an existing cluster it may have left nodes.
  const ofClusters = await Promise.all(clusters.map((cluster) => containersLabelled(programs, `${KIND_LABEL}=${cluster}`)));
  const labelled = await containersLabelled(programs, `${RUN_LABEL}=${run}`);
  return { clusters, containers: labelled.filter((id) => !ofClusters.flat().includes(id)) };
}

const REMOVE_LIMIT_MS = 60_000;
/** Looks again for what was still being created while the rest was removed. */
const MAX_PASSES = 3;

/**
 * Removes what a run left, processes first, since they could create more, and then looks again.
 * @returns everything that was found and removed
 * @throws ClusterError when some of it can't be removed
 */
export async function removeLeftovers(state: RunState, site: SweepSite): Promise<Leftovers> {
  const { programs, clock, accounts } = site;
  let removed: Leftovers = { clusters: [], containers: [], processes: [], folders: [], accounts: [], objects: [] };
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const found = await findLeftovers(state, site);
    if (isNothing(found)) break;
    for (const process of found.processes) endProcess(process, state.run);
    for (const name of found.clusters) await deleteKindCluster(programs, { name, kubeconfig: `${state.folder}/kubeconfig` });
    await removeContainers(found.containers, programs);
    if (state.aws !== undefined && found.accounts.length > 0) await clearAccounts(accounts, { ...state.aws, clock });
    const { tenancy } = state;
    if (tenancy !== undefined && found.objects.length > 0) await inCluster(tenancy, () => clearTenancy(tenancy, clock));
    for (const folder of found.folders) rmSync(folder, { recursive: true, force: true });
    removed = joined(removed, found);
  }
  return removed;
}

/**
 * Ends a run in order: removes its containers outside its own clusters, including those that may not have been created, and what
 * its trials created in accounts of a LocalStack not owned by it; then its record is deleted.
 * @throws ClusterError or LocalStackError when some of it still exists: then the record is kept
 */
export async function endRun(
  { state, accounts, close }: OpenRun,
  { programs, clock }: Pick<SweepSite, 'programs' | 'clock'>,
): Promise<void> {
  if (state.engine !== undefined) await removeContainers((await inEngine(state.run, programs)).containers, programs);
  if (state.aws !== undefined) await clearAccounts(readAccounts(accounts), { ...state.aws, clock });
  close();
}

async function removeContainers(ids: readonly string[], programs: Programs): Promise<void> {
  for (const id of ids) {
    const end = await programs.run('docker', ['rm', '--force', '--volumes', id], { limitMs: REMOVE_LIMIT_MS });
    if (end.code !== 0) throw diagnose('docker', `remove the container ${id}`, end);
  }
}

export function isNothing(found: Leftovers): boolean {
  return Object.values(found).every((list: readonly unknown[]) => list.length === 0);
}

/** Kills it, if its id still belongs to the same process. */
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
    objects: unique([...left.objects, ...right.objects]),
    accounts: [...left.accounts, ...right.accounts.filter(({ account }) => !left.accounts.some((one) => one.account === account))],
  };
}
