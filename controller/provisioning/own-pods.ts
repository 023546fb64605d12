import type { Pod } from '../../model/kube.ts';
import { allows, intersect, nodeAlternatives, parseRequirements } from '../../model/requirements.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { KARPENTER, isDeleting } from '../api.ts';
import type { NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { isPossible } from '../scheduling/node-filter.ts';
import type { PoolScope } from '../scope.ts';
import { isDecided, poolLabels } from './pool-spec.ts';

/**
 * The pods that are not for another autoscaler to serve. Theirs are those that ask by name for pools of others only, and those
 * that no pool of ours may serve while one of theirs may: we neither launch for them nor say that they can't be scheduled. A
 * pod that no pool of anybody may serve is told so by everybody.
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

/** Whether each node that the pod asks for is of a pool that it names and that is not ours. */
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
 * Whether nodes of a pool may be what a pod asks for by its tolerations, node selector and required node affinity, as far as the
 * pool itself says. What its instance types come to, their room, and what is to be had are not asked.
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
