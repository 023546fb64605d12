import type { Clock } from '../../runtime/clock.ts';
import { defined } from '../../model/defined.ts';
import { nameOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { FLEET_IDLE_MS, FLEET_MAX_MS, FLEET_SIZE_MAX, FLEET_WRITE_LIMIT_MS } from '../constants.ts';
import { Gather } from '../core/gather.ts';
import { isConflict, isUnknownOutcome } from '../core/errors.ts';
import type { Metrics } from '../metrics.ts';
import { tokenOf } from './attempt.ts';
import type { Attempt, FleetRequest, SharedLaunch } from './attempt.ts';
import { forClaim, forClaims, withoutOfferings } from './fleet-request.ts';

/** A launch that a claim has planned. */
interface PlannedLaunch {
  readonly claim: NodeClaim;
  /** The number of the attempt. */
  readonly number: number;
  /** How many attempts before it were refused in a row. */
  readonly refusals?: number | undefined;
  /** Without the tag that says for whom it is. */
  readonly request: FleetRequest;
}

/** An attempt that its claim has stored. */
interface Stored {
  readonly claim: NodeClaim;
  /** `closed` if its leader's was certainly not stored: nothing was sent, nor will be. */
  readonly attempt: Attempt;
}

/** Writes an attempt into its claim. Throws if it could not, or if that is unknown. */
type Write = (attempt: Attempt) => Promise<NodeClaim>;

/**
 * Gathers launches that were planned at about the same moment with the same request, so that EC2 gets one request for all of them.
 * Each claim stores its attempt as if it were alone. The leader's is written last, when it is known who has done so, and the request
 * may be sent as soon as that is written: so whoever finds the leader's attempt, in this process or the next, knows what was sent,
 * and for whom. A claim that could not store its own in time is left out. While the leader's is being written, the others of its group
 * wait, with the workers that launch them; other groups don't.
 */
export class SharedLaunches {
  readonly #clock: Clock;
  readonly #metrics: Pick<Metrics, 'batchWindow' | 'batchSize'>;
  /** By request. Bounded by the claims that are being launched. */
  readonly #gathering = new Map<string, Gather<PlannedLaunch, Group>>();

  constructor(clock: Clock, metrics: Pick<Metrics, 'batchWindow' | 'batchSize'>) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /**
   * Waits for others with the same request, and stores the attempts of all of them.
   * @param write stores the claim's own
   */
  async store(planned: PlannedLaunch, write: Write): Promise<Stored> {
    const key = JSON.stringify(planned.request);
    const gather = this.#gathering.get(key) ?? this.#gather(key);
    const group = await gather.add(planned);
    return group.store(planned, write);
  }

  #gather(key: string): Gather<PlannedLaunch, Group> {
    const window = { idleMs: FLEET_IDLE_MS, maxMs: FLEET_MAX_MS, maxItems: FLEET_SIZE_MAX };
    const gather = new Gather(this.#clock, window, (members: readonly PlannedLaunch[], openMs) => {
      if (this.#gathering.get(key) === gather) this.#gathering.delete(key);
      this.#metrics.batchSize.observe(members.length, { batcher: 'create_fleet' });
      this.#metrics.batchWindow.observe(openMs / 1_000, { batcher: 'create_fleet' });
      return new Group(this.#clock, members);
    });
    this.#gathering.set(key, gather);
    return gather;
  }
}

/** Claims that launch together. */
class Group {
  readonly #clock: Clock;
  readonly #members: readonly PlannedLaunch[];
  readonly #token: string;
  /** The places of those that have stored their attempt. */
  readonly #present = new Set<number>();
  /** Those whose result is not known yet. */
  #pending: number;
  readonly #allKnown = Promise.withResolvers<void>();
  /** Whether the leader's attempt was written; undefined if that is unknown. */
  readonly #decided = Promise.withResolvers<boolean | undefined>();

  constructor(clock: Clock, members: readonly PlannedLaunch[]) {
    this.#clock = clock;
    this.#members = members;
    this.#token = tokenOf(members);
    this.#pending = members.length - 1;
  }

  async store(planned: PlannedLaunch, write: Write): Promise<Stored> {
    const { claim, number, refusals, request } = planned;
    const own = { number, state: 'open', ...defined({ refusals }) } as const;
    const index = this.#members.indexOf(planned);
    if (this.#members.length === 1) {
      const attempt = { ...own, request: forClaim(request, claim) };
      return { claim: await write(attempt), attempt };
    }
    if (index === 0) return this.#lead(own, request, write);
    const attempt = { ...own, request: withoutOfferings(request), shared: this.#shared(index) };
    const written = await this.#join(index, () => write(attempt));
    const isVain = (await this.#decided.promise) === false;
    return { claim: written, attempt: isVain ? { ...attempt, state: 'closed' } : attempt };
  }

  async #join(index: number, write: () => Promise<NodeClaim>): Promise<NodeClaim> {
    try {
      const written = await write();
      this.#present.add(index);
      return written;
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) this.#allKnown.resolve();
    }
  }

  async #lead(own: Pick<Attempt, 'number' | 'state' | 'refusals'>, request: FleetRequest, write: Write): Promise<Stored> {
    const limit = Promise.withResolvers<void>();
    const cancel = this.#clock.after(FLEET_WRITE_LIMIT_MS, limit.resolve);
    await Promise.race([this.#allKnown.promise, limit.promise]);
    cancel();
    const absent = this.#members.flatMap((_, index) => (index === 0 || this.#present.has(index) ? [] : [index]));
    const attempt = {
      ...own,
      request: forClaims(request, this.#token, this.#members.length - absent.length),
      shared: { ...this.#shared(0), ...(absent.length === 0 ? {} : { absent }) },
    };
    try {
      const claim = await write(attempt);
      this.#decided.resolve(true);
      return { claim, attempt };
    } catch (error) {
      // A conflict may be with itself: it took effect, its answer was an error with Retry-After, and the client repeated it.
      this.#decided.resolve(isUnknownOutcome(error) || isConflict(error) ? undefined : false);
      throw error;
    }
  }

  #shared(index: number): SharedLaunch {
    const [first] = this.#members;
    const leader = { name: '', uid: '', version: '' };
    if (first !== undefined) {
      leader.name = nameOf(first.claim);
      leader.uid = uidOf(first.claim);
      leader.version = first.claim.metadata.resourceVersion ?? '';
    }
    return { token: this.#token, size: this.#members.length, index, leader };
  }
}
