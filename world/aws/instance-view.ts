import type { Instance as SdkInstance, InstanceState, Reservation, StateReason } from '@aws-sdk/client-ec2';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { defined } from '../../model/defined.ts';
import { ROOT_VOLUME } from '../../model/root-volume.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import { dnsNameOptions, hostnameTypeOf } from './hostnames.ts';
import { digestOf } from './ids.ts';
import { USER_INITIATED } from './instances.ts';
import type { InstanceRecord } from './instances.ts';
import { metadataOptionsOf } from './metadata-options.ts';
import { interfacesOf } from './network-interfaces.ts';
import { ACCOUNT_ID } from './operation.ts';
import type { Account } from './operation.ts';
import { toSdkType } from './sdk-types.ts';
import { groupsOf } from './security-groups.ts';
import { writeTags } from './tags.ts';
import { writeMappings } from './volumes.ts';
import { zoneIdOf } from './zones.ts';
import { wholeSecond } from './times.ts';

/** State codes. Source: InstanceState in the EC2 API reference. */
const STATE_CODES = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48, stopping: 64, stopped: 80 } as const;

export function writeState(state: InstanceRecord['state']): InstanceState {
  return { Code: STATE_CODES[state], Name: state };
}

const INSTANCE_ID = /^i-([0-9a-f]{8}|[0-9a-f]{17})$/;

/**
 * Instances by id, in that order, for a request that changes them.
 * @throws Ec2Refusal if an id is malformed or does not exist
 */
export function findInstances({ instances }: Account, ids: readonly string[], span: number): InstanceRecord[] {
  return find(ids, (id) => (instances.knows(id, span) ? instances.current(id) : undefined));
}

/** Instances by id, in that order, as a read sees them. @throws Ec2Refusal as `findInstances` */
export function readInstances({ instances }: Account, ids: readonly string[], span: number): InstanceRecord[] {
  return find(ids, (id) => instances.read(id, span));
}

