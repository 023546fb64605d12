import { RESOURCES } from '../../../clients/resources.ts';
import type { KubeClient } from '../../../clients/kube-client.ts';
import { createRegistrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Patches Nodes regardless of changes since they were read. */
function carelessOfVersions(kube: KubeClient): KubeClient {
  return {
    ...kube,
    patch: (ref, patch, subresource) => {
      if (ref.type !== RESOURCES.nodes) return kube.patch(ref, patch, subresource);
      // The planted bug: the list of taints is written back as it was read, without a resourceVersion that would detect a conflict.
      const { metadata, ...rest } = patch as { metadata?: Record<string, unknown> };
      return kube.patch(ref, { ...rest, metadata: { ...metadata, resourceVersion: undefined } }, subresource);
    },
  };
}

export const overwrittenTaints: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:overwritten-taints',
    summary: 'writes the taints of a Node without its resourceVersion: startup taints that were just removed come back',
    makeParts: (context) => ({
      ...createParts(context),
      registrar: createRegistrar({ ...context, kube: carelessOfVersions(context.kube) }),
    }),
  }),
  resembles: 'startup taints were restored by a patch that raced with their removal (karpenter#1772)',
  caughtBy: {
    scenario: 'pools/startup-taints-removed-early',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
