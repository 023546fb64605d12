import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { z } from 'zod';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { askControl } from './control.ts';
import { awsOperations } from './testing/aws-operations.ts';
import { buildGoProgram } from './testing/go-program.ts';
import { withRunningWorld } from './testing/running-world.ts';
import type { RunningWorld } from './testing/running-world.ts';

/** What the program prints for a call. */
const lineSchema = z.strictObject({
  operation: z.string(),
  values: z.record(z.string(), z.unknown()).default({}),
  refusal: z.strictObject({ code: z.string(), status: z.number(), type: z.string() }).optional(),
  attempts: z.array(z.string()).optional(),
});
type Line = z.infer<typeof lineSchema>;
type Call = (what: string, environment?: Readonly<Record<string, string>>) => Promise<readonly Line[]>;

/** Runs a world, and the program on it as often as the test asks. */
async function withProgram(testInfo: TestInfo, work: (call: Call, world: RunningWorld) => Promise<void>): Promise<void> {
  const program = await buildGoProgram(testInfo, 'aws-sdk-go');
  await withRunningWorld(testInfo, async (world) => {
    const call: Call = async (what, environment) => {
      const { code, stdout, stderr } = await world.run(program, [what], environment);
      expect(code, stderr).toBe(0);
      const lines = stdout.trim().split('\n');
      return lines.map((line) => lineSchema.parse(JSON.parse(line)));
    };
    await work(call, world);
  });
}

/** EC2's times have no fraction of a second, except the creation of volumes. */
const SECOND = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/);
const TAGS = { by: 'go & <SDK>' };

