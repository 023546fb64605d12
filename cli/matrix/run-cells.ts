import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { targetDigestOf } from '../../harness/load.ts';
import { planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import type { NotRun } from '../../history/verdict.ts';
import { removeHistory } from '../../history/usage.ts';
import { timeName } from '../../reports/clock.ts';
import type { RunFacts, Shard } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { ChosenScenario, ChosenTarget } from '../choose.ts';
import { abilitiesOf } from '../compare/abilities.ts';
import type { Abilities } from '../compare/abilities.ts';
import type { Console } from '../console.ts';
import { sourcesDigest } from '../gate/sources.ts';
import { interruption } from '../interruption.ts';
import { membersOf } from '../plan-run.ts';
import { Progress } from '../progress.ts';
import { writeRunFacts } from '../run-directory.ts';
import { describeRun } from '../run-facts.ts';
import { UsageError } from '../usage-error.ts';
import { Cells, cellKeyOf } from './cells.ts';
import { foldersOf, writePlan } from './directory.ts';

/** The first seed of every scenario. */
const FIRST_SEED = 1;

/** What decides the cells of a matrix. */
export interface MatrixChoice {
  /** Prepared targets, in the order of the columns. */
  readonly versions: readonly ChosenTarget[];
  readonly chosen: readonly ChosenScenario[];
  /** Trials of each cell, with consecutive seeds. */
  readonly seeds: number;
  /** Only this part of the trials of each version. */
  readonly shard: Shard | undefined;
  /** The number of processors by default. */
  readonly workers: number | undefined;
}

/** How the trials of a matrix ended. */
export interface CellsEnd {
  readonly isInterrupted: boolean;
  /** Trials that had been run before. */
  readonly kept: number;
}

/** One trial of one version. */
interface Cell {
  readonly trial: PlannedTrial;
  readonly key: string;
}

interface Column {
  readonly folder: string;
  readonly facts: RunFacts;
  readonly cells: Cells;
  readonly trials: readonly Cell[];
}

/**
 * Runs the trials that the matrix does not have yet. Each version has a run directory in it, whose run.json describes all of its trials.
 * The versions take turns, so that as early as possible every scenario has been run with all of them.
 * @param directory of the matrix, locked
 * @throws UsageError for targets that can't be in one matrix
 */
export async function runCells(
  choice: MatrixChoice,
  { directory, startedAt }: { readonly directory: string; readonly startedAt: string },
  console: Console,
): Promise<CellsEnd> {
  const { versions, workers } = choice;
  const abilities = await Promise.all(versions.map(({ ref }) => abilitiesOf(ref)));
  refuseUnlike(versions, abilities);
  const sources = sourcesDigest();
  const folders = foldersOf(versions.map(({ label }) => label));
  const columns: Column[] = [];
  for (const [index, version] of versions.entries())
    columns.push(
      await planColumn(version, abilities[index] as Abilities, choice, { directory, folder: folders[index] ?? '', startedAt, sources }),
    );
  if (columns.every(({ facts }) => facts.planned.length + facts.notRun.length === 0))
    throw new UsageError(`--shard ${choice.shard?.number ?? 1}/${choice.shard?.of ?? 1} has no trial; use fewer shards`);
  writePlan(directory, {
    format: 1,
    sources,
    versions: versions.map(({ label }, index) => ({ target: label, folder: folders[index] ?? '' })),
  });
  for (const { folder, facts, trials, cells } of columns) {
    mkdirSync(join(directory, folder, 'histories'), { recursive: true });
    writeRunFacts(join(directory, folder), facts);
    // What is left of other code, or of a process that was killed, must not count.
    for (const { trial, key } of trials) {
      if (cells.has(trial, key)) continue;
      cells.forget(trial.history);
      removeHistory(join(directory, folder, trial.history));
    }
  }
  const missing = inTurn(columns);
  const clock = createRealTimeline().scope('matrix');
  const startedMs = clock.nowMs();
  const [first] = columns;
  const progress = new Progress(console, {
    total: missing.length,
    clock,
    timeName: first === undefined ? 'virtual time' : timeName(first.facts),
    hasTargets: true,
  });
  const interrupted = interruption();
  try {
    const placed = new Map(missing.map((one) => [{ ...one.cell.trial, history: join(one.column.folder, one.cell.trial.history) }, one]));
    const ends = await runTrials([...placed.keys()], {
      directory,
      workers: workers ?? availableParallelism(),
      signal: interrupted.signal,
      onBegin: (trial) => progress.begin(trial),
      onEnd: (trial, end) => {
        progress.end(trial, end);
        const one = placed.get(trial);
        if (one !== undefined && isVerdict(end)) one.column.cells.add(one.cell.trial.history, one.cell.key);
      },
    });
    const refusals = new Set(ends.flatMap((end) => (end.kind === 'refused' ? [end.message] : [])));
    for (const message of refusals) console.err(`scaleproof: ${message.replaceAll('\n', ' ')}\n`);
    const isInterrupted = interrupted.signal.aborted;
    [...placed.keys()].forEach(({ history }, index) => {
      const end = ends[index];
      const isCutShort = end?.kind !== 'judged' || (isInterrupted && !isVerdict(end));
      if (isCutShort) removeHistory(join(directory, history));
    });
    const wallMs = clock.nowMs() - startedMs;
    if (!isInterrupted) for (const { folder, facts } of columns) writeRunFacts(join(directory, folder), { ...facts, wallMs });
    const all = columns.reduce((sum, { trials }) => sum + trials.length, 0);
    return { isInterrupted, kept: all - missing.length };
  } finally {
    progress.close();
    interrupted.release();
  }
}

/** A trial without a verdict is run again the next time. */
function isVerdict(end: TrialEnd): boolean {
  return end.kind === 'judged' && end.result.verdict !== 'unknown';
}

/** @throws UsageError */
function refuseUnlike(versions: readonly ChosenTarget[], abilities: readonly Abilities[]): void {
  const [first] = versions;
  for (const [index, { target, isVirtual }] of abilities.entries()) {
    const label = versions[index]?.label ?? '';
    if (target.external !== undefined)
      throw new UsageError(`${label} is an external target: run it with \`scaleproof run\`, and compare the directories`);
    if (isVirtual !== abilities[0]?.isVirtual)
      throw new UsageError(`${first?.label ?? ''} and ${label} can't be in one matrix: one runs in virtual, the other in real time`);
  }
}

async function planColumn(
  target: ChosenTarget,
  { target: loaded, whyNotRun }: Abilities,
  { chosen, seeds: count, shard }: MatrixChoice,
  where: { readonly directory: string; readonly folder: string; readonly startedAt: string; readonly sources: string },
): Promise<Column> {
  const { directory, folder, startedAt, sources } = where;
  const isOurs = shard === undefined ? () => true : membersOf(shard, { chosen, seed: FIRST_SEED, trials: count });
  const planned: PlannedTrial[] = [];
  const notRun: NotRun[] = [];
  for (const source of chosen) {
    const { scenario, suite } = source;
    const seeds = Array.from({ length: count }, (_, index) => FIRST_SEED + index).filter((seed) => isOurs(scenario.id, seed));
    const reason = whyNotRun(scenario);
    if (reason === undefined) planned.push(...(seeds.length === 0 ? [] : await planTrials(source, target, seeds)));
    else notRun.push(...seeds.map((seed) => ({ scenario: scenario.id, title: scenario.title, suite, seed, reason })));
  }
  const facts = await describeRun({
    id: `${basename(directory)}-${folder}`,
    startedAt,
    chosen,
    target,
    loaded,
    world: undefined,
    nodes: DEFAULT_NODES,
    seed: FIRST_SEED,
    trials: count,
    shard,
    planned,
    notRun,
  });
  const targetDigest = await targetDigestOf(target.ref);
  const trials = planned.map((trial) => ({ trial, key: cellKeyOf(trial, { sources, target: targetDigest, digests: facts.digests }) }));
  return { folder, facts, cells: new Cells(join(directory, folder)), trials };
}

/** The trials that are missing, by seed and scenario, and in each the versions in turn. */
function inTurn(columns: readonly Column[]): { readonly column: Column; readonly cell: Cell }[] {
  const all = columns.flatMap((column) => column.trials.map((cell) => ({ column, cell })));
  const rounds = Map.groupBy(all, ({ cell }) => cell.trial.history);
  return [...rounds.values()]
    .flat()
    .filter(({ column, cell }) => !column.cells.has(cell.trial, cell.key))
    .sort((a, b) => a.cell.trial.seed - b.cell.trial.seed);
}
