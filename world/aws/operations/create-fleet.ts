import type { CreateFleetError, CreateFleetInstance, CreateFleetRequest, CreateFleetResult } from '@aws-sdk/client-ec2';
import type { CapacityType } from '../../../model/catalogue.ts';
import { defined } from '../../../model/defined.ts';
import type { Caller } from '../../../wire/backend.ts';
import { fleetErrors, nameSpecification } from '../fleet/errors.ts';
import { readOrder } from '../fleet/order.ts';
import { launchOf, planOf } from '../fleet/launch.ts';
import type { FleetLaunch } from '../fleet/launch.ts';
import type { Taken } from '../fleet/plan.ts';
import { drawUuid } from '../ids.ts';
import { launchReservation } from '../launching.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { reportFired } from '../room.ts';
import { launchTags } from '../tags.ts';
import { toSdkType } from '../sdk-types.ts';

interface Launched {
  readonly instances: readonly CreateFleetInstance[];
  readonly errors: readonly CreateFleetError[];
}

/** Launches a fleet of type instant once, and answers with the result at once. */
export async function createFleet(account: Account, request: CreateFleetRequest, caller: Caller): Promise<Outcome> {
  const parts = readOrder(account, request, caller.span);
  const id = `fleet-${drawUuid(account.random)}`;
  const fleet: FleetLaunch = {
    tags: { ...launchTags(request.TagSpecifications, 'instance'), 'aws:ec2:fleet-id': id },
    ...defined({ tagSpecifications: request.TagSpecifications }),
    clientToken: request.ClientToken ?? '',
    span: caller.span,
  };
  // Room is taken and errors are determined for all parts before the first launch, so concurrent requests do not change them.
  const plans = parts.map((part) => {
    const plan = planOf(account, part);
    return { part, plan, errors: fleetErrors(account.capacity, part, plan) };
  });
  reportFired(
    plans.flatMap(({ plan }) => plan.tried.map(({ shortage }) => shortage)),
    caller.span,
  );
  const instances: CreateFleetInstance[] = [];
  const errors: CreateFleetError[] = [];
  for (const { part, plan, errors: planned } of plans) {
    const launched = await launchAll(account, fleet, part.capacityType, plan.taken);
    instances.push(...launched.instances);
    errors.push(...planned, ...launched.errors);
  }
  const output: CreateFleetResult = { FleetId: id, Errors: errors, Instances: instances };
  account.fleets.add({ id, request, createdAtMs: account.clock.nowMs(), errors, instances });
  return outcome(
    output,
    instances.flatMap(({ InstanceIds = [] }) => InstanceIds),
  );
}

/** Launches instances pool by pool, in the order in which pools were chosen; each pool is one reservation. */
async function launchAll(account: Account, fleet: FleetLaunch, capacityType: CapacityType, taken: readonly Taken[]): Promise<Launched> {
  const instances: CreateFleetInstance[] = [];
  const errors: CreateFleetError[] = [];
  for (const pool of new Set(taken.map((one) => one.pool))) {
    const { records, refusals } = await launchReservation(
      account,
      taken.filter((one) => one.pool === pool).map((one) => launchOf(fleet, capacityType, one)),
    );
    for (const { code, message } of refusals) {
      errors.push({ ...nameSpecification(pool, capacityType), ErrorCode: code, ErrorMessage: message });
    }
    if (records.length === 0) continue;
    instances.push({
      ...nameSpecification(pool, capacityType),
      InstanceIds: records.map(({ id }) => id),
      InstanceType: toSdkType(pool.type.type),
    });
  }
  return { instances, errors };
}
