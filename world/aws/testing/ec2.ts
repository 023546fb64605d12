import * as sdk from '@aws-sdk/client-ec2';
import { CreateFleetCommand, CreateLaunchTemplateCommand, EC2ServiceException } from '@aws-sdk/client-ec2';
import type { CreateFleetCommandInput, CreateFleetCommandOutput, EC2Client, Instance } from '@aws-sdk/client-ec2';
import { XmlShapeDeserializer } from '@aws-sdk/core/protocols';
import { expect } from '@playwright/test';
import { NormalizedSchema } from '@smithy/core/schema';
import { createSdkClient, warmUp } from '../../../clients/ec2-sdk.ts';
import type { EventOf, NewEvent } from '../../../history/events.ts';
import type { ClusterConfig } from '../../../model/cluster.ts';
import { defined } from '../../../model/defined.ts';
import { loadCatalogue } from '../../../model/instance-catalogue.ts';
import type { Effect } from '../../../model/operation.ts';
import type { ClockScope } from '../../../runtime/clock.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../runtime/timeline.ts';
import type { Answer } from '../../../wire/backend.ts';
import { asText, isStream } from '../../../wire/wire.ts';
import type { WireRequest } from '../../../wire/wire.ts';
import { createEc2 } from '../ec2.ts';
import type { Ec2, Ec2Options } from '../ec2.ts';

export const START_MS = Date.parse('2026-01-01T00:00:00Z');

export const CLUSTER: ClusterConfig = {
  name: 'test',
  region: 'us-east-1',
  subnets: { 'us-east-1a': 'subnet-0000000a', 'us-east-1b': 'subnet-0000000b', 'us-east-1c': 'subnet-0000000c' },
  securityGroupId: 'sg-00000001',
  imageIds: { x86_64: 'ami-00000064', arm64: 'ami-000000a4' },
};

/** Loaded once: it is large. */
const CATALOGUE = loadCatalogue();

export type InstanceEvent = Omit<EventOf<'instance'>, 'i' | 't'>;

/** One exchange over the wire. */
export interface Exchange {
  readonly request: string;
  readonly answer: Answer;
}

/** An EC2 with the real SDK's client on its wire. */
export interface Bench {
  readonly clock: ClockScope;
  readonly ports: Ec2['ports'];
  /** Absent until they are run. */
  readonly others: Ec2['others'];
  readonly autoscaling: Ec2['autoscaling'];
  readonly backend: Ec2['backend'];
  readonly send: EC2Client['send'];
  readonly exchanges: readonly Exchange[];
  /** Instance events so far. */
  readonly events: readonly InstanceEvent[];
  /** All events so far. */
  readonly told: readonly NewEvent[];
  /** The effect of the last request. */
  effect(): Effect | undefined;
  /** Sends a raw request. */
  raw(form: string): Promise<Answer>;
}

/** What a client in this process gets must be what the SDK's own reader makes of the body that all others get. */
function expectSame(form: string, { decoded, body }: Answer): void {
  if (decoded === undefined || isStream(body)) return;
  const action = new URLSearchParams(form).get('Action') ?? '';
  const [, , , , , output] = (sdk as Readonly<Record<string, unknown>>)[`${action}$`] as typeof sdk.DescribeInstances$;
  const settings = {
    timestampFormat: { useTrait: true, default: 5 },
    httpBindings: false,
    xmlNamespace: '',
    serviceNamespace: '',
  } as const;
  expect(decoded, action).toEqual(new XmlShapeDeserializer(settings).read(NormalizedSchema.of(output), asText(body)));
}

