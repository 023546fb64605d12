import { RESOURCES } from '../../clients/resources.ts';
import type { Pod } from '../../model/kube.ts';
import { logFailure } from '../../runtime/log.ts';
import { isDeleting, nameOf, timeOf, uidOf } from '../api.ts';
import { BATCH_IDLE_MS, BATCH_MAX_MS, CLAIM_CREATES_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError, isForbidden, isUnknownOutcome } from '../core/errors.ts';
import { Notifier } from '../core/notifier.ts';
import type { PlannedNode, PodToPlace, PodValidator, Simulator } from '../scheduling/types.ts';
import { namespaceLabels } from '../state.ts';
import { createClaim } from './new-claim.ts';
import { readNodes } from './nodes.ts';
import { isProvisionable } from './pods.ts';
import { PoolReader } from './pools.ts';
import { preparePod, waitingPods } from './waiting.ts';

/** Turns pending pods into NodeClaims: gathers a batch, plans for it, and creates the planned claims. */
export class Provisioner {
  readonly #context: Context;
  readonly #validator: PodValidator;
  readonly #simulator: Simulator;
  readonly #pools: PoolReader;
  readonly #news = new Notifier();
  /** A claim may exist that we have not seen, because its creation got no response. */
  #mustList = false;
  /** The last claim could not be created because no role allows it, or the server failed. */
  #isFailing = false;
  /** The last plan left pods without a node. */
  #hasRefused = false;
  /** Where the last plan put pods, by their uid: the name of a node or of a claim. */
  #places = new Map<string, string>();
  /** Counts plans: where one offering at a time is tried, pods take turns. */
  #turn = 0;

