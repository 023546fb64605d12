import { RESOURCES } from '../../../clients/resources.ts';
import { UNREGISTERED_TAINT, nameOf } from '../../../controller/api.ts';
import type { NodeClaim } from '../../../controller/api.ts';
import { deleteClaim, patchClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Launcher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Node } from '../../../model/kube.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** Launches like the correct one, then creates the Node itself, and abandons everything if that fails. */
function creatingNodes(context: Context, right: Launcher): Launcher {
  return {
    find: (claim) => right.find(claim),
    launch: async (claim) => {
      const progress = await right.launch(claim);
      if (progress.kind !== 'launched') return progress;
      try {
        await createNode(context, progress.claim);
        return progress;
      } catch (error) {
        // The planted bug: if the kubelet was faster, the instance is forgotten with its claim.
        context.runtime.log('error', `creating the node failed, giving up: ${String(error)}`, { claim: nameOf(claim) });
        await patchClaim(context, progress.claim, { metadata: { finalizers: [] } });
        await deleteClaim(context, progress.claim, 'its node could not be created');
        return { kind: 'waiting', waitMs: 1_000 };
      }
    },
  };
}

async function createNode(context: Context, claim: NodeClaim): Promise<void> {
  const providerID = claim.status?.providerID ?? '';
  const instance = await context.instances.find(parseProviderId(providerID) ?? '');
  const node: Node & { metadata: { name: string } } = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: instance?.PrivateDnsName ?? '', labels: { ...claim.metadata.labels } },
    spec: { providerID, taints: [UNREGISTERED_TAINT] },
  };
  await context.kube.create(RESOURCES.nodes, node);
}

export const nodeObjectRace: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:node-object-race',
    summary: 'creates the Node object itself right after the launch, and loses the instance if the kubelet was faster',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, launcher: creatingNodes(context, right.launcher), collector: noCollection };
    },
  }),
  resembles: 'launch succeeded, creating the node failed, the instance was forgotten (karpenter-provider-aws#549, #1111)',
  caughtBy: {
    scenario: 'api-pressure/slow-launch-answer',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
