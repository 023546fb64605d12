import { isDeleting } from '../../controller/api.ts';
import { deleteClaim } from '../../controller/claims.ts';
import type { Context } from '../../controller/context.ts';
import type { Collector } from '../../controller/lifecycle/collector.ts';
import { createParts } from '../../controller/parts.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { createReferenceTarget } from '../reference.ts';
import type { Mutant } from './mutant.ts';

/** Collects like the right one, and claims at the first look, too. */
function hasty(context: Context, right: Collector): Collector {
  const { instances, state } = context;
  return {
    collectInstances: () => right.collectInstances(),
    collectClaims: async () => {
      await right.collectClaims();
      const listed = new Set((await instances.listOwned()).map(({ InstanceId }) => InstanceId));
      for (const claim of state.claims.list()) {
        const id = parseProviderId(claim.status?.providerID);
        // The planted bug: what is not listed is gone.
        if (id !== undefined && !listed.has(id) && !isDeleting(claim)) await deleteClaim(context, claim, `${id} is gone`);
      }
    },
  };
}

export const takenForLost: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:taken-for-lost',
    summary: 'gives a claim up as soon as EC2 does not list its instance, though lists may be minutes old',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, collector: hasty(context, right.collector) };
    },
  }),
  resembles: 'new machines were collected as having no instance, and launched again (karpenter-provider-aws#4342)',
  caughtBy: {
    scenario: 'staleness/late-descriptions',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
