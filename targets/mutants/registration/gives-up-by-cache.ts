import { CONDITION, isTrue, launchTime } from '../../../controller/api.ts';
import { deleteClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Registrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

function hasty(context: Context, right: Registrar): Registrar {
  const { state, runtime, periods } = context;
  return {
    ...right,
    initialize: async (claim) => {
      const initialized = await right.initialize(claim);
      if (isTrue(initialized.status?.conditions, CONDITION.initialized)) return initialized;
      const waitedMs = runtime.clock.nowMs() - launchTime(claim);
      const [node] = state.nodesOf(claim.status?.providerID ?? '');
      // The planted bug: the watch of Nodes may show the past.
      const isUnready = node !== undefined && !isTrue(node.status?.conditions, 'Ready');
      if (isUnready && waitedMs > periods.initializationTimeoutMs) await deleteClaim(context, claim, 'its Node never became ready');
      return initialized;
    },
  };
}

export const givesUpByCache: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:gives-up-by-cache',
    summary: 'gives up a node that, as far as its watch shows, never became ready, without asking the API server',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, registrar: hasty(context, right.registrar) };
    },
  }),
  resembles: 'claims and Nodes were deleted by an outdated list, without a look at whether the Node was ready (karpenter#1100)',
  caughtBy: {
    scenario: 'staleness/ready-unseen',
    check: 'undisturbed',
    code: 'pod-without-node',
    object: 'pods/default/web-*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
