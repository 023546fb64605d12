import { isDeleting } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** The real EC2, but the instance of a Node that someone else deletes counts as terminated. */
function leavingToOthers({ state, instances }: Context): Context['instances'] {
  const theirs = new Set<string>();
  state.nodes.onChange((_type, node) => {
    const claim = state.claims.list().find(({ status }) => status?.providerID === node.spec?.providerID);
    const id = parseProviderId(node.spec?.providerID);
    if (id !== undefined && isDeleting(node) && claim !== undefined && !isDeleting(claim)) theirs.add(id);
  });
  return {
    ...instances,
    // The planted bug: deleting a Node does not terminate its instance.
    find: (id) => (theirs.has(id) ? Promise.resolve({ InstanceId: id, State: { Name: 'terminated' } }) : instances.find(id)),
  };
}

export const nodeDeletionLeaksInstance: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:node-deletion-leaks-instance',
    summary: 'releases a Node that someone deletes, together with its claim: the instance keeps running and is forgotten',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator({ ...context, instances: leavingToOthers(context) }),
      collector: noCollection,
    }),
  }),
  resembles: 'a Node was deleted by hand, and its instance stayed (karpenter-provider-aws#2832, autoscaler#6128)',
  caughtBy: {
    scenario: 'disruption/node-deleted',
    check: 'no-leaked-instances',
    code: 'orphaned-instance',
    object: 'instance/*',
    seeds: 'every',
  },
};
