import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { comparable, describeNeither } from '../../gate/comparable.ts';
import type { ComparedRun } from '../../gate/comparison/compared-run.ts';
import { decideGate } from '../../gate/decide.ts';
import type { Episode } from '../../gate/episode.ts';
import { episodesOf } from '../../gate/episodes-of.ts';
import { acceptingExisting, nextLook, notesOnLaxer } from '../../gate/policy.ts';
import { sectionNotes } from '../../gate/outcome.ts';
import type { GateOutcome, GateSide, GateStop } from '../../gate/outcome.ts';
import type { Policy } from '../../gate/policy.ts';
import { sideBySide } from '../../gate/side-by-side.ts';
import { StateError, appendState, readState } from '../../gate/state.ts';
import type { StateEntry, StateVersion } from '../../gate/state.ts';
import { isKnown, keyOf } from '../../gate/sides.ts';
import type { GateDecision } from '../../gate/verdict.ts';
import { scenarioDigestOf, targetDigestOf } from '../../harness/load.ts';
import { defined } from '../../model/defined.ts';
import { packageRoot } from '../../model/package-root.ts';
import type { ChosenScenario, chooseTarget } from '../choose.ts';
import type { Selection } from '../manifests.ts';
import { unservedOf } from '../../reports/manifests.ts';
import { abilitiesOf } from '../compare/abilities.ts';
import { readComparedRun } from '../compare/read-run.ts';
import type { ReviewedEnd } from '../compare/review.ts';
import { runTargets } from '../compare/run-targets.ts';
import type { NamedTarget } from '../compare/run-targets.ts';
import type { Console } from '../console.ts';
import { lockDirectory } from '../directory-lock.ts';
import { ownVersion } from '../own-version.ts';
import { isRunDirectory, readRunFacts } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import { earlyStop, stopOf, trialKey } from './early-stop.ts';
import { namedVersion, sideOf } from './outcome.ts';
import { sourcesDigest } from './sources.ts';
import { summarizeGate } from './terminal.ts';
import { unseenBy } from './unseen.ts';

/** Existing runs. */
interface Directories {
  readonly kind: 'directories';
  readonly baseline: string;
  readonly candidate: string;
}

/** Targets to run, with more and more seeds until there is a decision. */
export interface Targets {
  readonly kind: 'targets';
  readonly baseline: ReturnType<typeof chooseTarget>;
  readonly candidate: ReturnType<typeof chooseTarget>;
  readonly selection: Selection;
  readonly seed: number;
  readonly workers: number | undefined;
  /** The directory that keeps the episodes of each version. */
  readonly state: string | undefined;
  /** Versions of targets from files: the file alone does not say what it starts. */
  readonly versions?: { readonly baseline?: string | undefined; readonly candidate?: string | undefined };
  readonly signal: AbortSignal;
}

export type GateSides = Directories | Targets;

/**
 * Runs the trials that a gate needs, and decides.
 * @param at a new directory for the runs, and the start time
 * @throws UsageError when the sides can't be compared, or another gate uses the state directory
 * @throws the signal's reason when it is aborted
 */
export async function runGate(
  sides: GateSides,
  policy: Policy,
  at: { readonly directory: string; readonly startedAt: string },
  console: Console,
): Promise<GateOutcome> {
  if (sides.kind === 'directories') {
    const { baseline, candidate } = sides;
    return judgeRuns(sides, policy, { directories: { baseline, candidate }, runs: [baseline, candidate] });
  }
  const unlock = sides.state === undefined ? undefined : lockDirectory(sides.state, 'only one gate can use a --state directory');
  try {
    return await runUntilDecided(sides, policy, at, console);
  } finally {
    unlock?.();
  }
}

/** What the outcome of existing runs says about them. */
interface RunNames {
  /** If the user named them. */
  readonly directories?: { readonly baseline: string; readonly candidate: string };
  /** {@link GateOutcome.directories}. */
  readonly runs: readonly string[];
  /** Versions that the user named. */
  readonly versions?: Targets['versions'];
  /** What was left out before they ran. */
  readonly notes?: readonly string[];
}

