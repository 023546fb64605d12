import type { Instance } from '@aws-sdk/client-ec2';
import { LABEL } from '../../model/kube.ts';
import { formatProviderId, parseProviderId } from '../../model/provider-id.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { KARPENTER, clusterTag, nameOf, poolLabelsOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { tagOf } from '../capacity/instances.ts';
import { deleteClaim } from '../claims.ts';
import { QUEUE_SHARED_AGE_MAX_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { claimOf } from '../launch/lookup.ts';
import type { Notice, NoticeKind } from './notice.ts';

/** The part that acts on EC2's notices about instances. */
export interface Interruption {
  /**
   * Acts on one notice; may be repeated. Throws when it has to be retried.
   * @returns whether the notice is done; if not, it has to be received again
   */
  handle(notice: Notice): Promise<boolean>;
}

/** Notices after which the node is replaced: its replacement starts while it is drained. */
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
    // A message that is unknown to us may be known to an autoscaler of another version.
    if (notice.kind === 'no_op' && (scope.id === undefined || notice.instanceIds.length === 0)) return this.#isOver(notice);
    const handled = await Promise.all(notice.instanceIds.map((id) => this.#handleInstance(notice, id)));
    return handled.every((done) => done);
  }

  async #handleInstance(notice: Notice, id: string): Promise<boolean> {
    const { kind, atMs } = notice;
    const { cluster, runtime, scope, state, periods } = this.#context;
    const [recorded] = Object.keys(cluster.subnets).flatMap((zone) => state.claimsOf(formatProviderId({ zone, id })));
    if (recorded !== undefined) {
      await this.#act(kind, recorded, id);
      return true;
    }
    // It belongs to someone else, or was launched a moment ago and its claim does not know it yet.
    const instance = await this.#context.instances.find(id);
    if (instance === undefined) return runtime.clock.nowMs() - atMs > periods.visibilityMs;
    if (!this.#isOwn(instance)) return true;
    const pool = tagOf(instance, KARPENTER.nodePool) ?? '';
    if (!scope.owns(pool)) return pool === '' || this.#isOver(notice);
    const claim = await claimOf(this.#context, instance);
    if (claim === 'unknown') return runtime.clock.nowMs() - atMs > periods.visibilityMs;
    if (claim === undefined) return true;
    const claimed = parseProviderId(claim.status?.providerID);
    // A second instance of the claim: the collector terminates it.
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

  /** Capacity that EC2 reclaims is not requested again at once. */
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

  /** Whether a notice for another autoscaler of the cluster need not be received again: immediately if there is no other. */
  #isOver({ atMs }: Notice): boolean {
    const { runtime, scope } = this.#context;
    return scope.id === undefined || runtime.clock.nowMs() - atMs > QUEUE_SHARED_AGE_MAX_MS;
  }
}
