import type { TagSpecification } from '@aws-sdk/client-ec2';
import type { CapacityType, Offering } from '../../../model/catalogue.ts';
import { defined } from '../../../model/defined.ts';
import { decodeUserData } from '../launch-templates.ts';
import type { Launch } from '../instances.ts';
import type { Account } from '../operation.ts';
import { launchPartTags, launchTags } from '../tags.ts';
import type { Tags } from '../tags.ts';
import type { FleetPart } from './order.ts';
import { planPart } from './plan.ts';
import type { FleetPlan, Taken } from './plan.ts';
import type { FleetPool } from './pool.ts';

/** What all instances of one fleet share. */
export interface FleetLaunch {
  /** In addition to those of the launch template. */
  readonly tags: Tags;
  readonly tagSpecifications?: readonly TagSpecification[];
  readonly clientToken: string;
  /** Of the request behind it, if any. */
  readonly span?: number;
}

/** Takes room for one part of a fleet, at the market's prices. */
export function planOf(account: Account, part: FleetPart): FleetPlan {
  const { capacity, clock, market, room } = account;
  const site = {
    capacity,
    room,
    usdPerHour: (pool: FleetPool, offering: Offering) => market.usdPerHour(pool.type, offering, clock.nowMs()),
  };
  return planPart(site, part);
}

/** The launch of one instance in the room that was taken for it. */
export function launchOf(
  fleet: FleetLaunch,
  capacityType: CapacityType,
  { pool, usdPerHour, lease }: Taken,
): Omit<Launch, 'reservationId' | 'launchIndex'> {
  const { type, subnet, template, version, override } = pool;
  return {
    type,
    subnet,
    capacityType,
    usdPerHour,
    imageId: override.ImageId ?? version.data.ImageId ?? '',
    template: version.data,
    userData: decodeUserData(version.data),
    tags: {
      ...launchTags(version.data.TagSpecifications, 'instance'),
      ...fleet.tags,
      'aws:ec2launchtemplate:id': template.id,
      'aws:ec2launchtemplate:version': String(version.number),
    },
    partTags: launchPartTags(version.data.TagSpecifications, fleet.tagSpecifications),
    clientToken: fleet.clientToken,
    isProtected: version.data.DisableApiTermination === true,
    lease,
    ...defined({ span: fleet.span }),
  };
}
