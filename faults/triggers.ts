import type { When } from '../wire/effects.ts';

/** Which of the requests that match are struck, counted from when the fault was armed: the parameter `when` of faults of requests. */

/** Each of them. */
export const always: When = { kind: 'always' };

/** The first so many, and none after them. */
export const first = (count: number): When => ({ kind: 'first', count });

/** This one alone. @param number from 1 */
export const nth = (number: number): When => ({ kind: 'nth', nth: number });

/** One in so many: with 3 the third, the sixth and so on. */
export const everyNth = (number: number): When => ({ kind: 'every', nth: number });

/** Each with this chance, drawn from the seed. @param probability from 0 to 1 */
export const withProbability = (probability: number): When => ({ kind: 'probability', probability });

/** Those that are sent from one moment to another after the arming. */
export const between = (fromMs: number, toMs: number): When => ({ kind: 'window', fromMs, toMs });
