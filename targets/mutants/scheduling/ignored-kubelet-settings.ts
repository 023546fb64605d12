import { createClaimOfferings } from '../../../controller/launch/claim-offerings.ts';
import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import type { Option, Simulator } from '../../../controller/scheduling/types.ts';
import { subtractResources } from '../../../model/resources.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The instance types as the image's own settings leave them. */
function asByDefault(types: InstanceTypes): InstanceTypes {
  return {
    // The planted bug: a class has kubelet settings, and they change what its nodes offer.
    list: () => types.list(),
    get: (name) => types.get(name),
    learn: (name, allocatable) => types.learn(name, allocatable),
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
  };
}

/** Plans like the correct one, with the sizes of these types. */
function planningWith(types: InstanceTypes, right: Simulator): Simulator {
  const resized = (option: Option): Option => {
    const type = types.get(option.type.name) ?? option.type;
    return { ...option, type, room: subtractResources(type.allocatable, subtractResources(option.type.allocatable, option.room)) };
  };
  return {
    simulate: (input) => right.simulate({ ...input, pools: input.pools.map((pool) => ({ ...pool, options: pool.options.map(resized) })) }),
  };
}

export const ignoredKubeletSettings: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-kubelet-settings',
    summary: 'passes kubelet settings on to its nodes but plans without them: nodes are too small for their pods, or half empty',
    makeParts: (context) => {
      const instanceTypes = asByDefault(context.instanceTypes);
      const claimOfferings = createClaimOfferings(instanceTypes, () => undefined);
      const right = createParts({ ...context, instanceTypes, claimOfferings });
      return { ...right, simulator: planningWith(instanceTypes, right.simulator) };
    },
  }),
  resembles: 'the maximum of pods on nodes was not the one that was planned with (karpenter-provider-aws#6890)',
  caughtBy: {
    scenario: 'pools/kubelet-reservations',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
