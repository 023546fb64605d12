import { Ec2Error } from '../../clients/ec2-client.ts';
import { defined } from '../../model/defined.ts';
import { CONDITION, nameOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { isLive } from '../capacity/instances.ts';
import { patchClaim, patchConditions } from '../claims.ts';
import { BACKOFF_MAX_MS, LAUNCHES_AT_ONCE, LAUNCH_BACKOFF_MIN_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { backoffMs } from '../core/backoff.ts';
import { Pacer } from '../core/pacer.ts';
import { describeError } from '../core/errors.ts';
import { clientToken, readAttempt, writeAttempt } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import { isMissingTemplate, isThrottling, masksOfRefusal, readFleetOutcome, readRefusal } from './fleet-outcome.ts';
import type { FleetInstance } from './fleet-outcome.ts';
import { planFleetRequest } from './plan.ts';
import { recordInstance } from './record.ts';

/** The progress of a claim's launch. */
type LaunchProgress =
  /** The claim records its instance. */
  | { readonly kind: 'launched'; readonly claim: NodeClaim }
  /** Try again after `waitMs`. */
  | { readonly kind: 'waiting'; readonly waitMs: number }
  /** No offering of the claim is available now, and no instance was launched for it. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** The part that turns a claim into one instance. */
export interface Launcher {
  /**
   * Continues the launch of a claim that records no instance yet. May be called again at any time after any failure, even by
   * another process: no call launches a second instance for the claim. Throws when it has to be retried.
   */
  launch(claim: NodeClaim): Promise<LaunchProgress>;
}

interface LauncherOptions {
  /** The client token of an attempt; by default a hash of the claim's uid and the attempt's number. */
  readonly token?: (claim: NodeClaim, attempt: Attempt) => string;
}

/**
 * The launch protocol. Each attempt, with its number and its exact request, is persisted in the claim before the request is sent,
 * with a token derived from the claim's uid and that number. Until EC2 has responded, every reconcile sends the same request
 * with the same token, which gives the same instance. A response without instances uses up the token: the next attempt has a
 * new number, which is persisted first. See docs/controller.md.
 */
export function createLauncher(context: Context, options: LauncherOptions = {}): Launcher {
  return new ReplayingLauncher(context, options.token ?? clientToken);
}

class ReplayingLauncher implements Launcher {
  readonly #context: Context;
  readonly #token: (claim: NodeClaim, attempt: Attempt) => string;
  readonly #pace: Pacer;

  constructor(context: Context, token: (claim: NodeClaim, attempt: Attempt) => string) {
    this.#context = context;
    this.#token = token;
    this.#pace = new Pacer(context.runtime.clock, context.runtime.random.fork('launch pace'), LAUNCHES_AT_ONCE);
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
        const plan = await planFleetRequest(this.#context, current);
        if ('impossible' in plan) return this.#giveUp(current, attempt, plan.impossible);
        attempt = { number: (attempt?.number ?? 0) + 1, request: plan.request, state: 'open', ...defined({ refusals: attempt?.refusals }) };
        current = await this.#persist(current, attempt);
      }
      const answer = await this.#send(current, attempt);
      if (answer.instance !== undefined) {
        return { kind: 'launched', claim: await recordInstance(this.#context, current, attempt.request, answer.instance) };
      }
      current = await this.#explain(current, 'InsufficientCapacity', answer.summary);
      // Not persisted yet: repeating it gives the same empty response.
      attempt = { ...attempt, state: 'closed' };
    }
  }

  /** Sends an open attempt. @returns no instance if EC2 had no capacity for any of the offerings */
  async #send(claim: NodeClaim, attempt: Attempt): Promise<{ instance: FleetInstance | undefined; summary: string }> {
    const { ec2, runtime, unavailable, markets, templates, periods } = this.#context;
    const input = { ...attempt.request, ClientToken: this.#token(claim, attempt) };
    const output = await this.#pace
      .run(() => ec2.createFleet(input), isThrottling)
      .catch((error: unknown) => this.#refuse(claim, attempt, error));
    const outcome = readFleetOutcome(attempt.request, output, periods);
    for (const { what, ttlMs } of outcome.masks) unavailable.mark(what, ttlMs);
    markets.refused(outcome.lacking);
    for (const offering of outcome.launched) markets.launched(offering);
    if (outcome.templateMissing) templates.distrust();
    const [instance, ...surplus] = outcome.instances;
    if (surplus.length > 0) {
      const ids = surplus.map(({ id }) => id).join(', ');
      runtime.log('warn', `the fleet made more than one instance: ${ids} will be collected`, { claim: nameOf(claim) });
    }
    if (instance !== undefined || outcome.onlyCapacity) return { instance, summary: outcome.summary };
    const closed = await this.#persist(claim, this.#refused(attempt));
    await this.#explain(closed, 'LaunchFailed', outcome.summary);
    throw new Error(`attempt ${attempt.number} made no instance: ${outcome.summary}`);
  }

  /** Persists what an error means for the attempt, and throws it. */
  async #refuse(claim: NodeClaim, attempt: Attempt, error: unknown): Promise<never> {
    const { unavailable, periods } = this.#context;
    const refusal = readRefusal(error);
    const code = error instanceof Ec2Error ? error.code : '';
    if (isMissingTemplate(code)) this.#context.templates.distrust();
    for (const { what, ttlMs } of masksOfRefusal(attempt.request, error, periods)) unavailable.mark(what, ttlMs);
    // Its instance is known to be terminated, so there is no need to wait for another one to become visible.
    const lostAtMs = code === 'IdempotentInstanceTerminated' ? 0 : this.#context.runtime.clock.nowMs();
    let current = claim;
    if (refusal === 'refused') current = await this.#persist(claim, this.#refused(attempt));
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
    const { instances, runtime, periods } = this.#context;
    const found = (await instances.findByClaim(nameOf(claim))).filter(isLive);
    const [oldest] = found.sort((a, b) => (a.LaunchTime?.getTime() ?? 0) - (b.LaunchTime?.getTime() ?? 0));
    if (oldest?.InstanceId !== undefined) {
      const instance = { id: oldest.InstanceId, instanceType: oldest.InstanceType, zone: oldest.Placement?.AvailabilityZone };
      return { kind: 'launched', claim: await recordInstance(this.#context, claim, attempt.request, instance) };
    }
    const lostForMs = runtime.clock.nowMs() - (attempt.lostAtMs ?? 0);
    return lostForMs < periods.lookupSettleMs ? { kind: 'waiting', waitMs: periods.lookupPollMs } : undefined;
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
