import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decideStage } from '../../gate/canary.ts';
import type { StageDecision } from '../../gate/canary.ts';
import type { Episode } from '../../gate/episode.ts';
import type { Clock } from '../../runtime/clock.ts';
import { HookError, runHook } from './hooks.ts';
import type { CanaryProgress, Journal, JournalLine } from './journal.ts';
import { progressOf } from './journal.ts';
import { PROBE_STEP, shareOf } from './plan.ts';
import type { CanaryPlan, Hook, Place } from './plan.ts';
import { ProbeError } from './probes.ts';
import type { Batch, Prober } from './probes.ts';

/** Probes of one batch: so many are lost to a candidate that is plainly broken. */
const BATCH = 30;
/** A soak in real time is watched by so many batches at most, the first of which begins at once. */
const BATCHES_A_SOAK = 4;

/** What is told while it goes on. */
export interface RollOutEvents {
  stage(stage: StageFacts): void;
  decision(stage: StageFacts, decision: StageDecision): void;
  note(text: string): void;
}

export interface StageFacts {
  /** From 1 on. */
  readonly number: number;
  readonly percent: number;
  readonly places: readonly Place[];
  readonly added: readonly Place[];
  readonly soakMs: number;
}

/** How a canary came to rest. */
export interface CanaryOutcome {
  /**
   * `held`: nothing is promoted and nothing rolled back; it can go on or be rolled back. `not-rolled-back`: it was to be, and the
   * candidate is still there.
   */
  readonly how: 'rolled-out' | 'rolled-back' | 'held' | 'not-rolled-back';
  /** Why, for a platform engineer. It may hold names from a cluster: escape it. */
  readonly why: string;
  /** The stage in which that was, from 1 on. */
  readonly stage: number;
  /** Where the candidate is now. */
  readonly places: readonly string[];
  /** By which it was decided last; undefined if nothing was probed. */
  readonly decision: StageDecision | undefined;
  readonly probes: { readonly candidate: number; readonly baseline: number };
  /** The run directories of all batches. */
  readonly directories: readonly string[];
}

export interface RollOut {
  readonly plan: CanaryPlan;
  readonly digest: string;
  readonly prober: Prober;
  readonly journal: Journal;
  /** Of the journal, in which batches get theirs. */
  readonly directory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly events: RollOutEvents;
}

/** Nothing could be told any more: the reason to hold. */
class Held extends Error {}

/**
 * Carries a plan out, from where its journal left it: stage by stage, until the candidate has everything, or nothing.
 * @param isUndone it is to be rolled back, whatever it came to
 * @throws the signal's reason when it is aborted: the journal says how far it came
 */
export async function rollOut(canary: RollOut, isUndone = false): Promise<CanaryOutcome> {
  const { plan, journal, digest, events } = canary;
  // One that changed nothing is no beginning: its plan may have been mended since.
  if (progressOf(journal.lines)?.isDeployed !== true) journal.append({ what: 'begun', format: 1, plan: plan.name, digest, at: at(canary) });
  const evidence = gather(canary);
  let decision: StageDecision | undefined;
  const end = (how: CanaryOutcome['how'], why: string): CanaryOutcome => {
    const { stage, batches, isDeployed } = progress(canary);
    return {
      how,
      why,
      stage: Math.min(stage + 1, plan.stages.length),
      places: how === 'rolled-back' || !isDeployed ? [] : shareOf(plan, Math.min(stage, plan.stages.length - 1)).map(({ name }) => name),
      decision,
      probes: { candidate: evidence.candidate.length, baseline: evidence.baseline.length },
      directories: batches.map((batch) => batch.directory),
    };
  };
  const before = progress(canary);
  if (before.ended !== undefined) return end(before.ended, `it was ${before.ended.replace('-', ' ')} before`);
  try {
    const undo = before.rollingBack ?? (isUndone ? 'somebody asked for it' : undefined);
    if (undo !== undefined) return end('rolled-back', await rollBack(canary, undo));
    for (let stage = before.stage; stage < plan.stages.length; stage += 1) {
      const facts = factsOf(plan, stage);
      events.stage(facts);
      await deploy(canary, stage, facts);
      for (;;) {
        const seen = evidence.inStage(stage);
        const isLook = looksUntil(plan, seen) > looksUntil(plan, evidence.beforeLast(stage));
        if (seen > 0) {
          const how = { paired: canary.prober.isVirtual, seed: plan.probes.seed, isLook };
          decision = decideStage(evidence.baseline, evidence.candidate, plan.policy, how);
          if (isLook || decision.verdict === 'roll-back') events.decision(facts, decision);
          if (decision.verdict === 'roll-back') return end('rolled-back', await rollBack(canary, decision.sentence));
          const isLast = seen >= plan.probes.most;
          if (decision.verdict === 'advance' && (await isSoaked(canary, stage, evidence.watchedMs(stage), isLast))) break;
          if (isLast)
            throw new Held(
              decision.verdict === 'more'
                ? `${decision.sentence} The plan has no more than ${plan.probes.most} probes a stage.`
                : `In ${seen} probes, as many as the plan has a stage, less time passed in the ${facts.places.length} places than they are to soak: raise probes.most, or shorten the soak.`,
            );
        }
        await probe(canary, stage, evidence);
      }
      journal.append({ what: 'advanced', stage, at: at(canary) });
    }
    journal.append({ what: 'ended', how: 'rolled-out', at: at(canary) });
    return end('rolled-out', decision?.sentence ?? 'every stage was left before');
  } catch (error) {
    if (!(error instanceof Held || error instanceof HookError || error instanceof ProbeError)) throw error;
    const { rollingBack } = progress(canary);
    if (rollingBack === undefined) return end('held', error.message);
    return end('not-rolled-back', `It was to be rolled back (${rollingBack}), and that failed: ${error.message}`);
  }
}

