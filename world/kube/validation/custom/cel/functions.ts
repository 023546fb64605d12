import { EvaluationError } from '@marcbachmann/cel-js';

/** The registration option of synchronous functions. */
export const SYNC = { async: false } as const;

/** @throws EvaluationError which ends the evaluation of a rule */
export function fail(message: string): never {
  throw new EvaluationError(message);
}
