import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { Random } from './random.ts';

/** Everything that a part may know of time, chance, cancellation and the outside: handed in, never reached for. */
export interface Runtime {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the part is asked to stop. */
  readonly signal: AbortSignal;
}
