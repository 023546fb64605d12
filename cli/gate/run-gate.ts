import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { comparable, describeNeither } from '../../gate/comparable.ts';
import type { ComparedRun } from '../../gate/comparison/compared-run.ts';
import { decideGate, failsEarly } from '../../gate/decide.ts';
import type { Episode } from '../../gate/episode.ts';
import { episodesOf } from '../../gate/episodes-of.ts';
import { acceptingExisting, nextLook, notesOnLaxer } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import { StateError, appendState, readState } from '../../gate/state.ts';
import type { StateEntry, StateVersion } from '../../gate/state.ts';
import { isKnown, keyOf } from '../../gate/sides.ts';
import type { GateDecision } from '../../gate/verdict.ts';
import { digestOf, targetDigestOf } from '../../harness/load.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import { packageRoot } from '../../model/package-root.ts';
import type { ChosenScenario, chooseTarget } from '../choose.ts';
import { asked } from '../compare/ask.ts';
import { readComparedRun } from '../compare/read-run.ts';
import { runTargets } from '../compare/run-targets.ts';
import type { Console } from '../console.ts';
import { lockDirectory } from '../directory-lock.ts';
import { UsageError } from '../usage-error.ts';
import type { GateOutcome } from './outcome.ts';
import { describeUnseen, unseenBy } from './unseen.ts';
import { sourcesDigest } from './sources.ts';
import { summarizeGate } from './terminal.ts';

/** Runs that are there. */
interface Directories {
  readonly kind: 'directories';
  readonly baseline: string;
  readonly candidate: string;
}

/** Before the first look of the policy, so many pairs are run and looked at for failures that stay, so that nobody waits for the rest. */
const EARLY_PAIRS = 10;

/** Targets that are run: more and more seeds, until the gate can tell. */
export interface Targets {
  readonly kind: 'targets';
  readonly baseline: ReturnType<typeof chooseTarget>;
  readonly candidate: ReturnType<typeof chooseTarget>;
  readonly chosen: readonly ChosenScenario[];
  readonly seed: number;
  readonly workers: number | undefined;
  /** Where episodes of each version accumulate. */
  readonly state: string | undefined;
  /** What versions of targets from files are called: their text alone does not say what they start. */
  readonly versions?: { readonly baseline?: string | undefined; readonly candidate?: string | undefined };
  readonly signal: AbortSignal;
}

export type GateSides = Directories | Targets;

const LETTERS = { baseline: 'baseline', candidate: 'candidate' } as const;

/**
 * Runs what a gate needs, and decides.
 * @param at where run directories of targets are made, new; and when
 * @throws UsageError when the sides can't be compared, or another gate has the state directory
 * @throws the signal's reason when it is aborted
 */
export async function runGate(
  sides: GateSides,
  policy: Policy,
  at: { readonly directory: string; readonly startedAt: string },
  console: Console,
): Promise<GateOutcome> {
  if (sides.kind === 'directories') return judgeDirectories(sides, policy);
  const unlock = sides.state === undefined ? undefined : lockDirectory(sides.state, 'a gate has its --state directory for itself');
  try {
    return await runUntilTold(sides, policy, at, console);
  } finally {
    unlock?.();
  }
}

function judgeDirectories({ baseline, candidate }: Directories, policy: Policy): GateOutcome {
  const [ours, theirs] = [baseline, candidate].map((directory) => readComparedRun(directory, () => true)) as [ComparedRun, ComparedRun];
  refuseStrangers(ours, theirs);
  const isPaired = ours.time === 'virtual';
  const { baseline: before, candidate: after, notes } = comparable(ours, theirs, isPaired);
  const decide = (by: Policy): GateDecision => decideGate(before, after, by, { paired: isPaired, seed: 1 });
  const decision = decide(policy);
  const onlyExisting = notesOnExisting(decision, () => decide(acceptingExisting(policy)));
  const scenariosOf = (episodes: readonly Episode[]): Set<string> => new Set(episodes.filter(isKnown).map(({ scenario }) => scenario));
  const withBaseline = scenariosOf(before);
  const unseen = unseenBy(new Set([...scenariosOf(after)].filter((scenario) => withBaseline.has(scenario))));
  const all = [...notesOnLaxer(policy), ...notes, ...onlyExisting, ...describeUnseen(unseen)];
  return { decision, directories: [baseline, candidate], notes: all, unseen };
}

