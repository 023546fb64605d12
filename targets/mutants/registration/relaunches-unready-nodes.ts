import { nameOf } from '../../../controller/api.ts';
import type { NodeClaim } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { overdueNodes } from '../../../controller/provisioning/overdue.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { Node } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

function impatient(right: Simulator, context: Context): Simulator {
  const claimOf = ({ spec }: Node): NodeClaim | undefined =>
    context.state.claims.list().find(({ status }) => status?.providerID !== undefined && status.providerID === spec?.providerID);
  return {
    simulate: (input) => {
      // The planted bug: each node is considered on its own, so that those before it that were late as well don't count.
      const late = context.state.nodes.list().filter((node) => overdueNodes(context, [node], claimOf).size > 0);
      const names = new Set(late.map(nameOf));
      return right.simulate({ ...input, nodes: input.nodes.map((node) => (names.has(node.name) ? { ...node, accepting: false } : node)) });
    },
  };
}

export const relaunchesUnreadyNodes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:relaunches-unready-nodes',
    summary: 'launches another node for each one that is not ready in time, however many there are already',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: impatient(right.simulator, context) };
    },
  }),
  resembles: 'while the network plugin of all new nodes was broken, more and more were launched (karpenter-provider-aws#1391)',
  caughtBy: {
    scenario: 'registration/no-node-becomes-ready',
    check: 'runaway-capacity',
    code: 'runaway-launches',
    object: 'instance/*',
    seeds: 'every',
  },
};