test('the AWS SDK for Go calls every AWS operation that docs/fidelity.md lists, but those of Auto Scaling', async ({}, testInfo) => {
  await withProgram(testInfo, async (call, { operator }) => {
    const clock = createRealTimeline().scope('test');
    const startedMs = clock.nowMs();
    const lines = await call('operations');
    expect(lines.map(({ operation }) => operation).sort()).toEqual(awsOperations().filter((name) => !name.startsWith('autoscaling:')));
    const answers = Object.fromEntries(lines.map(({ operation, values }) => [operation, values]));
    const read = (operation: string, member: string): unknown => answers[operation]?.[member];
    const text = (operation: string, member: string): string => String(read(operation, member));

    const [zone, subnet] = operator['SUBNETS']?.split(/[=,]/) ?? [];
    const image = /x86_64=([^,]+)/.exec(operator['IMAGE_IDS'] ?? '')?.[1];
    const group = operator['SECURITY_GROUP_ID'];
    const cluster = operator['CLUSTER_NAME'];
    const role = `KarpenterNodeRole-${cluster}`;
    const template = read('ec2:CreateLaunchTemplate', 'template');
    const fleet = read('ec2:CreateFleet', 'fleet');
    const spot = text('ec2:CreateFleet', 'instance');
    const instance = text('ec2:RunInstances', 'instance');
    const launched = text('ec2:RunInstances', 'launched');
    const address = text('ec2:DescribeInstances', 'address');
    const vpc = read('ec2:DescribeSubnets', 'vpc');
    const queue = read('sqs:CreateQueue', 'queue');
    const profile = read('iam:CreateInstanceProfile', 'profile');
    const account = text('sts:GetCallerIdentity', 'account');
    const catalogue = loadCatalogue();
    const types = [...catalogue.types.values()];
    const products = types.filter(({ type, bareMetal }) => type.includes('large') && !bareMetal).length;
    const volume = {
      created: expect.stringMatching(`^${launched.slice(0, -1)}(\\.\\d{1,3})?Z$`),
      instance,
      state: 'in-use',
      tags: { kind: 'volume' },
    };

    expect(answers).toEqual({
      'ec2:CreateFleet': {
        fleet: expect.stringMatching(/^fleet-/),
        instance: expect.stringMatching(/^i-/),
        errors: 0,
        type: 'c5.large',
        lifecycle: 'spot',
        subnet,
        template,
      },
      'ec2:CreateLaunchTemplate': { template: expect.stringMatching(/^lt-/), name: 'operations', latest: 1, created: SECOND },
      'ec2:CreateLaunchTemplateVersion': { version: 2, key: 'mine', image },
      'ec2:CreateTags': {},
      'ec2:DeleteFleets': { fleet, state: 'deleted_terminating', failed: 0 },
      'ec2:DeleteLaunchTemplate': { template },
      'ec2:DeleteTags': {},
      'ec2:DescribeAccountAttributes': { platform: 'VPC' },
      'ec2:DescribeAvailabilityZones': { zones: catalogue.zones, state: 'available' },
      'ec2:DescribeCapacityReservations': { pages: 1, count: 0 },
      'ec2:DescribeFleets': { fleet, instance: spot, type: 'instant', created: SECOND },
      'ec2:DescribeImages': { image, architecture: 'x86_64', state: 'available', created: TIME, device: '/dev/xvda' },
      'ec2:DescribeInstanceAttribute': { instance, text: 'nothing' },
      'ec2:DescribeInstanceStatus': { instance, state: 'running', system: 'initializing', check: 'reachability' },
      'ec2:DescribeInstanceTypeOfferings': { pages: expect.any(Number), types: types.length },
      'ec2:DescribeInstanceTypes': {
        pages: Math.ceil(types.length / 100),
        types: types.length,
        vcpus: 4,
        mebibytes: 16_384,
        gpu: 'T4',
        gpus: 1,
        disk: 125,
        throughput: 437.5,
        clock: 2.5,
      },
      'ec2:DescribeInstances': {
        instances: [instance, spot].sort(),
        zone,
        image,
        type: 'm5.large',
        architecture: 'x86_64',
        subnet,
        vpc,
        address,
        name: `ip-${address.replaceAll('.', '-')}.ec2.internal`,
        launched,
        attached: launched,
        groups: [group],
        devices: ['/dev/xvda', '/dev/xvdb'],
        rootDevice: '/dev/xvda',
        tokens: 'required',
        threads: 2,
        interface: 0,
        tags: { ...TAGS, 'aws:ec2launchtemplate:id': template, 'aws:ec2launchtemplate:version': '2' },
      },
      'ec2:DescribeKeyPairs': { count: 0 },
      'ec2:DescribeLaunchTemplateVersions': { pages: 2, versions: expect.arrayContaining([1, 2]) },
      'ec2:DescribeLaunchTemplates': { template, tags: TAGS },
      'ec2:DescribeNetworkInterfaces': { instance, address, description: 'main', attached: launched },
      'ec2:DescribePlacementGroups': { count: 0 },
      'ec2:DescribeRegions': { regions: expect.arrayContaining([catalogue.region]) },
      'ec2:DescribeRouteTables': { vpc, range: read('ec2:DescribeVpcs', 'range'), subnet },
      'ec2:DescribeSecurityGroups': { pages: 1, groups: ['default', `${cluster}-nodes`].sort(), rules: [1, 1] },
      'ec2:DescribeSnapshots': { pages: 1, count: 0 },
      'ec2:DescribeSpotInstanceRequests': { instances: [spot], state: 'active', created: SECOND },
      'ec2:DescribeSpotPriceHistory': {
        pages: expect.any(Number),
        price: expect.stringMatching(/^0\.\d+$/),
        zone,
        type: 'm5.large',
        at: SECOND,
      },
      'ec2:DescribeSubnets': { subnet, zone, vpc: expect.stringMatching(/^vpc-/), range: '10.0.0.0/20', free: expect.any(Number) },
      'ec2:DescribeTags': { instance, kind: 'instance', key: 'a', value: 'b' },
      'ec2:DescribeVolumes': {
        volumes: [
          { ...volume, size: 30, type: 'gp3', encrypted: true, iops: 3_000 },
          { ...volume, size: 100, type: 'gp2', encrypted: false, iops: 300 },
        ],
      },
      'ec2:DescribeVpcs': { vpcs: [vpc], range: '10.0.0.0/16' },
      'ec2:GetConsoleOutput': { instance, output: expect.stringMatching(/login: $/), at: SECOND },
      'ec2:GetInstanceTypesFromInstanceRequirements': { pages: 1, 'm5.large': 1 },
      'ec2:GetSpotPlacementScores': { scores: [10, 10, 10], zone: expect.stringMatching(/^use1-az\d$/) },
      'ec2:ModifyInstanceAttribute': {},
      'ec2:ModifyInstanceMetadataOptions': { instance, tokens: 'optional', hops: 1, state: 'pending' },
      'ec2:ModifyLaunchTemplate': { default: 2 },
      'ec2:RebootInstances': {},
      'ec2:RunInstances': { instance: expect.stringMatching(/^i-/), key: 'mine', state: 'pending', launched: SECOND },
      'ec2:StartInstances': { instance, from: 'stopped' },
      'ec2:StopInstances': { instance, from: 'running' },
      'ec2:TerminateInstances': { instance, to: 'shutting-down' },
      'sqs:ChangeMessageVisibility': {},
      'sqs:ChangeMessageVisibilityBatch': { successful: 'a', failed: 0 },
      'sqs:CreateQueue': { queue: expect.stringMatching(/\/operations$/) },
      'sqs:DeleteMessage': {},
      'sqs:DeleteMessageBatch': { successful: 'a', failed: 'b', code: 'ReceiptHandleIsInvalid', sender: true },
      'sqs:GetQueueAttributes': { timeout: '60', arn: `arn:aws:sqs:${catalogue.region}:${account}:operations` },
      'sqs:GetQueueUrl': { queue },
      'sqs:ListQueues': { pages: 2, queues: [queue, expect.stringContaining(operator['INTERRUPTION_QUEUE_NAME'] ?? '')] },
      'sqs:PurgeQueue': {},
      'sqs:ReceiveMessage': {
        one: read('sqs:SendMessage', 'message'),
        two: read('sqs:SendMessageBatch', 'message'),
        bytes: Buffer.from([0, 255]).toString('base64'),
        count: expect.stringMatching(/^[1-9]/),
      },
      'sqs:SendMessage': { message: expect.any(String) },
      'sqs:SendMessageBatch': { successful: 'a', message: expect.any(String), failed: 'b', code: 'InvalidMessageContents' },
      'sqs:SetQueueAttributes': {},
      'iam:AddRoleToInstanceProfile': {},
      'iam:CreateInstanceProfile': { profile: expect.stringMatching(/^AIPA/), roles: 0, created: TIME },
      'iam:DeleteInstanceProfile': {},
      'iam:GetInstanceProfile': { profile, role, tags: { a: '<1 & 2>', b: '' } },
      'iam:GetRole': { role, arn: `arn:aws:iam::${account}:role/${role}`, created: TIME },
      'iam:ListInstanceProfiles': { pages: 2, profiles: ['another', 'operations'] },
      'iam:RemoveRoleFromInstanceProfile': {},
      'iam:TagInstanceProfile': {},
      'sts:AssumeRole': { arn: `arn:aws:sts::${account}:assumed-role/${role}/me`, expires: TIME, key: expect.stringMatching(/^ASIA/) },
      'sts:GetCallerIdentity': { account: expect.stringMatching(/^\d{12}$/), arn: expect.stringContaining(`:${account}:user/`) },
      'ssm:GetParameter': { image, type: 'String', modified: TIME },
      'ssm:GetParameters': { image, invalid: ['/none'] },
      'eks:DescribeCluster': { cluster, status: 'ACTIVE', version: '1.34', created: TIME, group, range: '172.20.0.0/16' },
      'pricing:GetProducts': {
        pages: Math.ceil(products / 100),
        products,
        format: 'aws_v1',
        type: expect.stringContaining('large'),
      },
    });

    for (const operation of ['ec2:DescribeInstanceTypeOfferings', 'ec2:DescribeSpotPriceHistory']) {
      expect(read(operation, 'pages'), operation).toBeGreaterThan(1);
    }
    // EC2 and IAM give whole seconds.
    const earliestMs = Math.floor(startedMs / 1_000) * 1_000;
    for (const [operation, member] of [
      ['ec2:CreateLaunchTemplate', 'created'],
      ['ec2:DescribeFleets', 'created'],
      ['ec2:DescribeSpotInstanceRequests', 'created'],
      ['ec2:GetConsoleOutput', 'at'],
      ['ec2:RunInstances', 'launched'],
      ['iam:CreateInstanceProfile', 'created'],
    ] as const) {
      const timeMs = Date.parse(text(operation, member));
      expect([operation, timeMs >= earliestMs && timeMs <= clock.nowMs()]).toEqual([operation, true]);
    }
    expect(Date.parse(text('sts:AssumeRole', 'expires'))).toBeGreaterThan(clock.nowMs());
  });
});