/** Decides by existing runs. @throws UsageError when they can't be compared */
export function judgeRuns(
  { baseline, candidate }: { readonly baseline: string; readonly candidate: string },
  policy: Policy,
  { directories, runs, versions, notes: before = [] }: RunNames,
): GateOutcome {
  const [ours, theirs] = [baseline, candidate].map((directory) => readComparedRun(directory, () => true)) as [ComparedRun, ComparedRun];
  refuseDifferentWorlds(ours, theirs);
  const isPaired = ours.time === 'virtual';
  const { baseline: control, candidate: own, notes } = comparable(ours, theirs, isPaired);
  const facts = { baseline: readRunFacts(baseline), candidate: readRunFacts(candidate) };
  const decide = (by: Policy): GateDecision => decideGate(control, own, by, { paired: isPaired, seed: facts.baseline.seed });
  const decision = decide(policy);
  const onlyExisting = notesOnExisting(decision, () => decide(acceptingExisting(policy)));
  const sideNamed = (side: 'baseline' | 'candidate'): GateSide => ({
    ...sideOf(facts[side], versions?.[side]),
    ...defined({ directory: directories?.[side] }),
  });
  return gateOutcome(decision, {
    sides: { baseline: sideNamed('baseline'), candidate: sideNamed('candidate') },
    ...defined({ manifests: unservedOf(facts.baseline.manifests) ?? unservedOf(facts.candidate.manifests) }),
    episodes: { baseline: control, candidate: own },
    directories: [...runs],
    notes: [...notesOnLaxer(policy), ...before, ...notes, ...onlyExisting],
  });
}

/** What a decision is based on. */
interface Basis extends Pick<GateOutcome, 'sides' | 'directories' | 'notes' | 'manifests' | 'stopped'> {
  readonly episodes: { readonly baseline: readonly Episode[]; readonly candidate: readonly Episode[] };
}

function gateOutcome(decision: GateDecision, { episodes: { baseline, candidate }, notes, ...basis }: Basis): GateOutcome {
  const scenariosOf = (episodes: readonly Episode[]): Set<string> => new Set(episodes.filter(isKnown).map(({ scenario }) => scenario));
  const ofBaseline = scenariosOf(baseline);
  const unseen = unseenBy(new Set([...scenariosOf(candidate)].filter((scenario) => ofBaseline.has(scenario))));
  return {
    decision,
    ...basis,
    version: ownVersion(),
    notes: [...notes, ...sectionNotes({ ...basis, unseen })],
    unseen,
    scenarios: sideBySide(baseline, candidate),
  };
}

/** @param accepting the decision if failures that the baseline has too were accepted */
function notesOnExisting(decision: GateDecision, accepting: () => GateDecision, isEarly = false): string[] {
  if (decision.verdict !== 'fail' || accepting().verdict === 'fail') return [];
  return [
    `no failure ${isEarly ? 'so far ' : ''}is new: the baseline fails in the same ways. With --accept-existing, only new or more frequent failures reject`,
  ];
}

