import type { Pod } from '../../model/kube.ts';
import { isDeleting, nameOf } from '../api.ts';
import type { Context } from '../context.ts';
import type { PodValidator } from '../scheduling/types.ts';
import { isProvisionable, isReschedulable } from './pods.ts';
import { withVolumeTopology } from './volumes.ts';
import type { Placed } from './volumes.ts';

/** Pods that wait for a node, and pods that will because theirs is being given up. */
export function waitingPods({ state }: Context): Pod[] {
  const leaving = state.claims
    .list()
    .filter((claim) => isDeleting(claim) && claim.status?.providerID !== undefined)
    .flatMap((claim) => state.nodesOf(claim.status?.providerID ?? ''))
    .flatMap((node) => [...state.podsOn(nameOf(node))].filter(isReschedulable));
  return [...state.pods.list().filter((pod) => isProvisionable(pod, (name) => state.nodes.get(name))), ...leaving];
}

/** A pod as it is planned, or what keeps it from being planned. */
export function preparePod({ state }: Context, validator: PodValidator, pod: Pod): Placed {
  const problem = validator.problem(pod);
  return problem === undefined ? withVolumeTopology(pod, state.storage) : { problem };
}
