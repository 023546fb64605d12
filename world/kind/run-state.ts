import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import { identityOfThis, processIdentitySchema } from './processes.ts';
import type { Programs } from './programs.ts';

export { RUN_VARIABLE } from '../../model/program-environment.ts';
/** The label of containers that names the run that started them; processes have RUN_VARIABLE. */
export const RUN_LABEL = 'scaleproof.run';

/** The variables that select the engine of a run's containers: other values mean another engine. */
const ENGINE_VARIABLES = ['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'KIND_EXPERIMENTAL_PROVIDER'] as const;

const PREFIX = 'scaleproof-';
const RUN_PATTERN = /^[a-z0-9]+$/;

/** What is needed to clean up after a run: written before it starts anything. */
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
    /** For a LocalStack not owned by the run, in which its trials have accounts: those are listed beside this file. */
    aws: z.strictObject({ endpoint: z.url(), region: z.string() }).optional(),
    /** The existing cluster that it used. */
    tenancy: z
      .strictObject({ kubeconfig: z.string(), server: z.url(), run: z.string(), prefix: z.string(), isOwnTarget: z.boolean() })
      .optional(),
  })
  // An edited file must not cause anything else to be removed.
  .refine(({ run, folder }) => basename(folder) === folderName(run), "the folder is not the run's own");
export type RunState = z.infer<typeof runStateSchema>;

/** A state file: its content, or why it can't be read. */
export type StateFile = { readonly path: string } & ({ readonly state: RunState } | { readonly problem: string });

/** The directory of all runs' state files. */
export function stateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const home = environment['XDG_STATE_HOME'];
  return join(home === undefined || home === '' ? join(homedir(), '.local/state') : home, 'scaleproof');
}

/** A run that may start things outside its process. */
export interface OpenRun {
  readonly run: string;
  readonly state: RunState;
  /** Its temporary folder, accessible to its owner only. */
  readonly folder: string;
  /** The file in which trials write the accounts that they are about to use, one per line. */
  readonly accounts: string;
  /** Removes the folder and the state: nothing that the run started is left. */
  close(): void;
}

/** The name of a run: its start time and its process. */
export function runName(clock: Clock): string {
  return `${clock.nowMs().toString(36)}${process.pid.toString(36).padStart(5, '0')}`;
}

/** A run's temporary folder. */
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

/** Whether a cluster belongs to the run. */
export function isClusterOf(run: string, cluster: string): boolean {
  return cluster.startsWith(`${PREFIX}${run}-`);
}

/** The variables of this process that select its engine. */
function engineOf(environment: NodeJS.ProcessEnv): NonNullable<RunState['engine']> {
  return Object.fromEntries(
    ENGINE_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The environment with which programs use a run's engine, whatever ours is. */
export function engineEnvironment({ engine }: RunState): Record<string, string | undefined> {
  return Object.fromEntries(ENGINE_VARIABLES.map((name) => [name, engine?.[name]]));
}

/** Options for opening a run. */
interface RunSite {
  readonly clock: Clock;
  readonly programs: Programs;
  /** Whether it starts containers. */
  readonly usesEngine: boolean;
  /** For a LocalStack not owned by the run: where its trials have accounts. */
  readonly aws?: RunState['aws'];
  readonly tenancy?: RunState['tenancy'];
  /** Where its state is written. */
  readonly directory?: string;
}

/** Writes a run's state, then creates its folder. From here on, a sweep finds what the run leaves behind if it is killed. */
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
    ...defined({ aws, tenancy }),
  };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${run}.json`);
  // Written atomically, even if this process is killed.
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

/** Records an account before it is used. @param file the run's accounts file */
export function addAccount(file: string, account: string): void {
  appendFileSync(file, `${account}\n`, { mode: 0o600 });
}

/** The accounts that a run's trials were about to use. @param path of its state, or of the accounts beside it */
export function readAccounts(path: string): string[] {
  const file = accountsOf(path);
  if (!existsSync(file)) return [];
  // The last line may be truncated.
  return [...new Set(readFileSync(file, 'utf8').match(/^\d{12}$/gm) ?? [])];
}

/** Deletes the record of a run that left nothing. @param path of its state, which is deleted last */
export function removeState(path: string): void {
  rmSync(accountsOf(path), { force: true });
  rmSync(path, { force: true });
}

/** The states of all runs that have not cleaned up yet, the oldest first. */
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
