import type { Pod } from '../../model/kube.ts';
import { isDeleting, nameOf } from '../api.ts';
import type { Context } from '../context.ts';
import type { PodValidator } from '../scheduling/types.ts';
import { ownPods } from './own-pods.ts';
import { isProvisionable, willMove } from './pods.ts';
import { withVolumeTopology } from './volumes.ts';
import type { Placed } from './volumes.ts';

/** Pods that wait for a node, or will because theirs is being removed, without those that another autoscaler serves. */
export function waitingPods(context: Context): readonly Pod[] {
  const { state } = context;
  const pending = [...state.unboundPods()].filter((pod) => isProvisionable(pod, (name) => state.nodes.get(name)));
  if (pending.length === 0 && !isAnyLeaving(state)) return [];
  const leaving = state.claims
    .list()
    .filter((claim) => isDeleting(claim) && claim.status?.providerID !== undefined)
    .flatMap((claim) => state.nodesOf(claim.status?.providerID ?? ''))
    .flatMap((node) => [...state.podsOn(nameOf(node))].filter(willMove));
  return ownPods(context, [...pending, ...leaving]);
}

/** Whether any pod will be recreated because its node is being removed. Most changes of a large cluster concern no such pod. */
function isAnyLeaving(state: Context['state']): boolean {
  for (const name of state.nodesWithPods()) {
    const providerId = state.nodes.get(name)?.spec?.providerID ?? '';
    if (state.claimsOf(providerId).some(isDeleting) && [...state.podsOn(name)].some(willMove)) return true;
  }
  return false;
}

/** A pod as it is planned, or what prevents that. */
export function preparePod({ state }: Context, validator: PodValidator, pod: Pod): Placed {
  const problem = validator.problem(pod);
  return problem === undefined ? withVolumeTopology(pod, state.storage) : { problem };
}
