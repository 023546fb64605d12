import type { RunInstancesRequest, Reservation } from '@aws-sdk/client-ec2';
import type { CapacityType, InstanceType } from '../../../model/catalogue.ts';
import { defined } from '../../../model/defined.ts';
import type { Effect } from '../../../model/operation.ts';
import { Ec2Refusal, invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { insufficientInstanceCapacity } from '../capacity-refusal.ts';
import type { Lease } from '../capacity.ts';
import { imageProblem } from '../images.ts';
import { writeReservations } from '../instance-view.ts';
import type { Launch } from '../instances.ts';
import { launchReservation } from '../launching.ts';
import { decodeUserData, versionOf } from '../launch-templates.ts';
import type { LaunchTemplate, TemplateData, TemplateVersion } from '../launch-templates.ts';
import type { Subnet } from '../network.ts';
import { outcome } from '../operation.ts';
import type { Account, Idempotency, Outcome } from '../operation.ts';
import { offeringAt, reportFired } from '../room.ts';
import { rootVolumeProblem } from '../root-volume.ts';
import { launchPartTags, launchTags } from '../tags.ts';
import type { PartTags, Tags } from '../tags.ts';

/** Members of a request that a template can also set; the request's take precedence. */
const SHARED = [
  'BlockDeviceMappings',
  'CpuOptions',
  'DisableApiStop',
  'DisableApiTermination',
  'EbsOptimized',
  'EnclaveOptions',
  'IamInstanceProfile',
  'ImageId',
  'InstanceInitiatedShutdownBehavior',
  'InstanceType',
  'KeyName',
  'MaintenanceOptions',
  'MetadataOptions',
  'Monitoring',
  'NetworkInterfaces',
  'NetworkPerformanceOptions',
  'SecurityGroupIds',
  'UserData',
] as const satisfies readonly (keyof RunInstancesRequest & keyof TemplateData)[];

/** What to launch, read from request and template. */
interface Order {
  readonly type: InstanceType;
  readonly capacityType: CapacityType;
  /** The allowed subnets; EC2 chooses if there are several. */
  readonly subnets: readonly Subnet[];
  readonly data: TemplateData;
  readonly tags: Tags;
  readonly partTags: PartTags;
  readonly min: number;
  readonly max: number;
}

/**
 * Launches up to MaxCount instances in one zone, or none if there is no room for MinCount of them. Without a subnet or zone
 * they go where most capacity is, as if the cluster's subnets were the default ones.
 */
export async function runInstances(account: Account, request: RunInstancesRequest, { span }: Caller): Promise<Outcome> {
  const order = readOrder(account, request, span);
  const { type, capacityType } = order;
  const { subnet, leases } = takeRoom(account, order, span);
  const usdPerHour = account.market.usdPerHour(type, offeringAt({ type, subnet, capacityType }), account.clock.nowMs());
  const launch = (lease: Lease): Omit<Launch, 'reservationId' | 'launchIndex'> => ({
    type,
    subnet,
    capacityType,
    usdPerHour,
    imageId: order.data.ImageId ?? '',
    template: order.data,
    userData: decodeUserData(order.data),
    tags: order.tags,
    partTags: order.partTags,
    clientToken: request.ClientToken ?? '',
    isProtected: order.data.DisableApiTermination === true,
    lease,
    span,
  });
  const { records, refusals } = await launchReservation(account, leases.map(launch));
  const [refusal] = refusals;
  if (records.length < order.min && refusal !== undefined) {
    for (const { id } of records) account.instances.terminate(id, span);
    throw refusal;
  }
  const [reservation] = writeReservations(account, records);
  const output: Reservation = reservation ?? {};
  return outcome(
    output,
    records.map(({ id }) => id),
  );
}

/**
 * The scope of a token is the zone, if the request names one: the same token in another zone launches again. A token whose
 * instances have all been terminated can't be used again. Sources: "Ensuring idempotency in Amazon EC2 API requests"; the
 * answer quoted in boto/boto3#4406.
 */
export const RUN_IDEMPOTENCY: Idempotency = {
  scopeOf: (account, request: RunInstancesRequest, span) => {
    const { zone, subnetId } = placeNamed(request, readTemplate(account, request, span)?.version.data ?? {});
    return zone ?? account.network.subnets.find(({ id }) => id === subnetId)?.zone ?? 'the region';
  },
  checkReplay: ({ instances }, effect: Effect) => {
    const ids = effect.kind === 'applied' ? effect.ids : [];
    const isOver = ids.length > 0 && ids.every((id) => (instances.get(id)?.state ?? 'terminated') === 'terminated');
    if (!isOver) return;
    const message = 'The client token you have provided is associated with a terminated instance. Please use a different client token.';
    throw new Ec2Refusal('IdempotentInstanceTerminated', message);
  },
};

function readTemplate(
  { templates }: Account,
  { LaunchTemplate: named }: RunInstancesRequest,
  span: number,
): { readonly template: LaunchTemplate; readonly version: TemplateVersion } | undefined {
  if (named === undefined) return undefined;
  const template = templates.find(named, span);
  return { template, version: versionOf(template, named.Version ?? '$Default') };
}

function readOrder(account: Account, request: RunInstancesRequest, span: number): Order {
  const { MinCount: min, MaxCount: max } = request;
  if (min === undefined) throw missingParameter('MinCount');
  if (max === undefined) throw missingParameter('MaxCount');
  if (!(Number.isInteger(min) && min >= 1))
    throw invalidValue(`Value ( ${min} ) for parameter minCount is invalid. Expecting a positive integer.`);
  if (!(Number.isInteger(max) && max >= min)) {
    throw invalidValue(`Invalid value '${max}' for MaxCount: it must not be less than MinCount ('${min}')`);
  }
  const found = readTemplate(account, request, span);
  const own = Object.fromEntries(SHARED.flatMap((key) => (request[key] === undefined ? [] : [[key, request[key]]]))) as TemplateData;
  const data: TemplateData = { ...found?.version.data, ...own };
  if (data.ImageId === undefined) throw missingParameter('ImageId');
  // EC2's own default is a type that hardly anyone wants; nothing here relies on it.
  if (data.InstanceType === undefined) throw missingParameter('InstanceType');
  const type = account.catalogue.types.get(data.InstanceType);
  if (type === undefined) throw invalidValue(`Invalid value '${data.InstanceType}' for InstanceType.`);
  const problem = imageProblem(account.cluster, data.ImageId, type) ?? rootVolumeProblem(data, data.ImageId);
  if (problem !== undefined) throw problem;
  const capacityType = readMarket(account, request, found?.version.data, type);
  return {
    type,
    capacityType,
    subnets: readSubnets(account, request, found?.version.data ?? {}, type),
    data,
    tags: {
      ...launchTags(found?.version.data.TagSpecifications, 'instance'),
      ...launchTags(request.TagSpecifications, 'instance'),
      ...defined({
        'aws:ec2launchtemplate:id': found?.template.id,
        'aws:ec2launchtemplate:version': found?.version.number.toString(),
      }),
    },
    partTags: launchPartTags(found?.version.data.TagSpecifications, request.TagSpecifications),
    min,
    max,
  };
}

/** Spot or not, with a check of the caller's maximum price. */
function readMarket(account: Account, request: RunInstancesRequest, template: TemplateData | undefined, type: InstanceType): CapacityType {
  const options = request.InstanceMarketOptions ?? template?.InstanceMarketOptions;
  const market = options?.MarketType;
  if (market !== undefined && market !== 'spot') {
    throw new Ec2Refusal('UnsupportedOperation', `This world does not emulate the market type ${market}`);
  }
  if (options?.SpotOptions?.SpotInstanceType === 'persistent') {
    throw new Ec2Refusal('UnsupportedOperation', 'This world does not emulate persistent Spot Instance requests');
  }
  const capacityType = market === 'spot' ? 'spot' : 'on-demand';
  if (!type.usageClasses.includes(capacityType)) {
    const message = 'The requested configuration is currently not supported. Please check the documentation for supported configurations.';
    throw new Ec2Refusal('Unsupported', message);
  }
  const most = Number(options?.SpotOptions?.MaxPrice ?? Infinity);
  if (Number.isNaN(most)) throw invalidValue(`Invalid value '${options?.SpotOptions?.MaxPrice}' for MaxPrice`);
  const least = Math.min(...type.zones.map((zone) => account.market.spotPrice(type, zone, account.clock.nowMs()).usdPerHour));
  if (capacityType === 'spot' && most < least) {
    const message = `Your Spot request price of ${most} is lower than the minimum required Spot request fulfillment price of ${least}.`;
    throw new Ec2Refusal('SpotMaxPriceTooLow', message);
  }
  return capacityType;
}

function placeNamed(
  request: RunInstancesRequest,
  template: TemplateData,
): { readonly subnetId: string | undefined; readonly zone: string | undefined } {
  const [ownInterface] = request.NetworkInterfaces ?? [];
  const [templateInterface] = template.NetworkInterfaces ?? [];
  return {
    subnetId: request.SubnetId ?? ownInterface?.SubnetId ?? templateInterface?.SubnetId,
    zone: request.Placement?.AvailabilityZone ?? template.Placement?.AvailabilityZone,
  };
}

function readSubnets({ network }: Account, request: RunInstancesRequest, template: TemplateData, type: InstanceType): readonly Subnet[] {
  const { subnetId, zone } = placeNamed(request, template);
  const named = network.subnets.filter(({ id }) => subnetId === undefined || id === subnetId);
  if (named.length === 0) throw new Ec2Refusal('InvalidSubnetID.NotFound', `The subnet ID '${subnetId}' does not exist`);
  const inZone = named.filter((subnet) => zone === undefined || subnet.zone === zone);
  if (inZone.length === 0) {
    throw subnetId === undefined
      ? invalidValue(`Invalid availability zone: [${zone}]`)
      : invalidValue(`The specified subnet '${subnetId}' is not in the Availability Zone '${zone}'`);
  }
  const offered = inZone.filter((subnet) => type.zones.includes(subnet.zone));
  if (offered.length > 0) return offered;
  const where = inZone.map((subnet) => subnet.zone).join(', ');
  throw new Ec2Refusal(
    'Unsupported',
    `Your requested instance type (${type.type}) is not supported in your requested Availability Zone (${where}). Please retry your request by not specifying an Availability Zone or choosing ${type.zones.join(', ')}.`,
  );
}

/** Room for as many as possible, in the first subnet that has room for enough. */
function takeRoom(account: Account, order: Order, span: number): { readonly subnet: Subnet; readonly leases: readonly Lease[] } {
  const { type, capacityType } = order;
  const freeIn = (subnet: Subnet): number => account.capacity.free(offeringAt({ type, subnet, capacityType }));
  const subnets = [...order.subnets].sort((a, b) => freeIn(b) - freeIn(a));
  let refusal: Ec2Refusal | undefined;
  for (const subnet of subnets) {
    const place = { type, subnet, capacityType };
    const leases: Lease[] = [];
    while (leases.length < order.max) {
      const room = account.room.take(place, leases.length);
      if ('kind' in room) {
        reportFired([room], span);
        refusal ??= room.kind === 'capacity' ? insufficientInstanceCapacity(account, place) : room.refusal;
        break;
      }
      leases.push(room);
    }
    if (leases.length >= order.min) return { subnet, leases };
    for (const lease of leases) lease.undo();
  }
  throw refusal ?? new RangeError('there must be a subnet to try');
}
