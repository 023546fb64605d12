import { deepFreeze } from '../../model/deep-freeze.ts';
import type { Catalogue } from '../../model/instance-catalogue.ts';
import type { Account } from './operation.ts';

/** Answers cached for each catalogue and operation: enough for all pages of the longest list, several times. */
const KEPT_MAX = 128;

/**
 * Creates an operation that depends only on the catalogue and the request. Its answers are cached and frozen: every trial lists
 * all types of a region again, and these lists are most of the traffic on its wires.
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
    const answer = deepFreeze(make(catalogue, request));
    if (answers.size >= KEPT_MAX) answers.clear();
    answers.set(key, answer);
    return answer;
  };
}
