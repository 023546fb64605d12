import { createRealTimeline } from '../../runtime/timeline.ts';
import { ClusterError } from '../../world/kind/diagnose.ts';
import type { Life } from '../../world/kind/processes.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import { engineEnvironment, readAccounts, readStates, removeState } from '../../world/kind/run-state.ts';
import type { StateFile } from '../../world/kind/run-state.ts';
import { findLeftovers, lifeOfRun, removeLeftovers } from '../../world/kind/sweep.ts';
import type { Leftovers } from '../../world/kind/sweep.ts';
import { LocalStackError } from '../../world/real/localstack/endpoint.ts';
import type { Console } from '../console.ts';
import { EXIT } from '../usage-error.ts';

/** The result for the leftovers of one run. */
interface Swept {
  /** The state file of the run. */
  readonly state: string;
  readonly run?: string;
  readonly life?: Life;
  readonly leftovers?: Leftovers;
  /** Why not everything was removed. */
  readonly problem?: string;
}

/**
 * `scaleproof sweep`: removes what killed runs left behind, and nothing else.
 * @returns the exit code: 3 when something could not be removed, else 0
 */
export async function sweep(options: { readonly dryRun: boolean; readonly json: boolean }, console: Console): Promise<number> {
  const swept: Swept[] = [];
  for (const file of readStates()) {
    const one = await sweepRun(file, options.dryRun);
    swept.push(one);
    if (!options.json) console.out(describe(one, options.dryRun));
  }
  if (options.json) console.out(`${JSON.stringify({ dryRun: options.dryRun, runs: swept }, undefined, 2)}\n`);
  else if (swept.length === 0) console.out('No run has left anything behind.\n');
  return swept.some(({ problem }) => problem !== undefined) ? EXIT.unknown : EXIT.pass;
}

async function sweepRun(file: StateFile, isDryRun: boolean): Promise<Swept> {
  if ('problem' in file) return { state: file.path, problem: `it can't be read: ${file.problem}` };
  const { state } = file;
  const programs = createPrograms(engineEnvironment(state));
  const life = await lifeOfRun(state, programs);
  const swept = { state: file.path, run: state.run, life };
  if (life !== 'dead') return swept;
  const site = { programs, clock: createRealTimeline().scope('sweep'), accounts: readAccounts(file.path) };
  try {
    if (isDryRun) return { ...swept, leftovers: await findLeftovers(state, site) };
    const leftovers = await removeLeftovers(state, site);
    removeState(file.path);
    return { ...swept, leftovers };
  } catch (error) {
    if (!(error instanceof ClusterError || error instanceof LocalStackError)) throw error;
    return { ...swept, problem: error.message };
  }
}

const LIVES: Readonly<Record<Life, string>> = {
  alive: 'is still running; nothing is removed',
  dead: 'is dead',
  elsewhere: 'started on another host or in another container, so nothing is removed: sweep there, or delete its file',
};

function describe({ state, run, life, leftovers, problem }: Swept, isDryRun: boolean): string {
  const title = run === undefined || life === undefined ? state : `run ${run} ${LIVES[life]}${life === 'elsewhere' ? `, ${state}` : ''}`;
  const lines = leftovers === undefined ? [] : linesOf(leftovers).map((line) => `${isDryRun ? 'would remove' : 'removed'} ${line}`);
  const isClean = leftovers !== undefined && lines.length === 0;
  return [
    title,
    ...[...lines, ...(isClean ? ['it left nothing'] : []), ...(problem === undefined ? [] : [problem])].map((line) => `  ${line}`),
    '',
  ].join('\n');
}

function linesOf({ clusters, containers, processes, folders, accounts, objects }: Leftovers): string[] {
  return [
    ...processes.map(({ pid, command }) => `process ${pid} (${command})`),
    ...clusters.map((name) => `cluster ${name}`),
    ...containers.map((id) => `container ${id}`),
    ...folders.map((path) => `folder ${path}`),
    ...accounts.map(({ account, ...lists }) => {
      const counts = Object.entries(lists).flatMap(([what, ids]) => (ids.length === 0 ? [] : [`${ids.length} ${what}`]));
      return `account ${account} (${counts.join(', ')})`;
    }),
    ...(objects.length === 0 ? [] : [`in its cluster: ${countKinds(objects)} (--json lists them)`]),
  ];
}

/** @param objects as `nodes/NAME` */
function countKinds(objects: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const [plural = ''] of objects.map((name) => name.split('/'))) counts.set(plural, (counts.get(plural) ?? 0) + 1);
  return [...counts].map(([plural, count]) => `${count} ${plural}`).join(', ');
}
