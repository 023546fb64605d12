import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { openJournal, progressOf } from '../canary/journal.ts';
import type { CanaryProgress } from '../canary/journal.ts';
import { readPlan } from '../canary/plan.ts';
import type { CanaryPlan } from '../canary/plan.ts';
import { createProber } from '../canary/probes.ts';
import { rollOut } from '../canary/roll-out.ts';
import type { CanaryOutcome } from '../canary/roll-out.ts';
import { formatDecision, formatOutcome, formatPlan, formatStage } from '../canary/terminal.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The flags of `canary`, parsed. */
export interface CanaryFlags {
  readonly plan: string;
  /** Of the journal and all runs; `runs/canary-NAME` if not said. */
  readonly state: string | undefined;
  readonly dryRun: boolean;
  /** Go on where an earlier one was killed, or held. */
  readonly resume: boolean;
  /** Undo an earlier one. */
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
 * `scaleproof canary`: a staged rollout that stops by itself.
 * @returns the exit code: 0 rolled out, 1 rolled back, 3 held or interrupted
 */
export async function canary(flags: CanaryFlags, console: Console): Promise<number> {
  const plan = readPlan(flags.plan);
  const directory = resolve(flags.state ?? join('runs', `canary-${plan.name}`));
  const clock = createRealTimeline().scope('canary');
  const look = { color: console.color, columns: console.columns };
  const startedAt = new Date(clock.nowMs()).toISOString();
  const prober = await createProber(plan, { workers: flags.workers, startedAt, console });
  if (flags.dryRun) {
    console.out(flags.json ? `${JSON.stringify(plan, undefined, 2)}\n` : formatPlan(plan, look));
    return EXIT.pass;
  }
  const digest = digestOf(plan);
  const command = `scaleproof canary --plan ${flags.plan}${flags.state === undefined ? '' : ` --state ${flags.state}`}`;
  const journal = openJournal(directory);
  const interrupted = interruption();
  const say = (text: string): void => (flags.json ? console.err(text) : console.out(text));
  try {
    refuseUnlessMeant(progressOf(journal.lines), digest, flags, command);
    const events = {
      stage: (stage: Parameters<typeof formatStage>[0]) => say(formatStage(stage, plan.share.of, look)),
      decision: (_: unknown, decision: Parameters<typeof formatDecision>[0]) => say(formatDecision(decision, look)),
      note: (text: string) => console.err(`${text}\n`),
    };
    const outcome = await rollOut({ plan, digest, prober, journal, directory, clock, signal: interrupted.signal, events }, flags.rollback);
    const path = join(directory, 'canary.json');
    const text = `${JSON.stringify(outcome, undefined, 2)}\n`;
    writeFileSync(path, text);
    console.out(flags.json ? text : `${formatOutcome(outcome, { command }, look)}\nCanary: ${relative('.', path)}\n`);
    return CODES[outcome.how];
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    console.err(
      `scaleproof: the canary was interrupted, and is where it was: go on with \`${command} --resume\`, or undo it with \`${command} --rollback\`\n`,
    );
    return EXIT.unknown;
  } finally {
    interrupted.release();
    journal.close();
  }
}

function digestOf(plan: CanaryPlan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}

/** @throws UsageError where it is not clear what is to become of a candidate that is there */
function refuseUnlessMeant(
  progress: CanaryProgress | undefined,
  digest: string,
  { resume, rollback }: Pick<CanaryFlags, 'resume' | 'rollback'>,
  command: string,
): void {
  if (resume && rollback) throw new UsageError('--resume and --rollback: it is one or the other');
  const isUnderWay = progress?.isDeployed === true && progress.ended === undefined;
  if (progress?.ended !== undefined)
    throw new UsageError(`this canary has been ${progress.ended.replace('-', ' ')}; another one needs a --state directory of its own`);
  if (!isUnderWay && (resume || rollback)) throw new UsageError('there is no canary under way: nothing has the candidate');
  if (!isUnderWay) return;
  if (!resume && !rollback)
    throw new UsageError(
      `a canary of this name is under way, in stage ${progress.stage + 1}: go on with \`${command} --resume\`, or undo it with \`${command} --rollback\``,
    );
  if (progress.digest !== digest && !rollback)
    throw new UsageError(`the plan has changed since this canary began: undo it with \`${command} --rollback\`, and begin anew`);
}
