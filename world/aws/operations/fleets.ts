import type {
  DeleteFleetErrorItem,
  DeleteFleetSuccessItem,
  DeleteFleetsRequest,
  DeleteFleetsResult,
  DescribeFleetsRequest,
  DescribeFleetsResult,
  FleetData,
} from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { FleetRecord } from '../fleets.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { wholeSecond } from '../times.ts';

const FLEET_ID = /^fleet-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Describes fleets by id: EC2 lists fleets of type instant only if the request names them. Source: DescribeFleets. */
export function describeFleets({ fleets }: Account, { FleetIds: ids = [] }: DescribeFleetsRequest): DescribeFleetsResult {
  const found = ids.map((id) => {
    const fleet = fleets.get(id);
    if (fleet === undefined) throw notFound(id);
    return fleet;
  });
  return { Fleets: found.map(writeFleet) };
}

/** Deletes fleets together with their instances, which can't be kept for type instant. Source: DeleteFleets. */
export function deleteFleets(account: Account, request: DeleteFleetsRequest, { span }: Caller): Outcome {
  const { FleetIds: ids = [], TerminateInstances: isEnding } = request;
  if (ids.length === 0) throw missingParameter('FleetId');
  if (isEnding === undefined) throw missingParameter('TerminateInstances');
  if (!isEnding) {
    throw new Ec2Refusal('InvalidParameterValue', 'Deleting an instant fleet without terminating its instances is not supported');
  }
  const failed: DeleteFleetErrorItem[] = [];
  const deleted: DeleteFleetSuccessItem[] = [];
  const changed: string[] = [];
  for (const id of ids) {
    const fleet = account.fleets.get(id);
    if (fleet === undefined) {
      const { code, message } = notFound(id);
      const known = code === 'InvalidFleetId.NotFound' ? 'fleetIdDoesNotExist' : 'fleetIdMalformed';
      failed.push({ FleetId: id, Error: { Code: known, Message: message } });
      continue;
    }
    const instances = fleet.instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
    for (const instance of instances) account.instances.terminate(instance, span);
    account.fleets.delete(id);
    deleted.push({ FleetId: id, CurrentFleetState: 'deleted_terminating', PreviousFleetState: 'active' });
    changed.push(id, ...instances);
  }
  const output: DeleteFleetsResult = { SuccessfulFleetDeletions: deleted, UnsuccessfulFleetDeletions: failed };
  return outcome(output, changed);
}

function notFound(id: string): Ec2Refusal {
  return FLEET_ID.test(id)
    ? new Ec2Refusal('InvalidFleetId.NotFound', `The fleet ID '${id}' does not exist`)
    : new Ec2Refusal('InvalidFleetId.Malformed', `The fleet ID '${id}' is malformed`);
}

function writeFleet({ id, request, createdAtMs, instances, errors }: FleetRecord): FleetData {
  return {
    FleetId: id,
    FleetState: 'active',
    ActivityStatus: errors.length > 0 && instances.length === 0 ? 'error' : 'fulfilled',
    CreateTime: wholeSecond(createdAtMs),
    ...defined({ ClientToken: request.ClientToken }),
    FulfilledCapacity: instances.flatMap(({ InstanceIds = [] }) => InstanceIds).length,
    Type: 'instant',
    TargetCapacitySpecification: request.TargetCapacitySpecification,
    Errors: [...errors],
    Instances: [...instances],
  };
}
