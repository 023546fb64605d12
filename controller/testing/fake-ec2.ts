import type { CreateFleetCommandOutput, Instance, InstanceTypeInfo, LaunchTemplate, Tag } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { Offering } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { FleetRequest } from '../launch/attempt.ts';
import { countOf, offeringsOf } from '../launch/fleet-request.ts';

/** For this long after a launch, reads of the fake EC2 don't show the instance. */
const STALE_MS = 5_000;
/** From the request to terminate until the instance is terminated. */
const END_MS = 3_000;

interface FakeInstance {
  readonly id: string;
  readonly offering: Offering;
  readonly launchedAtMs: number;
  readonly tags: readonly Tag[];
  endedAtMs?: number;
}

interface UsedToken {
  readonly input: string;
  readonly output: CreateFleetCommandOutput;
}

/**
 * An EC2 with a few types for tests of the launch protocol: client tokens, stale reads, and capacity that can be removed. Its state
 * outlives its clients.
 */
export class FakeEc2 {
  readonly instances: FakeInstance[] = [];
  readonly templates = new Map<string, Tag[]>();
  /** Inputs of the fleets that took effect, in order. */
  readonly fleets: FleetRequest[] = [];
  /** All requests for fleets, repetitions and refused ones included. */
  requests = 0;
  /** Refuses requests for fleets. */
  refuse: () => Ec2Error | undefined = () => undefined;
  /** Asked for each instance of a fleet. */
  hasCapacity: (offering: Offering) => boolean = () => true;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, UsedToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  live(): FakeInstance[] {
    return this.instances.filter((instance) => instance.endedAtMs === undefined);
  }

  createFleet(input: Parameters<Ec2Client['createFleet']>[0]): CreateFleetCommandOutput {
    const { ClientToken: token, ...request } = input;
    this.requests += 1;
    const refusal = this.refuse();
    if (refusal !== undefined) throw refusal;
    const text = JSON.stringify(request);
    const used = this.#tokens.get(token);
    if (used !== undefined) {
      if (used.input !== text) throw new Ec2Error('IdempotentParameterMismatch', 400, 'the token was used with other parameters');
      return used.output;
    }
    for (const { LaunchTemplateSpecification: template } of request.LaunchTemplateConfigs ?? []) {
      if (this.templates.has(template?.LaunchTemplateName ?? '')) continue;
      throw new Ec2Error('InvalidLaunchTemplateName.NotFoundException', 400, 'there is no such template');
    }
    const output = this.#launch(request);
    this.#tokens.set(token, { input: text, output });
    return output;
  }

