import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import { losingAlso } from './extra-collection.ts';
import type { Mutant } from '../mutant.ts';

export const unlistedAsGone: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:unlisted-as-gone',
    summary: 'gives up a claim as soon as EC2 does not list its instance, although lists may be minutes old',
    makeParts: (context) => {
      const right = createParts(context);
      const collector = losingAlso(context, right.collector, async () => {
        const listed = new Set((await context.instances.listOwned()).map(({ InstanceId }) => InstanceId));
        return ({ status }) => {
          const id = parseProviderId(status?.providerID);
          // The planted bug: an instance that is not listed counts as gone.
          return id !== undefined && !listed.has(id);
        };
      });
      return { ...right, collector };
    },
  }),
  resembles: 'new machines were collected as having no instance, and launched again (karpenter-provider-aws#4342)',
  caughtBy: {
    scenario: 'staleness/stale-descriptions',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
