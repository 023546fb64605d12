import { KARPENTER } from '../../../controller/api.ts';
import type { NodeClaim } from '../../../controller/api.ts';
import { patchClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Registrar } from '../../../controller/lifecycle/registrar.ts';
import type { Terminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Node } from '../../../model/kube.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** The claim with the data of the Node with its instance's name: the planted bug, since names are reused. */
function asNode(claim: NodeClaim, node: Node | undefined): NodeClaim {
  const providerID = node?.spec?.providerID;
  return providerID === undefined ? claim : { ...claim, status: { ...claim.status, providerID } };
}

/** Registers like the correct one, but the Node with the name of the claim's instance. */
function byName(context: Context, right: Registrar): Registrar {
  const named = async (claim: NodeClaim): Promise<NodeClaim> => {
    const instance = await context.instances.find(parseProviderId(claim.status?.providerID) ?? '');
    return asNode(claim, context.state.nodes.get(instance?.PrivateDnsName ?? ''));
  };
  return {
    register: async (claim) => right.register(await named(claim)),
    initialize: async (claim) => right.initialize(await named(claim)),
    renewSize: (claim) => right.renewSize(claim),
  };
}

/** Removes claims like the correct one, but with the instance of the Node with that name. */
function endingByName(context: Context, right: Terminator): Terminator {
  return {
    terminate: async (claim) => {
      const name = claim.status?.nodeName;
      const node = context.state.nodes.get(name ?? '');
      if (name === undefined || node !== undefined) return right.terminate(asNode(claim, node));
      // It concludes that the instance is gone because its Node is gone.
      const finalizers = (claim.metadata.finalizers ?? []).filter((finalizer) => finalizer !== KARPENTER.finalizer);
      await patchClaim(context, claim, { metadata: { finalizers } });
      return undefined;
    },
    terminateNode: (node) => right.terminateNode(node),
  };
}

export const nodeNameIdentity: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:node-name-identity',
    summary: 'identifies machines by node name: one that reuses the address of a dead machine is mistaken for it, and forgotten with it',
    makeParts: (context) => {
      const right = createParts(context);
      return {
        ...right,
        registrar: byName(context, right.registrar),
        terminator: endingByName(context, right.terminator),
        // As in a version that does not read messages about terminated instances.
        interruption: { handle: () => Promise.resolve(true) },
        collector: noCollection,
      };
    },
  }),
  resembles:
    "a new instance got a dead one's address, its node was deleted with the old one, and it kept running (karpenter-provider-aws#2734)",
  caughtBy: {
    scenario: 'registration/address-reuse',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