  #launch(request: FleetRequest): CreateFleetCommandOutput {
    this.fleets.push(request);
    const asked = offeringsOf(request);
    const tags = request.TagSpecifications?.find(({ ResourceType }) => ResourceType === 'instance')?.Tags ?? [];
    const named = { InstanceType: asked[0]?.instanceType, AvailabilityZone: asked[0]?.zone } as object;
    const launched = [];
    for (let missing = countOf(request); missing > 0; missing -= 1) {
      const offering = asked.find((one) => this.hasCapacity(one));
      if (offering === undefined) break;
      const id = `i-${String(this.instances.length + 1).padStart(17, '0')}`;
      this.instances.push({ id, offering, tags, launchedAtMs: this.#clock.nowMs() });
      const overrides = { InstanceType: offering.instanceType, AvailabilityZone: offering.zone } as object;
      launched.push({ InstanceIds: [id], LaunchTemplateAndOverrides: { Overrides: overrides } });
    }
    const error = { ErrorCode: 'InsufficientInstanceCapacity', LaunchTemplateAndOverrides: { Overrides: named } };
    // In another order than that of the ids.
    return { $metadata: {}, Errors: launched.length < countOf(request) ? [error] : [], Instances: launched.reverse() };
  }

  terminate(ids: readonly string[]): void {
    for (const id of ids) {
      const instance = this.instances.find((one) => one.id === id);
      if (instance === undefined) throw new Ec2Error('InvalidInstanceID.NotFound', 400, `there is no ${id}`);
      instance.endedAtMs ??= this.#clock.nowMs();
    }
  }

  describe(filters: readonly { Name?: string | undefined; Values?: string[] | undefined }[]): Instance[] {
    const nowMs = this.#clock.nowMs();
    return this.instances
      .filter((instance) => nowMs - instance.launchedAtMs >= STALE_MS)
      .map((instance) => toInstance(instance, nowMs))
      .filter((instance) =>
        filters.every(({ Name, Values = [] }) => valuesOf(instance, Name ?? '').some((value) => Values.includes(value))),
      );
  }
}

function toInstance({ id, offering, tags, launchedAtMs, endedAtMs }: FakeInstance, nowMs: number): Instance {
  const state = endedAtMs === undefined ? 'running' : nowMs - endedAtMs < END_MS ? 'shutting-down' : 'terminated';
  return {
    InstanceId: id,
    InstanceType: offering.instanceType as NonNullable<Instance['InstanceType']>,
    Placement: { AvailabilityZone: offering.zone },
    LaunchTime: new Date(launchedAtMs),
    State: { Name: state },
    Tags: [...tags],
  };
}

function valuesOf(instance: Instance, filter: string): string[] {
  if (filter === 'instance-id') return [instance.InstanceId ?? ''];
  if (filter === 'instance-state-name') return [instance.State?.Name ?? ''];
  if (filter === 'tag-key') return (instance.Tags ?? []).map(({ Key }) => Key ?? '');
  return (instance.Tags ?? []).filter(({ Key }) => filter === `tag:${Key ?? ''}`).map(({ Value }) => Value ?? '');
}

/** What stands between a client and the fake: it may lose an answer, or never return. */
export type Interceptor = <T>(name: string, mutating: boolean, work: () => T) => Promise<T>;

/** A client of the fake. */
export function fakeEc2Client(ec2: FakeEc2, zones: readonly string[], pass: Interceptor): Ec2Client {
  const types: InstanceTypeInfo[] = ['m5.large', 'm5.xlarge', 'm5.2xlarge'].map((name, index) => ({
    InstanceType: name as NonNullable<InstanceTypeInfo['InstanceType']>,
    VCpuInfo: { DefaultVCpus: 2 ** (index + 1) },
    MemoryInfo: { SizeInMiB: 8_192 * 2 ** index },
    ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
    NetworkInfo: { MaximumNetworkInterfaces: 3, Ipv4AddressesPerInterface: 10 },
    SupportedUsageClasses: ['spot', 'on-demand'],
  }));
  return {
    createFleet: (input) => pass('CreateFleet', true, () => ec2.createFleet(input)),
    terminateInstances: (ids) => pass('TerminateInstances', true, () => ec2.terminate(ids)),
    describeInstances: ({ Filters = [] }) => pass('DescribeInstances', false, () => ec2.describe(Filters)),
    describeInstanceTypes: () => pass('DescribeInstanceTypes', false, () => types),
    describeInstanceTypeOfferings: () =>
      pass('DescribeInstanceTypeOfferings', false, () =>
        zones.flatMap((Location) => types.map(({ InstanceType }) => ({ Location, ...defined({ InstanceType }) }))),
      ),
    describeSpotPriceHistory: () => pass('DescribeSpotPriceHistory', false, () => []),
    describeLaunchTemplates: () =>
      pass('DescribeLaunchTemplates', false, () => [...ec2.templates.keys()].map((LaunchTemplateName) => ({ LaunchTemplateName }))),
    createLaunchTemplate: ({ LaunchTemplateName = '' }) =>
      pass('CreateLaunchTemplate', true, (): LaunchTemplate => {
        if (ec2.templates.has(LaunchTemplateName)) {
          throw new Ec2Error('InvalidLaunchTemplateName.AlreadyExistsException', 400, 'it exists');
        }
        ec2.templates.set(LaunchTemplateName, []);
        return { LaunchTemplateName };
      }),
    deleteLaunchTemplate: (name) => pass('DeleteLaunchTemplate', true, () => void ec2.templates.delete(name)),
    createTags: () => pass('CreateTags', true, () => undefined),
    destroy: () => undefined,
  };
}
