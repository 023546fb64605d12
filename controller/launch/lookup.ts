import type { Instance } from '@aws-sdk/client-ec2';
import { parseProviderId } from '../../model/provider-id.ts';
import { KARPENTER, isDeleting, nameOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { isLive, tagOf } from '../capacity/instances.ts';
import type { Context } from '../context.ts';
import { readShared, seatIn } from './attempt.ts';
import type { Attempt, SharedLaunch } from './attempt.ts';
import type { FleetInstance } from './fleet-outcome.ts';

/**
 * The live instance that an attempt without an answer has launched, as far as EC2 shows it.
 * @param isSettled whether EC2 shows every instance by now that it may have launched
 */
export async function findLaunched(
  context: Context,
  claim: NodeClaim,
  attempt: Attempt,
  isSettled: boolean,
): Promise<FleetInstance | undefined> {
  const { instances } = context;
  const { shared } = attempt;
  if (shared === undefined) {
    const live = (await instances.findByClaim(nameOf(claim))).filter(isLive);
    return live.sort((a, b) => (a.LaunchTime?.getTime() ?? 0) - (b.LaunchTime?.getTime() ?? 0)).flatMap(toFleetInstance)[0];
  }
  const launched = await instances.findByLaunch(shared.token);
  const own = ownInstance(shared, membersOf(context, shared.token), idsOf(launched), isSettled);
  return launched.filter((instance) => instance.InstanceId === own && isLive(instance)).flatMap(toFleetInstance)[0];
}

/**
 * The claim that an instance was launched for, also if it does not record it yet.
 * @returns `unknown` as long as one of several claims may be the one; undefined if there is none
 */
export async function claimOf(context: Context, instance: Instance): Promise<NodeClaim | 'unknown' | undefined> {
  const { state, instances, runtime, periods } = context;
  const token = tagOf(instance, KARPENTER.launch);
  if (token === undefined) {
    const name = tagOf(instance, KARPENTER.nodeClaim) ?? '';
    return state.claims.get(name) ?? (await state.freshClaims()).find((one) => nameOf(one) === name);
  }
  if (membersOf(context, token).length === 0) await state.freshClaims();
  const members = membersOf(context, token);
  // It may have been recorded since the caller looked.
  const recorded = members.find(({ instanceId }) => instanceId === instance.InstanceId);
  if (recorded !== undefined) return recorded.claim;
  const waiting = members.filter(({ instanceId, stage }) => instanceId === undefined && stage !== 'closed');
  if (waiting.length === 0) return undefined;
  const ids = idsOf(await instances.findByLaunch(token));
  const isSettled = runtime.clock.nowMs() - (instance.LaunchTime?.getTime() ?? 0) > periods.lookupSettleMs;
  const owner = waiting.find(({ shared }) => ownInstance(shared, members, ids, isSettled) === instance.InstanceId);
  return owner?.claim ?? (isSettled ? undefined : 'unknown');
}

/**
 * Whether another claim may still send the request of a shared launch: then an instance for this claim too may be launched later,
 * although it is being deleted.
 */
export function mayBeSent(context: Context, claim: NodeClaim, { shared }: Attempt): boolean {
  if (shared === undefined) return false;
  const members = membersOf(context, shared.token);
  // Whoever records an instance has the answer.
  const isAnswered = members.some(({ instanceId }) => instanceId !== undefined);
  const isOpen = members.some((one) => one.shared.index === 0 && one.stage === 'open');
  return (
    isOpen && !isAnswered && members.some((one) => one.stage === 'open' && !isDeleting(one.claim) && uidOf(one.claim) !== uidOf(claim))
  );
}

/** The tokens of shared launches of which a claim is about to record its instance. */
export function launchesInProgress(claims: readonly NodeClaim[]): ReadonlySet<string> {
  return new Set(
    claims.flatMap((claim) => {
      const attempt = claim.status?.providerID === undefined ? readShared(claim) : undefined;
      return attempt === undefined || attempt.state === 'closed' ? [] : [attempt.shared.token];
    }),
  );
}

/** A claim that has part in a launch, as far as that counts for the others. */
export interface LaunchMember {
  readonly claim: NodeClaim;
  readonly shared: SharedLaunch;
  /** How far its part is; a closed one has no instance. */
  readonly stage: Attempt['state'];
  /** The instance that it records. */
  readonly instanceId: string | undefined;
}

/**
 * The id of a claim's instance among those that were launched together. Whoever asks gets the same result: it is the instance in the
 * claim's place among all ids, sorted, and only if it is certain that they are all, and no other claim contradicts.
 * @param ids of instances in any state
 * @param isSettled whether no other one can show up
 */
export function ownInstance(
  own: SharedLaunch,
  members: readonly LaunchMember[],
  ids: readonly string[],
  isSettled: boolean,
): string | undefined {
  const leading = members.find(({ shared }) => shared.index === 0)?.shared;
  // Without the leader it is not known who was left out; nobody was if there are as many instances as claims.
  const seatOf = (shared: SharedLaunch): number | undefined => seatIn(leading ?? own, shared);
  const recorded = members.flatMap(({ shared, instanceId }) => (instanceId === undefined ? [] : [{ shared, instanceId }]));
  const all = [...new Set([...ids, ...recorded.map(({ instanceId }) => instanceId)])].sort();
  const expected = own.size - (leading?.absent?.length ?? 0);
  const isComplete = all.length === expected || (isSettled && leading !== undefined && all.length < expected);
  if (!isComplete || recorded.some(({ shared, instanceId }) => all[seatOf(shared) ?? -1] !== instanceId)) return undefined;
  return all[seatOf(own) ?? -1];
}

function membersOf({ state }: Context, token: string): LaunchMember[] {
  return state.claims.list().flatMap((claim) => {
    // Most claims are of other launches, and parsing takes long.
    if (!claim.metadata.annotations?.[KARPENTER.launch]?.includes(token)) return [];
    const attempt = readShared(claim);
    if (attempt?.shared.token !== token) return [];
    const { shared, state: stage } = attempt;
    return [{ claim, shared, stage, instanceId: parseProviderId(claim.status?.providerID) }];
  });
}

function idsOf(instances: readonly Instance[]): string[] {
  return instances.flatMap(({ InstanceId }) => InstanceId ?? []);
}

function toFleetInstance({ InstanceId, InstanceType, Placement }: Instance): FleetInstance[] {
  return InstanceId === undefined ? [] : [{ id: InstanceId, instanceType: InstanceType, zone: Placement?.AvailabilityZone }];
}
