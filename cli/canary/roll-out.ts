import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decideStage } from '../../gate/canary.ts';
import type { StageDecision } from '../../gate/canary.ts';
import { formatDuration } from '../../reports/format.ts';
import type { Clock } from '../../runtime/clock.ts';
import { UsageError } from '../usage-error.ts';
import { createEvidence, looksUntil } from './evidence.ts';
import type { Evidence, Probing } from './evidence.ts';
import { HookError, runHook } from './hooks.ts';
import type { CanaryProgress, Journal } from './journal.ts';
import { isUnderWay, progressOf } from './journal.ts';
import { LOOKS_A_SOAK, leastOf, parsePlan, shareOf, stageOf } from './plan.ts';
import type { CanaryPlan, Hook, Place, StageFacts } from './plan.ts';
import { ProbeError } from './probes.ts';
import type { Batch, Prober } from './probes.ts';

/** Probes of one batch: a clearly broken candidate costs no more than this. */
const BATCH = 30;

/** Progress of a rollout. */
export interface RollOutEvents {
  stage(stage: StageFacts): void;
  decision(stage: StageFacts, decision: StageDecision): void;
  note(text: string): void;
}

/** How a canary ended. */
export interface CanaryOutcome {
  /**
   * `held`: nothing was promoted or rolled back; it can be resumed or rolled back. `not-rolled-back`: the rollback failed, and the
   * candidate still runs.
   */
  readonly how: 'rolled-out' | 'rolled-back' | 'held' | 'not-rolled-back';
  /** Why, for a platform engineer. It may contain names from a cluster: escape it. */
  readonly why: string;
  /** The stage in which it ended, from 1. */
  readonly stage: number;
  /** Where the candidate is now. */
  readonly places: readonly string[];
  /** The last decision; undefined if nothing was probed. */
  readonly decision: StageDecision | undefined;
  readonly probes: { readonly candidate: number; readonly baseline: number };
  /** The run directories of all batches. */
  readonly directories: readonly string[];
}

/** What a rollback needs: no plan and no probes. */
export interface Undoing {
  readonly journal: Journal;
  /** Of the journal. Batches have their own directories in it. */
  readonly directory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly events: RollOutEvents;
}

export interface RollOut extends Undoing {
  readonly plan: CanaryPlan;
  readonly digest: string;
  /** The plan's text. */
  readonly source: string;
  readonly prober: Prober;
}

/** There is no decision, so the canary holds. The message says why. */
class Held extends Error {}

/**
 * Removes the candidate from every place, with the plan as it was when the canary started. It needs neither the probes nor the
 * targets, and ignores later changes of the plan.
 * @throws the signal's reason when it is aborted
 */
export async function undo(canary: Undoing, why = 'it was requested'): Promise<CanaryOutcome> {
  const plan = parsePlan(progress(canary).source, 'the plan in the journal');
  return ending(canary, plan, NOTHING, () => rollBack(canary, plan, why));
}

/**
 * Carries out a plan stage by stage, from where its journal ends, until the candidate has all places, or none.
 * @throws UsageError before anything is changed, when the plan can't be carried out
 * @throws the signal's reason when it is aborted: the journal says how far it got
 */
export async function rollOut(canary: RollOut): Promise<CanaryOutcome> {
  const { plan, journal, digest, source } = canary;
  const before = progressOf(journal.lines);
  if (before?.ended !== undefined) throw new UsageError(`this canary has been ${before.ended.replace('-', ' ')}`);
  if (before?.rollingBack !== undefined) return undo(canary, before.rollingBack);
  // A canary that changed nothing starts again: its plan may have been fixed since.
  if (!isUnderWay(before)) journal.append({ what: 'begun', format: 1, plan: plan.name, digest, source, at: at(canary) });
  const seen = { decision: undefined, evidence: createEvidence(plan.probes) };
  return ending(canary, plan, seen, () => goOn(canary, seen));
}

/** The probes so far, and the last decision. */
interface Seen {
  decision: StageDecision | undefined;
  readonly evidence: Pick<Evidence, 'probes'>;
}

const NOTHING: Seen = { decision: undefined, evidence: { probes: () => ({ candidate: 0, baseline: 0 }) } };