  constructor(context: Context, parts: { readonly validator: PodValidator; readonly simulator: Simulator }) {
    this.#context = context;
    this.#validator = parts.validator;
    this.#simulator = parts.simulator;
    this.#pools = new PoolReader(context);
    context.state.pods.onChange((type, pod) => {
      if (type !== 'DELETED' && this.#isProvisionable(pod)) this.#news.notify();
    });
    // The pods of a node that is being removed need another one before it is gone.
    context.state.claims.onChange((type, claim) => {
      if (type === 'MODIFIED' && isDeleting(claim)) this.#news.notify();
    });
    // For pods that already exist.
    this.#news.notify();
  }

  /** Runs until the signal is aborted. */
  async run(): Promise<void> {
    const { clock, signal, log } = this.#context.runtime;
    while (!signal.aborted) {
      try {
        await this.#news.wait(clock, this.#retryInMs(), signal);
        if (waitingPods(this.#context).length === 0) {
          this.#context.metrics.unschedulablePods = 0;
          this.#context.metrics.ignoredPods = 0;
          continue;
        }
        await this.#gather();
        await this.#provision();
      } catch (error) {
        if (!signal.aborted) logFailure(log, 'error', `provisioner: ${describeError(error)}`, error);
      }
    }
  }

  /** When pods that are still pending are planned for again: sooner if doubtful markets may then be requested for them. */
  #retryInMs(): number {
    const { markets, periods } = this.#context;
    const probeInMs = this.#hasRefused ? markets.probeInMs() : 0;
    return probeInMs > 0 ? Math.min(probeInMs, periods.pendingRetryMs) : periods.pendingRetryMs;
  }

  /** Waits until no further pod has come for a while. */
  async #gather(): Promise<void> {
    const { clock, signal } = this.#context.runtime;
    const endMs = clock.monotonicMs() + BATCH_MAX_MS;
    for (;;) {
      const leftMs = Math.min(BATCH_IDLE_MS, endMs - clock.monotonicMs());
      if (leftMs <= 0 || !(await this.#news.wait(clock, leftMs, signal))) return;
    }
  }

  #isProvisionable(pod: Pod): boolean {
    return isProvisionable(pod, (name) => this.#context.state.nodes.get(name));
  }

  async #provision(): Promise<void> {
    const { nominations, state, runtime, metrics, podClock } = this.#context;
    if (this.#mustList) {
      await state.freshClaims();
      this.#mustList = false;
    }
    const pending = waitingPods(this.#context);
    for (const pod of pending) podClock.seen(pod);
    const pods = pending.flatMap((pod) => this.#prepare(pod));
    metrics.ignoredPods = pending.length - pods.length;
    if (pods.length === 0) return;
    const startedMs = runtime.clock.nowMs();
    const plan = this.#simulator.simulate({
      pods,
      pools: this.#pools.read(),
      places: this.#places,
      probeTurn: this.#turn,
      nodes: readNodes(this.#context),
      namespaces: namespaceLabels(state),
    });
    this.#turn += 1;
    metrics.schedulingDuration.observe((runtime.clock.nowMs() - startedMs) / 1_000, { controller: 'provisioner' });
    metrics.unschedulablePods = plan.refusals.length;
    this.#hasRefused = plan.refusals.length > 0;
    const refused = new Set(plan.refusals.map(({ pod }) => uidOf(pod)));
    for (const pod of pods) podClock.decided(pod, !refused.has(uidOf(pod)));
    for (const { pod, reason } of plan.refusals) this.#refuse(pod, reason);
    this.#places = new Map();
    for (const [name, nominated] of plan.nominations) {
      nominations.nominate(name);
      for (const pod of nominated) {
        this.#places.set(uidOf(pod), name);
        this.#tellOfNode(pod, name);
      }
    }
    await this.#createAll(plan.launches);
  }

  /** The pod as it is planned; nothing if it can't be, which is reported. */
  #prepare(pod: Pod): PodToPlace[] {
    const placed = preparePod(this.#context, this.#validator, pod);
    if ('pod' in placed) return [placed.pod];
    this.#refuse(pod, placed.problem);
    return [];
  }

  /**
   * Pods that have waited for long get an Event. Which node a pod will get may change with each plan, since others like it wait, too: that is
   * no news, as in Karpenter (`NominatePodEvent`, deduplicated by pod).
   */
  #tellOfNode(pod: Pod, nodeName: string): void {
    const { reporter, runtime, periods } = this.#context;
    const waitedMs = runtime.clock.nowMs() - (timeOf(pod.metadata.creationTimestamp) ?? Infinity);
    if (!(waitedMs > periods.nominatedAfterMs) || (pod.spec.nodeName ?? '') !== '') return;
    const message = `Pod should schedule on: ${nodeName}, which is not ready for it yet`;
    reporter.publish({ type: RESOURCES.pods, object: pod, eventType: 'Normal', reason: 'Nominated', message, isAnyMessage: true });
  }

  /** A pod that still runs where it is is not waiting yet. */
  #refuse(pod: Pod, reason: string): void {
    if ((pod.spec.nodeName ?? '') === '') this.#context.reporter.cannotSchedule(pod, reason);
  }

  /**
   * While creating is forbidden, or the server fails, one request shows that it still is so: with one for each claim, a role without that
   * right, or a server in trouble, would be hammered.
   */
  async #createAll(launches: readonly PlannedNode[]): Promise<void> {
    const [first, ...others] = launches;
    if (this.#isFailing && first !== undefined) {
      await this.#create(first);
      if (!this.#isFailing) await this.#createAll(others);
      return;
    }
    await forEachAtMost(CLAIM_CREATES_AT_ONCE, launches, (launch) => this.#create(launch));
  }

  async #create(launch: PlannedNode): Promise<void> {
    const { runtime } = this.#context;
    try {
      const claim = await createClaim(this.#context, launch, 'provisioned');
      for (const pod of launch.pods) this.#places.set(uidOf(pod), nameOf(claim));
      this.#isFailing = false;
    } catch (error) {
      this.#isFailing ||= isForbidden(error) || isUnknownOutcome(error);
      this.#mustList ||= isUnknownOutcome(error);
      logFailure(runtime.log, 'error', `no claim could be created: ${describeError(error)}`, error, { nodePool: launch.pool });
    }
  }
}
