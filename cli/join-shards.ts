import { constants, copyFileSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseReplayLine } from '../harness/replay-line.ts';
import { defined } from '../model/defined.ts';
import type { RunFacts } from '../reports/report-input.ts';
import { readRunFacts, writeRunFacts } from './run-directory.ts';
import { UsageError } from './usage-error.ts';
import { usagePath } from '../history/usage.ts';

/** A shard of a run, and its directory. */
interface Part {
  readonly directory: string;
  readonly facts: RunFacts;
}

/** Fields that all shards of a run share. Everything else may differ between machines. */
const COMMON = ['versions', 'seed', 'trials', 'scenarios', 'manifests', 'requirements', 'target', 'world', 'bounds', 'digests'] as const;

/** A run whose shards were joined. */
interface JoinedRun {
  /** Writes run.json and the histories. @param directory a new run directory, whose last folder names the run */
  writeTo(directory: string): void;
}

/**
 * Joins the shards of a run. Apart from its name and times, the run is the same as without shards.
 * @param mustHaveEnded whether a shard that was interrupted is refused
 * @throws UsageError unless they are all the shards of one run
 */
export function joinShards(directories: readonly string[], { mustHaveEnded = false } = {}): JoinedRun {
  const parts = directories.map((directory) => ({ directory, facts: readRunFacts(directory) }));
  const interrupted = parts.find(({ facts }) => mustHaveEnded && facts.wallMs === undefined);
  if (interrupted !== undefined) throw new UsageError(`${interrupted.directory} was interrupted: run this shard again`);
  const facts = joinFacts(parts);
  return {
    writeTo: (directory) => {
      for (const part of parts) {
        for (const file of part.facts.planned.flatMap(({ history }) => [history, usagePath(history)])) {
          const source = join(part.directory, file);
          // Judging reports missing histories.
          if (existsSync(source)) copyFileSync(source, join(directory, file), constants.COPYFILE_FICLONE);
        }
      }
      writeRunFacts(directory, { ...facts, id: basename(directory) });
    },
  };
}

/** The facts of the whole run, with its trials in the order of a single machine. */
function joinFacts(parts: readonly Part[]): RunFacts {
  const [first] = parts;
  if (first === undefined) throw new UsageError('merge needs the directories of all shards of a run');
  refuseOtherRuns(parts, first);
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
      // Only one shard counted them. If they were left out, every shard says why.
      const known = all.flatMap((facts) => facts.scenarios[index]?.crashPoints ?? []);
      const crashPoints = known.find(({ uncounted }) => uncounted !== undefined) ?? known[0];
      return crashPoints === undefined ? scenario : { ...scenario, crashPoints };
    }),
    // Crash points run after all seeds of all scenarios.
    planned: [
      ...inOrder(planned.filter(({ crash }) => crash === undefined)),
      ...inOrder(planned.filter(({ crash }) => crash !== undefined)),
    ],
    notRun: inOrder(all.flatMap((facts) => facts.notRun)),
    ...defined({ wallMs: wallMs.length === all.length ? Math.max(...wallMs) : undefined }),
  };
}

function refuseOtherRuns(parts: readonly Part[], first: Part): void {
  for (const part of parts) {
    const [theirs, ours] = [comparable(part), comparable(first)];
    const differs = [...COMMON, 'flags' as const].find(
      (field) => !isDeepStrictEqual(theirs[field] ?? ours[field], ours[field] ?? theirs[field]),
    );
    if (differs === undefined) continue;
    throw new UsageError(
      `${first.directory} and ${part.directory} are not shards of the same run: they differ in ${differs} (run.json); run all shards with the same flags, version and files`,
    );
  }
}

type Comparable = Readonly<Partial<Record<(typeof COMMON)[number] | 'flags', unknown>>>;

/** Without fields that depend on the machine of a shard. */
function comparable({ directory, facts: { scenarios, world, target, ...facts } }: Part): Comparable {
  const { parts: _parts, ec2: _ec2, ...common } = world;
  const { program } = target;
  return {
    ...facts,
    world: common,
    // Each machine may have built the program by itself: its SHA-256 tells whether it is the same.
    target: { ...target, ...defined({ program: program && { ...program, builtAt: undefined } }) },
    scenarios: scenarios.map(({ crashPoints: _crashPoints, ...scenario }) => scenario),
    flags: flagsOf(directory, facts.planned),
  };
}

/** Flags that only replay lines have, such as the number of nodes; undefined if the shard could run nothing. */
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
    throw new UsageError(
      `${missing.length} of ${shard.of} shards are missing: ${missing.join(', ')}; merge needs the directories of all shards`,
    );
}
