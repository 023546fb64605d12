import { createEc2Client } from '../clients/ec2.ts';
import type { KubeClient } from '../clients/kube-client.ts';
import { createKubeClient } from '../clients/kube.ts';
import { RESOURCES } from '../clients/resources.ts';
import { PlainAutoscaler } from './plain/autoscaler.ts';
import { CONFIG_MAP, groupsFor, toConfigMap } from './plain/groups.ts';
import { PLAIN } from './plain/periods.ts';
import type { Target, TargetSite } from './target.ts';

/**
 * A minimal fixed-group autoscaler, without NodeClaims, spot or replay: it shows that the target interface also works for
 * a controller that is very different from the reference.
 */
export const plain: Target = {
  name: 'plain',
  summary: 'a minimal fixed-group autoscaler: grows groups for pending pods, removes empty nodes',
  features: ['node-limits', 'pool-removal'],
  constants: {
    batchMaxMs: PLAIN.scanMs,
    retryPeriodMs: PLAIN.scanMs,
    launchTimeoutMs: 120_000,
    registrationTimeoutMs: PLAIN.registrationTimeoutMs,
    collectionMs: 3 * PLAIN.scanMs,
    emptyAfterMs: PLAIN.emptyAfterMs + PLAIN.scanMs,
    terminationMs: 3 * PLAIN.scanMs,
    unavailableOfferingMs: PLAIN.unavailableMs,
    offeringsPerLaunch: 1,
  },
  resources: [],

  install: () => Promise.resolve(),

  start: (site) => {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const autoscaler = new PlainAutoscaler({ runtime: site.runtime, kube: kubeOf(site), ec2: ec2Of(site), cluster: site.cluster });
    return { ready, done: autoscaler.run(resolve) };
  },

  applyPools: async (site, pools) => {
    await kubeOf(site).create(RESOURCES.configmaps, toConfigMap(groupsFor(pools, Object.keys(site.cluster.subnets))));
  },

  removePools: async (site, _pools, left) => {
    const zones = Object.keys(site.cluster.subnets);
    const ref = { type: RESOURCES.configmaps, ...CONFIG_MAP };
    if (left.length === 0) await kubeOf(site).delete(ref);
    else await kubeOf(site).patch(ref, { data: toConfigMap(groupsFor(left, zones)).data });
  },
};

function kubeOf({ kube, runtime }: TargetSite): KubeClient {
  return createKubeClient({ wire: kube, clock: runtime.clock });
}

function ec2Of({ aws, runtime, cluster }: TargetSite): ReturnType<typeof createEc2Client> {
  return createEc2Client({ wire: aws, clock: runtime.clock, random: runtime.random, region: cluster.region });
}
