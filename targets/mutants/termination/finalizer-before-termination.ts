import { KARPENTER } from '../../../controller/api.ts';
import { patchClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import { patchNode } from '../../../controller/lifecycle/registrar.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import type { ObjectMeta } from '../../../model/kube.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** The real EC2, but claim and Node are released before the instance is terminated. */
function lettingGoFirst(context: Context): Context['instances'] {
  const { instances, state } = context;
  const others = ({ finalizers = [] }: ObjectMeta): string[] => finalizers.filter((name) => name !== KARPENTER.finalizer);
  return {
    ...instances,
    terminate: async (id) => {
      // The planted bug: until the next request only this process knows the instance.
      for (const claim of state.claims.list().filter(({ status }) => parseProviderId(status?.providerID) === id)) {
        for (const node of state.nodesOf(claim.status?.providerID ?? '')) {
          await patchNode(context, node, { metadata: { finalizers: others(node.metadata) } });
        }
        await patchClaim(context, claim, { metadata: { finalizers: others(claim.metadata) } });
      }
      await instances.terminate(id);
    },
  };
}

export const finalizerBeforeTermination: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:finalizer-before-termination',
    summary: 'releases Node and claim before it terminates the instance: if it is killed in between, the instance is forgotten',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator({ ...context, instances: lettingGoFirst(context) }),
      collector: noCollection,
    }),
  }),
  resembles: 'the node was gone and its instance was never terminated (karpenter-provider-aws#2832)',
  caughtBy: {
    scenario: 'crashes/killed-before-termination',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
    needs: 'crash',
  },
};
