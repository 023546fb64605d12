import { createParts } from '../../../controller/parts.ts';
import type { PlannedNode, Simulator } from '../../../controller/scheduling/types.ts';
import { LABEL } from '../../../model/kube.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Whether a pod and its volumes may go anywhere, so that only the pool restricts its node. */
function goesAnywhere({ spec }: Pod): boolean {
  if (spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) === true) return false;
  return !JSON.stringify([spec.nodeSelector, spec.affinity, spec.topologySpreadConstraints]).includes(LABEL.zone);
}

/** The planted bug: if no pod names a zone, the pool's zones are ignored. */
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
  resembles:
    'instances were launched in any zone of the region, although their pool allowed only one (cloudpilot-ai/karpenter-provider-gcp#189)',
  caughtBy: {
    scenario: 'scheduling/node-affinity-operators',
    check: 'launches-within-pools',
    code: 'launch-outside-pools',
    object: 'instance/*',
    seeds: 'every',
  },
};
