import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import { identityOfThis, processIdentitySchema } from './processes.ts';
import type { Programs } from './programs.ts';

export { RUN_VARIABLE } from '../../model/program-environment.ts';
/** The label of containers that names the run that started them; processes have RUN_VARIABLE. */
export const RUN_LABEL = 'scaleproof.run';

/** Where the engine is that a run's containers are in: other values of these are another engine. */
const ENGINE_VARIABLES = ['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'KIND_EXPERIMENTAL_PROVIDER'] as const;

const PREFIX = 'scaleproof-';
const RUN_PATTERN = /^[a-z0-9]+$/;

/** What has to be known of a run to take away what it left: written before it starts anything. */
export const runStateSchema = z
  .strictObject({
    format: z.literal('scaleproof.run-state/v1'),
    run: z.string().regex(RUN_PATTERN),
    startedAt: z.string(),
    process: processIdentitySchema,
    /** Its temporary folder. */
    folder: z.string(),
    /** Absent: it starts no containers. */
    engine: z.partialRecord(z.enum(ENGINE_VARIABLES), z.string()).optional(),
    /** Of a LocalStack that is not the run's own, where its trials have accounts: they are listed beside this file. */
    aws: z.strictObject({ endpoint: z.url(), region: z.string() }).optional(),
    /** The cluster of others that it was in. */
    tenancy: z
      .strictObject({ kubeconfig: z.string(), server: z.url(), run: z.string(), prefix: z.string(), isOwnTarget: z.boolean() })
      .optional(),
  })
  // A file that somebody changed must not have anything else removed.
  .refine(({ run, folder }) => basename(folder) === folderName(run), "the folder is not the run's own");
export type RunState = z.infer<typeof runStateSchema>;

/** A state file: what it says, or why it can't be read. */
export type StateFile = { readonly path: string } & ({ readonly state: RunState } | { readonly problem: string });

/** Where the states of runs are kept: one file each. */
export function stateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const home = environment['XDG_STATE_HOME'];
  return join(home === undefined || home === '' ? join(homedir(), '.local/state') : home, 'scaleproof');
}

/** A run that may start things outside of its process. */
export interface OpenRun {
  readonly run: string;
  readonly state: RunState;
  /** Its temporary folder, for its owner alone. */
  readonly folder: string;
  /** The file in which trials write the accounts that they are about to use, one a line. */
  readonly accounts: string;
  /** Removes the folder and the state: nothing that the run started is left. */
  close(): void;
}

/** The name of a run: when it began and its process. */
export function runName(clock: Clock): string {
  return `${clock.nowMs().toString(36)}${process.pid.toString(36).padStart(5, '0')}`;
}

/** A run's own temporary folder. */
export function folderOf(run: string): string {
  return join(tmpdir(), folderName(run));
}

function folderName(run: string): string {
  return `${PREFIX}${run}`;
}

/** The n-th cluster of a run. */
export function clusterName(run: string, number: number): string {
  return `${PREFIX}${run}-${number}`;
}

/** Whether a cluster is one of the run's. */
export function isClusterOf(run: string, cluster: string): boolean {
  return cluster.startsWith(`${PREFIX}${run}-`);
}

/** The variables of this process that say where its engine is. */
function engineOf(environment: NodeJS.ProcessEnv): NonNullable<RunState['engine']> {
  return Object.fromEntries(
    ENGINE_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** What programs need in their environment to meet a run's engine, whatever ours is. */
export function engineEnvironment({ engine }: RunState): Record<string, string | undefined> {
  return Object.fromEntries(ENGINE_VARIABLES.map((name) => [name, engine?.[name]]));
}

/** What a run is opened with. */
interface RunSite {
  readonly clock: Clock;
  readonly programs: Programs;
  /** Whether it starts containers. */
  readonly usesEngine: boolean;
  /** Where its trials have accounts, if that is not its own. */
  readonly aws?: RunState['aws'];
  readonly tenancy?: RunState['tenancy'];
  /** Where its state is written. */
  readonly directory?: string;
}

/** Writes a run's state, then makes its folder. From here on a sweep finds what the run leaves when it is killed. */
export async function openRun(
  run: string,
  { clock, programs, usesEngine, aws, tenancy, directory = stateDirectory() }: RunSite,
): Promise<OpenRun> {
  const state: RunState = {
    format: 'scaleproof.run-state/v1',
    run,
    startedAt: new Date(clock.nowMs()).toISOString(),
    process: await identityOfThis(programs),
    folder: folderOf(run),
    ...(usesEngine ? { engine: engineOf(process.env) } : {}),
    ...(aws === undefined ? {} : { aws }),
    ...(tenancy === undefined ? {} : { tenancy }),
  };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${run}.json`);
  // Whole or not at all, whatever kills this process.
  writeFileSync(`${path}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  mkdirSync(state.folder, { mode: 0o700 });
  return {
    run,
    state,
    folder: state.folder,
    accounts: accountsOf(path),
    close: () => {
      rmSync(state.folder, { recursive: true, force: true });
      removeState(path);
    },
  };
}

function accountsOf(path: string): string {
  return path.replace(/\.json$/, '.accounts');
}

/** Writes down an account before it is used. @param file of the run's accounts */
export function noteAccount(file: string, account: string): void {
  appendFileSync(file, `${account}\n`, { mode: 0o600 });
}

/** The accounts that a run's trials were about to use. @param path of its state, or of the accounts beside it */
export function readAccounts(path: string): string[] {
  const file = accountsOf(path);
  if (!existsSync(file)) return [];
  // The last line may be cut off.
  return [...new Set(readFileSync(file, 'utf8').match(/^\d{12}$/gm) ?? [])];
}

/** Forgets a run of which nothing is left. @param path of its state, which goes last */
export function removeState(path: string): void {
  rmSync(accountsOf(path), { force: true });
  rmSync(path, { force: true });
}

/** The states of all runs that did not clean up after themselves yet, the oldest first. */
export function readStates(directory: string = stateDirectory()): StateFile[] {
  const names = namesIn(directory).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => readState(join(directory, name)));
}

function readState(path: string): StateFile {
  try {
    return { path, state: runStateSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) };
  } catch (error) {
    return { path, problem: error instanceof z.ZodError ? z.prettifyError(error) : String(error) };
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