function at({ clock }: RollOut): string {
  return new Date(clock.nowMs()).toISOString();
}

function progress({ journal }: RollOut): CanaryProgress {
  const now = progressOf(journal.lines);
  if (now === undefined) throw new Error('a journal that has been begun has a first line');
  return now;
}

function factsOf(plan: CanaryPlan, stage: number): StageFacts {
  const places = shareOf(plan, stage);
  const before = stage === 0 ? 0 : shareOf(plan, stage - 1).length;
  const { percent = 0, soak = 0 } = plan.stages[stage] ?? {};
  return { number: stage + 1, percent, places, added: places.slice(before), soakMs: soak };
}

/** Gives the candidate the share of a stage, if it has not got it yet. */
async function deploy(canary: RollOut, stage: number, { added, percent, places }: StageFacts): Promise<void> {
  const { plan, journal } = canary;
  const now = progress(canary);
  if (now.stage === stage && now.deployedAtMs !== undefined) return;
  if (stage === 0 && !now.isDeployed) {
    const directory = join(canary.directory, 'rehearsal');
    rmSync(directory, { recursive: true, force: true });
    await canary.prober.rehearse(directory, canary.signal);
  }
  journal.append({ what: 'deploying', stage, places: places.map(({ name }) => name), at: at(canary) });
  await hook(canary, plan.hooks.deploy, added, { ACTION: 'deploy', STAGE: String(stage + 1), PERCENT: String(percent) });
  journal.append({ what: 'deployed', stage, at: at(canary) });
}

/** @returns why, with what was done */
async function rollBack(canary: RollOut, why: string): Promise<string> {
  const { plan, journal } = canary;
  const { stage, isDeployed, rollingBack } = progress(canary);
  if (rollingBack === undefined) journal.append({ what: 'rolling-back', stage, why, at: at(canary) });
  if (isDeployed) {
    const { places, percent } = factsOf(plan, Math.min(stage, plan.stages.length - 1));
    await hook(canary, plan.hooks.rollback, places, { ACTION: 'rollback', STAGE: String(stage + 1), PERCENT: String(percent) });
  }
  journal.append({ what: 'ended', how: 'rolled-back', at: at(canary) });
  return why;
}

/** In a simulated fleet the plan may have none: what a place runs is which target its trials are given. */
async function hook(
  { plan: { baseline, candidate }, signal, events }: RollOut,
  one: Hook | undefined,
  places: readonly Place[],
  values: { readonly ACTION: string; readonly STAGE: string; readonly PERCENT: string },
): Promise<void> {
  if (one === undefined) return;
  events.note(`${values.ACTION} hook for ${places.map(({ name }) => name).join(', ')}`);
  await runHook(one, places, { ...values, BASELINE: baseline, CANDIDATE: candidate }, signal);
}