test('refusals are typed errors in Go', async ({}, testInfo) => {
  await withProgram(testInfo, async (call) => {
    const lines = await call('refusals');
    const generic = '*smithy.GenericAPIError';
    expect(lines.map(({ operation, refusal }) => [operation, refusal?.code, refusal?.status, refusal?.type])).toEqual([
      ['ec2:RunInstances', 'DryRunOperation', 412, generic],
      ['ec2:RunInstances', 'IdempotentParameterMismatch', 400, generic],
      ['ec2:CreateFleet', 'DryRunOperation', 412, generic],
      ['ec2:DescribeInstances', 'InvalidInstanceID.NotFound', 400, generic],
      ['ec2:DescribeInstances', 'InvalidInstanceID.Malformed', 400, generic],
      ['ec2:DescribeInstances', 'InvalidPaginationToken', 400, generic],
      ['ec2:DescribeLaunchTemplates', 'InvalidLaunchTemplateName.NotFoundException', 400, generic],
      ['ec2:DeleteLaunchTemplate', 'InvalidLaunchTemplateId.NotFound', 400, generic],
      ['ec2:DescribeSubnets', 'InvalidParameterValue', 400, generic],
      ['ec2:DescribeAddresses', 'InvalidAction', 400, generic],
      // Typed by the error's shape, with the code of the query protocol.
      ['sqs:GetQueueUrl', 'AWS.SimpleQueueService.NonExistentQueue', 400, '*types.QueueDoesNotExist'],
      ['sqs:CreateQueue', 'QueueAlreadyExists', 400, '*types.QueueNameExists'],
      ['sqs:SetQueueAttributes', 'InvalidAttributeName', 400, '*types.InvalidAttributeName'],
      ['sqs:SendMessage', 'InvalidMessageContents', 400, '*types.InvalidMessageContents'],
      ['sqs:ReceiveMessage', 'InvalidParameterValue', 400, generic],
      ['sqs:DeleteMessage', 'ReceiptHandleIsInvalid', 404, '*types.ReceiptHandleIsInvalid'],
      ['sqs:DeleteMessageBatch', 'AWS.SimpleQueueService.EmptyBatchRequest', 400, '*types.EmptyBatchRequest'],
      ['sqs:PurgeQueue', 'AWS.SimpleQueueService.PurgeQueueInProgress', 403, '*types.PurgeQueueInProgress'],
      ['sqs:ListDeadLetterSourceQueues', 'InvalidAction', 400, generic],
      ['iam:GetInstanceProfile', 'NoSuchEntity', 404, '*types.NoSuchEntityException'],
      ['iam:CreateInstanceProfile', 'EntityAlreadyExists', 409, '*types.EntityAlreadyExistsException'],
      ['iam:CreateInstanceProfile', 'ValidationError', 400, generic],
      ['iam:AddRoleToInstanceProfile', 'LimitExceeded', 409, '*types.LimitExceededException'],
      ['iam:DeleteInstanceProfile', 'DeleteConflict', 409, '*types.DeleteConflictException'],
      ['iam:ListUsers', 'InvalidAction', 400, generic],
      ['sts:AssumeRole', 'AccessDenied', 403, generic],
      ['sts:GetSessionToken', 'InvalidAction', 400, generic],
      ['ssm:GetParameter', 'ParameterNotFound', 400, '*types.ParameterNotFound'],
      ['ssm:ListDocuments', 'UnknownOperationException', 400, generic],
      ['eks:DescribeCluster', 'ResourceNotFoundException', 404, '*types.ResourceNotFoundException'],
      ['eks:ListClusters', 'AccessDeniedException', 403, generic],
      ['pricing:GetProducts', 'NotFoundException', 400, '*types.NotFoundException'],
      ['pricing:GetProducts', 'InvalidNextTokenException', 400, '*types.InvalidNextTokenException'],
      ['pricing:DescribeServices', 'UnknownOperationException', 400, generic],
    ]);
  });
});

