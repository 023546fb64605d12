import type { Pod } from '../../model/kube.ts';
import { allows, intersect, nodeAlternatives, parseRequirements } from '../../model/requirements.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { KARPENTER, isDeleting } from '../api.ts';
import type { NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { isPossible } from '../scheduling/open-labels.ts';
import type { PoolScope } from '../scope.ts';
import { isDecided, poolLabels } from './pool-spec.ts';

/**
 * The pods that no other autoscaler serves. Pods of others are those that only name pools of others, and those that only pools of
 * others may serve: we neither launch for them nor report them as unschedulable. A pod that no pool may serve is reported by every
 * autoscaler.
 */
export function ownPods({ state, scope }: Pick<Context, 'state' | 'scope'>, pods: readonly Pod[]): readonly Pod[] {
  if (scope.id === undefined || pods.length === 0) return pods;
  const ours = state.pools.list().filter((pool) => !isDeleting(pool));
  const theirs = state.poolsOfOthers().filter((pool) => !isDeleting(pool));
  return pods.filter((pod) => {
    const may = (pool: NodePool): boolean => mayServe(pool, pod);
    return !namesOnlyOthers(scope, pod) && (ours.some(may) || !theirs.some(may));
  });
}

/** Whether the pod names a pool that is not ours, in all alternatives. */
function namesOnlyOthers(scope: PoolScope, pod: Pod): boolean {
  const alternatives = nodeAlternatives(pod.spec);
  return (
    alternatives.length > 0 &&
    alternatives.every(({ labels }) => {
      const named = labels.get(KARPENTER.nodePool);
      return named !== undefined && !named.excluding && named.values.length > 0 && !named.values.some((name) => scope.owns(name));
    })
  );
}

/**
 * Whether nodes of a pool may match a pod's tolerations, node selector and required node affinity, as far as the pool itself
 * decides that. Instance types, room and capacity are not considered.
 */
export function mayServe(pool: NodePool, pod: Pod): boolean {
  const { taints, requirements } = pool.spec.template.spec;
  if (untolerated(taints, pod.spec.tolerations, REPELLING) !== undefined) return false;
  const labels = poolLabels(pool);
  const stated = parseRequirements(requirements);
  return nodeAlternatives(pod.spec).some(({ labels: asked }) =>
    [...asked].every(([key, set]) => {
      if (key in labels) return allows(set, labels[key]);
      const known = stated.get(key);
      if (known === undefined) return set.missing || isDecided(key);
      const both = intersect(new Map([[key, known]]), new Map([[key, set]])).get(key);
      return both !== undefined && isPossible(both);
    }),
  );
}
