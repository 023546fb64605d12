import { CONDITION, isTrue, nameOf, uidOf } from '../api.ts';
import type { Context } from '../context.ts';
import { isDisrupted } from '../lifecycle/registrar.ts';
import { readNodes } from '../provisioning/nodes.ts';
import { ownPods } from '../provisioning/own-pods.ts';
import { willMove } from '../provisioning/pods.ts';
import { PoolReader } from '../provisioning/pools.ts';
import { preparePod, waitingPods } from '../provisioning/waiting.ts';
import type { NodeCandidate, PlannedNode, PodToPlace, PodValidator, Simulator } from '../scheduling/types.ts';
import { namespaceLabels } from '../state.ts';
import type { Candidate } from './candidates.ts';

/** Simulates where the pods of nodes would go without these nodes. */
export interface Rehousing {
  /**
   * Plans for the pods of these nodes, and for all others that are or will be pending.
   * @param others whether they have to be placed, or nodes may also be launched for those that get none while these nodes exist
   * @returns the nodes that would have to be launched; undefined if they can't all be placed, or only
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
      const prepare = (pods: Candidate['pods']): PodToPlace[] =>
        pods.flatMap((pod) => {
          const placed = preparePod(context, parts.validator, pod);
          return 'pod' in placed ? [placed.pod] : [];
        });
      const moving = candidates.flatMap(({ pods }) => pods);
      const prepared = prepare(moving);
      if (prepared.length < moving.length) return undefined;
      const isMoving = uidsOf(moving);
      const leaving = [...removed].flatMap((name) => [...state.podsOn(name)].filter(willMove));
      const rest = new Map([...waitingPods(context), ...ownPods(context, leaving)].map((pod) => [uidOf(pod), pod]));
      for (const uid of isMoving) rest.delete(uid);
      const simulate = (pods: readonly PodToPlace[], nodes: readonly NodeCandidate[]): ReturnType<Simulator['simulate']> =>
        parts.simulator.simulate({ pods, pools: pools.read(), nodes, namespaces: namespaceLabels(state) });
      const nodes = readNodes(context);
      const plan = simulate(
        [...prepared, ...prepare([...rest.values()])],
        nodes.filter(({ name }) => !removed.has(name)),
      );
      /** Pods that wait in vain as long as all nodes are there. */
      const refused = (): ReadonlySet<string> => uidsOf(simulate(prepare(waitingPods(context)), nodes).refusals.map(({ pod }) => pod));
      const ready = readyNodes(context);
      const concerns = (pods: Candidate['pods']): boolean => pods.some((pod) => isMoving.has(uidOf(pod)));
      if (concerns(plan.refusals.map(({ pod }) => pod))) return undefined;
      if ([...plan.nominations].some(([name, pods]) => concerns(pods) && !ready.has(name))) return undefined;
      const areFor = (uids: ReadonlySet<string>): boolean => plan.launches.every(({ pods }) => pods.every((pod) => uids.has(uidOf(pod))));
      // Launches for other pods are planned by the provisioner, unless these nodes keep it from that.
      if (areFor(isMoving)) return plan.launches;
      return others === 'any' && areFor(new Set([...isMoving, ...refused()])) ? plan.launches : undefined;
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
