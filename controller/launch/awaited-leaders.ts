import type { Clock } from '../../runtime/clock.ts';
import type { NodeClaim } from '../api.ts';
import { FLEET_LEADER_LIMIT_MS, FLEET_LEADER_POLL_MS } from '../constants.ts';

type Read = Promise<NodeClaim | undefined>;

/** Leaders of shared launches that others read, since they don't know yet whether their attempt was stored. */
export class AwaitedLeaders {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By the tokens of the launches. */
  readonly #reads = new Map<string, { readonly atMs: number; readonly leader: Read }>();
  /** Since when each is awaited, in ms; the oldest first. */
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** All claims that wait for a leader look again at the same intervals: one request is enough for them. */
  read(token: string, request: () => Read): Read {
    const nowMs = this.#clock.monotonicMs();
    forget(this.#reads, ({ atMs }) => nowMs - atMs >= FLEET_LEADER_POLL_MS);
    const known = this.#reads.get(token);
    if (known !== undefined) return known.leader;
    const leader = request();
    this.#reads.set(token, { atMs: nowMs, leader });
    return leader;
  }

  /** Whether its write may still be on its way. Begins to wait for it if nobody did. */
  isPatient(token: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    // Long after it was given up. Whoever comes so late waits anew, which does no harm.
    forget(this.#since, (sinceMs) => nowMs - sinceMs >= 10 * FLEET_LEADER_LIMIT_MS);
    const sinceMs = this.#since.get(token) ?? nowMs;
    this.#since.set(token, sinceMs);
    return nowMs - sinceMs < FLEET_LEADER_LIMIT_MS;
  }
}

/** Removes the first entries, which are the oldest. */
function forget<T>(entries: Map<string, T>, isOld: (value: T) => boolean): void {
  for (const [token, value] of entries) {
    if (!isOld(value)) return;
    entries.delete(token);
  }
}
