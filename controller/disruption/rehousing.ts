import { CONDITION, isTrue, nameOf, uidOf } from '../api.ts';
import type { Context } from '../context.ts';
import { isDisrupted } from '../lifecycle/registrar.ts';
import { readNodes } from '../provisioning/nodes.ts';
import { ownPods } from '../provisioning/own-pods.ts';
import { isReschedulable } from '../provisioning/pods.ts';
import { PoolReader } from '../provisioning/pools.ts';
import { preparePod, waitingPods } from '../provisioning/waiting.ts';
import type { PlannedNode, PodValidator, Simulator } from '../scheduling/types.ts';
import { namespaceLabels } from '../state.ts';
import type { Candidate } from './candidates.ts';

/** Simulates where the pods of nodes would go without these nodes. */
export interface Rehousing {
  /**
   * Plans for the pods of these nodes, and for all others that are or will be pending.
   * @param others whether nodes may have to be launched for other pods too, which may only be possible without these nodes
   * @returns the nodes that would have to be launched for the pods of these nodes; undefined if they can't all be placed, or only
   *   after something in progress has finished: a node is ready, a pending pod has got its own
   */
  without(candidates: readonly Candidate[], others: 'placed' | 'any'): readonly PlannedNode[] | undefined;
}

/** Uses the simulation for pending pods. Source: Karpenter, `SimulateScheduling` in `pkg/controllers/disruption/helpers.go`, v1.8. */
export function createRehousing(context: Context, parts: { readonly validator: PodValidator; readonly simulator: Simulator }): Rehousing {
  const pools = new PoolReader(context);
  return {
    without: (candidates, others) => {
      const { state } = context;
      const removed = new Set(candidates.map(({ node }) => nameOf(node)));
      for (const node of state.nodes.list()) if (isDisrupted(node)) removed.add(nameOf(node));
      const prepare = (pods: Candidate['pods']): Candidate['pods'] =>
        pods.flatMap((pod) => {
          const placed = preparePod(context, parts.validator, pod);
          return 'pod' in placed ? [placed.pod] : [];
        });
      const moving = candidates.flatMap(({ pods }) => pods);
      const prepared = prepare(moving);
      if (prepared.length < moving.length) return undefined;
      const isMoving = uidsOf(moving);
      const leaving = [...removed].flatMap((name) => [...state.podsOn(name)].filter(isReschedulable));
      const rest = new Map([...waitingPods(context), ...ownPods(context, leaving)].map((pod) => [uidOf(pod), pod]));
      for (const uid of isMoving) rest.delete(uid);
      const plan = parts.simulator.simulate({
        pods: [...prepared, ...prepare([...rest.values()])],
        pools: pools.read(),
        nodes: readNodes(context).filter(({ name }) => !removed.has(name)),
        namespaces: namespaceLabels(state),
      });
      const ready = readyNodes(context);
      const concerns = (pods: Candidate['pods']): boolean => pods.some((pod) => isMoving.has(uidOf(pod)));
      if (concerns(plan.refusals.map(({ pod }) => pod))) return undefined;
      if ([...plan.nominations].some(([name, pods]) => concerns(pods) && !ready.has(name))) return undefined;
      // Launches for other pods alone are planned by the provisioner.
      if (others === 'any') return plan.launches.filter(({ pods }) => concerns(pods));
      return plan.launches.every(({ pods }) => pods.every((pod) => isMoving.has(uidOf(pod)))) ? plan.launches : undefined;
    },
  };
}

function uidsOf(pods: Candidate['pods']): ReadonlySet<string> {
  return new Set(pods.map(uidOf));
}

/** Nodes where pods can run at once. Launches in progress may fail. */
function readyNodes({ state }: Context): ReadonlySet<string> {
  const starting = new Set(
    state.claims.list().flatMap(({ status }) => (isTrue(status?.conditions, CONDITION.initialized) ? [] : (status?.providerID ?? []))),
  );
  const nodes = state.nodes
    .list()
    .filter(({ spec, status }) => !starting.has(spec?.providerID ?? '') && isTrue(status?.conditions, 'Ready'));
  return new Set(nodes.map(nameOf));
}
