import { RESOURCES } from '../../clients/resources.ts';
import type { Node } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { formatTime } from '../../model/time.ts';
import { logFailure } from '../../runtime/log.ts';
import {
  CONDITION,
  KARPENTER,
  durationOf,
  isDeleting,
  isTrue,
  launchTime,
  nameOf,
  nodePoolOf,
  poolLabelsOf,
  timeOf,
  uidOf,
} from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { isEnding } from '../capacity/instances.ts';
import { patchClaim, patchConditions } from '../claims.ts';
import { CLOCK_SKEW_MAX_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { describeError, isConflict, isNotFound } from '../core/errors.ts';
import { readAttempt } from '../launch/attempt.ts';
import { findLaunched, mayBeSent } from '../launch/lookup.ts';
import { recordInstance } from '../launch/record.ts';
import { createDrainer } from './drain.ts';
import type { Drainer } from './drain.ts';
import { patchNode } from './registrar.ts';

/** The part that removes deleted claims and Nodes, with their instances. */
export interface Terminator {
  /**
   * Continues the removal of a deleted claim. Its finalizer is removed last, after its instance was seen terminated.
   * @returns milliseconds until the next call; undefined when nothing is left to do
   */
  terminate(claim: NodeClaim): Promise<number | undefined>;
  /** The same for a Node of ours without a claim. */
  terminateNode(node: Node): Promise<number | undefined>;
}

export function createTerminator(context: Context, drainer: Drainer = createDrainer(context)): Terminator {
  return new FinalizingTerminator(context, drainer);
}

/** The progress of one claim's or Node's removal. */
interface EndProgress {
  readonly launchedAtMs: number;
  /** When its instance is terminated, drained or not, in ms since the epoch by our own clock; Infinity for never. */
  readonly endMs: number;
  /** How far our clock is ahead of the server's, as far as known. */
  readonly aheadMs: number;
  onDrained(): Promise<void>;
  onTerminating(): Promise<void>;
}

/** A deletion by this process's own clock; times in objects are by the server's. */
interface Deletion {
  readonly seenMs: number;
  /** The same by the monotonic clock, which nobody sets. */
  readonly seenMonotonicMs: number;
  /** How far our clock was ahead of the server's then, if the deletion was seen soon after it was requested. */
  aheadMs?: number;
  /** Until when an instance may have been launched for it, as far as known. */
  launchedUntilMs: number;
}

class FinalizingTerminator implements Terminator {
  readonly #context: Context;
  readonly #drainer: Drainer;
  /** By claim uid. Bounded by the claims that are being deleted. */
  readonly #deletions = new Map<string, Deletion>();

  constructor(context: Context, drainer: Drainer) {
    this.#context = context;
    this.#drainer = drainer;
    context.state.claims.onChange((type, claim) => {
      if (type === 'DELETED') this.#deletions.delete(uidOf(claim));
    });
  }

  async terminate(claim: NodeClaim): Promise<number | undefined> {
    if (!claim.metadata.finalizers?.includes(KARPENTER.finalizer)) return undefined;
    const providerId = claim.status?.providerID;
    if (providerId === undefined) return this.#terminateUnrecorded(claim);
    const current = await this.#setTerminationTime(claim);
    const aheadMs = this.#aheadMs(this.#deletionOf(claim));
    const progress = {
      launchedAtMs: launchTime(claim),
      endMs: (timeOf(current.metadata.annotations?.[KARPENTER.terminationTime]) ?? Infinity) + aheadMs,
      aheadMs,
      onDrained: () => this.#note(current, CONDITION.drained, 'Drained'),
      onTerminating: () => this.#note(current, CONDITION.instanceTerminating, 'InstanceTerminating'),
    };
    const waitMs = await this.#end(this.#context.state.nodesOf(providerId), parseProviderId(providerId), progress);
    if (waitMs !== undefined) return waitMs;
    await this.#release(current);
    return undefined;
  }

  terminateNode(node: Node): Promise<number | undefined> {
    const createdAtMs = timeOf(node.metadata.creationTimestamp) ?? this.#context.runtime.clock.nowMs();
    const nothing = (): Promise<void> => Promise.resolve();
    const progress = { launchedAtMs: createdAtMs, endMs: Infinity, aheadMs: 0, onDrained: nothing, onTerminating: nothing };
    return this.#end([node], parseProviderId(node.spec?.providerID), progress);
  }

  /**
   * A claim without a recorded instance. If a launch may be in progress, its instance is searched for as long after the deletion, or
   * after others have stopped sending a request that it shares, as EC2 may need to show it: one empty look-up proves nothing.
   */
  async #terminateUnrecorded(claim: NodeClaim): Promise<number | undefined> {
    const { runtime, periods } = this.#context;
    const attempt = readAttempt(claim);
    if (attempt !== undefined && attempt.state !== 'closed') {
      const nowMs = runtime.clock.nowMs();
      const deletion = this.#deletionOf(claim);
      if (mayBeSent(this.#context, claim, attempt)) deletion.launchedUntilMs = nowMs;
      const isSettled = nowMs >= deletion.launchedUntilMs + periods.lookupSettleMs;
      const instance = await findLaunched(this.#context, claim, attempt, isSettled);
      if (instance !== undefined) {
        await recordInstance(this.#context, claim, attempt.request, instance);
        return 0;
      }
      if (!isSettled) return periods.lookupPollMs;
    }
    await this.#release(claim);
    return undefined;
  }

  #deletionOf(claim: NodeClaim): Deletion {
    const known = this.#deletions.get(uidOf(claim));
    if (known !== undefined) return known;
    const { clock } = this.#context.runtime;
    const nowMs = clock.nowMs();
    const deletion: Deletion = { seenMs: nowMs, seenMonotonicMs: clock.monotonicMs(), launchedUntilMs: nowMs };
    this.#deletions.set(uidOf(claim), deletion);
    return deletion;
  }

  /** How far our clock is ahead of the server's, as far as known: it may have been set since the deletion was seen. */
  #aheadMs({ seenMs, seenMonotonicMs, aheadMs }: Deletion): number {
    const { clock } = this.#context.runtime;
    return aheadMs === undefined ? 0 : aheadMs + (clock.nowMs() - seenMs) - (clock.monotonicMs() - seenMonotonicMs);
  }

  /**
   * Persists the deadline from the claim's grace period, so that a restart or a changed pool does not move it. It is by the server's
   * clock. A process that sees the deletion at once can measure its clock's offset; after a restart it is unknown.
   */
  async #setTerminationTime(claim: NodeClaim): Promise<NodeClaim> {
    const { terminationGracePeriod } = claim.spec;
    const deletedAtMs = timeOf(claim.metadata.deletionTimestamp);
    const known = claim.metadata.annotations?.[KARPENTER.terminationTime];
    if (terminationGracePeriod === undefined || known !== undefined || deletedAtMs === undefined) return claim;
    const deletion = this.#deletionOf(claim);
    const aheadMs = deletion.seenMs - deletedAtMs;
    // A larger difference is not clock skew: the deletion was simply not seen at once.
    if (Math.abs(aheadMs) <= CLOCK_SKEW_MAX_MS) deletion.aheadMs = aheadMs;
    const time = formatTime(deletedAtMs + durationOf(terminationGracePeriod));
    return patchClaim(this.#context, claim, { metadata: { annotations: { [KARPENTER.terminationTime]: time } } });
  }

  /** Reports the progress in the claim's status; errors are ignored. */
  async #note(claim: NodeClaim, type: string, reason: string): Promise<void> {
    const known = this.#context.state.claims.get(nameOf(claim)) ?? claim;
    if (isTrue(known.status?.conditions, type)) return;
    if (type === CONDITION.drained) this.#context.metrics.nodesDrained.inc({ nodepool: nodePoolOf(claim) });
    await patchConditions(this.#context, claim, [{ type, status: 'True', reason, message: '' }]).catch(() => undefined);
  }

  /** Drains the nodes, terminates the instance, waits until EC2 shows it terminated, and releases the Nodes. */
  async #end(nodes: readonly Node[], instanceId: string | undefined, progress: EndProgress): Promise<number | undefined> {
    const deleted = await Promise.all(nodes.map((node) => this.#deleteNode(node)));
    // Before EC2 is called: no pod may arrive while it does not respond.
    const present = await Promise.all(deleted.filter((node) => node !== undefined).map((node) => this.#cordon(node)));
    const observed = instanceId === undefined ? 'ended' : await this.#tryToObserve(instanceId, progress.launchedAtMs);
    if (observed === 'ending') return this.#untilPollMs();
    if (observed !== 'ended' && instanceId !== undefined) {
      for (const node of present) {
        const waitMs = await this.#drainer.drain(node, progress.endMs, progress.aheadMs);
        if (waitMs !== undefined) return waitMs;
      }
      if (typeof observed === 'object') throw observed.error;
      if (present.length > 0) await progress.onDrained();
      await this.#context.instances.terminate(instanceId);
      this.#context.runtime.log('info', `terminating ${instanceId}`, { nodes: present.map(nameOf).join(',') });
      await progress.onTerminating();
      return this.#untilPollMs();
    }
    for (const node of present) await this.#releaseNode(node);
    return undefined;
  }

  /** Until the next poll of terminating instances: all are polled at the same moments, so that they share one request. */
  #untilPollMs(): number {
    const { runtime, periods } = this.#context;
    return periods.terminationPollMs - (runtime.clock.nowMs() % periods.terminationPollMs);
  }

  /** Cordons a Node; one that is already gone needs no cordon. */
  async #cordon(node: Node): Promise<Node> {
    try {
      return await this.#drainer.cordon(node);
    } catch (error) {
      if (isNotFound(error)) return node;
      throw error;
    }
  }

  /** The same, or the error: pods have to leave in time, whether EC2 answers or not. */
  async #tryToObserve(instanceId: string, launchedAtMs: number): Promise<'live' | 'ending' | 'ended' | { readonly error: unknown }> {
    try {
      return await this.#observe(instanceId, launchedAtMs);
    } catch (error) {
      logFailure(this.#context.runtime.log, 'warn', `can't look up ${instanceId}: ${describeError(error)}`, error);
      return { error };
    }
  }

  /** What EC2 shows. An instance that is not visible soon after the launch counts as live, because EC2's reads lag. */
  async #observe(instanceId: string, launchedAtMs: number): Promise<'live' | 'ending' | 'ended'> {
    const { instances, runtime, periods } = this.#context;
    const instance = await instances.find(instanceId);
    if (instance === undefined) return runtime.clock.nowMs() < launchedAtMs + periods.visibilityMs ? 'live' : 'ended';
    if (instance.State?.Name === 'terminated') return 'ended';
    return isEnding(instance) ? 'ending' : 'live';
  }

  /** Deletes a Node, which its finalizer keeps. @returns the updated node; undefined if it is gone */
  async #deleteNode(node: Node): Promise<Node | undefined> {
    if (isDeleting(node)) return node;
    const { kube, state } = this.#context;
    const ref = { type: RESOURCES.nodes, name: nameOf(node) };
    let left: Node | undefined;
    try {
      left = await kube.delete<Node>(ref, { uid: uidOf(node) });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
      left = await kube.get<Node>(ref);
      // It failed and the same Node still exists, so this is tried again.
      if (left !== undefined && uidOf(left) === uidOf(node) && !isDeleting(left)) throw error;
    }
    if (left === undefined || uidOf(left) !== uidOf(node)) {
      state.nodes.forget(node);
      return undefined;
    }
    state.nodes.remember(left);
    return left;
  }

  async #releaseNode(node: Node): Promise<void> {
    const finalizers = node.metadata.finalizers ?? [];
    if (!finalizers.includes(KARPENTER.finalizer)) return;
    try {
      const left = finalizers.filter((name) => name !== KARPENTER.finalizer);
      await patchNode(this.#context, node, { metadata: { finalizers: left } });
      this.#observeEnd(node);
      if (left.length === 0) this.#context.state.nodes.forget(node);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #observeEnd(node: Node): void {
    const { metrics } = this.#context;
    const nodepool = nodePoolOf(node);
    metrics.nodesTerminated.inc({ nodepool });
    metrics.nodeTermination.observe(this.#secondsSince(node.metadata.deletionTimestamp), { nodepool });
    metrics.nodeLifetime.observe(this.#secondsSince(node.metadata.creationTimestamp), { nodepool });
  }

  #observeRelease(claim: NodeClaim): void {
    const { metrics, state } = this.#context;
    const nodepool = nodePoolOf(claim);
    metrics.nodeClaimsTerminated.inc(poolLabelsOf(claim));
    metrics.claimTermination.observe(this.#secondsSince(claim.metadata.deletionTimestamp), { nodepool });
    const known = state.claims.get(nameOf(claim)) ?? claim;
    const ending = known.status?.conditions?.find(({ type, status }) => type === CONDITION.instanceTerminating && status === 'True');
    if (ending !== undefined) metrics.instanceTermination.observe(this.#secondsSince(ending.lastTransitionTime), { nodepool });
  }

  /** Times in objects are whole seconds. */
  #secondsSince(timestamp: string | undefined): number {
    const nowMs = this.#context.runtime.clock.nowMs();
    return Math.max(0, nowMs - (timeOf(timestamp) ?? nowMs)) / 1_000;
  }

  /** Written against the version that we know: if an instance was recorded meanwhile, it fails and everything starts over. */
  async #release(claim: NodeClaim): Promise<void> {
    const { resourceVersion, finalizers = [] } = claim.metadata;
    const left = finalizers.filter((name) => name !== KARPENTER.finalizer);
    try {
      await patchClaim(this.#context, claim, { metadata: { resourceVersion, finalizers: left } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#observeRelease(claim);
    if (left.length === 0) this.#context.state.claims.forget(claim);
    this.#context.runtime.log('info', 'the claim is gone', { claim: nameOf(claim) });
  }
}
