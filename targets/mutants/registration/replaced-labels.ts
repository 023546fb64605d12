import { RESOURCES } from '../../../clients/resources.ts';
import { CONDITION, KARPENTER, isTrue, nameOf } from '../../../controller/api.ts';
import type { NodeClaim } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import type { Registrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Labels that every node has, by its kubelet or its autoscaler. */
const OF_EVERY_NODE = /^((.+\.)?(kubernetes|k8s)\.io|karpenter\.(sh|k8s\.aws)|(.+\.)?amazonaws\.com)\//;

/** Registers like the correct one, and removes the labels that it does not expect. */
function replacingLabels(context: Context, right: Registrar): Registrar {
  const replace = async (claim: NodeClaim): Promise<void> => {
    const expected = { ...claim.metadata.labels, [KARPENTER.registered]: 'true' };
    for (const node of context.state.nodesOf(claim.status?.providerID ?? '')) {
      const extra = Object.keys(node.metadata.labels ?? {}).filter((key) => !(key in expected) && !OF_EVERY_NODE.test(key));
      if (extra.length === 0) continue;
      // The planted bug: labels that the pool does not have may be the user's.
      const labels = Object.fromEntries(extra.map((key) => [key, null]));
      await context.kube.patch({ type: RESOURCES.nodes, name: nameOf(node) }, { metadata: { labels } });
    }
  };
  return {
    register: async (claim) => {
      const registered = await right.register(claim);
      if (isTrue(registered.status?.conditions, CONDITION.registered)) await replace(registered);
      return registered;
    },
    initialize: (claim) => right.initialize(claim),
    renewSize: (claim) => right.renewSize(claim),
  };
}

export const replacedLabels: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:replaced-labels',
    summary: "replaces a node's labels with those of its pool: labels that only the user data sets are lost",
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, registrar: replacingLabels(context, right.registrar) };
    },
  }),
  resembles: 'labels that user data passed to the kubelet were ignored (karpenter-provider-aws#1681)',
  caughtBy: {
    scenario: 'pools/user-data-labels',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/picky-*',
    seeds: 'every',
  },
};
