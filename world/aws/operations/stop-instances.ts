import type { StartInstancesRequest, StartInstancesResult, StopInstancesRequest, StopInstancesResult } from '@aws-sdk/client-ec2';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { insufficientInstanceCapacity } from '../capacity-refusal.ts';
import { findInstances } from '../instance-view.ts';
import { USER_INITIATED } from '../instances.ts';
import type { InstanceRecord } from '../instances.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { reportFired } from '../room.ts';
import type { Place } from '../room.ts';
import { changedIds, namedIds, writeChanges } from './terminate-instances.ts';

/** Stops running instances. One that can't be stopped fails the whole request; stopping one again is not an error. */
export function stopInstances(account: Account, { InstanceIds }: StopInstancesRequest, { span }: Caller): Outcome {
  const asked = findInstances(account, namedIds(InstanceIds, 'stopped'), span);
  for (const instance of asked) checkStoppable(instance);
  const changes = asked.map((before) => ({ before, after: account.instances.stop(before.id, USER_INITIATED, span) ?? before }));
  const output: StopInstancesResult = { StoppingInstances: writeChanges(changes) };
  return outcome(output, changedIds(changes));
}

/** Starts stopped instances; starting a running one is not an error. All of them get room, or none is started. */
export function startInstances(account: Account, { InstanceIds }: StartInstancesRequest, { span }: Caller): Outcome {
  const asked = findInstances(account, namedIds(InstanceIds, 'started'), span);
  const wrong = asked.find(({ state }) => !['pending', 'running', 'stopped'].includes(state));
  if (wrong !== undefined) throw incorrectState(wrong, 'started');
  const leases = new Map<string, { undo(): void; release(): void }>();
  for (const instance of asked.filter(({ state }) => state === 'stopped')) {
    const place = placeOf(account, instance);
    const room = account.room.take(place, -1);
    if (!('kind' in room)) {
      leases.set(instance.id, room);
      continue;
    }
    for (const lease of leases.values()) lease.undo();
    reportFired([room], span);
    throw room.kind === 'capacity' ? insufficientInstanceCapacity(account, place) : room.refusal;
  }
  const changes = asked.map((before) => {
    const lease = leases.get(before.id);
    return { before, after: (lease === undefined ? undefined : account.instances.start(before.id, lease, span)) ?? before };
  });
  const output: StartInstancesResult = { StartingInstances: writeChanges(changes) };
  return outcome(output, changedIds(changes));
}

/** Spot instances here belong to one-time requests, like those of instant fleets. */
function checkStoppable(instance: InstanceRecord): void {
  if (instance.capacityType === 'spot') {
    const message = `You can't stop the Spot Instance '${instance.id}' because it is associated with a one-time Spot Instance request. You can only stop Spot Instances associated with persistent Spot Instance requests.`;
    throw new Ec2Refusal('UnsupportedOperation', message);
  }
  if (!['pending', 'running', 'stopping', 'stopped'].includes(instance.state)) throw incorrectState(instance, 'stopped');
}

function incorrectState({ id }: InstanceRecord, what: string): Ec2Refusal {
  return new Ec2Refusal('IncorrectInstanceState', `The instance '${id}' is not in a state from which it can be ${what}.`);
}

/** A stopped instance has kept its address. */
function placeOf({ catalogue, network }: Account, { instanceType, subnetId, capacityType }: InstanceRecord): Place {
  const type = catalogue.types.get(instanceType);
  const subnet = network.subnets.find(({ id }) => id === subnetId);
  if (type === undefined || subnet === undefined) throw new RangeError(`an instance of ${instanceType} in ${subnetId} can't exist`);
  return { type, subnet, capacityType };
}
