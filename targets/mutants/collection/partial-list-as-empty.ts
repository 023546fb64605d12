import { createInstances } from '../../../controller/capacity/instances.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import { losingAlso } from './extra-collection.ts';
import type { Mutant } from '../mutant.ts';

/** Lists instances zone by zone, and fails only if all zones fail. */
function listingByZone({ runtime, ec2, cluster, metrics, scope }: Context): Context['instances'] {
  const describeInstances: Context['ec2']['describeInstances'] = async (input) => {
    const lists = await Promise.allSettled(
      Object.keys(cluster.subnets).map((zone) =>
        ec2.describeInstances({ ...input, Filters: [...(input.Filters ?? []), { Name: 'availability-zone', Values: [zone] }] }),
      ),
    );
    const failed = lists.filter((list) => list.status === 'rejected');
    if (failed.length === lists.length) throw failed[0]?.reason;
    // The planted bug: only listed instances exist, even if the lists of some zones failed.
    return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  };
  return createInstances(runtime.clock, { ...ec2, describeInstances }, cluster.name, metrics, scope);
}

export const partialListAsEmpty: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:partial-list-as-empty',
    summary: 'lists instances zone by zone, and treats those of a zone whose list failed as gone while other zones succeed',
    makeParts: (context) => {
      const right = createParts(context);
      const instances = listingByZone(context);
      // An instance that was never listed may be too new: that is not the bug. Bounded by what one process ever launches.
      const seen = new Set<string | undefined>();
      const collector = losingAlso(context, right.collector, async () => {
        const listed = new Set((await instances.listOwned()).map(({ InstanceId }) => InstanceId));
        for (const id of listed) seen.add(id);
        return ({ status }) => {
          const id = parseProviderId(status?.providerID);
          return seen.has(id) && !listed.has(id);
        };
      });
      return { ...right, collector };
    },
  }),
  resembles: 'after a fix a list failed only if all zones failed, and everything in a failed zone counted as missing (autoscaler#5853)',
  caughtBy: {
    scenario: 'faulty-api/zone-unreachable',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