/** Runs `body` against a fresh EC2 under virtual time. */
export async function withEc2(
  body: (bench: Bench) => Promise<void>,
  { seed = 1, ...options }: { seed?: number } & Partial<Pick<Ec2Options, 'store' | 'catalogue' | 'readLag' | 'fleetsTakeResources'>> = {},
): Promise<void> {
  await warmUp();
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const events: InstanceEvent[] = [];
  const told: NewEvent[] = [];
  const recorder = {
    record: (event: NewEvent) => {
      if (event.type === 'instance') events.push(event);
      return told.push(event);
    },
  };
  const clock = timeline.scope('test');
  const ec2 = createEc2({
    clock: timeline.scope('ec2'),
    random: random.fork('ec2'),
    catalogue: CATALOGUE,
    cluster: CLUSTER,
    recorder,
    readLag: { probability: 0, maxMs: 0 },
    ...options,
  });
  const exchanges: Exchange[] = [];
  const wire = async (request: WireRequest): Promise<Answer> => {
    const caller = { principal: 'target', incarnation: 1, span: exchanges.length } as const;
    const answer = await ec2.backend.handle(request, ec2.backend.describe(request), caller);
    exchanges.push({ request: String(request.body), answer });
    expectSame(String(request.body), answer);
    return answer;
  };
  const client = createSdkClient({ wire, clock, region: CLUSTER.region, timeoutMs: 60_000 });
  // A wrapper can't have the client's overloads; this one passes everything on.
  const send = ((command: Parameters<EC2Client['send']>[0]) => clock.call('ec2', () => client.send(command))) as EC2Client['send'];
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const raw = (form: string): Promise<Answer> => wire({ method: 'POST', path: '/', headers, body: form });
  const bench = {
    clock,
    ports: ec2.ports,
    others: ec2.others,
    autoscaling: ec2.autoscaling,
    backend: ec2.backend,
    send,
    exchanges,
    events,
    told,
    effect: () => exchanges.at(-1)?.answer.effect,
    raw,
  };
  await timeline.run(body(bench));
  client.destroy();
}

/** Creates the launch template of the fleets below. */
export async function makeTemplate({ send }: Bench, name = 'nodes', imageId = CLUSTER.imageIds.x86_64): Promise<void> {
  const UserData = Buffer.from('node labels: ä').toString('base64');
  const data = { ImageId: imageId, SecurityGroupIds: [CLUSTER.securityGroupId], UserData };
  await send(new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: data }));
}

export interface FleetSpec {
  readonly capacityType?: 'spot' | 'on-demand';
  readonly count?: number;
  readonly types?: readonly string[];
  readonly zones?: readonly string[];
  /** Zones are tried in the order in which they are named. */
  readonly inOrder?: boolean;
  readonly token?: string;
  readonly template?: string;
  readonly more?: Partial<CreateFleetCommandInput>;
}

/** A fleet of type instant over types x zones. */
export function fleet(spec: FleetSpec = {}): CreateFleetCommand {
  const { capacityType = 'spot', count = 1, types = ['m6i.large'], zones = Object.keys(CLUSTER.subnets), token, template = 'nodes' } = spec;
  type Override = NonNullable<NonNullable<CreateFleetCommandInput['LaunchTemplateConfigs']>[number]['Overrides']>[number];
  const overrides = types.flatMap((type) =>
    zones.map((zone, index): Override => ({
      InstanceType: type as NonNullable<Override['InstanceType']>,
      AvailabilityZone: zone,
      SubnetId: CLUSTER.subnets[zone],
      ...(spec.inOrder === true ? { Priority: index } : {}),
    })),
  );
  return new CreateFleetCommand({
    Type: 'instant',
    ...defined({ ClientToken: token }),
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: template, Version: '$Latest' }, Overrides: overrides }],
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: capacityType },
    ...(spec.inOrder === true ? { OnDemandOptions: { AllocationStrategy: 'prioritized' as const } } : {}),
    ...spec.more,
  });
}

/** The ids of a fleet's instances. */
export function idsOf(output: CreateFleetCommandOutput): string[] {
  return (output.Instances ?? []).flatMap(({ InstanceIds = [] }) => InstanceIds);
}

/** A fleet's errors as `code type zone`. */
export function errorsOf(output: CreateFleetCommandOutput): string[] {
  return (output.Errors ?? []).map(({ ErrorCode, LaunchTemplateAndOverrides }) => {
    const { InstanceType, AvailabilityZone } = LaunchTemplateAndOverrides?.Overrides ?? {};
    return [ErrorCode, InstanceType, AvailabilityZone].filter((part) => part !== undefined).join(' ');
  });
}

/** The refusal of a request by EC2: `status code`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EC2ServiceException) return `${error.$metadata.httpStatusCode} ${error.name}`;
    throw error;
  }
  return 'none';
}

/** The instances of a list of reservations. */
export function instancesOf({ Reservations = [] }: { Reservations?: { Instances?: Instance[] }[] }): Instance[] {
  return Reservations.flatMap(({ Instances = [] }) => Instances);
}
