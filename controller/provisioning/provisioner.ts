import { RESOURCES } from '../../clients/resources.ts';
import type { Pod } from '../../model/kube.ts';
import { formatResources } from '../../model/resources.ts';
import { logFailure } from '../../runtime/log.ts';
import { KARPENTER, isDeleting, nameOf, uidOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import { BATCH_IDLE_MS, BATCH_MAX_MS, CLAIM_CREATES_AT_ONCE, PENDING_RETRY_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError, isUnknownOutcome } from '../core/errors.ts';
import { Notifier } from '../core/notifier.ts';
import type { PlannedNode, PodValidator, Simulator } from '../scheduling/types.ts';
import { readNodes } from './nodes.ts';
import { poolLabels, readPools } from './pools.ts';

/** Turns pending pods into NodeClaims: gathers a batch, plans for it, creates what the plan asks for. */
export class Provisioner {
  readonly #context: Context;
  readonly #validator: PodValidator;
  readonly #simulator: Simulator;
  readonly #news = new Notifier();
  /** A claim may exist that we have not seen: its creation was never answered. */
  #mustList = false;

  constructor(context: Context, parts: { readonly validator: PodValidator; readonly simulator: Simulator }) {
    this.#context = context;
    this.#validator = parts.validator;
    this.#simulator = parts.simulator;
    context.state.pods.onChange((type, pod) => {
      if (type !== 'DELETED' && isProvisionable(pod)) this.#news.notify();
    });
    // Pods that were there before.
    this.#news.notify();
  }

  /** Works until the signal is aborted. */
  async run(): Promise<void> {
    const { clock, signal, log } = this.#context.runtime;
    while (!signal.aborted) {
      try {
        await this.#news.wait(clock, PENDING_RETRY_MS, signal);
        if (this.#pending().length === 0) continue;
        await this.#gather();
        await this.#provision();
      } catch (error) {
        if (!signal.aborted) logFailure(log, 'error', `provisioner: ${describeError(error)}`, error);
      }
    }
  }

  /** Waits until no pod came for a while. */
  async #gather(): Promise<void> {
    const { clock, signal } = this.#context.runtime;
    const endMs = clock.nowMs() + BATCH_MAX_MS;
    for (;;) {
      const leftMs = Math.min(BATCH_IDLE_MS, endMs - clock.nowMs());
      if (leftMs <= 0 || !(await this.#news.wait(clock, leftMs, signal))) return;
    }
  }

  #pending(): Pod[] {
    return this.#context.state.pods.list().filter(isProvisionable);
  }

  async #provision(): Promise<void> {
    const { reporter, nominations, state } = this.#context;
    if (this.#mustList) {
      await state.freshClaims();
      this.#mustList = false;
    }
    const pods = this.#pending().filter((pod) => {
      const problem = this.#validator.problem(pod);
      if (problem !== undefined) reporter.cannotSchedule(pod, problem);
      return problem === undefined;
    });
    if (pods.length === 0) return;
    const pools = readPools(this.#context);
    const plan = this.#simulator.simulate({ pods, pools, nodes: readNodes(this.#context, pools) });
    for (const { pod, reason } of plan.refusals) reporter.cannotSchedule(pod, reason);
    for (const name of plan.nominations.keys()) nominations.nominate(name);
    await forEachAtMost(CLAIM_CREATES_AT_ONCE, plan.launches, (launch) => this.#create(launch));
  }

  async #create(launch: PlannedNode): Promise<void> {
    const { kube, runtime, state, nominations } = this.#context;
    const pool = state.pools.get(launch.pool);
    if (pool === undefined) return;
    try {
      const claim = await kube.create<NodeClaim>(RESOURCES.nodeclaims, newClaim(pool, launch));
      state.claims.remember(claim);
      nominations.nominate(nameOf(claim));
      runtime.log('info', `created a claim for ${launch.pods.length} pods`, { claim: nameOf(claim), nodePool: launch.pool });
    } catch (error) {
      this.#mustList ||= isUnknownOutcome(error);
      logFailure(runtime.log, 'error', `no claim could be created: ${describeError(error)}`, error, { nodePool: launch.pool });
    }
  }
}

/** Pods that wait for a node and for nothing else. */
function isProvisionable(pod: Pod): boolean {
  const { spec, status } = pod;
  if (isDeleting(pod) || (spec.nodeName ?? '') !== '' || (status?.nominatedNodeName ?? '') !== '') return false;
  if ((spec.schedulerName ?? 'default-scheduler') !== 'default-scheduler') return false;
  return (
    status?.conditions?.some(
      ({ type, status: value, reason }) => type === 'PodScheduled' && value === 'False' && reason === 'Unschedulable',
    ) ?? false
  );
}

/** The claim's name is the server's to choose: one chosen here would come again after a restart with the same seed. */
function newClaim(pool: NodePool, launch: PlannedNode): NodeClaim & { metadata: { generateName: string } } {
  const { spec, metadata } = pool.spec.template;
  return {
    metadata: {
      generateName: `${launch.pool}-`,
      labels: poolLabels(pool),
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      finalizers: [KARPENTER.finalizer],
      ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: launch.pool, uid: uidOf(pool), blockOwnerDeletion: true }],
    },
    spec: {
      requirements: [...launch.requirements],
      resources: { requests: formatResources(launch.requests) },
      ...(spec.taints === undefined ? {} : { taints: spec.taints }),
      ...(spec.startupTaints === undefined ? {} : { startupTaints: spec.startupTaints }),
      nodeClassRef: spec.nodeClassRef,
    },
  };
}
