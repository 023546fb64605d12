import type { NodeClaim } from '../../../controller/api.ts';
import { KARPENTER, nodePoolOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import type { Interruption } from '../../../controller/interruption/interruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { poolLabels } from '../../../controller/provisioning/pool-spec.ts';
import { RESOURCES } from '../../../clients/resources.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Acts like the correct one, and also launches a replacement. */
function replacing(context: Context, right: Interruption): Interruption {
  const { kube, state } = context;
  const known = new Map<string, NodeClaim>();
  state.claims.onChange((_type, claim) => {
    const id = parseProviderId(claim.status?.providerID);
    if (id !== undefined) known.set(id, claim);
  });
  return {
    handle: async (notice) => {
      const isDone = await right.handle(notice);
      for (const id of notice.instanceIds) {
        const claim = known.get(id);
        const pool = state.pools.get(claim === undefined ? '' : nodePoolOf(claim));
        // The planted bug: repeated notices are not detected.
        if (notice.kind !== 'spot_interrupted' || claim === undefined || pool === undefined) continue;
        const { spec } = claim;
        const metadata = { generateName: `${nodePoolOf(claim)}-`, labels: poolLabels(pool), finalizers: [KARPENTER.finalizer] };
        state.claims.remember(await kube.create(RESOURCES.nodeclaims, { metadata, spec }));
      }
      return isDone;
    },
  };
}

export const replacementPerMessage: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:replacement-per-message',
    summary: 'launches a replacement for each copy of a warning',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, interruption: replacing(context, right.interruption) };
    },
  }),
  resembles: 'two nodes replaced one (karpenter-provider-aws#3725)',
  caughtBy: {
    scenario: 'interruption/duplicate-and-late-messages',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
