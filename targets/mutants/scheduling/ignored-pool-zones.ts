import { createParts } from '../../../controller/parts.ts';
import type { PlannedNode, Simulator } from '../../../controller/scheduling/types.ts';
import { LABEL } from '../../../model/kube.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Whether a pod by itself may go anywhere, its volumes included: what its node may become is then its pool's to say alone. */
function goesAnywhere({ spec }: Pod): boolean {
  if (spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) === true) return false;
  return !JSON.stringify([spec.nodeSelector, spec.affinity, spec.topologySpreadConstraints]).includes(LABEL.zone);
}

/** The planted bug: where no pod names a zone none is asked for, though the pool has said which. */
function inAnyZone(launch: PlannedNode): PlannedNode {
  if (!launch.pods.every(goesAnywhere)) return launch;
  return { ...launch, requirements: launch.requirements.filter(({ key, minValues }) => key !== LABEL.zone || minValues !== undefined) };
}

function withoutZones(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      return { ...plan, launches: plan.launches.map(inAnyZone) };
    },
  };
}

export const ignoredPoolZones: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-pool-zones',
    summary: 'launches into any zone of the cluster when no pod asks for one, whatever zones the pool allows',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutZones(right.simulator) };
    },
  }),
  resembles: 'instances came in any zone of the region, though their pool allowed one of them (cloudpilot-ai/karpenter-provider-gcp#189)',
  caughtBy: {
    scenario: 'scheduling/node-affinity-operators',
    check: 'launches-within-pools',
    code: 'launch-outside-pools',
    object: 'instance/*',
    seeds: 'every',
  },
};
