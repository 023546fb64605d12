import { RESOURCES } from '../../clients/resources.ts';
import type { Node } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { CONDITION, KARPENTER, isDeleting, nameOf, timeOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { isEnding, isLive } from '../capacity/instances.ts';
import { patchClaim, patchConditions } from '../claims.ts';
import {
  EVICTION_RETRY_MAX_MS,
  EVICTION_RETRY_MIN_MS,
  LOOKUP_POLL_MS,
  LOOKUP_SETTLE_MS,
  TERMINATION_POLL_MS,
  VISIBILITY_MS,
} from '../constants.ts';
import type { Context } from '../context.ts';
import { isConflict, isNotFound } from '../core/errors.ts';
import { readAttempt } from '../launch/attempt.ts';
import { recordInstance } from '../launch/record.ts';
import { drain } from './drain.ts';
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

export function createTerminator(context: Context): Terminator {
  return new FinalizingTerminator(context);
}

class FinalizingTerminator implements Terminator {
  readonly #context: Context;
  /** By node: the wait after the last eviction that a budget forbade. Bounded by the nodes being drained. */
  readonly #evictionWaitMs = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  async terminate(claim: NodeClaim): Promise<number | undefined> {
    if (!claim.metadata.finalizers?.includes(KARPENTER.finalizer)) return undefined;
    const providerId = claim.status?.providerID;
    if (providerId === undefined) return this.#terminateUnrecorded(claim);
    const nodes = this.#context.state.nodesOf(providerId);
    const launchedAtMs = launchTime(claim);
    const waitMs = await this.#end(nodes, parseProviderId(providerId), launchedAtMs, () =>
      patchConditions(this.#context, claim, [
        { type: CONDITION.instanceTerminating, status: 'True', reason: 'InstanceTerminating', message: '' },
      ]),
    );
    if (waitMs !== undefined) return waitMs;
    await this.#release(claim);
    return undefined;
  }

  terminateNode(node: Node): Promise<number | undefined> {
    const createdAtMs = timeOf(node.metadata.creationTimestamp) ?? this.#context.runtime.clock.nowMs();
    return this.#end([node], parseProviderId(node.spec?.providerID), createdAtMs, () => Promise.resolve());
  }

  /**
   * A claim without a recorded instance. If a launch may be under way, its instance is looked for until so long after
   * the deletion that EC2 would show it: an empty look-up alone proves nothing.
   */
  async #terminateUnrecorded(claim: NodeClaim): Promise<number | undefined> {
    const { instances, runtime } = this.#context;
    const attempt = readAttempt(claim);
    if (attempt !== undefined && attempt.state !== 'closed') {
      const [found] = (await instances.findByClaim(nameOf(claim))).filter(isLive);
      if (found?.InstanceId !== undefined) {
        const instance = { id: found.InstanceId, instanceType: found.InstanceType, zone: found.Placement?.AvailabilityZone };
        await recordInstance(this.#context, claim, attempt.request, instance);
        return 0;
      }
      const deletedAtMs = timeOf(claim.metadata.deletionTimestamp) ?? runtime.clock.nowMs();
      if (runtime.clock.nowMs() < deletedAtMs + LOOKUP_SETTLE_MS) return LOOKUP_POLL_MS;
    }
    await this.#release(claim);
    return undefined;
  }

  /** Drains the nodes, ends the instance, waits until EC2 shows that it has ended, and lets the Nodes go. */
  async #end(
    nodes: readonly Node[],
    instanceId: string | undefined,
    launchedAtMs: number,
    onTerminating: () => Promise<unknown>,
  ): Promise<number | undefined> {
    const current = await Promise.all(nodes.map((node) => this.#deleteNode(node)));
    const present = current.filter((node) => node !== undefined);
    const state = instanceId === undefined ? 'ended' : await this.#observe(instanceId, launchedAtMs);
    if (state === 'ending') return TERMINATION_POLL_MS;
    if (state === 'live' && instanceId !== undefined) {
      for (const node of present) {
        const waitMs = await this.#drain(node);
        if (waitMs !== undefined) return waitMs;
      }
      await this.#context.instances.terminate(instanceId);
      this.#context.runtime.log('info', `terminating ${instanceId}`, { nodes: present.map(nameOf).join(',') });
      await onTerminating();
      return TERMINATION_POLL_MS;
    }
    for (const node of present) await this.#releaseNode(node);
    return undefined;
  }

  /** What EC2 shows. An instance that it doesn't show soon after the launch counts as live: its reads lag behind. */
  async #observe(instanceId: string, launchedAtMs: number): Promise<'live' | 'ending' | 'ended'> {
    const { instances, runtime } = this.#context;
    const instance = await instances.find(instanceId);
    if (instance === undefined) return runtime.clock.nowMs() < launchedAtMs + VISIBILITY_MS ? 'live' : 'ended';
    if (instance.State?.Name === 'terminated') return 'ended';
    return isEnding(instance) ? 'ending' : 'live';
  }

  async #drain(node: Node): Promise<number | undefined> {
    const progress = await drain(this.#context, node);
    const lastWaitMs = this.#evictionWaitMs.get(nameOf(node)) ?? 0;
    this.#evictionWaitMs.delete(nameOf(node));
    if (progress.left.length === 0) return undefined;
    if (!progress.blocked) return TERMINATION_POLL_MS;
    const waitMs = Math.min(Math.max(lastWaitMs * 2, EVICTION_RETRY_MIN_MS), EVICTION_RETRY_MAX_MS);
    this.#evictionWaitMs.set(nameOf(node), waitMs);
    this.#context.runtime.log('info', `a budget forbids evictions; waiting for ${progress.left.join(', ')}`, {
      node: nameOf(node),
    });
    return Math.max(waitMs, progress.retryAfterMs ?? 0);
  }

  /** Has the Node marked as being deleted. @returns it as it stands then; undefined if it is gone */
  async #deleteNode(node: Node): Promise<Node | undefined> {
    if (isDeleting(node)) return node;
    const { kube, state } = this.#context;
    const ref = { type: RESOURCES.nodes, name: nameOf(node) };
    try {
      await kube.delete(ref, { uid: uidOf(node) });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    const fresh = await kube.get<Node>(ref);
    if (fresh === undefined || uidOf(fresh) !== uidOf(node)) {
      state.nodes.forget(node);
      return undefined;
    }
    state.nodes.remember(fresh);
    return fresh;
  }

  async #releaseNode(node: Node): Promise<void> {
    const finalizers = node.metadata.finalizers ?? [];
    if (!finalizers.includes(KARPENTER.finalizer)) return;
    try {
      const left = finalizers.filter((name) => name !== KARPENTER.finalizer);
      await patchNode(this.#context, node, { metadata: { finalizers: left } });
      if (left.length === 0) this.#context.state.nodes.forget(node);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
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
    if (left.length === 0) this.#context.state.claims.forget(claim);
    this.#context.runtime.log('info', 'the claim has ended', { claim: nameOf(claim) });
  }
}

/** When a claim's instance was launched, as far as the claim knows. */
export function launchTime(claim: NodeClaim): number {
  const launched = claim.status?.conditions?.find(({ type, status }) => type === CONDITION.launched && status === 'True');
  return timeOf(launched?.lastTransitionTime) ?? timeOf(claim.metadata.creationTimestamp) ?? 0;
}
