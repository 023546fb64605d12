import type { Instance } from '@aws-sdk/client-ec2';
import { LABEL } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { KARPENTER, clusterTag, nameOf, poolLabelsOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { tagOf } from '../capacity/instances.ts';
import { deleteClaim } from '../claims.ts';
import { QUEUE_SHARED_AGE_MAX_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import type { Notice, NoticeKind } from './notice.ts';

/** The part that acts on what EC2 says about instances. */
export interface Interruption {
  /**
   * Acts on one notice, as often as it comes. Throws when it has to be repeated.
   * @returns whether nothing is left to do about it; if not, it has to come again
   */
  handle(notice: Notice): Promise<boolean>;
}

/** Notices after which the node is given up: its replacement starts while it is drained. */
const ENDING: Readonly<Partial<Record<NoticeKind, string>>> = {
  spot_interrupted: 'SpotInterrupted',
  scheduled_change: 'InstanceUnhealthy',
  instance_stopping: 'InstanceStopping',
  instance_terminated: 'InstanceTerminating',
  capacity_reservation_interrupted: 'CapacityReservationInterrupted',
};

export function createInterruption(context: Context): Interruption {
  return new QueueInterruption(context);
}

class QueueInterruption implements Interruption {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async handle(notice: Notice): Promise<boolean> {
    const { scope } = this.#context;
    // What means nothing to us may mean something to another, who is of another version.
    if (notice.kind === 'no_op' && (scope.id === undefined || notice.instanceIds.length === 0)) return this.#isOver(notice);
    const handled = await Promise.all(notice.instanceIds.map((id) => this.#handleInstance(notice, id)));
    return handled.every((done) => done);
  }

  async #handleInstance(notice: Notice, id: string): Promise<boolean> {
    const { kind, atMs } = notice;
    const { runtime, scope, state, periods } = this.#context;
    const recorded = state.claims.list().find((claim) => parseProviderId(claim.status?.providerID) === id);
    if (recorded !== undefined) {
      await this.#act(kind, recorded, id);
      return true;
    }
    // Somebody else's, or launched a moment ago: its claim does not know it yet.
    const instance = await this.#context.instances.find(id);
    if (instance === undefined) return runtime.clock.nowMs() - atMs > periods.visibilityMs;
    if (!this.#isOwn(instance)) return true;
    const pool = tagOf(instance, KARPENTER.nodePool) ?? '';
    if (!scope.owns(pool)) return pool === '' || this.#isOver(notice);
    const claimName = tagOf(instance, KARPENTER.nodeClaim) ?? '';
    const claim = state.claims.get(claimName) ?? (await state.freshClaims()).find((one) => nameOf(one) === claimName);
    if (claim === undefined) return true;
    const claimed = parseProviderId(claim.status?.providerID);
    // A second instance of the claim: the collector ends it.
    if (claimed !== undefined && claimed !== id) return true;
    await this.#act(kind, claim, id, instance);
    return true;
  }

  async #act(kind: NoticeKind, claim: NodeClaim, id: string, instance?: Instance): Promise<void> {
    if (kind === 'no_op') return;
    const { reporter, runtime, metrics } = this.#context;
    const reason = ENDING[kind];
    const object = { type: RESOURCES.nodeclaims, object: claim };
    if (reason === undefined) {
      const message = `${id} is at an elevated risk of being interrupted`;
      reporter.publish({ ...object, reason: 'RebalanceRecommendation', eventType: 'Normal', message });
      return;
    }
    if (kind === 'spot_interrupted') this.#mask(claim, instance);
    reporter.publish({ ...object, reason, eventType: 'Warning', message: `${kind} was announced for ${id}` });
    if (claim.metadata.deletionTimestamp !== undefined) return;
    runtime.log('warn', `${kind} was announced for ${id}`, { claim: nameOf(claim) });
    await deleteClaim(this.#context, claim, `${kind} was announced for ${id}`);
    metrics.nodeClaimsDisrupted.inc({ reason: kind, ...poolLabelsOf(claim) });
  }

  /** Capacity that EC2 takes back is not asked for again at once. */
  #mask(claim: NodeClaim, instance: Instance | undefined): void {
    const instanceType = claim.metadata.labels?.[LABEL.instanceType] ?? instance?.InstanceType;
    const zone = claim.metadata.labels?.[LABEL.zone] ?? instance?.Placement?.AvailabilityZone;
    if (instanceType === undefined || zone === undefined) return;
    const { unavailable, periods } = this.#context;
    unavailable.mark({ instanceType, zone, capacityType: 'spot' }, periods.unavailableOfferingMs);
  }

  #isOwn(instance: Instance): boolean {
    return tagOf(instance, clusterTag(this.#context.cluster.name)) === 'owned';
  }

  /** Whether a notice that may be for another autoscaler of the cluster need not come again: at once where there is none. */
  #isOver({ atMs }: Notice): boolean {
    const { runtime, scope } = this.#context;
    return scope.id === undefined || runtime.clock.nowMs() - atMs > QUEUE_SHARED_AGE_MAX_MS;
  }
}
