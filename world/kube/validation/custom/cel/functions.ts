import { EvaluationError } from '@marcbachmann/cel-js';

/** How functions are registered that answer at once. */
export const SYNC = { async: false } as const;

/** @throws EvaluationError with which the evaluation of a rule ends */
export function fail(message: string): never {
  throw new EvaluationError(message);
}
