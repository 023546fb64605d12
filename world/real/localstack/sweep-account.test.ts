import { expect, test } from '@playwright/test';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { WireError } from '../../../wire/wire.ts';
import { FakeLocalStack, URL_OF_FAKE } from './testing/localstack.ts';
import { clearAccounts, findAccountLeftovers } from './sweep-account.ts';

const ACCOUNT = '123456789012';
const site = (fake: FakeLocalStack) => ({
  endpoint: URL_OF_FAKE,
  region: 'us-east-1',
  clock: createRealTimeline().scope('test'),
  wire: fake.wire,
});

function littered(): FakeLocalStack {
  const fake = new FakeLocalStack();
  const set = (name: string, ...items: string[]): string => `<${name}>${items.map((item) => `<item>${item}</item>`).join('')}</${name}>`;
  const instance = (id: string, state: string): string =>
    `<instanceId>${id}</instanceId><instanceState><name>${state}</name></instanceState>`;
  const instances = set('instancesSet', instance('i-1', 'running'), instance('i-2', 'terminated'));
  fake.answers.set('DescribeInstances', set('reservationSet', `<reservationId>r-1</reservationId>${instances}`));
  fake.answers.set('DescribeLaunchTemplates', set('launchTemplates', '<launchTemplateId>lt-1</launchTemplateId>'));
  fake.answers.set(
    'DescribeVpcs',
    set('vpcSet', '<vpcId>vpc-1</vpcId><isDefault>false</isDefault>', '<vpcId>vpc-0</vpcId><isDefault>true</isDefault>'),
  );
  fake.answers.set(
    'DescribeSubnets',
    set('subnetSet', '<subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>', '<subnetId>subnet-0</subnetId><vpcId>vpc-0</vpcId>'),
  );
  return fake;
}

test("what a trial left in its account is found, and LocalStack's own objects are not", async () => {
  const found = await findAccountLeftovers([ACCOUNT], site(littered()));
  expect(found).toEqual([
    { account: ACCOUNT, instances: ['i-1'], templates: ['lt-1'], subnets: ['subnet-1'], vpcs: ['vpc-1'], queues: [] },
  ]);
});

test('clearing removes exactly that, in an order that EC2 accepts', async () => {
  const fake = littered();
  await clearAccounts([ACCOUNT], site(fake));
  const changes = fake.seen.filter(({ action }) => /^(Terminate|Delete)/.test(action));
  expect(changes.map(({ action, account, input }) => [action, account, ...Object.values(input)])).toEqual([
    ['TerminateInstances', ACCOUNT, 'i-1'],
    ['DeleteLaunchTemplate', ACCOUNT, 'lt-1'],
    ['DeleteSubnet', ACCOUNT, 'subnet-1'],
    ['DeleteVpc', ACCOUNT, 'vpc-1'],
  ]);
});

test('nothing is left if nothing listens there', async () => {
  const fake = littered();
  const wire = (): Promise<never> => Promise.reject(new WireError('ECONNREFUSED', 'connect ECONNREFUSED'));
  expect(await findAccountLeftovers([ACCOUNT], { ...site(fake), wire })).toEqual([]);
});

test('a failed check is an error, not an empty result', async () => {
  const fake = littered();
  fake.health = {};
  await expect(findAccountLeftovers([ACCOUNT], site(fake))).rejects.toThrow('is not a LocalStack');
  const refusing = littered();
  refusing.refusals.set('TerminateInstances', { status: 500, code: 'InternalError' });
  await expect(clearAccounts([ACCOUNT], site(refusing))).rejects.toThrow("can't be cleared");
});
