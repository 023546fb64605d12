import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { PolicyError, acceptingExisting, parsePolicy } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import type { Profile } from '../../history/events.ts';
import { unservedOf } from '../../reports/manifests.ts';
import type { Shard } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { chooseTarget } from '../choose.ts';
import type { Console } from '../console.ts';
import { runGate } from '../gate/run-gate.ts';
import { runGateShard } from '../gate/run-shard.ts';
import { writeDecision } from '../gate/outcome.ts';
import type { DecidedGate } from '../gate/outcome.ts';
import type { GateSides } from '../gate/run-gate.ts';
import { formatGate } from '../gate/terminal.ts';
import { interruption } from '../interruption.ts';
import { selectScenarios } from '../manifests.ts';
import type { Selection } from '../manifests.ts';
import { prepareTargets } from '../prepare-targets.ts';
import { createDirectory, isRunDirectory, readRunFacts } from '../run-directory.ts';
import { EXIT, GATE_EXIT, UsageError } from '../usage-error.ts';
import { parseUserYaml, readUserFile } from '../user-file.ts';

/** The flags of `gate`, parsed. */
export interface GateFlags {
  readonly baseline: string;
  readonly candidate: string;
  readonly policy: string | undefined;
  /** Over the policy: failures that the baseline has too are no reason to reject. */
  readonly acceptExisting: boolean;
  readonly state: string | undefined;
  /** Versions of targets from files, for `--state`. */
  readonly baselineVersion: string | undefined;
  readonly candidateVersion: string | undefined;
  readonly suites: readonly string[];
  readonly scenarios: readonly string[];
  /** A directory with the user's manifests: only the scenarios made from them run. */
  readonly manifests: string | undefined;
  /** No gate over manifests with workloads that can't be shown to be served. */
  readonly strict: boolean;
  /** All by default: every profile has scenarios from real incidents. */
  readonly profiles: readonly Profile[];
  readonly grep?: RegExp | undefined;
  readonly grepInvert?: RegExp | undefined;
  readonly seed: number | undefined;
  readonly workers: number | undefined;
  /** Only this part of the pairs, without a decision. */
  readonly shard?: Shard | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

/**
 * `scaleproof gate`: decides whether a candidate can replace its baseline.
 * @returns the exit code: 0 promote, 1 reject, 3 hold: neither promote nor roll back
 */
export async function gate(flags: GateFlags, console: Console): Promise<number> {
  const given = readPolicy(flags.policy);
  const policy = flags.acceptExisting ? acceptingExisting(given) : given;
  const interrupted = interruption();
  try {
    const startedAt = new Date(createRealTimeline().scope('command').nowMs()).toISOString();
    const sides = await chooseSides(flags, interrupted.signal, console);
    const directory = createDirectory(flags.out, { startedAt, prefix: 'gate-' });
    if (flags.shard !== undefined && sides.kind === 'targets') {
      await runGateShard(sides, { shard: flags.shard, policy }, { directory, startedAt }, console);
      console.out(`Shard: ${relative('.', directory)}; scaleproof merge joins all shards, and decides\n`);
      return EXIT.pass;
    }
    const outcome = await runGate(sides, policy, { directory, startedAt }, console);
    return reportGate({ outcome, directory, names: flags }, flags, console);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    console.err('scaleproof: the gate was interrupted: nothing is decided\n');
    return EXIT.unknown;
  } finally {
    interrupted.release();
  }
}

/** Writes and prints the decision of a gate. @returns the exit code */
export function reportGate({ outcome, directory, names }: DecidedGate, { json }: Pick<GateFlags, 'json'>, console: Console): number {
  const { page } = writeDecision(directory, outcome);
  if (json) {
    console.out(`${JSON.stringify(outcome, undefined, 2)}\n`);
  } else {
    console.out(formatGate(outcome, names, { color: console.color, columns: console.columns }));
    console.out(`\nReport: ${relative('.', resolve(page))}\n`);
  }
  return GATE_EXIT[outcome.decision.verdict];
}

/** Two run directories, or two targets. @throws UsageError */
async function chooseSides(flags: GateFlags, signal: AbortSignal, console: Console): Promise<GateSides> {
  const { baseline, candidate, suites, scenarios, profiles, manifests, strict, grep, grepInvert, seed = 1, workers, state, shard } = flags;
  const areRuns = [baseline, candidate].map(isRunDirectory);
  if (areRuns[0] !== areRuns[1])
    throw new UsageError(
      `--baseline ${baseline} and --candidate ${candidate}: one is a run directory and the other a target; name two directories, or two targets`,
    );
  if (areRuns[0] === true) {
    if (realpathSync(baseline) === realpathSync(candidate))
      throw new UsageError(`--baseline ${baseline} and --candidate ${candidate} are the same directory; name two different ones`);
    const versions = { 'baseline-version': flags.baselineVersion, 'candidate-version': flags.candidateVersion };
    for (const [flag, value] of Object.entries({ state, manifests, seed: flags.seed, workers, shard, ...versions }))
      if (value !== undefined) throw new UsageError(`--${flag} applies only to targets, and these are run directories: leave it out`);
    if (suites.length + scenarios.length + profiles.length > 0 || grep !== undefined || grepInvert !== undefined)
      throw new UsageError(
        '--suite, --scenario, --profile and --grep apply only to targets; with run directories, all trials that both have are compared',
      );
    if (strict) [candidate, baseline].forEach((directory) => refuseGaps(readRunFacts(directory).manifests, directory));
    return { kind: 'directories', baseline, candidate };
  }
  if (shard !== undefined && state !== undefined)
    throw new UsageError("--shard can't be used with --state: a shard keeps its trials in its own directory; leave out one of them");
  if (shard !== undefined && flags.json)
    throw new UsageError('--json prints the decision, and a shard makes none: pass it to scaleproof merge');
  const targets = [chooseTarget(baseline), chooseTarget(candidate)] as const;
  const selection = await selectScenarios({ suites, scenarios, profiles, manifests, grep, grepInvert }, targets, console);
  if (strict) refuseGaps(selection.manifests);
  const versions = { baseline: flags.baselineVersion, candidate: flags.candidateVersion };
  const [before, after] = await prepareTargets(targets, console, signal);
  return {
    kind: 'targets',
    baseline: before,
    candidate: after,
    selection,
    seed,
    workers,
    state,
    versions,
    signal,
  };
}

/**
 * What can't be served says nothing of either side: such a gate would be about less than its manifests.
 * @param directory of the run over them, if they have run already
 * @throws UsageError
 */
export function refuseGaps(manifests: Selection['manifests'], directory?: string): void {
  if (manifests === undefined)
    throw new UsageError(directory === undefined ? '--strict requires --manifests' : `--strict: ${directory} is not a run over manifests`);
  const unserved = unservedOf(manifests);
  if (unserved !== undefined)
    throw new UsageError(`--strict: ${unserved.summary}: ${unserved.gaps.join('; ')}. Mend the manifests, or leave out --strict`);
}

/** @throws UsageError that names file and field */
export function readPolicy(path: string | undefined): Policy {
  if (path === undefined) return parsePolicy({});
  const value = parseUserYaml(readUserFile(path, 'policy'), path);
  try {
    return parsePolicy(value, path);
  } catch (error) {
    if (error instanceof PolicyError) throw new UsageError(error.message);
    throw error;
  }
}
