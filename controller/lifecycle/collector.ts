import type { Instance } from '@aws-sdk/client-ec2';
import { RESOURCES } from '../../clients/resources.ts';
import { formatProviderId, parseProviderId } from '../../model/provider-id.ts';
import { KARPENTER, isDeleting, launchTime, nameOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { isLive, tagOf } from '../capacity/instances.ts';
import { deleteClaim } from '../claims.ts';
import { EVICTIONS_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { isConflict, isNotFound } from '../core/errors.ts';
import { launchesInProgress } from '../launch/lookup.ts';

/** The part that finds instances without claims, and claims without instances. If a list fails, each method throws and does nothing. */
export interface Collector {
  /** Terminates instances that no claim records. */
  collectInstances(): Promise<void>;
  /** Deletes claims whose instance was terminated or stopped. */
  collectClaims(): Promise<void>;
}

export function createCollector(context: Context): Collector {
  return new ListingCollector(context);
}

class ListingCollector implements Collector {
  readonly #context: Context;
  /** Uids of claims whose instance EC2 did not list the last time. */
  #missing = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  async collectInstances(): Promise<void> {
    const { instances, state } = this.#context;
    const owned = (await instances.listOwned()).filter((instance) => isLive(instance) && this.#isOldEnough(instance));
    // An instance whose claim is stale in our cache is found in a later round.
    const known = recordedBy(state.claims.list());
    const suspects = owned.filter(({ InstanceId }) => !known.has(InstanceId));
    if (suspects.length === 0) return;
    // The order matters: a claim exists before its instance, so a claim that is missing in the later list is gone.
    const claims = await state.freshClaims();
    const byName = new Map(claims.map((claim) => [nameOf(claim), claim]));
    const recorded = recordedBy(claims);
    const launches = launchesInProgress(claims);
    const orphans = suspects.filter(
      (instance) =>
        !recorded.has(instance.InstanceId) &&
        !isLaunching(byName.get(claimNameOf(instance))) &&
        !launches.has(tagOf(instance, KARPENTER.launch) ?? ''),
    );
    await forEachAtMost(EVICTIONS_AT_ONCE, orphans, (instance) => this.#end(instance));
  }

  async collectClaims(): Promise<void> {
    const { instances, state, runtime, periods } = this.#context;
    const claims = state.claims.list().filter((claim) => !isDeleting(claim) && claim.status?.providerID !== undefined);
    if (claims.length === 0) return;
    const listed = new Map((await instances.listOwned()).map((instance) => [instance.InstanceId, instance]));
    const instanceOf = (claim: NodeClaim): Instance | undefined => listed.get(parseProviderId(claim.status?.providerID));
    const stopped = claims.filter((claim) => ['stopping', 'stopped'].includes(instanceOf(claim)?.State?.Name ?? ''));
    await forEachAtMost(EVICTIONS_AT_ONCE, stopped, (claim) => deleteClaim(this.#context, claim, 'its instance was stopped'));

    const missing = claims.filter((claim) => instanceOf(claim) === undefined);
    const missingBefore = this.#missing;
    this.#missing = new Set(missing.map(uidOf));
    await forEachAtMost(EVICTIONS_AT_ONCE, missing, async (claim) => {
      const id = parseProviderId(claim.status?.providerID) ?? '';
      const state = (await instances.find(id))?.State?.Name;
      if (state === 'terminated') return deleteClaim(this.#context, claim, `${id} has been terminated`);
      // Neither listed nor found: accepted the second time, and never soon after the launch.
      const isOld = runtime.clock.nowMs() > launchTime(claim) + periods.visibilityMs;
      if (state === undefined && isOld && missingBefore.has(uidOf(claim))) {
        return deleteClaim(this.#context, claim, `${id} does not exist any more`);
      }
    });
  }

  #isOldEnough(instance: Instance): boolean {
    const { runtime, periods } = this.#context;
    const launchedAtMs = instance.LaunchTime?.getTime();
    return launchedAtMs !== undefined && runtime.clock.nowMs() - launchedAtMs > periods.collectionMinAgeMs;
  }

  /** Terminates through its Node if it has one, so that its pods are evicted. */
  async #end(instance: Instance): Promise<void> {
    const { instances, kube, runtime, state } = this.#context;
    const id = instance.InstanceId ?? '';
    const providerId = formatProviderId({ zone: instance.Placement?.AvailabilityZone ?? '', id });
    const node = state.nodesOf(providerId).find((one) => one.metadata.finalizers?.includes(KARPENTER.finalizer));
    runtime.log('warn', `collecting ${id}: no claim records it`, { claim: claimNameOf(instance), node: node && nameOf(node) });
    if (node === undefined) return instances.terminate(id);
    if (isDeleting(node)) return;
    try {
      await kube.delete({ type: RESOURCES.nodes, name: nameOf(node) }, { uid: uidOf(node) });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** The ids of the instances that these claims record. */
function recordedBy(claims: readonly NodeClaim[]): ReadonlySet<string | undefined> {
  return new Set(claims.map((claim) => parseProviderId(claim.status?.providerID)));
}

function claimNameOf(instance: Instance): string {
  return tagOf(instance, KARPENTER.nodeClaim) ?? '';
}

/** Whether a claim is about to record its instance, so that its launched instances must be kept. */
function isLaunching(claim: NodeClaim | undefined): boolean {
  return claim !== undefined && claim.status?.providerID === undefined;
}
