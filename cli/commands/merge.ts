import { constants, copyFileSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseReplayLine } from '../../harness/replay-line.ts';
import type { RunFacts } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Console } from '../console.ts';
import { createRunDirectory, readRunFacts, writeRunFacts } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import { check } from './check.ts';

export interface MergeOptions {
  readonly out: string | undefined;
  readonly json: boolean;
}

/** A shard of a run, and where it lies. */
interface Part {
  readonly directory: string;
  readonly facts: RunFacts;
}

/** What shards of one run have in common. Machines may differ in all else. */
const COMMON = ['versions', 'seed', 'trials', 'scenarios', 'requirements', 'target', 'world', 'bounds', 'digests'] as const;

/**
 * `scaleproof merge DIR...`: one run directory of the shards of a run, judged as if it had been run in one place: its report
 * says the same, but for its name and its times.
 * @throws UsageError when they are not all shards of one run
 */
export async function merge(directories: readonly string[], { out, json }: MergeOptions, console: Console): Promise<number> {
  const parts = directories.map((directory) => ({ directory, facts: readRunFacts(directory) }));
  const facts = joinFacts(parts);
  const directory = createRunDirectory(out, new Date(createRealTimeline().scope('command').nowMs()).toISOString());
  for (const part of parts) {
    for (const { history } of part.facts.planned) {
      const source = join(part.directory, history);
      // What is missing is said by who judges.
      if (existsSync(source)) copyFileSync(source, join(directory, history), constants.COPYFILE_FICLONE);
    }
  }
  writeRunFacts(directory, { ...facts, id: basename(directory) });
  return check(directory, { checks: [], json }, console);
}

/** The facts of the whole run. Its trials come in the order in which one machine would have run them. */
function joinFacts(parts: readonly Part[]): RunFacts {
  const [first] = parts;
  if (first === undefined) throw new UsageError('merge needs the directories of all shards of a run');
  refuseStrangers(parts, first);
  refuseGaps(parts, first);
  const { shard: _shard, wallMs: _wallMs, ...common } = first.facts;
  const all = parts.map(({ facts }) => facts);
  const place = new Map(common.scenarios.map(({ id }, index) => [id, index]));
  const inOrder = <T extends { readonly scenario: string; readonly seed: number }>(entries: readonly T[]): T[] =>
    entries.toSorted((a, b) => (place.get(a.scenario) ?? 0) - (place.get(b.scenario) ?? 0) || a.seed - b.seed);
  const planned = all.flatMap((facts) => facts.planned);
  const wallMs = all.flatMap((facts) => facts.wallMs ?? []);
  return {
    ...common,
    startedAt: all.map(({ startedAt }) => startedAt).reduce((a, b) => (a < b ? a : b)),
    scenarios: common.scenarios.map((scenario, index) => {
      // Told by the shard that has them; why they were left out, by each.
      const told = all.flatMap((facts) => facts.scenarios[index]?.crashPoints ?? []);
      const crashPoints = told.find(({ uncounted }) => uncounted !== undefined) ?? told[0];
      return crashPoints === undefined ? scenario : { ...scenario, crashPoints };
    }),
    // Crash points follow when all seeds of all scenarios are through.
    planned: [
      ...inOrder(planned.filter(({ crash }) => crash === undefined)),
      ...inOrder(planned.filter(({ crash }) => crash !== undefined)),
    ],
    notRun: inOrder(all.flatMap((facts) => facts.notRun)),
    ...(wallMs.length === all.length ? { wallMs: Math.max(...wallMs) } : {}),
  };
}

function refuseStrangers(parts: readonly Part[], first: Part): void {
  for (const part of parts) {
    const [theirs, ours] = [comparable(part), comparable(first)];
    const differs = [...COMMON, 'flags' as const].find(
      (field) => !isDeepStrictEqual(theirs[field] ?? ours[field], ours[field] ?? theirs[field]),
    );
    if (differs === undefined) continue;
    throw new UsageError(
      `${first.directory} and ${part.directory} are not shards of the same run: their ${differs} differ (run.json); run all shards with the same flags, version and files`,
    );
  }
}

type Comparable = Pick<RunFacts, (typeof COMMON)[number]> & { readonly flags: unknown };

/** Without what only the machine of a shard knows. */
function comparable({ directory, facts: { scenarios, world, ...facts } }: Part): Comparable {
  const { parts: _parts, ec2: _ec2, ...common } = world;
  return {
    ...facts,
    world: common,
    scenarios: scenarios.map(({ crashPoints: _crashPoints, ...scenario }) => scenario),
    flags: flagsOf(directory, facts.planned),
  };
}

/** What only replay lines tell, as the number of nodes; undefined of a shard in which nothing could be run. */
function flagsOf(directory: string, [trial]: RunFacts['planned']): unknown {
  if (trial === undefined) return undefined;
  try {
    const { scenario: _scenario, scenarioDigest: _digest, seed: _seed, crash: _crash, ...flags } = parseReplayLine(trial.replay);
    return flags;
  } catch (error) {
    throw new UsageError(`${directory}/run.json: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refuseGaps(parts: readonly Part[], first: Part): void {
  const { shard } = first.facts;
  if (shard === undefined)
    throw new UsageError(`${first.directory} is a whole run, not a shard: create shards with scaleproof run --shard I/N`);
  const owners = new Map<number, string>();
  for (const { directory, facts } of parts) {
    if (facts.shard?.of !== shard.of)
      throw new UsageError(
        `${directory} is ${facts.shard === undefined ? 'a whole run' : `one of ${facts.shard.of} shards`}, and ${first.directory} one of ${shard.of}`,
      );
    const other = owners.get(facts.shard.number);
    if (other !== undefined) throw new UsageError(`${other} and ${directory} are both shard ${facts.shard.number} of ${shard.of}`);
    owners.set(facts.shard.number, directory);
  }
  const missing = Array.from({ length: shard.of }, (_, index) => index + 1).filter((number) => !owners.has(number));
  if (missing.length > 0)
    throw new UsageError(`of ${shard.of} shards these are missing: ${missing.join(', ')}; merge needs the directories of all shards`);
}
