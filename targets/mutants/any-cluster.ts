import { KARPENTER, clusterTag } from '../../controller/api.ts';
import { isLive, tagOf } from '../../controller/capacity/instances.ts';
import type { Context } from '../../controller/context.ts';
import type { Collector } from '../../controller/lifecycle/collector.ts';
import { createParts } from '../../controller/parts.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { createReferenceTarget } from '../reference.ts';
import type { Mutant } from './mutant.ts';

/** Collects like the right one, and what was launched for claims of other clusters. */
function farSighted({ cluster, ec2, instances, periods, runtime, state }: Context, right: Collector): Collector {
  return {
    collectClaims: () => right.collectClaims(),
    collectInstances: async () => {
      await right.collectInstances();
      const known = new Set(state.claims.list().map(({ status }) => parseProviderId(status?.providerID)));
      for (const instance of await ec2.describeInstances({})) {
        const { InstanceId: id, LaunchTime: launchedAt } = instance;
        const isOld = launchedAt !== undefined && runtime.clock.nowMs() - launchedAt.getTime() > periods.collectionMinAgeMs;
        // The planted bug: whose claim it was is not asked.
        const isOfClaim = tagOf(instance, KARPENTER.nodeClaim) !== undefined && tagOf(instance, clusterTag(cluster.name)) === undefined;
        if (id !== undefined && isLive(instance) && isOld && isOfClaim && !known.has(id)) await instances.terminate(id);
      }
    },
  };
}

export const anyCluster: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:any-cluster',
    summary: 'collects instances of claims that it does not know, also those of other clusters in the account',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, collector: farSighted(context, right.collector) };
    },
  }),
  resembles: 'nodes of one cluster were ended by the autoscaler of another (karpenter-provider-aws#7356)',
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'foreign-instances',
    code: 'foreign-instance-ended',
    object: 'instance/*',
    seeds: 'every',
  },
};