/** @param work runs until the canary ends, and returns how and why */
async function ending(
  canary: Undoing,
  plan: CanaryPlan,
  seen: Seen,
  work: () => Promise<Pick<CanaryOutcome, 'how' | 'why'>>,
): Promise<CanaryOutcome> {
  const end = ({ how, why }: Pick<CanaryOutcome, 'how' | 'why'>): CanaryOutcome => {
    const { stage, batches, places } = progress(canary);
    return {
      how,
      why,
      stage: Math.min(stage + 1, plan.stages.length),
      places,
      decision: seen.decision,
      probes: seen.evidence.probes(),
      directories: batches.map((batch) => batch.directory),
    };
  };
  try {
    return end(await work());
  } catch (error) {
    const isMeant = error instanceof Held || error instanceof HookError || error instanceof ProbeError || error instanceof UsageError;
    const { rollingBack, places } = progress(canary);
    // A plan that was rejected before anything was changed is a usage error, and nothing else.
    if (!isMeant || (error instanceof UsageError && places.length === 0)) throw error;
    if (rollingBack === undefined) return end({ how: 'held', why: error.message });
    return end({ how: 'not-rolled-back', why: `The rollback failed: ${error.message} (reason for the rollback: ${rollingBack})` });
  }
}

async function goOn(canary: RollOut, seen: Seen & { readonly evidence: Evidence }): Promise<Pick<CanaryOutcome, 'how' | 'why'>> {
  const { plan, journal, prober } = canary;
  const { evidence } = seen;
  for (const batch of progress(canary).batches) evidence.add(batch.stage, prober.read(join(canary.directory, batch.directory)));
  for (let { stage } = progress(canary); stage < plan.stages.length; stage += 1) {
    const facts = stageOf(plan, stage);
    canary.events.stage(facts);
    await deploy(canary, stage, facts);
    for (;;) {
      const { now, before, earlier } = evidence.of(stage);
      if (now.probes > 0) {
        const isLook = looksUntil(plan.probes, now) > looksUntil(plan.probes, before);
        const how = { paired: prober.isVirtual, seed: plan.probes.seed, isLook, earlier };
        const decision = decideStage(evidence.baseline, evidence.candidate, plan.policy, how);
        seen.decision = decision;
        if (isLook || decision.verdict === 'roll-back') canary.events.decision(facts, decision);
        if (decision.verdict === 'roll-back') return rollBack(canary, plan, decision.sentence);
        if (decision.verdict === 'advance' && (await isSoaked(canary, facts, stage, now))) break;
        if (decision.verdict === 'more' && now.probes >= plan.probes.most)
          throw new Held(`${decision.sentence} The plan allows ${plan.probes.most} probes a stage: raise probes.most to go on.`);
      }
      await probe(canary, stage, evidence);
    }
    journal.append({ what: 'advanced', stage, at: at(canary) });
  }
  journal.append({ what: 'ended', how: 'rolled-out', at: at(canary) });
  return { how: 'rolled-out', why: seen.decision?.sentence ?? 'Every stage had finished before.' };
}

function at({ clock }: Undoing): string {
  return new Date(clock.nowMs()).toISOString();
}

function progress({ journal }: Undoing): CanaryProgress {
  const now = progressOf(journal.lines);
  if (now === undefined) throw new Error('the journal has no first line, although the canary was started');
  return now;
}

/** Deploys the candidate to the share of a stage, if that has not been done yet. */
async function deploy(canary: RollOut, stage: number, { added, percent }: StageFacts): Promise<void> {
  const { plan, journal } = canary;
  const now = progress(canary);
  if (now.stage === stage && now.deployedAtMs !== undefined) return;
  if (now.places.length === 0) {
    const directory = join(canary.directory, 'rehearsal');
    rmSync(directory, { recursive: true, force: true });
    await canary.prober.rehearse(directory, canary.signal);
  }
  const values = { ACTION: 'deploy', STAGE: String(stage + 1), PERCENT: String(percent) };
  for (const places of hooked(plan.hooks.deploy, added)) {
    journal.append({ what: 'deploying', stage, places: places.map(({ name }) => name), at: at(canary) });
    await hook(canary, plan, plan.hooks.deploy, places, values);
  }
  journal.append({ what: 'deployed', stage, at: at(canary) });
}

/** Groups of places for which a hook is run once. */
function hooked(one: Hook | undefined, places: readonly Place[]): (readonly Place[])[] {
  if (places.length === 0) return [];
  return one === undefined || one.for === 'stage' ? [places] : places.map((place) => [place]);
}

