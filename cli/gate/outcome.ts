import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GateDecision } from '../../gate/verdict.ts';

/** The decision of a gate, and what it is based on. */
export interface GateOutcome {
  readonly decision: GateDecision;
  /** Run directories of the trials, in the order in which they were run. */
  readonly directories: readonly string[];
  /** What was left out and why, and where the policy is laxer than the defaults: a sentence each. */
  readonly notes: readonly string[];
}

/** Writes the decision beside the gate's runs. @returns the file */
export function writeDecision(directory: string, outcome: GateOutcome): string {
  const path = join(directory, 'gate.json');
  writeFileSync(path, `${JSON.stringify(outcome, undefined, 2)}\n`);
  return path;
}
