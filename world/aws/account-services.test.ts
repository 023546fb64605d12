import { expect, test } from '@playwright/test';
import { z } from 'zod';
import type { NewEvent } from '../../history/events.ts';
import { defined } from '../../model/defined.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { openChain } from '../../wire/chain.ts';
import { Gate } from '../../wire/gate.ts';
import { readText } from '../../wire/wire.ts';
import type { WireRequest } from '../../wire/wire.ts';
import { createAccountServices } from './account-services.ts';
import { AwsServices } from './services.ts';
import type { AwsBackends } from './services.ts';

const CLUSTER = {
  name: 'test',
  region: 'us-east-1',
  subnets: {},
  securityGroupId: 'sg-1',
  imageIds: { x86_64: 'ami-x', arm64: 'ami-a' },
};

/** Sends a target's requests through a wire chain, with a gate in front of the services. */
function bench() {
  const random = createRandom(1);
  const timeline = createVirtualTimeline({ startMs: Date.parse('2026-03-01T00:00:00.000Z'), random });
  const clock = timeline.scope('account');
  const gate = new Gate(clock, random);
  const events: NewEvent[] = [];
  const account = createAccountServices({ clock, random, cluster: CLUSTER, catalogue: loadCatalogue() });
  const nobody = {
    describe: () => ({ wire: 'aws', name: 'ec2:Nothing', mutating: false }),
    describeAnswer: () => ({}),
  } as unknown as AwsBackends['ec2'];
  let spans = 0;
  const { wire } = openChain({
    wire: 'aws',
    backend: new AwsServices({ ec2: nobody, sqs: nobody, ...account }),
    gate,
    recorder: { record: (event) => events.push(event) - 1 },
    clock,
    scope: timeline.scope('target#1'),
    principal: 'target',
    incarnation: 1,
    latencyMs: () => undefined,
    nextSpan: () => (spans += 1),
    onKill: () => undefined,
    countRequest: () => 1,
    onFlood: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
  const send = async (request: WireRequest): Promise<string> => {
    const { status, body } = await timeline.run(wire(request));
    return `${status} ${await readText(body)}`;
  };
  return { send, gate, events };
}

function form(version: string, action: string, parameters: Readonly<Record<string, string>> = {}): WireRequest {
  const body = new URLSearchParams({ Action: action, Version: version, ...parameters }).toString();
  return { method: 'POST', path: '/', headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, body };
}

function iam(action: string, parameters: Readonly<Record<string, string>> = {}): WireRequest {
  return form('2010-05-08', action, parameters);
}

function ssm(action: string, input: object): WireRequest {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `AmazonSSM.${action}` };
  return { method: 'POST', path: '/', headers, body: JSON.stringify(input) };
}

function pricing(input: object): WireRequest {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSPriceListService.GetProducts' };
  return { method: 'POST', path: '/', headers, body: JSON.stringify({ ServiceCode: 'AmazonEC2', ...input }) };
}

function eks(method: string, path: string): WireRequest {
  return { method, path, headers: {} };
}

const PROFILE = { InstanceProfileName: 'p' };
const PARAMETER = '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/recommended/image_id';

for (const { what, before = [], request, answer, operation, mutating, effect } of [
  {
    what: 'STS identifies the caller',
    request: form('2011-06-15', 'GetCallerIdentity'),
    answer:
      /^200 <GetCallerIdentityResponse xmlns="https:\/\/sts.amazonaws.com\/doc\/2011-06-15\/"><GetCallerIdentityResult><Arn>arn:aws:iam::\d{12}:user\/.*<RequestId>/,
    operation: 'sts:GetCallerIdentity',
    mutating: false,
    effect: { kind: 'none' },
  },
  {
    what: 'an unknown role is denied',
    request: form('2011-06-15', 'AssumeRole', { RoleArn: 'arn:aws:iam::123456789012:role/nobody', RoleSessionName: 's' }),
    answer: /^403 <ErrorResponse .*<Type>Sender<\/Type><Code>AccessDenied<\/Code>/,
    operation: 'sts:AssumeRole',
    mutating: false,
    effect: { kind: 'rejected', code: 'AccessDenied' },
  },
  {
    what: 'a profile is created',
    request: iam('CreateInstanceProfile', { ...PROFILE, 'Tags.member.1.Key': 'a', 'Tags.member.1.Value': 'b' }),
    answer: /^200 .*<InstanceProfileName>p<\/InstanceProfileName>.*<Roles\/><Tags><member><Key>a<\/Key><Value>b<\/Value><\/member><\/Tags>/,
    operation: 'iam:CreateInstanceProfile',
    mutating: true,
    effect: { kind: 'applied', ids: ['instance-profile/p'] },
  },
  {
    what: 'an action without a result has no wrapper',
    before: [iam('CreateInstanceProfile', PROFILE)],
    request: iam('AddRoleToInstanceProfile', { ...PROFILE, RoleName: 'KarpenterNodeRole-test' }),
    answer: /^200 <AddRoleToInstanceProfileResponse xmlns="[^"]*"><ResponseMetadata>/,
    operation: 'iam:AddRoleToInstanceProfile',
    mutating: true,
    effect: { kind: 'applied', ids: ['instance-profile/p'] },
  },
  {
    what: 'a missing name is refused',
    request: iam('GetInstanceProfile'),
    answer: /^400 .*<Code>ValidationError<\/Code><Message>1 validation error detected: Value null at &apos;instanceProfileName&apos;/,
    operation: 'iam:GetInstanceProfile',
    mutating: false,
    effect: { kind: 'rejected', code: 'ValidationError' },
  },
  {
    what: 'an action that IAM does not have',
    request: iam('Nothing'),
    answer: /^400 .*<Code>InvalidAction<\/Code><Message>Could not find operation Nothing for version 2010-05-08</,
    operation: 'iam:Nothing',
    mutating: true,
    effect: { kind: 'rejected', code: 'InvalidAction' },
  },
  {
    what: 'SSM resolves an image alias',
    request: ssm('GetParameter', { Name: PARAMETER }),
    answer: /^200 \{"Parameter":\{"Name":"[^"]*","Type":"String","Value":"ami-a"/,
    operation: 'ssm:GetParameter',
    mutating: false,
    effect: { kind: 'none' },
  },
  {
    what: 'SSM does not find a parameter, without a message',
    request: ssm('GetParameter', { Name: PARAMETER.replace('1.34', '1.33') }),
    answer: /^400 \{"__type":"ParameterNotFound"\}$/,
    operation: 'ssm:GetParameter',
    mutating: false,
    effect: { kind: 'rejected', code: 'ParameterNotFound' },
  },
  {
    what: 'EKS describes the cluster',
    request: eks('GET', '/clusters/test'),
    answer: /^200 \{"cluster":\{"name":"test",.*"version":"1.34",.*"serviceIpv4Cidr":"172.20.0.0\/16","ipFamily":"ipv4".*"status":"ACTIVE"/,
    operation: 'eks:DescribeCluster',
    mutating: false,
    effect: { kind: 'none' },
  },
  {
    what: 'EKS does not find another cluster',
    request: eks('GET', '/clusters/other'),
    answer: /^404 \{"__type":"ResourceNotFoundException","message":"No cluster found for name: other\."\}$/,
    operation: 'eks:DescribeCluster',
    mutating: false,
    effect: { kind: 'rejected', code: 'ResourceNotFoundException' },
  },
  {
    what: 'EKS does not create clusters',
    request: eks('POST', '/clusters'),
    answer: /^403 /,
    operation: 'unknown',
    mutating: true,
    effect: { kind: 'rejected', code: 'AccessDeniedException' },
  },
  {
    what: 'the price list has no other services',
    request: pricing({ ServiceCode: 'AmazonS3' }),
    answer: /^400 \{"__type":"NotFoundException"/,
    operation: 'pricing:GetProducts',
    mutating: false,
    effect: { kind: 'rejected', code: 'NotFoundException' },
  },
  {
    what: 'the page size of prices is limited',
    request: pricing({ MaxResults: 101 }),
    answer: /^400 \{"__type":"ValidationException","message":"1 validation error detected: Value at 'maxResults'/,
    operation: 'pricing:GetProducts',
    mutating: false,
    effect: { kind: 'rejected', code: 'ValidationException' },
  },
] as const) {
  test(`the account's services: ${what}`, async () => {
    const { send, events } = bench();
    for (const earlier of before) await send(earlier);
    expect(await send(request)).toMatch(answer);
    const [start, effected] = events.slice(-3);
    expect(start).toMatchObject({ type: 'request.start', operation, mutating });
    expect(effected).toMatchObject({ type: 'request.effect', effect });
  });
}

for (const { request, operation, refusal, answer } of [
  {
    request: iam('GetInstanceProfile', PROFILE),
    operation: 'iam:GetInstanceProfile',
    refusal: { status: 400, code: 'Throttling', message: 'Rate exceeded' },
    answer: /^400 <ErrorResponse .*<Code>Throttling<\/Code><Message>Rate exceeded<\/Message>/,
  },
  {
    request: ssm('GetParameter', { Name: PARAMETER }),
    operation: 'ssm:GetParameter',
    refusal: { status: 400, code: 'ThrottlingException', message: 'Rate exceeded' },
    answer: /^400 \{"__type":"ThrottlingException","message":"Rate exceeded"\}$/,
  },
  {
    request: eks('GET', '/clusters/test'),
    operation: 'eks:DescribeCluster',
    refusal: { status: 429, code: 'TooManyRequestsException', message: 'Rate exceeded' },
    answer: /^429 \{"__type":"TooManyRequestsException","message":"Rate exceeded"\}$/,
  },
] as const) {
  test(`the gate refuses ${operation} with its service's own error format`, async () => {
    const { send, gate, events } = bench();
    const fired: number[] = [];
    gate.arm({
      trigger: { match: { operations: [operation] }, when: { kind: 'first', count: 1 }, moment: 'before' },
      effect: { kind: 'refuse', refusal },
      fired: (span) => void fired.push(span),
    });
    expect(await send(request)).toMatch(answer);
    expect(events.at(-1)).toMatchObject({ type: 'request.end', outcome: 'fail', code: refusal.code, note: 'Rate exceeded' });
    expect(fired).toEqual([1]);
    expect(await send(request)).not.toMatch(answer);
  });
}

const price = z.object({
  product: z.object({ productFamily: z.string(), attributes: z.object({ instanceType: z.string(), tenancy: z.string() }) }),
  terms: z.object({
    OnDemand: z.record(
      z.string(),
      z.object({ priceDimensions: z.record(z.string(), z.object({ pricePerUnit: z.object({ USD: z.string() }) })) }),
    ),
  }),
});
const page = z.object({ PriceList: z.array(z.string()), NextToken: z.string().optional() });

test('the price list pages through the price of each type, bare metal separate from the rest', async () => {
  const { send } = bench();
  const prices = new Map<string, number>();
  for (const [tenancy, productFamily] of [
    ['Shared', 'Compute Instance'],
    ['Dedicated', 'Compute Instance (bare metal)'],
  ]) {
    // The filters that Karpenter sends.
    const filters = { regionCode: 'us-east-1', serviceCode: 'AmazonEC2', preInstalledSw: 'NA', operatingSystem: 'Linux' };
    const Filters = Object.entries({ ...filters, capacitystatus: 'Used', marketoption: 'OnDemand', tenancy, productFamily }).map(
      ([Field, Value]) => ({ Field, Type: 'TERM_MATCH', Value }),
    );
    let token: string | undefined;
    do {
      const answer = await send(pricing({ Filters, MaxResults: 100, ...defined({ NextToken: token }) }));
      const { PriceList, NextToken } = page.parse(JSON.parse(answer.slice('200 '.length)));
      for (const text of PriceList) {
        const { product, terms } = price.parse(JSON.parse(text));
        expect(product).toMatchObject({ productFamily, attributes: { tenancy } });
        const [dimension] = Object.values(terms.OnDemand).flatMap(({ priceDimensions }) => Object.values(priceDimensions));
        prices.set(product.attributes.instanceType, Number(dimension?.pricePerUnit.USD));
      }
      expect(PriceList.length).toBeLessThanOrEqual(100);
      token = NextToken;
    } while (token !== undefined);
  }
  const types = [...loadCatalogue().types.values()].map(({ type, onDemandUsdPerHour }) => [type, onDemandUsdPerHour] as const);
  expect([...prices].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(types);
});

test('each variant has its own image, and Amazon Linux 2 has none', async () => {
  const { send } = bench();
  const eks = '/aws/service/eks/optimized-ami/1.34';
  const there = [
    ...['x86_64/standard', 'x86_64/nvidia', 'x86_64/neuron', 'arm64/standard', 'arm64/nvidia'].map(
      (variant) => `${eks}/amazon-linux-2023/${variant}/recommended/image_id`,
    ),
    ...['aws-k8s-1.34/x86_64', 'aws-k8s-1.34/arm64', 'aws-k8s-1.34-nvidia/x86_64', 'aws-k8s-1.34-nvidia/arm64'].map(
      (variant) => `/aws/service/bottlerocket/${variant}/latest/image_id`,
    ),
  ];
  const ids = new Set<string>();
  for (const Name of there) ids.add(/"Value":"(ami-[^"]+)"/.exec(await send(ssm('GetParameter', { Name })))?.[1] ?? Name);
  expect([...ids].filter((id) => id.startsWith('ami-'))).toHaveLength(there.length);
  for (const Name of [`${eks}/amazon-linux-2/recommended/image_id`, `${eks}/amazon-linux-2023/arm64/neuron/recommended/image_id`]) {
    expect(await send(ssm('GetParameter', { Name }))).toMatch(/ParameterNotFound/);
  }
});

test('an instance profile goes through the lifecycle of a Karpenter EC2NodeClass with a role', async () => {
  const { send } = bench();
  const name = { InstanceProfileName: 'test_1234567890' };
  const path = '/karpenter/us-east-1/test/f2b7/';
  expect(await send(iam('GetInstanceProfile', name))).toMatch(/^404 .*<Code>NoSuchEntity<\/Code>/);
  const tag = { 'Tags.member.1.Key': 'kubernetes.io/cluster/test', 'Tags.member.1.Value': 'owned' };
  expect(await send(iam('CreateInstanceProfile', { ...name, Path: path, ...tag }))).toMatch(/^200 /);
  expect(await send(iam('CreateInstanceProfile', name))).toMatch(/^409 .*<Code>EntityAlreadyExists<\/Code>/);
  expect(await send(iam('GetRole', { RoleName: 'nobody' }))).toMatch(/^404 .*<Code>NoSuchEntity<\/Code><Message>The role with name nobody/);
  // Karpenter distinguishes a missing role from a missing profile by the message.
  expect(await send(iam('AddRoleToInstanceProfile', { ...name, RoleName: 'nobody' }))).toMatch(
    /^404 .*<Message>The role with name nobody cannot/,
  );
  expect(await send(iam('AddRoleToInstanceProfile', { ...name, RoleName: 'KarpenterNodeRole-test' }))).toMatch(/^200 /);
  expect(await send(iam('AddRoleToInstanceProfile', { ...name, RoleName: 'KarpenterNodeRole-test' }))).toMatch(
    /<Code>LimitExceeded<\/Code>/,
  );
  const list = await send(iam('ListInstanceProfiles', { PathPrefix: '/karpenter/us-east-1/test/' }));
  expect(list).toMatch(/<IsTruncated>false<\/IsTruncated>.*<RoleName>KarpenterNodeRole-test<\/RoleName>/);
  expect(await send(iam('ListInstanceProfiles', { PathPrefix: '/karpenter/us-east-1/other/' }))).not.toContain(name.InstanceProfileName);
  expect(await send(iam('DeleteInstanceProfile', name))).toMatch(/^409 .*<Code>DeleteConflict<\/Code>/);
  expect(await send(iam('RemoveRoleFromInstanceProfile', { ...name, RoleName: 'KarpenterNodeRole-test' }))).toMatch(/^200 /);
  expect(await send(iam('DeleteInstanceProfile', name))).toMatch(/^200 /);
});
