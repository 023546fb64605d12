import { RESOURCES } from '../../clients/resources.ts';
import type { Node } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { formatTime } from '../../model/time.ts';
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
import { isEnding, isLive } from '../capacity/instances.ts';
import { patchClaim, patchConditions } from '../claims.ts';
import { CLOCK_SKEW_MAX_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { isConflict, isNotFound } from '../core/errors.ts';
import { readAttempt } from '../launch/attempt.ts';
import { recordInstance } from '../launch/record.ts';
import { createDrainer } from './drain.ts';
import type { Drainer } from './drain.ts';
import { patchNode } from './registrar.ts';

/** The part that ends claims, Nodes and instances that are being deleted. */
export interface Terminator {
  /**
   * Goes on ending a claim that is being deleted. Its finalizer goes last, after its instance was seen to have ended.
   * @returns milliseconds until it is to be called again; undefined when there is nothing left to do
   */
  terminate(claim: NodeClaim): Promise<number | undefined>;
  /** The same for a Node of ours that no claim stands behind any more. */
  terminateNode(node: Node): Promise<number | undefined>;
}

export function createTerminator(context: Context, drainer: Drainer = createDrainer(context)): Terminator {
  return new FinalizingTerminator(context, drainer);
}

/** How the end of one claim or Node goes. */
interface EndProgress {
  readonly launchedAtMs: number;
  /** When its instance ends, drained or not, in ms since the epoch by our own clock; Infinity for never. */
  readonly endMs: number;
  /** By how much our clock is ahead of the server's, as far as is known. */
  readonly aheadMs: number;
  onDrained(): Promise<void>;
  onTerminating(): Promise<void>;
}

/** What this process knows of a deletion by its own clock. The times in objects are by the server's, which is another one. */
interface Deletion {
  readonly seenMs: number;
  /** By how much our clock was ahead of the server's, where the deletion was seen soon after it was asked for; otherwise 0. */
  aheadMs: number;
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
    const { aheadMs } = this.#deletionOf(claim);
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
   * A claim without a recorded instance. If a launch may be under way, its instance is looked for until so long after
   * the deletion was seen that EC2 would show it: an empty look-up alone proves nothing.
   */
  async #terminateUnrecorded(claim: NodeClaim): Promise<number | undefined> {
    const { instances, runtime, periods } = this.#context;
    const attempt = readAttempt(claim);
    if (attempt !== undefined && attempt.state !== 'closed') {
      const [found] = (await instances.findByClaim(nameOf(claim))).filter(isLive);
      if (found?.InstanceId !== undefined) {
        const instance = { id: found.InstanceId, instanceType: found.InstanceType, zone: found.Placement?.AvailabilityZone };
        await recordInstance(this.#context, claim, attempt.request, instance);
        return 0;
      }
      if (runtime.clock.nowMs() < this.#deletionOf(claim).seenMs + periods.lookupSettleMs) return periods.lookupPollMs;
    }
    await this.#release(claim);
    return undefined;
  }

  #deletionOf(claim: NodeClaim): Deletion {
    const known = this.#deletions.get(uidOf(claim));
    if (known !== undefined) return known;
    const deletion = { seenMs: this.#context.runtime.clock.nowMs(), aheadMs: 0 };
    this.#deletions.set(uidOf(claim), deletion);
    return deletion;
  }

  /**
   * Keeps what the claim's grace period comes to, so that a restart, or another pool's spec, doesn't move it. It is by the
   * server's clock. Who is the first to see the deletion sees how far off its own one is; after a restart nobody knows.
   */
  async #setTerminationTime(claim: NodeClaim): Promise<NodeClaim> {
    const { terminationGracePeriod } = claim.spec;
    const deletedAtMs = timeOf(claim.metadata.deletionTimestamp);
    const known = claim.metadata.annotations?.[KARPENTER.terminationTime];
    if (terminationGracePeriod === undefined || known !== undefined || deletedAtMs === undefined) return claim;
    const deletion = this.#deletionOf(claim);
    const aheadMs = deletion.seenMs - deletedAtMs;
    // More is no wrong clock: nobody was there to see it.
    if (Math.abs(aheadMs) <= CLOCK_SKEW_MAX_MS) deletion.aheadMs = aheadMs;
    const time = formatTime(deletedAtMs + durationOf(terminationGracePeriod));
    return patchClaim(this.#context, claim, { metadata: { annotations: { [KARPENTER.terminationTime]: time } } });
  }

  /** Says in the claim's status how far its end is; a failure to do so changes nothing. */
  async #note(claim: NodeClaim, type: string, reason: string): Promise<void> {
    const known = this.#context.state.claims.get(nameOf(claim)) ?? claim;
    if (isTrue(known.status?.conditions, type)) return;
    if (type === CONDITION.drained) this.#context.metrics.nodesDrained.inc({ nodepool: nodePoolOf(claim) });
    await patchConditions(this.#context, claim, [{ type, status: 'True', reason, message: '' }]).catch(() => undefined);
  }

  /** Drains the nodes, ends the instance, waits until EC2 shows that it has ended, and lets the Nodes go. */
  async #end(nodes: readonly Node[], instanceId: string | undefined, progress: EndProgress): Promise<number | undefined> {
    const deleted = await Promise.all(nodes.map((node) => this.#deleteNode(node)));
    // Before EC2 is asked: no pod may come while it does not answer.
    const present = await Promise.all(deleted.filter((node) => node !== undefined).map((node) => this.#cordon(node)));
    const state = instanceId === undefined ? 'ended' : await this.#observe(instanceId, progress.launchedAtMs);
    if (state === 'ending') return this.#untilPollMs();
    if (state === 'live' && instanceId !== undefined) {
      for (const node of present) {
        const waitMs = await this.#drainer.drain(node, progress.endMs, progress.aheadMs);
        if (waitMs !== undefined) return waitMs;
      }
      if (present.length > 0) await progress.onDrained();
      await this.#context.instances.terminate(instanceId);
      this.#context.runtime.log('info', `terminating ${instanceId}`, { nodes: present.map(nameOf).join(',') });
      await progress.onTerminating();
      return this.#untilPollMs();
    }
    for (const node of present) await this.#releaseNode(node);
    return undefined;
  }

  /** Until the next look at instances that are ending: all have the same moments, so that one request asks for them all. */
  #untilPollMs(): number {
    const { runtime, periods } = this.#context;
    return periods.terminationPollMs - (runtime.clock.nowMs() % periods.terminationPollMs);
  }

  /** A Node that has gone meanwhile needs none. */
  async #cordon(node: Node): Promise<Node> {
    try {
      return await this.#drainer.cordon(node);
    } catch (error) {
      if (isNotFound(error)) return node;
      throw error;
    }
  }

  /** What EC2 shows. An instance that it doesn't show soon after the launch counts as live: its reads lag behind. */
  async #observe(instanceId: string, launchedAtMs: number): Promise<'live' | 'ending' | 'ended'> {
    const { instances, runtime, periods } = this.#context;
    const instance = await instances.find(instanceId);
    if (instance === undefined) return runtime.clock.nowMs() < launchedAtMs + periods.visibilityMs ? 'live' : 'ended';
    if (instance.State?.Name === 'terminated') return 'ended';
    return isEnding(instance) ? 'ending' : 'live';
  }

  /** Has the Node marked as being deleted. @returns it as it stands then; undefined if it is gone */
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
      // Refused, and it is still the one that we mean: this is tried again.
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

  /** Times in objects have whole seconds. */
  #secondsSince(timestamp: string | undefined): number {
    const nowMs = this.#context.runtime.clock.nowMs();
    return Math.max(0, nowMs - (timeOf(timestamp) ?? nowMs)) / 1_000;
  }

  /** Against the copy that we know: if somebody recorded an instance meanwhile, the race is lost and all begins anew. */
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
    this.#context.runtime.log('info', 'the claim has ended', { claim: nameOf(claim) });
  }
}
