import type { Catalogue } from '../../model/instance-catalogue.ts';
import type { Account } from './operation.ts';

/** Answers kept for each catalogue and operation: all pages of the longest list, several times. */
const KEPT_MAX = 128;

/**
 * Makes an operation of what depends on the catalogue and the request alone. Its answers are kept, frozen: every trial
 * lists all types of a region again, and these lists are most of what goes over its wires.
 */
export function constantAnswers<Input extends object, Output extends object>(
  make: (catalogue: Catalogue, request: Input) => Output,
): (account: Account, request: Input) => Output {
  const kept = new WeakMap<Catalogue, Map<string, Output>>();
  return ({ catalogue }, request) => {
    const answers = kept.get(catalogue) ?? new Map<string, Output>();
    kept.set(catalogue, answers);
    const key = JSON.stringify(request);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = Object.freeze(make(catalogue, request));
    if (answers.size >= KEPT_MAX) answers.clear();
    answers.set(key, answer);
    return answer;
  };
}
