import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { privateDnsName } from './addresses.ts';
import type { WorldPart } from '../tasks.ts';
import { drawId } from './ids.ts';
import type { InstanceStore } from './instance-store.ts';
import type { Instances } from './instances.ts';
import { lastAddressOf } from './network.ts';
import type { Subnet } from './network.ts';

/** The foreign instances, by their tags, each in a subnet of its own. */
export const FOREIGN_TAGS: readonly Readonly<Record<string, string>>[] = [
  // No cluster owns it.
  { Name: 'somebody-elses', team: 'elsewhere' },
  // A node of another cluster, which has an autoscaler of the same kind: only the cluster's name differs.
  {
    Name: 'default-x7k2p',
    'kubernetes.io/cluster/elsewhere': 'owned',
    'eks:eks-cluster-name': 'elsewhere',
    'karpenter.sh/nodepool': 'default',
    'karpenter.sh/nodeclaim': 'default-x7k2p',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
  },
];

interface ForeignInstanceParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly instances: Instances;
  readonly store: InstanceStore;
  readonly subnet: Subnet;
  readonly tags: Readonly<Record<string, string>>;
}

const TYPE = { instanceType: 'm5.large', architecture: 'x86_64', usdPerHour: 0.096 } as const;
const IMAGE_ID = 'ami-0fedcba9876543210';
/** Launched this long before the cluster was created. */
const AGE_MS = 30 * 24 * 3_600_000;

/**
 * A foreign on-demand instance in the same account and subnet: an account seldom belongs to one cluster alone. Every request
 * sees it, as DescribeInstances without filters does in reality. It took an address before anything else, and counts in no
 * capacity pool and no quota. For the world's own parts it does not exist. The history records what is done to it.
 */
export class ForeignInstance implements WorldPart {
  readonly #parts: ForeignInstanceParts;

  constructor(parts: ForeignInstanceParts) {
    this.#parts = parts;
  }

  run(): Promise<void> {
    const { clock, random, instances, store, subnet, tags } = this.#parts;
    // Nothing else gets the subnet's last address, even after this instance is terminated.
    store.holdAddresses(subnet.id, 1);
    const id = drawId(random, 'i');
    const place = { id, privateIp: lastAddressOf(subnet), zone: subnet.zone };
    const launchedAtMs = clock.nowMs() - AGE_MS;
    instances.add({
      ...TYPE,
      ...place,
      privateDnsName: privateDnsName(place),
      isForeign: true,
      sequence: 0,
      reservationId: drawId(random, 'r'),
      launchIndex: 0,
      imageId: IMAGE_ID,
      subnetId: subnet.id,
      capacityType: 'on-demand',
      state: 'running',
      launchedAtMs,
      runningAtMs: launchedAtMs,
      tags,
      userData: '',
      clientToken: '',
      template: {},
      partTags: {},
      isProtected: false,
    });
    return Promise.resolve();
  }
}
