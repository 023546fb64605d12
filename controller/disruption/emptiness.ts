import type { Node, Pod } from '../../model/kube.ts';
import { logFailure } from '../../runtime/log.ts';
import { CONDITION, KARPENTER, durationOf, isDeleting, isTrue, nameOf, nodePoolOf, poolLabelsOf, uidOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import { deleteClaim } from '../claims.ts';
import { RECONCILES_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError } from '../core/errors.ts';
import type { Periods } from '../periods.ts';
import { hasOptedOut, isNodePod, isTerminal } from '../provisioning/pods.ts';
import { isStatic } from '../provisioning/pool-spec.ts';
import { isDisrupted } from '../lifecycle/registrar.ts';
import { allowedDisruptions } from './budgets.ts';
import type { Disruption } from './disruption.ts';
import { createPodActivity } from './pod-activity.ts';
import type { PodActivity } from './pod-activity.ts';
import { removeTaint, taint } from './taint.ts';

/** The part that removes unneeded nodes. */
export interface Emptiness {
  /** One pass over all nodes. */
  sweep(): Promise<void>;
}

/** A node that has been empty for long enough. */
interface Candidate {
  readonly claim: NodeClaim;
  readonly node: Node;
}

export function createEmptiness(context: Context, disruption: Pick<Disruption, 'involves'>): Emptiness {
  return new EmptinessSweep(context, disruption);
}

class EmptinessSweep implements Emptiness {
  readonly #context: Context;
  readonly #disruption: Pick<Disruption, 'involves'>;
  /** Pods also come and go between two sweeps. */
  readonly #activity: PodActivity;
  /** By claim uid: since when its node has been empty. A restart starts over. */
  #emptySinceMs = new Map<string, number>();

  constructor(context: Context, disruption: Pick<Disruption, 'involves'>) {
    this.#context = context;
    this.#disruption = disruption;
    this.#activity = createPodActivity(context);
  }

  async sweep(): Promise<void> {
    const { state, runtime, metrics, periods, reservations } = this.#context;
    const nowMs = runtime.clock.nowMs();
    const emptySinceMs = new Map<string, number>();
    const due: Candidate[] = [];
    for (const claim of state.claims.list()) {
      const [node] = state.nodesOf(claim.status?.providerID ?? '');
      if (isDeleting(claim) || node === undefined || isDeleting(node) || this.#disruption.involves(claim)) continue;
      // Left over from a predecessor that died between the taint and the deletion, or from a lost race.
      if (isDisrupted(node)) await removeTaint(this.#context, node);
      if (!isTrue(claim.status?.conditions, CONDITION.initialized) || !this.#isEmpty(node, claim)) continue;
      if (node.metadata.annotations?.[KARPENTER.doNotDisrupt] === 'true') continue;
      const sinceMs = Math.max(this.#emptySinceMs.get(uidOf(claim)) ?? nowMs, this.#activity.lastMs(nameOf(node)));
      emptySinceMs.set(uidOf(claim), sinceMs);
      const pool = state.pools.get(nodePoolOf(claim));
      if (pool !== undefined && isStatic(pool)) continue;
      const waitMs = consolidateAfterMs(pool, periods);
      if (nowMs - sinceMs >= waitMs) due.push({ claim, node });
    }
    this.#emptySinceMs = emptySinceMs;
    const allowed = this.#withinBudgets(due.filter((one) => !this.#isTaken(one)));
    metrics.eligibleNodes = due.length;
    metrics.decisionEvaluation.observe((runtime.clock.nowMs() - nowMs) / 1_000, { reason: 'empty', consolidation_type: 'empty' });
    if (allowed.length === 0) return;
    const claims = allowed.map(({ claim }) => claim);
    // There was no wait since the budgets were read.
    reservations.reserve(claims);
    try {
      await this.#remove(allowed);
    } finally {
      reservations.release(claims);
    }
  }

  /** Whether another command has chosen the node meanwhile. */
  #isTaken({ claim }: Candidate): boolean {
    return this.#context.reservations.has(claim) || this.#disruption.involves(claim);
  }

  /** As many of each pool as its budgets allow now, starting with those that have been empty longest. */
  #withinBudgets(due: readonly Candidate[]): Candidate[] {
    const { runtime } = this.#context;
    const sinceMs = ({ claim }: Candidate): number => this.#emptySinceMs.get(uidOf(claim)) ?? 0;
    const sorted = [...due].sort((a, b) => sinceMs(a) - sinceMs(b) || (nameOf(a.claim) < nameOf(b.claim) ? -1 : 1));
    return [...Map.groupBy(sorted, ({ claim }) => nodePoolOf(claim))].flatMap(([name, candidates]) => {
      const allowed = allowedDisruptions(this.#context, name, 'Empty', runtime.clock.nowMs());
      return candidates.slice(0, allowed);
    });
  }

  /**
   * Taints first, so that no new pod arrives; then reads all pods from the server; then deletes what is still empty.
   * Any failure leaves the node in place.
   */
  async #remove(candidates: readonly Candidate[]): Promise<void> {
    const { metrics, runtime } = this.#context;
    const tainted: Candidate[] = [];
    await forEachAtMost(RECONCILES_AT_ONCE, candidates, async ({ claim, node }) => {
      try {
        tainted.push({ claim, node: await taint(this.#context, node) });
      } catch (error) {
        logFailure(runtime.log, 'warn', `can't taint an empty node: ${describeError(error)}`, error, { node: nameOf(node) });
      }
    });
    const pods = await this.#context.state.freshPods();
    const used = new Set(pods.filter(keepsNode).map((pod) => pod.spec.nodeName));
    for (const { claim, node } of tainted) {
      if (used.has(nameOf(node)) || this.#isExpected(node, claim)) {
        metrics.failedValidations.inc({ consolidation_type: 'empty' });
        await removeTaint(this.#context, node);
      } else {
        this.#context.reservations.settle([claim]);
        // One that can't be deleted now must not block the others: the next sweep removes its taint.
        await this.#delete(claim).catch((error: unknown) => {
          logFailure(runtime.log, 'warn', `can't delete an empty node: ${describeError(error)}`, error, { node: nameOf(node) });
        });
      }
    }
  }

  async #delete(claim: NodeClaim): Promise<void> {
    const { metrics } = this.#context;
    await deleteClaim(this.#context, claim, 'its node is empty');
    metrics.nodeClaimsDisrupted.inc({ reason: 'empty', ...poolLabelsOf(claim) });
    metrics.disruptionDecisions.inc({ decision: 'delete', reason: 'empty', consolidation_type: 'empty' });
  }

  #isEmpty(node: Node, claim: NodeClaim): boolean {
    const pods = this.#context.state.podsOn(nameOf(node));
    return !this.#isExpected(node, claim) && ![...pods].some(keepsNode);
  }

  /** Whether pending pods were nominated to it. */
  #isExpected(node: Node, claim: NodeClaim): boolean {
    const { nominations } = this.#context;
    return nominations.has(nameOf(node)) || nominations.has(nameOf(claim));
  }
}

/** Whether a pod keeps its node: not if it has ended, or if it is the node's own and has not opted out. */
function keepsNode(pod: Pod): boolean {
  return hasOptedOut(pod) || (!isNodePod(pod) && !isTerminal(pod));
}

/** How long a node of the pool may be empty, in ms; Infinity for unlimited. A deleted pool keeps no nodes. */
function consolidateAfterMs(pool: NodePool | undefined, periods: Periods): number {
  const text = pool?.spec.disruption?.consolidateAfter;
  if (text === 'Never') return Infinity;
  return text === undefined ? periods.consolidateAfterMs : durationOf(text);
}