function find(ids: readonly string[], get: (id: string) => InstanceRecord | undefined): InstanceRecord[] {
  const malformed = ids.find((id) => !INSTANCE_ID.test(id));
  if (malformed !== undefined) throw new Ec2Refusal('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
  const looked = ids.map((id) => ({ id, record: get(id) }));
  const found = looked.flatMap(({ record }) => record ?? []);
  if (found.length === ids.length) return found;
  const missing = looked.filter(({ record }) => record === undefined).map(({ id }) => id);
  const what =
    missing.length === 1 ? `The instance ID '${missing.join()}' does not exist` : `The instance IDs '${missing.join(', ')}' do not exist`;
  throw new Ec2Refusal('InvalidInstanceID.NotFound', what);
}

/** The name by which the network knows an instance; a terminated one no longer has any. */
export function dnsNameOf({ state, privateDnsName }: InstanceRecord): string {
  return state === 'terminated' ? '' : privateDnsName;
}

/** Instances as DescribeInstances lists them, grouped by reservation. @param records in the order of launch */
export function writeReservations(account: Account, records: readonly InstanceRecord[]): Reservation[] {
  const reservations = new Map<string, SdkInstance[]>();
  for (const record of records) {
    const instances = reservations.get(record.reservationId);
    const instance = describeInstance(account, record);
    if (instances === undefined) reservations.set(record.reservationId, [instance]);
    else instances.push(instance);
  }
  return [...reservations].map(([ReservationId, Instances]) => ({ ReservationId, OwnerId: ACCOUNT_ID, Groups: [], Instances }));
}

/** Descriptions by record, which never changes: a cluster's instances are listed again and again. */
const described = new WeakMap<InstanceRecord, SdkInstance>();

/** An instance in the SDK's shape, frozen, so that its XML is written once. */
export function describeInstance(account: Account, record: InstanceRecord): SdkInstance {
  const known = described.get(record) ?? deepFreeze(writeInstance(account, record));
  described.set(record, known);
  return known;
}

function writeInstance(account: Account, record: InstanceRecord): SdkInstance {
  const { template } = record;
  const isTerminated = record.state === 'terminated';
  const profile = template.IamInstanceProfile === undefined ? undefined : profileArn(template.IamInstanceProfile);
  return {
    AmiLaunchIndex: record.launchIndex,
    ImageId: record.imageId,
    InstanceId: record.id,
    InstanceType: toSdkType(record.instanceType),
    LaunchTime: wholeSecond(record.launchedAtMs),
    Monitoring: { State: template.Monitoring?.Enabled === true ? 'enabled' : 'disabled' },
    Placement: { AvailabilityZone: record.zone, AvailabilityZoneId: zoneIdOf(record.zone), GroupName: '', Tenancy: 'default' },
    PrivateDnsName: dnsNameOf(record),
    ProductCodes: [],
    PublicDnsName: '',
    State: writeState(record.state),
    StateTransitionReason: transitionReason(record),
    // A terminated instance has left its network.
    ...(isTerminated
      ? { SecurityGroups: [] }
      : {
          PrivateIpAddress: record.privateIp,
          PrivateDnsNameOptions: dnsNameOptions(hostnameTypeOf(record)),
          SubnetId: record.subnetId,
          VpcId: account.network.vpcId,
          SecurityGroups: groupsOf(account, record),
        }),
    Architecture: record.architecture,
    BlockDeviceMappings: writeMappings(account, record),
    ClientToken: record.clientToken,
    EbsOptimized: template.EbsOptimized ?? false,
    EnaSupport: true,
    // EC2 reports xen for nitro instances too.
    Hypervisor: 'xen',
    ...defined({ IamInstanceProfile: profile === undefined ? undefined : { Arn: profile, Id: profileIdOf(profile) } }),
    ...(record.capacityType === 'spot' ? { InstanceLifecycle: 'spot' as const, SpotInstanceRequestId: spotRequestId(record) } : {}),
    ...defined({ KeyName: template.KeyName }),
    NetworkInterfaces: interfacesOf(account, record),
    RootDeviceName: ROOT_VOLUME.device,
    RootDeviceType: 'ebs',
    SourceDestCheck: !isTerminated,
    ...defined({ StateReason: writeReason(record) }),
    Tags: writeTags(record.tags),
    VirtualizationType: 'hvm',
    ...writeOptions(account, record),
  };
}

/** The reason of a pending instance is just that. */
function writeReason({ state, stateReason }: InstanceRecord): StateReason | undefined {
  if (stateReason !== undefined) return { Code: stateReason.code, Message: stateReason.message };
  return state === 'pending' ? { Code: state, Message: state } : undefined;
}

/** What a launch may choose about an instance, and what nothing here chooses. */
function writeOptions({ catalogue }: Account, record: InstanceRecord): Partial<SdkInstance> {
  const { template } = record;
  const type = catalogue.types.get(record.instanceType);
  const threads = type?.details?.cpu.threadsPerCore ?? 1;
  const bootMode = record.architecture === 'arm64' ? 'uefi' : 'uefi-preferred';
  const isUefi = type?.details?.bootModes.includes('uefi') ?? record.architecture === 'arm64';
  return {
    ...defined({
      CpuOptions: template.CpuOptions ?? (type && { CoreCount: type.vcpu / threads, ThreadsPerCore: threads }),
    }),
    CapacityReservationSpecification: { CapacityReservationPreference: 'open' },
    HibernationOptions: { Configured: false },
    MetadataOptions: { State: record.state === 'pending' ? 'pending' : 'applied', ...metadataOptionsOf(record) },
    EnclaveOptions: { Enabled: template.EnclaveOptions?.Enabled ?? false },
    BootMode: bootMode,
    CurrentInstanceBootMode: isUefi ? 'uefi' : 'legacy-bios',
    PlatformDetails: 'Linux/UNIX',
    UsageOperation: 'RunInstances',
    UsageOperationUpdateTime: wholeSecond(record.launchedAtMs),
    MaintenanceOptions: { AutoRecovery: template.MaintenanceOptions?.AutoRecovery ?? 'default', RebootMigration: 'default' },
    NetworkPerformanceOptions: { BandwidthWeighting: template.NetworkPerformanceOptions?.BandwidthWeighting ?? 'default' },
    Operator: { Managed: false },
  };
}

/** Each spot instance fulfils a request of its own, whose id is derived from the instance's here. */
export function spotRequestId({ id }: InstanceRecord): string {
  return `sir-${id.slice(-8)}`;
}

function profileArn({ Arn, Name }: { Arn?: string | undefined; Name?: string | undefined }): string {
  return Arn ?? `arn:aws:iam::${ACCOUNT_ID}:instance-profile/${Name ?? ''}`;
}

/** IAM draws the ids of profiles, which EC2 does not know here: this one follows from the profile's name. */
function profileIdOf(arn: string): string {
  return `AIPA${digestOf(arn).slice(0, 17).toUpperCase()}`;
}

export function transitionReason({ stateReason, endingAtMs = 0 }: InstanceRecord): string {
  if (stateReason === undefined) return '';
  return stateReason.code === USER_INITIATED.code ? `User initiated (${formatGmt(endingAtMs)})` : stateReason.message;
}

/** `2026-01-02 03:04:05 GMT` */
function formatGmt(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} GMT`;
}
