import type { CreateFleetError, CreateFleetInstance, CreateFleetRequest, CreateFleetResult } from '@aws-sdk/client-ec2';
import type { CapacityType, Offering } from '../../../model/catalogue.ts';
import type { Caller } from '../../../wire/backend.ts';
import { fleetErrors, nameSpecification } from '../fleet/errors.ts';
import { readOrder } from '../fleet/order.ts';
import type { FleetPart } from '../fleet/order.ts';
import type { FleetPool } from '../fleet/pool.ts';
import { planPart } from '../fleet/plan.ts';
import type { FleetPlan, Taken } from '../fleet/plan.ts';
import { drawUuid } from '../ids.ts';
import { launchReservation } from '../launching.ts';
import { decodeUserData } from '../launch-templates.ts';
import type { Launch } from '../instances.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { reportFired } from '../room.ts';
import { launchPartTags, launchTags } from '../tags.ts';
import type { Tags } from '../tags.ts';
import { toSdkType } from '../sdk-types.ts';

/** What all instances of one fleet share. */
interface Fleet {
  readonly id: string;
  readonly tags: Tags;
  readonly tagSpecifications: CreateFleetRequest['TagSpecifications'];
  readonly clientToken: string;
  readonly span: number;
}

interface Launched {
  readonly instances: readonly CreateFleetInstance[];
  readonly errors: readonly CreateFleetError[];
}

/** Launches a fleet of type instant once, and answers with the result at once. */
export async function createFleet(account: Account, request: CreateFleetRequest, caller: Caller): Promise<Outcome> {
  const parts = readOrder(account, request, caller.span);
  const fleet: Fleet = {
    id: `fleet-${drawUuid(account.random)}`,
    tags: launchTags(request.TagSpecifications, 'instance'),
    tagSpecifications: request.TagSpecifications,
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
  const output: CreateFleetResult = { FleetId: fleet.id, Errors: errors, Instances: instances };
  account.fleets.add({ id: fleet.id, request, createdAtMs: account.clock.nowMs(), errors, instances });
  return outcome(
    output,
    instances.flatMap(({ InstanceIds = [] }) => InstanceIds),
  );
}

function planOf(account: Account, part: FleetPart): FleetPlan {
  const { capacity, clock, market, room } = account;
  const site = {
    capacity,
    room,
    usdPerHour: (pool: FleetPool, offering: Offering) => market.usdPerHour(pool.type, offering, clock.nowMs()),
  };
  return planPart(site, part);
}

/** Launches instances pool by pool, in the order in which pools were chosen; each pool is one reservation. */
async function launchAll(account: Account, fleet: Fleet, capacityType: CapacityType, taken: readonly Taken[]): Promise<Launched> {
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

function launchOf(
  fleet: Fleet,
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
      'aws:ec2:fleet-id': fleet.id,
      'aws:ec2launchtemplate:id': template.id,
      'aws:ec2launchtemplate:version': String(version.number),
    },
    partTags: launchPartTags(version.data.TagSpecifications, fleet.tagSpecifications),
    clientToken: fleet.clientToken,
    isProtected: version.data.DisableApiTermination === true,
    lease,
    span: fleet.span,
  };
}
