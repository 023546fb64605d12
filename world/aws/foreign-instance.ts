import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { privateDnsName } from '../nodes/addresses.ts';
import type { WorldPart } from '../tasks.ts';
import { drawId } from './ids.ts';
import type { InstanceStore } from './instance-store.ts';
import type { Instances } from './instances.ts';
import { lastAddressOf } from './network.ts';
import type { Subnet } from './network.ts';

/** Somebody else's tags: nothing in them says that a cluster owns it. */
export const FOREIGN_TAGS = { Name: 'somebody-elses', team: 'elsewhere' } as const;

const TYPE = { instanceType: 'm5.large', architecture: 'x86_64', usdPerHour: 0.096 } as const;
const IMAGE_ID = 'ami-0fedcba9876543210';
/** It was launched so long before the cluster came. */
const AGE_MS = 30 * 24 * 3_600_000;

/**
 * An on-demand instance of somebody else, in the same account and subnet: accounts are seldom one cluster's alone. Every
 * request sees it, as DescribeInstances without filters does outside; it has taken an address before anybody else, and
 * counts in no pool of capacity and no quota. To the world's own parts it does not exist. The history tells what is
 * done to it.
 */
export class ForeignInstance implements WorldPart {
  readonly #parts: { clock: Clock; random: Random; instances: Instances; store: InstanceStore; subnet: Subnet };

  constructor(parts: { clock: Clock; random: Random; instances: Instances; store: InstanceStore; subnet: Subnet }) {
    this.#parts = parts;
  }

  run(): Promise<void> {
    const { clock, random, instances, store, subnet } = this.#parts;
    // Nobody else gets the subnet's last address, also when this instance has ended.
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
      tags: FOREIGN_TAGS,
      userData: '',
      clientToken: '',
      template: {},
      isProtected: false,
    });
    return Promise.resolve();
  }
}
