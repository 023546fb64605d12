import type { GateVerdict } from '../gate/verdict.ts';

/** The command was used wrongly: printed as one line, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The command was interrupted before it could do anything: printed as one line, exit code 3. */
export class InterruptedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InterruptedError';
  }
}

/** Exit codes of every command. */
export const EXIT = { pass: 0, fail: 1, usage: 2, unknown: 3 } as const;

/** Exit codes of a gate. Inconclusive means neither promote nor roll back. */
export const GATE_EXIT: Readonly<Record<GateVerdict, number>> = { pass: EXIT.pass, fail: EXIT.fail, inconclusive: EXIT.unknown };
