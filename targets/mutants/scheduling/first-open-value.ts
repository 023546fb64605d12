import { createParts } from '../../../controller/parts.ts';
import type { PlannedNode, PoolOptions, Simulator } from '../../../controller/scheduling/types.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Whether one of the pod's alternatives says nothing about the label. */
function mayIgnore({ spec }: Pod, label: string): boolean {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some(({ matchExpressions = [] }) => !matchExpressions.some(({ key }) => key === label));
}

/** The planted bug: an alternative counts for a label without a look whether a node can meet the rest of it. */
function withFirstValues(launch: PlannedNode, pools: readonly PoolOptions[]): PlannedNode {
  const open = pools.find(({ name }) => name === launch.pool)?.open;
  const labels = Object.entries(launch.labels).map(([key, value]) => {
    const first = launch.pods.some((pod) => mayIgnore(pod, key)) ? open?.get(key)?.values[0] : undefined;
    return [key, first ?? value];
  });
  return { ...launch, labels: Object.fromEntries(labels) as Record<string, string> };
}

function ignoringAlternatives(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      return { ...plan, launches: plan.launches.map((launch) => withFirstValues(launch, input.pools)) };
    },
  };
}

export const firstOpenValue: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:first-open-value',
    summary:
      'gives an open label its first value if one of the alternatives of a pod does not need another, also if no node can meet that one',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: ignoringAlternatives(right.simulator) };
    },
  }),
  resembles: 'pods whose first alternative term no node can meet never got a node for another one (karpenter#2230)',
  caughtBy: {
    scenario: 'scheduling/open-label-alternatives',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