/** @param accepting what would be decided if failures that the baseline has too were accepted */
function notesOnExisting(decision: GateDecision, accepting: () => GateDecision): string[] {
  if (decision.verdict !== 'fail' || accepting().verdict === 'fail') return [];
  return ['no failure here is new: the baseline fails in the same ways. With --accept-existing only what is new or more frequent rejects'];
}

/** @throws UsageError where figures of one mean something else than those of the other */
function refuseStrangers(baseline: ComparedRun, candidate: ComparedRun): void {
  for (const [what, of] of [
    ['world', (run: ComparedRun) => run.world],
    ['time', (run: ComparedRun) => run.time],
    ['instance types and prices', (run: ComparedRun) => run.digests],
  ] as const) {
    if (isDeepStrictEqual(of(baseline), of(candidate))) continue;
    throw new UsageError(
      `${baseline.directory} and ${candidate.directory} can't be compared: their ${what} differ; run both with one version, in one world`,
    );
  }
}

/** One version of a target, and what is known of it. */
interface Version {
  readonly letter: string;
  readonly target: ReturnType<typeof chooseTarget>;
  /** Undefined if its episodes are not kept. */
  readonly version: StateVersion | undefined;
  readonly episodes: Map<string, Episode>;
}

async function runUntilTold(
  sides: Targets,
  policy: Policy,
  at: { directory: string; startedAt: string },
  console: Console,
): Promise<GateOutcome> {
  const { isPaired, chosen, notes: left } = await askable(sides);
  const notes = [...notesOnLaxer(policy), ...left];
  const digests = new Map(await Promise.all(chosen.map(async ({ scenario, ref }) => [scenario.id, await digestOf(ref.module)] as const)));
  const code = sides.state === undefined ? undefined : codeDigests();
  const versions = await Promise.all(
    (['baseline', 'candidate'] as const).map(async (side): Promise<Version> => {
      const version = code === undefined ? undefined : await versionOf(sides[side], sides.versions?.[side], code);
      if (sides.state !== undefined && version === undefined)
        notes.push(
          `episodes of ${sides[side].label} are not kept: nobody knows which version its file starts; name it with --${side}-version`,
        );
      return { letter: LETTERS[side], target: sides[side], version, episodes: known(sides.state, version, digests) };
    }),
  );
  const [baseline, candidate] = versions as [Version, Version];
  const directories: string[] = [];
  const { seed: first, signal } = sides;
  for (let done = 0; ;) {
    const isFirst = done === 0 && policy.existing.failures === 'reject';
    const look = isFirst
      ? Math.min(EARLY_PAIRS, policy.episodes.first)
      : (nextLook(policy.episodes, done * chosen.length) ?? policy.episodes.max);
    const seeds = Array.from({ length: Math.ceil(look / chosen.length) - done }, (_, index) => first + done + index);
    done += seeds.length;
    const isWhole = ({ episodes }: Version): boolean =>
      seeds.every((seed) => chosen.every(({ scenario: { id } }) => episodes.has(keyOf({ scenario: id, seed }))));
    const lacking = versions.filter((version) => !isWhole(version));
    if (lacking.length > 0) {
      const directory = join(at.directory, `seeds-from-${seeds[0] ?? first}`);
      directories.push(directory);
      const runs = { chosen, seed: seeds[0] ?? first, trials: seeds.length, nodesOf: () => DEFAULT_NODES, workers: sides.workers };
      await runTargets(lacking, runs, { directory, startedAt: at.startedAt, signal }, console);
      signal.throwIfAborted();
      for (const { letter, version, episodes } of lacking) {
        const run = readComparedRun(join(directory, letter), () => true);
        const fresh = episodesOf(run);
        for (const episode of fresh) episodes.set(keyOf(episode), episode);
        keep(sides.state, version, fresh, digests);
      }
    }
    // All that is kept of the candidate counts, whichever seeds were asked for: a leak that is known is a leak.
    const own = [...candidate.episodes.values()];
    const control = [...baseline.episodes.values()].filter(
      (episode) => candidate.episodes.has(keyOf(episode)) || (episode.seed >= first && episode.seed < first + done),
    );
    const decide = (by: Policy): GateDecision => decideGate(control, own, by, { paired: isPaired, seed: first });
    const decision = decide(policy);
    // What was asked for counts, not what came of it: trials that are not run must not be asked for without end.
    const asked = done * chosen.length;
    const isEarly = asked < policy.episodes.first;
    if (isEarly ? failsEarly(decision, policy) : decision.verdict !== 'inconclusive' || asked >= policy.episodes.max) {
      const onlyExisting = notesOnExisting(decision, () => decide(acceptingExisting(policy)));
      const unseen = unseenBy(new Set(chosen.map(({ scenario }) => scenario.id)));
      return { decision, directories, notes: [...notes, ...onlyExisting, ...describeUnseen(unseen)], unseen };
    }
    if (isEarly) continue;
    console.err(`${summarizeGate(decision)}\n`);
  }
}