/** What all batches came to, with those that an earlier process ran. */
interface Evidence {
  readonly candidate: Episode[];
  readonly baseline: Episode[];
  add(stage: number, directory: string): void;
  inStage(stage: number): number;
  /** The same without the last batch. */
  beforeLast(stage: number): number;
  /** On the clocks of all places with the candidate together, in this stage. */
  watchedMs(stage: number): number;
}

function gather(canary: RollOut): Evidence {
  const { prober, directory } = canary;
  const [candidate, baseline]: [Episode[], Episode[]] = [[], []];
  const stages = new Map<number, { readonly probes: number; readonly before: number; readonly watchedMs: number }>();
  const of = (stage: number) => stages.get(stage) ?? { probes: 0, before: 0, watchedMs: 0 };
  const evidence: Evidence = {
    candidate,
    baseline,
    add: (stage, name) => {
      const batch = prober.read(join(directory, name));
      candidate.push(...batch.candidate);
      baseline.push(...batch.baseline);
      const { probes, watchedMs } = of(stage);
      stages.set(stage, { probes: probes + batch.candidate.length, before: probes, watchedMs: watchedMs + batch.watchedMs });
    },
    inStage: (stage) => of(stage).probes,
    beforeLast: (stage) => of(stage).before,
    watchedMs: (stage) => of(stage).watchedMs,
  };
  for (const batch of progress(canary).batches) evidence.add(batch.stage, batch.directory);
  return evidence;
}

/** How many of a stage's planned sizes are reached: as many probes as the plan asks for at least, and each step more up to most. */
function looksUntil({ probes: { spot, topology, most } }: CanaryPlan, seen: number): number {
  const least = spot.atLeast + topology.atLeast;
  if (seen < least) return 0;
  return 1 + (seen >= most ? Math.ceil((most - least) / PROBE_STEP) : Math.floor((seen - least) / PROBE_STEP));
}

/** One batch of the probes that lead to the next look: a candidate that fails is stopped after the first of them. */
async function probe(canary: RollOut, stage: number, evidence: Evidence): Promise<void> {
  const { plan, prober, journal } = canary;
  const { spot, topology, seed } = plan.probes;
  const least = spot.atLeast + topology.atLeast;
  const part = (of: number): number => Math.ceil((of * Math.min(BATCH, least)) / least);
  const share = shareOf(plan, stage);
  const batch: Batch = {
    seed: progress(canary).nextSeed ?? seed,
    atLeast: { spot: part(spot.atLeast), topology: part(topology.atLeast) },
    share,
    rest: plan.share.places.slice(share.length),
  };
  const number = progress(canary).batches.filter((one) => one.stage === stage).length;
  const name = `stage-${stage + 1}-batch-${number + 1}`;
  const directory = join(canary.directory, name);
  // Of a process that was killed in the middle of it.
  if (existsSync(directory)) rmSync(directory, { recursive: true });
  await prober.run(batch, directory, canary.signal);
  evidence.add(stage, name);
  const line: JournalLine = {
    what: 'probed',
    stage,
    batch: number,
    nextSeed: batch.seed + prober.seedsOf(batch),
    directory: name,
    at: at(canary),
  };
  journal.append(line);
}

/**
 * Whether each place has been watched for as long as the stage says: on its own clock where places are simulated, on ours where
 * they are real. There the rest of the time passes, a part of it before each further batch.
 * @param isLast no further batch comes
 */
async function isSoaked(canary: RollOut, stage: number, watchedMs: number, isLast: boolean): Promise<boolean> {
  const { plan, prober, clock, signal, events } = canary;
  const { soakMs, places } = factsOf(plan, stage);
  if (prober.isVirtual) return watchedMs / places.length >= soakMs;
  const leftMs = (progress(canary).deployedAtMs ?? clock.nowMs()) + soakMs - clock.nowMs();
  if (leftMs <= 0) return true;
  const pauseMs = isLast ? leftMs : Math.min(leftMs, soakMs / BATCHES_A_SOAK);
  const then = isLast ? '' : `; the next probes are in ${minutes(pauseMs)}`;
  events.note(`soaks for ${minutes(leftMs)} more${then}`);
  await clock.sleep(pauseMs, signal);
  return isLast;
}

function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} min`;
}
