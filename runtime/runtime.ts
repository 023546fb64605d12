import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { Random } from './random.ts';

/** Time, chance, cancellation and logging for one part: always passed in, never global. */
export interface Runtime {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the part is asked to stop. */
  readonly signal: AbortSignal;
}
