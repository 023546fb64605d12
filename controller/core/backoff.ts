import type { Random } from '../../runtime/random.ts';
import { BACKOFF_MAX_MS, BACKOFF_MIN_MS } from '../constants.ts';

/**
 * How long to wait after a failure, in ms: doubled with each failure before it, up to a limit, and jittered down to half of that.
 * @param minMs after the first failure
 */
export function backoffMs(failuresBefore: number, random: Random, minMs = BACKOFF_MIN_MS): number {
  return Math.min(minMs * 2 ** failuresBefore, BACKOFF_MAX_MS) * (0.5 + random.next() / 2);
}