/**
 * What both targets can be asked for. A scenario that neither can run is no part of the question; one that one of them can't run
 * is, and has no verdict there.
 * @returns isPaired whether a scenario with a seed is the same trial for both: programs run in real time, in which nothing is the
 *   same twice
 * @throws UsageError where one runs in real and the other in virtual time, and where nothing is left to be asked
 */
async function askable({
  baseline,
  candidate,
  chosen,
}: Targets): Promise<{ isPaired: boolean; chosen: ChosenScenario[]; notes: string[] }> {
  const [before, after] = await Promise.all([asked(baseline.ref), asked(candidate.ref)]);
  if (before.isVirtual !== after.isVirtual)
    throw new UsageError(`${baseline.label} and ${candidate.label} can't be compared: one runs in real time and the other in virtual time`);
  const whyByNeither = ({ scenario }: ChosenScenario): string | undefined => after.whyNotRun(scenario) && before.whyNotRun(scenario);
  const left = chosen.filter((one) => whyByNeither(one) === undefined);
  const neither = chosen.flatMap((one) => {
    const why = whyByNeither(one);
    return why === undefined ? [] : [{ scenario: one.scenario.id, why }];
  });
  const notes = describeNeither(neither);
  if (left.length === 0) throw new UsageError(`there is nothing to compare: ${notes.join('; ')}; name other scenarios with --scenario`);
  return { isPaired: before.isVirtual, chosen: left, notes };
}

/** Of all that is not the target's. */
interface CodeDigests {
  readonly sources: string;
  readonly catalogue: string;
}

function codeDigests(): CodeDigests {
  const root = packageRoot();
  const catalogue = createHash('sha256');
  for (const path of globSync('fixtures/data/*.json', { cwd: root }).sort()) catalogue.update(readFileSync(join(root, path)));
  return { sources: sourcesDigest(), catalogue: catalogue.digest('hex') };
}

/** What episodes may be shared among: they are of one target, run by one version of everything else. */
async function versionOf(
  { ref, label }: ReturnType<typeof chooseTarget>,
  name: string | undefined,
  { sources, catalogue }: CodeDigests,
): Promise<StateVersion | undefined> {
  if (!('name' in ref) && name === undefined) return undefined;
  const all = createHash('sha256').update(sources);
  all.update((await targetDigestOf(ref)) ?? '').update(name ?? '');
  return { target: label, targetDigest: all.digest('hex'), world: 'embedded', catalogueDigest: catalogue };
}

function known(state: string | undefined, version: StateVersion | undefined, digests: ReadonlyMap<string, string>): Map<string, Episode> {
  if (state === undefined || version === undefined) return new Map();
  const entries = refuseBadState(() => readState(state, version)).filter(({ episode }) => digests.has(episode.scenario));
  const stale = entries.find(({ scenarioDigest, episode }) => digests.get(episode.scenario) !== scenarioDigest);
  if (stale !== undefined)
    throw new UsageError(`--state ${state} has episodes of another version of ${stale.episode.scenario}; name another directory`);
  return new Map(entries.map(({ episode }) => [keyOf(episode), episode]));
}

function keep(
  state: string | undefined,
  version: StateVersion | undefined,
  episodes: readonly Episode[],
  digests: ReadonlyMap<string, string>,
): void {
  if (state === undefined || version === undefined) return;
  // Who could not find out may find out the next time.
  const entries = episodes
    .filter(({ verdict }) => verdict !== 'unknown')
    .map((episode): StateEntry => ({ scenarioDigest: digests.get(episode.scenario) ?? '', episode }));
  refuseBadState(() => appendState(state, version, entries));
}

function refuseBadState<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StateError) throw new UsageError(error.message);
    throw error;
  }
}
