import { expect, test } from '@playwright/test';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { Clock } from '../../runtime/clock.ts';
import { FakeEc2, fakeEc2Client } from '../testing/fake-ec2.ts';
import { createInstanceTypes } from './instance-types.ts';
import type { InstanceTypes } from './instance-types.ts';

const MINUTE_MS = 60_000;
const ZONE = 'us-east-1a';

/** A clock that is set by hand, and the types of an EC2 with three sizes of m5. */
async function described(): Promise<{ at(minutes: number): void; types: InstanceTypes; memory(name: string): number }> {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs } as Clock;
  const ec2 = fakeEc2Client(new FakeEc2(clock), [ZONE], (_name, _mutating, work) => Promise.resolve(work()));
  const cluster = { region: 'us-east-1', subnets: { [ZONE]: 'subnet-1' } } as unknown as ClusterConfig;
  const types = createInstanceTypes(clock, ec2, cluster, () => false);
  await types.refresh();
  return {
    at: (minutes) => void (nowMs = minutes * MINUTE_MS),
    types,
    memory: (name) => types.get(name)?.allocatable.memory ?? 0,
  };
}

test('what a small node shows about its type is forgotten after a while', async () => {
  const { at, types, memory } = await described();
  const advertised = memory('m5.large');
  types.learn('m5.large', { memory: advertised / 2 });
  expect(memory('m5.large')).toBe(advertised / 2);
  at(14);
  expect(memory('m5.large')).toBe(advertised / 2);
  at(16);
  expect(memory('m5.large')).toBe(advertised);
});

test('as long as nodes are as small, nothing is forgotten', async () => {
  const { at, types, memory } = await described();
  const advertised = memory('m5.large');
  for (const minutes of [0, 10, 20]) {
    at(minutes);
    types.learn('m5.large', { memory: advertised / 2 });
  }
  at(34);
  expect(memory('m5.large')).toBe(advertised / 2);
  at(36);
  expect(memory('m5.large')).toBe(advertised);
});

test('a larger node does not make up for a smaller one, nor keep it in mind', async () => {
  const { at, types, memory } = await described();
  const advertised = memory('m5.large');
  types.learn('m5.large', { memory: advertised / 2 });
  at(10);
  types.learn('m5.large', { memory: advertised });
  expect(memory('m5.large')).toBe(advertised / 2);
  at(16);
  expect(memory('m5.large')).toBe(advertised);
});

test('a node that did not report a resource says nothing about it', async () => {
  const { types, memory } = await described();
  const advertised = memory('m5.2xlarge');
  types.learn('m5.2xlarge', { cpu: 1_000 });
  types.learn('m5.large', { memory: memory('m5.large') / 2 });
  expect(memory('m5.2xlarge')).toBe(advertised);
  types.learn('m5.xlarge', { memory: memory('m5.xlarge') / 2 });
  expect(memory('m5.2xlarge')).toBe(advertised / 2);
  types.learn('m5.2xlarge', { cpu: 1_000, memory: advertised });
  expect(memory('m5.2xlarge')).toBe(advertised);
});

test('a node that did not report a resource does not keep what is assumed of it', async () => {
  const { at, types, memory } = await described();
  const advertised = memory('m5.large');
  types.learn('m5.large', { memory: advertised / 2 });
  at(10);
  types.learn('m5.large', { cpu: 1_000 });
  at(16);
  expect(memory('m5.large')).toBe(advertised);
});

test('what was concluded about other types is forgotten with it', async () => {
  const { at, types, memory } = await described();
  const advertised = memory('m5.2xlarge');
  for (const name of ['m5.large', 'm5.xlarge']) types.learn(name, { memory: memory(name) / 2 });
  expect(memory('m5.2xlarge')).toBe(advertised / 2);
  at(16);
  expect(memory('m5.2xlarge')).toBe(advertised);
});

test('what types lack under some settings of the kubelet they lack under others', async () => {
  const { types, memory } = await described();
  const settings = { maxPods: 20 };
  const withSettings = (name: string): number => types.get(name, settings)?.allocatable.memory ?? 0;
  const advertised = [memory('m5.2xlarge'), withSettings('m5.2xlarge')];
  types.learn('m5.large', { memory: memory('m5.large') / 2 });
  types.learn('m5.xlarge', { memory: withSettings('m5.xlarge') / 2 }, settings);
  expect([memory('m5.2xlarge'), withSettings('m5.2xlarge')]).toEqual(advertised.map((one) => one / 2));
});

test('one type under two settings says nothing about other types, but is as small under all', async () => {
  const { types, memory } = await described();
  const settings = [{ maxPods: 20 }, { maxPods: 30 }];
  const withSettings = (name: string, index: number): number => types.get(name, settings[index])?.allocatable.memory ?? 0;
  const [advertised, large] = [memory('m5.2xlarge'), withSettings('m5.large', 1)];
  types.learn('m5.large', { memory: memory('m5.large') / 2 });
  types.learn('m5.large', { memory: withSettings('m5.large', 0) }, settings[0]);
  expect(memory('m5.2xlarge')).toBe(advertised);
  expect(withSettings('m5.large', 1)).toBe(large / 2);
});
