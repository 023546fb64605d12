import { INSTANCE_TYPES_PER_CLAIM } from '../../../controller/constants.ts';
import { createParts } from '../../../controller/parts.ts';
import type { PlannedNode, PoolOptions, Simulator } from '../../../controller/scheduling/types.ts';
import { LABEL } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: the first by name, whatever they cost. */
function firstByName(launch: PlannedNode, pools: readonly PoolOptions[]): PlannedNode {
  const options = pools.find(({ name }) => name === launch.pool)?.options ?? [];
  const names = [...new Set(options.map(({ type }) => type.name))].sort().slice(0, INSTANCE_TYPES_PER_CLAIM);
  const requirements = launch.requirements.map((one) => (one.key === LABEL.instanceType ? { ...one, values: names } : one));
  return { ...launch, requirements };
}

function choosingByName(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      return { ...plan, launches: plan.launches.map((launch) => firstByName(launch, input.pools)) };
    },
  };
}

export const typesByName: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:types-by-name',
    summary: 'asks for the first sixty types of a pool by name, which may be far larger than its pods need',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: choosingByName(right.simulator) };
    },
  }),
  resembles: 'instances much larger than needed were launched, although the pool allowed smaller ones (karpenter-provider-aws#4301)',
  caughtBy: {
    scenario: 'pools/many-types',
    check: 'launches-within-pools',
    code: 'launch-from-wrong-pool',
    object: 'instance/*',
    seeds: 'every',
  },
};
