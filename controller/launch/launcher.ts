import { Ec2Error } from '../../clients/ec2-client.ts';
import { defined } from '../../model/defined.ts';
import { CONDITION, nameOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { patchClaim, patchConditions, refreshClaim } from '../claims.ts';
import { createLimitCheck } from '../capacity/pool-limits.ts';
import { BACKOFF_MAX_MS, FLEET_LEADER_POLL_MS, LAUNCHES_AT_ONCE, LAUNCH_BACKOFF_MIN_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { backoffMs } from '../core/backoff.ts';
import { Pacer } from '../core/pacer.ts';
import { describeError } from '../core/errors.ts';
import { clientToken, readAttempt, readShared, seatIn, writeAttempt } from './attempt.ts';
import type { Attempt, SharedLaunch } from './attempt.ts';
import { AwaitedLeaders } from './awaited-leaders.ts';
import { FleetAnswers } from './fleet-answers.ts';
import type { FleetAnswer } from './fleet-answers.ts';
import { isMissingTemplate, isThrottling, masksOfRefusal, readFleetOutcome, readRefusal } from './fleet-outcome.ts';
import type { FleetOutcome } from './fleet-outcome.ts';
import { countOf } from './fleet-request.ts';
import { findLaunched } from './lookup.ts';
import { planFleetRequest } from './plan.ts';
import { recordInstance } from './record.ts';
import { SharedLaunches } from './shared-launches.ts';

/** The progress of a claim's launch. */
type LaunchProgress =
  /** The claim records its instance. */
  | { readonly kind: 'launched'; readonly claim: NodeClaim }
  /** Try again after `waitMs`. */
  | { readonly kind: 'waiting'; readonly waitMs: number }
  /** No offering of the claim is available now, or the limits of its pool leave no room, and no instance was launched for it. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** The part that turns a claim into one instance. */
export interface Launcher {
  /**
   * Continues the launch of a claim that records no instance yet. May be called again at any time after any failure, even by
   * another process: no call launches a second instance for the claim. Throws when it has to be retried.
   */
  launch(claim: NodeClaim): Promise<LaunchProgress>;
  /**
   * Looks for the instance of a launch whose answer is not known, and sends nothing. Throws when EC2 can't be asked.
   * @returns the claim, which records the instance; undefined if there is none
   */
  find(claim: NodeClaim): Promise<NodeClaim | undefined>;
}

/** What an open attempt has to do. */
type Turn =
  /** Take the instance in its seat. */
  | { readonly kind: 'sent'; readonly sent: Attempt; readonly outcome: Promise<FleetOutcome>; readonly seat: number }
  /** It is not open any more: nothing was launched for it, or it is lost. */
  | { readonly kind: 'over'; readonly attempt: Attempt }
  | { readonly kind: 'waiting'; readonly waitMs: number };

/** The claim that stores the request of a shared launch. */
interface Leading {
  readonly kind: 'leading';
  readonly claim: NodeClaim;
  readonly attempt: Attempt;
}

interface LauncherOptions {
  /** The client token of an attempt; by default a hash of the claim's uid and the attempt's number. */
  readonly token?: (claim: NodeClaim, attempt: Attempt) => string;
  /** Whether the limits of its pool still leave room for the claim: asked once more before each attempt. */
  readonly isWithinLimits?: (claim: NodeClaim) => boolean;
}

/**
 * The launch protocol. Each attempt, with its number and its exact request, is persisted in the claim before the request is sent,
 * with a token derived from the claim's uid and that number. Until EC2 has responded, every reconcile sends the same request
 * with the same token, which gives the same instance. A response without instances uses up the token: the next attempt has a
 * new number, which is persisted first. Like requests of several claims are sent as one. See docs/controller.md.
 */
export function createLauncher(context: Context, options: LauncherOptions = {}): Launcher {
  return new ReplayingLauncher(context, { token: clientToken, isWithinLimits: createLimitCheck(context), ...options });
}

class ReplayingLauncher implements Launcher {
  readonly #context: Context;
  readonly #options: Required<LauncherOptions>;
  readonly #pace: Pacer;
  readonly #launches: SharedLaunches;
  readonly #answers: FleetAnswers;
  readonly #leaders: AwaitedLeaders;

  constructor(context: Context, options: Required<LauncherOptions>) {
    const { clock, random } = context.runtime;
    this.#context = context;
    this.#options = options;
    this.#pace = new Pacer(clock, random.fork('launch pace'), LAUNCHES_AT_ONCE);
    this.#launches = new SharedLaunches(clock, context.metrics);
    this.#leaders = new AwaitedLeaders(clock);
    this.#answers = new FleetAnswers(clock, random.fork('fleet answers'));
  }

  async launch(claim: NodeClaim): Promise<LaunchProgress> {
    let current = claim;
    let attempt = readAttempt(claim);
    // Terminates: each attempt without an instance masks everything that it requested, so that the next requests less.
    for (;;) {
      if (attempt?.state === 'lost') {
        const progress = await this.#lookUp(current, attempt);
        if (progress !== undefined) return progress;
      }
      if (attempt?.state !== 'open') {
        const waitMs = (attempt?.nextFromMs ?? 0) - this.#context.runtime.clock.nowMs();
        // No backoff is longer: such a time was written when the clock was ahead.
        if (waitMs > 0 && waitMs <= BACKOFF_MAX_MS) return { kind: 'waiting', waitMs };
        if (!this.#options.isWithinLimits(current)) {
          return this.#giveUp(current, attempt, 'the limits of its pool leave no room any more');
        }
        const plan = await planFleetRequest(this.#context, current);
        if ('impossible' in plan) return this.#giveUp(current, attempt, plan.impossible);
        const known = current;
        const next = {
          claim: known,
          number: (attempt?.number ?? 0) + 1,
          request: plan.request,
          ...defined({ refusals: attempt?.refusals }),
        };
        ({ claim: current, attempt } = await this.#launches.store(next, (stored) => this.#persist(known, stored)));
        if (attempt.state === 'closed') continue;
      }
      const open = attempt;
      const turn = await this.#turnOf(current, open);
      if (turn.kind === 'waiting') return turn;
      if (turn.kind === 'over') {
        attempt = turn.attempt;
        // A closed one need not be stored: whoever reads it again comes to the same conclusion.
        if (attempt.state === 'lost') current = await this.#persist(current, attempt);
        continue;
      }
      const { request } = turn.sent;
      const outcome = await turn.outcome.catch((error: unknown) => this.#refuse(current, open, error));
      const instance = outcome.instances[turn.seat];
      if (instance !== undefined) return { kind: 'launched', claim: await recordInstance(this.#context, current, request, instance) };
      if (!outcome.onlyCapacity) {
        const closed = await this.#persist(current, this.#refused(open));
        await this.#explain(closed, 'LaunchFailed', outcome.summary);
        throw new Error(`attempt ${open.number} made no instance: ${outcome.summary}`);
      }
      current = await this.#explain(current, 'InsufficientCapacity', outcome.summary);
      // Not persisted yet: repeating it gives the same empty response.
      attempt = { ...open, state: 'closed' };
    }
  }

  async find(claim: NodeClaim): Promise<NodeClaim | undefined> {
    const attempt = readAttempt(claim);
    if (attempt === undefined || attempt.state === 'closed') return undefined;
    // It may have been sent a moment ago: then only what is certain counts.
    const instance = await findLaunched(this.#context, claim, attempt, false);
    return instance === undefined ? undefined : recordInstance(this.#context, claim, attempt.request, instance);
  }

  /** What an open attempt has to do: be sent, or take its part of the answer to its leader's. */
  async #turnOf(claim: NodeClaim, attempt: Attempt): Promise<Turn> {
    const { shared } = attempt;
    if (shared === undefined) return { kind: 'sent', sent: attempt, outcome: this.#send(claim, attempt), seat: 0 };
    const { token } = shared;
    const answer = this.#answers.get(token);
    if (answer !== undefined) return this.#seat(answer, attempt, shared);
    const leading = shared.index === 0 ? { kind: 'leading' as const, claim, attempt } : await this.#leaderOf(claim, attempt, shared);
    if (leading.kind !== 'leading') return leading;
    const waitMs = this.#answers.waitMs(token);
    if (waitMs > 0) return { kind: 'waiting', waitMs };
    // Another claim may have sent it meanwhile.
    const sent = this.#answers.get(token) ?? this.#answers.send(token, leading.attempt, () => this.#sendShared(leading));
    return this.#seat(sent, attempt, shared);
  }

  #seat({ attempt: sent, outcome }: FleetAnswer, attempt: Attempt, shared: SharedLaunch): Turn {
    const seat = seatIn(sent.shared ?? shared, shared);
    return seat === undefined ? { kind: 'over', attempt: { ...attempt, state: 'closed' } } : { kind: 'sent', sent, outcome, seat };
  }

  /**
   * The leader of a shared launch, with what is to be sent. If it has not stored that, and can't any more, nothing was sent or nothing
   * launched: the leader itself is the first to get an instance, and then keeps its attempt.
   */
  async #leaderOf(
    claim: NodeClaim,
    attempt: Attempt,
    shared: SharedLaunch,
  ): Promise<Leading | Extract<Turn, { kind: 'waiting' | 'over' }>> {
    const { state, runtime } = this.#context;
    const { name, uid, version } = shared.leader;
    const over = (change: Partial<Attempt>): Turn & { kind: 'over' } => ({ kind: 'over', attempt: { ...attempt, ...change } });
    const lost = over({ state: 'lost', lostAtMs: runtime.clock.nowMs() });
    const known = state.claims.get(name);
    const isLeading = known !== undefined && uidOf(known) === uid && readShared(known)?.shared.token === shared.token;
    const read = () => refreshClaim(this.#context, { ...claim, metadata: { name, uid } });
    const leader = isLeading ? known : await this.#leaders.read(shared.token, read);
    if (leader === undefined || uidOf(leader) !== uid) return lost;
    const leading = readShared(leader);
    if (leading?.shared.token !== shared.token) {
      if (leader.metadata.resourceVersion !== version) return over({ state: 'closed' });
      // Its write may be on its way: it can't take effect once the leader has made another attempt.
      return this.#leaders.isPatient(shared.token) ? { kind: 'waiting', waitMs: FLEET_LEADER_POLL_MS } : lost;
    }
    if (leading.state === 'lost') return lost;
    if (leading.state === 'closed') return over({ state: 'closed', refusals: leading.refusals, nextFromMs: leading.nextFromMs });
    if (seatIn(leading.shared, shared) === undefined) return over({ state: 'closed' });
    return { kind: 'leading', claim: leader, attempt: leading };
  }

  /**
   * Sends a leader's attempt. If EC2 refuses it, the leader stores that before any other claim does: as long as the leader's is open it
   * is sent again, which may then launch instances for claims that have already gone on.
   */
  async #sendShared({ claim, attempt }: Leading): Promise<FleetOutcome> {
    try {
      return await this.#send(claim, attempt);
    } catch (error) {
      if (readRefusal(error) === 'refused') await this.#persist(claim, this.#refused(attempt));
      throw error;
    }
  }

  /** Sends an open attempt, and remembers what the answer says about capacity. */
  async #send(claim: NodeClaim, attempt: Attempt): Promise<FleetOutcome> {
    const { ec2, runtime, unavailable, markets, templates, periods } = this.#context;
    const { request } = attempt;
    const input = { ...request, ClientToken: this.#options.token(claim, attempt) };
    let output;
    try {
      output = await this.#pace.run(() => ec2.createFleet(input), isThrottling);
    } catch (error) {
      if (error instanceof Ec2Error && isMissingTemplate(error.code)) templates.distrust();
      for (const { what, ttlMs } of masksOfRefusal(request, error, periods)) unavailable.mark(what, ttlMs);
      throw error;
    }
    const outcome = readFleetOutcome(request, output, periods);
    for (const { what, ttlMs } of outcome.masks) unavailable.mark(what, ttlMs);
    if (!outcome.isShort) markets.refused(outcome.lacking);
    for (const offering of outcome.launched) markets.launched(offering);
    // What it launched was the last of that.
    if (outcome.isShort) markets.refused(outcome.lacking);
    if (outcome.templateMissing) templates.distrust();
    const surplus = outcome.instances.slice(countOf(request));
    if (surplus.length > 0) {
      const ids = surplus.map(({ id }) => id).join(', ');
      runtime.log('warn', `the fleet made too many instances: ${ids} will be collected`, { claim: nameOf(claim) });
    }
    return outcome;
  }

  /** Persists what an error means for the attempt, and throws it. */
  async #refuse(claim: NodeClaim, attempt: Attempt, error: unknown): Promise<never> {
    const refusal = readRefusal(error);
    // Its instance is known to be terminated, so there is no need to wait for another one to become visible.
    const hasEnded = error instanceof Ec2Error && error.code === 'IdempotentInstanceTerminated' && attempt.shared === undefined;
    const lostAtMs = hasEnded ? 0 : this.#context.runtime.clock.nowMs();
    let current = claim;
    // A leader has already stored it.
    if (refusal === 'refused' && attempt.shared?.index !== 0) current = await this.#persist(claim, this.#refused(attempt));
    if (refusal === 'lost') current = await this.#persist(claim, { ...attempt, state: 'lost', lostAtMs });
    await this.#explain(current, 'LaunchFailed', describeError(error));
    throw error;
  }

  /** The attempt after EC2 refused it: the next one waits, twice as long after each refusal. */
  #refused(attempt: Attempt): Attempt {
    const { clock, random } = this.#context.runtime;
    const refusals = (attempt.refusals ?? 0) + 1;
    return { ...attempt, state: 'closed', refusals, nextFromMs: clock.nowMs() + backoffMs(refusals - 1, random, LAUNCH_BACKOFF_MIN_MS) };
  }

  /** Searches the instance of a lost attempt. @returns undefined once it is safe to assume that there is none */
  async #lookUp(claim: NodeClaim, attempt: Attempt): Promise<LaunchProgress | undefined> {
    const { runtime, periods } = this.#context;
    const isSettled = runtime.clock.nowMs() - (attempt.lostAtMs ?? 0) >= periods.lookupSettleMs;
    const instance = await findLaunched(this.#context, claim, attempt, isSettled);
    if (instance !== undefined) {
      return { kind: 'launched', claim: await recordInstance(this.#context, claim, attempt.request, instance) };
    }
    return isSettled ? undefined : { kind: 'waiting', waitMs: periods.lookupPollMs };
  }

  async #giveUp(claim: NodeClaim, attempt: Attempt | undefined, reason: string): Promise<LaunchProgress> {
    // Then the claim's deletion need not search for an instance.
    if (readAttempt(claim)?.state === 'open' && attempt !== undefined) await this.#persist(claim, attempt);
    return { kind: 'impossible', reason };
  }

  /** Must be written against the claim version that we know: another process may be launching it too. */
  #persist(claim: NodeClaim, attempt: Attempt): Promise<NodeClaim> {
    const { resourceVersion } = claim.metadata;
    return patchClaim(this.#context, claim, { metadata: { resourceVersion, annotations: writeAttempt(attempt) } });
  }

  /** Reports in the claim's status why there is no instance yet; errors are ignored. */
  async #explain(claim: NodeClaim, reason: string, message: string): Promise<NodeClaim> {
    this.#context.runtime.log('warn', `launch: ${message}`, { claim: nameOf(claim), reason });
    try {
      return await patchConditions(this.#context, claim, [{ type: CONDITION.launched, status: 'Unknown', reason, message }]);
    } catch {
      return claim;
    }
  }
}
