import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { printable } from '../../reports/paint.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { isUnderWay, openJournal, progressOf } from '../canary/journal.ts';
import type { CanaryProgress } from '../canary/journal.ts';
import { notesOnPlan, readPlan } from '../canary/plan.ts';
import type { CanaryPlan } from '../canary/plan.ts';
import { createProber } from '../canary/probes.ts';
import { rollOut, undo } from '../canary/roll-out.ts';
import type { CanaryOutcome, RollOutEvents } from '../canary/roll-out.ts';
import { formatDecision, formatOutcome, formatPlan, formatStage } from '../canary/terminal.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { unseenBy } from '../gate/unseen.ts';
import { describeUnseen } from '../../gate/outcome.ts';

/** The flags of `canary`, parsed. */
export interface CanaryFlags {
  readonly plan: string;
  /** For the journal and all runs; `runs/canary-NAME` by default. */
  readonly state: string | undefined;
  readonly dryRun: boolean;
  /** Continue a canary that was killed or held. */
  readonly resume: boolean;
  /** Roll back such a canary. */
  readonly rollback: boolean;
  readonly workers: number | undefined;
  readonly json: boolean;
}

const CODES: Readonly<Record<CanaryOutcome['how'], number>> = {
  'rolled-out': EXIT.pass,
  'rolled-back': EXIT.fail,
  'not-rolled-back': EXIT.fail,
  held: EXIT.unknown,
};

/**
 * `scaleproof canary`: a staged rollout that stops when a stage fails.
 * @returns the exit code: 0 rolled out, 1 rolled back, 3 held or interrupted
 */
export async function canary(flags: CanaryFlags, console: Console): Promise<number> {
  if (flags.resume && flags.rollback) throw new UsageError('--resume and --rollback: use only one of them');
  const { plan, source } = readPlan(flags.plan);
  const directory = resolve(flags.state ?? join('runs', `canary-${plan.name}`));
  const clock = createRealTimeline().scope('canary');
  const look = { color: console.color, columns: console.columns };
  const startedAt = new Date(clock.nowMs()).toISOString();
  // A rollback needs neither targets nor scenarios.
  const prober = flags.rollback && !flags.dryRun ? undefined : await createProber(plan, { workers: flags.workers, startedAt, console });
  const unseen = prober === undefined ? undefined : unseenBy(prober.scenarios);
  const warnings = prober === undefined ? [] : [...notesOnPlan(plan), ...prober.unserved];
  const notes = unseen === undefined ? [] : [...warnings, ...describeUnseen(unseen, flags.dryRun ? '--json' : 'canary.json')];
  if (flags.dryRun) {
    console.out(flags.json ? `${JSON.stringify({ ...plan, notes, unseen }, undefined, 2)}\n` : formatPlan(plan, notes, look));
    return EXIT.pass;
  }
  const digest = digestOf(plan);
  const command = `scaleproof canary --plan ${flags.plan}${flags.state === undefined ? '' : ` --state ${flags.state}`}`;
  const journal = openJournal(directory);
  const interrupted = interruption();
  const { signal } = interrupted;
  const say = (text: string): void => (flags.json ? console.err(text) : console.out(text));
  const events: RollOutEvents = {
    stage: (stage) => say(formatStage(stage, plan.share.of, look)),
    decision: (_stage, decision) => say(formatDecision(decision, look)),
    note: (text) => console.err(`${printable(text)}\n`),
  };
  try {
    refuseWrongFlags(progressOf(journal.lines), digest, flags, command);
    // They are part of the outcome too, but some can be mended before anything is rolled out.
    for (const note of warnings) say(`note: ${printable(note)}\n`);
    const how = { journal, directory, clock, signal, events };
    const outcome = await (prober === undefined ? undo(how) : rollOut({ ...how, plan, digest, source, prober }));
    const path = join(directory, 'canary.json');
    const text = `${JSON.stringify({ ...outcome, notes, unseen }, undefined, 2)}\n`;
    writeFileSync(path, text);
    console.out(flags.json ? text : `${formatOutcome(outcome, { command, notes }, look)}\nCanary: ${relative('.', path)}\n`);
    return CODES[outcome.how];
  } catch (error) {
    if (!signal.aborted) throw error;
    if (error !== signal.reason) console.err(`scaleproof: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    const what = isUnderWay(progressOf(journal.lines))
      ? `can continue with \`${command} --resume\`, or be rolled back with \`${command} --rollback\``
      : 'has changed nothing';
    console.err(`scaleproof: the canary was interrupted, and ${what}\n`);
    return EXIT.unknown;
  } finally {
    interrupted.release();
    journal.close();
  }
}

/** A digest of what must not change between start and resume. Durations and numbers of probes may change. */
function digestOf({ policy: { episodes: _sizes, ...policy }, probes, stages, ...plan }: CanaryPlan): string {
  const { most: _most, timeout: _timeout, ...asked } = probes;
  const same = { ...plan, policy, probes: asked, stages: stages.map(({ percent }) => percent) };
  return createHash('sha256').update(JSON.stringify(same)).digest('hex');
}

/** @throws UsageError when the flags do not fit the state of the canary */
function refuseWrongFlags(
  progress: CanaryProgress | undefined,
  digest: string,
  { resume, rollback }: Pick<CanaryFlags, 'resume' | 'rollback'>,
  command: string,
): void {
  if (progress?.ended !== undefined)
    throw new UsageError(`this canary has been ${progress.ended.replace('-', ' ')}; a new canary needs its own --state directory`);
  if (!isUnderWay(progress)) {
    if (resume || rollback) throw new UsageError('no canary is in progress, so there is nothing to resume or roll back');
    return;
  }
  if (!resume && !rollback)
    throw new UsageError(
      `a canary of this name is in progress, in stage ${progress.stage + 1}: continue with \`${command} --resume\`, or roll back with \`${command} --rollback\``,
    );
  if (progress.digest !== digest && !rollback)
    throw new UsageError(
      `the plan has changed since this canary started: roll it back with \`${command} --rollback\`, and start a new one`,
    );
}