test('the AWS SDK for Go retries what is throttled, and reads why a fleet is short', async ({}, testInfo) => {
  await withProgram(testInfo, async (call, { control, target }) => {
    /** Calls the program as the autoscaler, with a fault. @returns what it printed, and how often the fault fired */
    const faulty = async (what: string, fault: object, environment = {}): Promise<readonly [readonly Line[], number | undefined]> => {
      const [injected] = await askControl(control, 'POST', '/faults', fault);
      const lines = await call(what, { ...target, ...environment });
      const [healed] = await askControl(control, 'DELETE', `/faults/${injected?.id}`);
      return [lines, healed?.firings];
    };
    const throttling = (when: object): object => ({
      fault: 'ec2-throttling',
      params: { by: 'rate', operations: ['ec2:DescribeInstances'], when },
    });
    const operation = 'ec2:DescribeInstances';
    const code = 'RequestLimitExceeded';
    for (const mode of ['standard', 'adaptive']) {
      const environment = { AWS_RETRY_MODE: mode };
      expect(await faulty('retries', throttling({ kind: 'first', count: 2 }), environment)).toEqual([
        [{ operation, values: { mode }, attempts: [code, code, ''] }],
        2,
      ]);
      // Both give up after three attempts.
      expect(await faulty('retries', throttling({ kind: 'always' }), environment)).toEqual([
        [{ operation, values: { mode, attempts: 3 }, refusal: { code, status: 503, type: '*smithy.GenericAPIError' } }],
        3,
      ]);
    }
    const [lines, firings] = await faulty('shortage', { fault: 'insufficient-capacity' });
    const subnet = target['SUBNETS']?.split(/[=,]/)[1];
    const error = { code: 'InsufficientInstanceCapacity', lifecycle: 'on-demand', type: 'm5.large', subnet };
    expect(lines).toEqual([{ operation: 'ec2:CreateFleet', values: { instances: 0, errors: [error] } }]);
    expect(firings).toBeGreaterThan(0);
  });
});