/** Removes the candidate from each place that has it, or may have it. */
async function rollBack(canary: Undoing, plan: CanaryPlan, why: string): Promise<Pick<CanaryOutcome, 'how' | 'why'>> {
  const { journal } = canary;
  const { stage, places: names, rollingBack } = progress(canary);
  if (rollingBack === undefined) journal.append({ what: 'rolling-back', stage, why, at: at(canary) });
  const { percent } = stageOf(plan, Math.min(stage, plan.stages.length - 1));
  const values = { ACTION: 'rollback', STAGE: String(stage + 1), PERCENT: String(percent) };
  const affected = plan.share.places.filter(({ name }) => names.includes(name));
  for (const places of hooked(plan.hooks.rollback, affected)) {
    await hook(canary, plan, plan.hooks.rollback, places, values);
    journal.append({ what: 'undone', places: places.map(({ name }) => name), at: at(canary) });
  }
  journal.append({ what: 'ended', how: 'rolled-back', at: at(canary) });
  return { how: 'rolled-back', why };
}

/** A plan for a simulated fleet may have no hooks: its trials choose which target a place runs. */
async function hook(
  { signal, events }: Undoing,
  { baseline, candidate }: CanaryPlan,
  one: Hook | undefined,
  places: readonly Place[],
  values: { readonly ACTION: string; readonly STAGE: string; readonly PERCENT: string },
): Promise<void> {
  if (one === undefined) return;
  events.note(`${values.ACTION} hook for ${places.map(({ name }) => name).join(', ')}`);
  await runHook(one, places, { ...values, BASELINE: baseline, CANDIDATE: candidate }, signal);
}

/** One batch of the probes before the next look: a candidate that fails is stopped after the first batch. */
async function probe(canary: RollOut, stage: number, evidence: Evidence): Promise<void> {
  const { plan, prober, journal } = canary;
  const { spot, topology, seed } = plan.probes;
  const part = (of: number): number => Math.ceil((of * Math.min(BATCH, leastOf(plan.probes))) / leastOf(plan.probes));
  const share = shareOf(plan, stage);
  const { batches, nextSeed } = progress(canary);
  const number = batches.filter((one) => one.stage === stage).length;
  const batch: Batch = {
    seed: nextSeed ?? seed,
    turn: number,
    atLeast: { spot: part(spot.atLeast), topology: part(topology.atLeast) },
    share,
    rest: plan.share.places.slice(share.length),
  };
  const begunAt = at(canary);
  const name = freeName(canary.directory, `stage-${stage + 1}-batch-${number + 1}`);
  const directory = join(canary.directory, name);
  await prober.run(batch, directory, canary.signal);
  evidence.add(stage, prober.read(directory));
  journal.append({ what: 'probed', stage, nextSeed: batch.seed + prober.seedsOf(batch), directory: name, begunAt, at: at(canary) });
}

/** Attempts at one batch. After that, somebody has to investigate. */
const MAX_ATTEMPTS = 100;

/** A program of a killed canary may still write into its directory: each attempt has its own. */
function freeName(directory: string, name: string): string {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const free = attempt === 1 ? name : `${name}-again-${attempt - 1}`;
    if (!existsSync(join(directory, free))) return free;
  }
  throw new Held(`${name} was started ${MAX_ATTEMPTS} times and never finished`);
}

/**
 * Whether each place has been watched for the stage's soak time: on its own clock if places are simulated, on this process's clock if
 * they are real. Real time passes in parts, with a look after each, and the last look needs probes from after the soak: time in which
 * nothing was probed, as after a canary was killed, does not count.
 */
async function isSoaked(canary: RollOut, { soakMs, places }: StageFacts, stage: number, now: Probing): Promise<boolean> {
  const { plan, prober, clock, signal, events } = canary;
  if (prober.isVirtual) {
    const isEnough = now.watchedMs / places.length >= soakMs;
    if (!isEnough && now.probes >= plan.probes.most)
      throw new Held(
        `The plan allows ${now.probes} probes a stage, and they took less time in the ${places.length} places than the soak: raise probes.most, or shorten the soak.`,
      );
    return isEnough;
  }
  const { deployedAtMs = clock.nowMs(), batches } = progress(canary);
  const endMs = deployedAtMs + soakMs;
  const begunAtMs = batches.findLast((batch) => batch.stage === stage)?.begunAtMs ?? 0;
  if (soakMs === 0 || begunAtMs >= endMs) return true;
  const leftMs = endMs - clock.nowMs();
  if (leftMs <= 0) return false;
  const pauseMs = now.probes >= plan.probes.most ? leftMs : Math.min(leftMs, soakMs / LOOKS_A_SOAK);
  events.note(`soaks for ${formatDuration(leftMs)} more; the next probes are in ${formatDuration(pauseMs)}`);
  await clock.sleep(pauseMs, signal);
  return false;
}