/** @throws UsageError when the figures of the two runs are not comparable */
function refuseDifferentWorlds(baseline: ComparedRun, candidate: ComparedRun): void {
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

/** One version of a target, and its known episodes. */
interface Version {
  readonly letter: string;
  readonly target: ReturnType<typeof chooseTarget>;
  /** Undefined if its episodes are not stored. */
  readonly version: StateVersion | undefined;
  readonly episodes: Map<string, Episode>;
  readonly isDone: NonNullable<NamedTarget['isDone']>;
}

async function runUntilDecided(
  sides: Targets,
  policy: Policy,
  at: { directory: string; startedAt: string },
  console: Console,
): Promise<GateOutcome> {
  const { isPaired, chosen, notes: left } = await askable(sides);
  // No trial shows what can't be served: neither version is judged by it.
  const manifests = unservedOf(sides.selection.manifests);
  const notes = [...notesOnLaxer(policy), ...left];
  const digests = new Map(await Promise.all(chosen.map(async ({ scenario, ref }) => [scenario.id, await scenarioDigestOf(ref)] as const)));
  const code = sides.state === undefined ? undefined : codeDigests();
  const versions = await Promise.all(
    (['baseline', 'candidate'] as const).map(async (side): Promise<Version> => {
      const version = code === undefined ? undefined : await versionOf(sides[side], sides.versions?.[side], code);
      if (sides.state !== undefined && version === undefined)
        notes.push(
          `episodes of ${sides[side].label} are not kept, since its file does not say which version it starts: name it with --${side}-version`,
        );
      const episodes = known(sides.state, version, digests);
      return { letter: side, target: sides[side], version, episodes, isDone: (trial) => episodes.has(keyOf(trial)) };
    }),
  );
  const [baseline, candidate] = versions as [Version, Version];
  const directories: string[] = [];
  const { seed: first, signal } = sides;
  for (let done = 0; ;) {
    const rounds = seedsOfNextLook(policy, done, chosen.length);
    const seeds = Array.from({ length: rounds - done }, (_, index) => first + done + index);
    done += seeds.length;
    const isWhole = ({ isDone }: Version): boolean =>
      seeds.every((seed) => chosen.every(({ scenario: { id } }) => isDone({ scenario: id, seed })));
    const incomplete = versions.filter((version) => !isWhole(version));
    let reviewed: ReviewedEnd | undefined;
    let criteria: GateStop['criteria'] = [];
    if (incomplete.length > 0) {
      const directory = join(at.directory, `seeds-from-${seeds[0] ?? first}`);
      directories.push(directory);
      const review = earlyStop(candidate.letter, candidate.episodes, policy);
      const runs = {
        chosen,
        manifests: sides.selection.manifests,
        seed: seeds[0] ?? first,
        trialsOf: () => seeds.length,
        nodesOf: () => sides.selection.nodes,
        workers: sides.workers,
        sideNames: 'letter' as const,
        review,
      };
      ({ reviewed } = await runTargets(incomplete, runs, { directory, startedAt: at.startedAt, signal }, console));
      ({ criteria } = review);
      signal.throwIfAborted();
      const left = new Set(reviewed?.left.map(trialKey));
      for (const { letter, version, episodes } of incomplete) {
        const run = readComparedRun(join(directory, letter), () => true);
        const fresh = episodesOf(run).filter((episode) => !left.has(keyOf(episode)));
        for (const episode of fresh) episodes.set(keyOf(episode), episode);
        keep(sides.state, version, fresh, digests);
      }
    }
    // All kept episodes of the candidate count, even with other seeds than requested: a known leak is a leak.
    const own = [...candidate.episodes.values()];
    const control = [...baseline.episodes.values()].filter(
      (episode) => candidate.episodes.has(keyOf(episode)) || (episode.seed >= first && episode.seed < first + done),
    );
    const counting = new Map([
      [baseline.letter, control],
      [candidate.letter, own],
    ]);
    const stopped = reviewed === undefined ? undefined : stopOf(criteria, reviewed.left, counting);
    const decide = (by: Policy): GateDecision => decideGate(control, own, by, { paired: isPaired, seed: first });
    const decision = decide(policy);
    // Counts requested trials, not results: trials that can't be run must not be requested forever.
    if (stopped !== undefined || decision.verdict !== 'inconclusive' || done * chosen.length >= policy.episodes.max) {
      const onlyExisting = notesOnExisting(decision, () => decide(acceptingExisting(policy)), stopped !== undefined);
      return gateOutcome(decision, {
        sides: { baseline: sideIn(sides, 'baseline', directories), candidate: sideIn(sides, 'candidate', directories) },
        episodes: { baseline: control, candidate: own },
        directories,
        notes: [...notes, ...onlyExisting],
        ...defined({ manifests, stopped }),
      });
    }
    console.err(`${summarizeGate(decision)}\n`);
  }
}

/** How many seeds of each scenario the next look needs. @param done those of the looks before it */
export function seedsOfNextLook({ episodes }: Policy, done: number, scenarios: number): number {
  const look = nextLook(episodes, done * scenarios) ?? episodes.max;
  return Math.max(episodes.seeds, Math.ceil(look / scenarios));
}

/** What is known about a side: if its kept episodes were enough, not more than its names. */
function sideIn(sides: Targets, side: 'baseline' | 'candidate', directories: readonly string[]): GateSide {
  const run = directories.map((directory) => join(directory, side)).find(isRunDirectory);
  const given = sides.versions?.[side];
  if (run !== undefined) return sideOf(readRunFacts(run), given);
  return { target: sides[side].label, ...defined({ version: given === undefined ? undefined : namedVersion(given) }) };
}

/**
 * The scenarios that count. One that neither target can run is left out; one that only one of them can't run stays, and has no
 * verdict there.
 * @returns isPaired: whether a scenario with a seed is the same trial for both. It is not for programs in real time, in which no
 *   trial is repeatable
 * @throws UsageError when one runs in real and the other in virtual time, or no scenario is left
 */
export async function askable({
  baseline,
  candidate,
  selection: { chosen },
}: Targets): Promise<{ isPaired: boolean; chosen: ChosenScenario[]; notes: string[] }> {
  const [before, after] = await Promise.all([abilitiesOf(baseline.ref), abilitiesOf(candidate.ref)]);
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

/** Digests of everything except the target. */
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

/** Which stored episodes may be used: those of the same target, run by the same version of everything else. */
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
    throw new UsageError(
      `--state ${state} has episodes of ${stale.episode.scenario} with another source, or another use of node classes; use another directory`,
    );
  return new Map(entries.map(({ episode }) => [keyOf(episode), episode]));
}

function keep(
  state: string | undefined,
  version: StateVersion | undefined,
  episodes: readonly Episode[],
  digests: ReadonlyMap<string, string>,
): void {
  if (state === undefined || version === undefined) return;
  // An unknown trial may get a verdict the next time, so it is not kept.
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
