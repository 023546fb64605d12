import type { Clock } from '../../../runtime/clock.ts';
import { wholeSecond } from '../times.ts';

/** The current time, as causes of activities have it. */
export function at(clock: Clock): string {
  return wholeSecond(clock.nowMs()).toISOString().replace('.000Z', 'Z');
}
