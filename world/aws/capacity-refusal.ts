import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { Account } from './operation.ts';
import { offeringAt } from './room.ts';
import type { Place } from './room.ts';

const STATUS = 500;

/**
 * What RunInstances and StartInstances answer when a pool is empty: a server error, so SDKs retry. For on-demand capacity it
 * names the zones that still have some, as EC2 does. Source: an answer quoted in openshift/installer#7088.
 */
export function insufficientInstanceCapacity({ capacity, catalogue }: Account, place: Place): Ec2Refusal {
  const { type, subnet, capacityType } = place;
  if (capacityType === 'spot') {
    return new Ec2Refusal('InsufficientInstanceCapacity', 'There is no Spot capacity available that matches your request.', STATUS);
  }
  const others = catalogue.zones.filter((zone) => {
    const offering = { ...offeringAt(place), zone };
    return zone !== subnet.zone && type.zones.includes(zone) && capacity.free(offering) > 0 && capacity.limitsOn(offering).length === 0;
  });
  const choice = others.length === 0 ? '' : ` or choosing ${others.join(', ')}`;
  const message =
    `We currently do not have sufficient ${type.type} capacity in the Availability Zone you requested (${subnet.zone}). ` +
    'Our system will be working on provisioning additional capacity. ' +
    `You can currently get ${type.type} capacity by not specifying an Availability Zone in your request${choice}.`;
  return new Ec2Refusal('InsufficientInstanceCapacity', message, STATUS);
}
