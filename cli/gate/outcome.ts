import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GateDecision } from '../../gate/verdict.ts';
import type { GateStop } from './early-stop.ts';
import type { Unseen } from './unseen.ts';

/** The decision of a gate, and what it is based on. */
export interface GateOutcome {
  readonly decision: GateDecision;
  /** Run directories of the trials, in the order in which they were run. */
  readonly directories: readonly string[];
  /** What was left out and why, and where the policy is laxer than the defaults: a sentence each. */
  readonly notes: readonly string[];
  /** What of the bundled suites was not looked at, by choice or because a target can't run it. */
  readonly unseen: Unseen;
  /** If it ended before the planned trials, because none of them could change the decision. */
  readonly stopped?: GateStop;
}

/** Writes the decision beside the gate's runs. @returns the file */
export function writeDecision(directory: string, outcome: GateOutcome): string {
  const path = join(directory, 'gate.json');
  writeFileSync(path, `${JSON.stringify(outcome, undefined, 2)}\n`);
  return path;
}
