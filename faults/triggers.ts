import type { When } from '../wire/effects.ts';

/** Which of the matching requests are affected, counted from the arming of the fault: the `when` parameter of request faults. */

/** All of them. */
export const always: When = { kind: 'always' };

/** Only the first `count`. */
export const first = (count: number): When => ({ kind: 'first', count });

/** Only this one. @param number from 1 */
export const nth = (number: number): When => ({ kind: 'nth', nth: number });

/** Every nth: with 3 the third, the sixth and so on. */
export const everyNth = (number: number): When => ({ kind: 'every', nth: number });

/** Each with this probability, drawn from the seed. @param probability from 0 to 1 */
export const withProbability = (probability: number): When => ({ kind: 'probability', probability });

/** Those sent within this time window after the arming. */
export const between = (fromMs: number, toMs: number): When => ({ kind: 'window', fromMs, toMs });
