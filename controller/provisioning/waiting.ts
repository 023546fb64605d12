import type { Pod } from '../../model/kube.ts';
import { isDeleting, nameOf } from '../api.ts';
import type { Context } from '../context.ts';
import type { PodValidator } from '../scheduling/types.ts';
import { ownPods } from './own-pods.ts';
import { isProvisionable, isReschedulable } from './pods.ts';
import { withVolumeTopology } from './volumes.ts';
import type { Placed } from './volumes.ts';

/** Pods that wait for a node, or will because theirs is being removed, without those that another autoscaler serves. */
export function waitingPods(context: Context): readonly Pod[] {
  const { state } = context;
  const leaving = state.claims
    .list()
    .filter((claim) => isDeleting(claim) && claim.status?.providerID !== undefined)
    .flatMap((claim) => state.nodesOf(claim.status?.providerID ?? ''))
    .flatMap((node) => [...state.podsOn(nameOf(node))].filter(isReschedulable));
  return ownPods(context, [...state.pods.list().filter((pod) => isProvisionable(pod, (name) => state.nodes.get(name))), ...leaving]);
}

/** A pod as it is planned, or what prevents that. */
export function preparePod({ state }: Context, validator: PodValidator, pod: Pod): Placed {
  const problem = validator.problem(pod);
  return problem === undefined ? withVolumeTopology(pod, state.storage) : { problem };
}
