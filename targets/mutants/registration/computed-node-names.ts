import type { NodeClaim } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import type { Registrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Registers like the correct one, but only a Node with the name that it computes. */
function byComputedName(context: Context, right: Registrar): Registrar {
  const exists = async (claim: NodeClaim): Promise<boolean> => {
    const instance = await context.instances.find(parseProviderId(claim.status?.providerID) ?? '');
    // The planted bug: the subnet decides what names are based on.
    const start = `ip-${(instance?.PrivateIpAddress ?? '').replaceAll('.', '-')}.`;
    return context.state.nodes.list().some(({ metadata }) => metadata.name?.startsWith(start) ?? false);
  };
  return {
    register: async (claim) => ((await exists(claim)) ? right.register(claim) : claim),
    initialize: (claim) => right.initialize(claim),
    renewSize: (claim) => right.renewSize(claim),
  };
}

export const computedNodeNames: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:computed-node-names',
    summary: "computes a node's name from its address: where subnets name instances by id, it never finds its nodes",
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, registrar: byComputedName(context, right.registrar) };
    },
  }),
  resembles: 'Node objects were expected under the name of the address, but were named by instance id (karpenter-provider-aws#927)',
  caughtBy: {
    scenario: 'registration/named-by-instance',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
