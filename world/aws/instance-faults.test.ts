import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSubnetsCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { asText } from '../../wire/wire.ts';
import { CLUSTER, errorsOf, fleet, idsOf, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench } from './testing/ec2.ts';

const [A, B] = ['us-east-1a', 'us-east-1b'] as const;

/** The states that an instance went through, from its events. */
function statesOf({ events }: Bench, id: string): string[] {
  return events.filter(({ instance }) => instance === id).map(({ to }) => to);
}

test('launches fail: from pending to terminated, as many as requested', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const fired: (number | undefined)[] = [];
    bench.ports.instanceFaults.failLaunches({ selector: { capacityTypes: ['spot'] }, count: 1, fired: (span) => fired.push(span) });
    const [onDemand = ''] = idsOf(await bench.send(fleet({ capacityType: 'on-demand' })));
    const [first = ''] = idsOf(await bench.send(fleet({})));
    const [second = ''] = idsOf(await bench.send(fleet({})));
    expect(fired).toEqual([2]);
    await bench.clock.sleep(60_000);
    expect([first, second, onDemand].map((id) => statesOf(bench, id))).toEqual([
      ['pending', 'terminated'],
      ['pending', 'running'],
      ['pending', 'running'],
    ]);
    const [instance] = instancesOf(await bench.send(new DescribeInstancesCommand({ InstanceIds: [first] })));
    expect(instance?.StateReason).toEqual({ Code: 'Client.InternalError', Message: 'Client.InternalError: Client error on launch' });
  });
});

for (const { how, states } of [
  { how: 'terminated' as const, states: ['pending', 'running', 'shutting-down', 'terminated'] },
  { how: 'stopped' as const, states: ['pending', 'running', 'stopping', 'stopped'] },
]) {
  test(`running instances are ${how} out of band, existing and new ones, until healed`, async () => {
    await withEc2(async (bench) => {
      await makeTemplate(bench);
      const launch = async (): Promise<string> => idsOf(await bench.send(fleet({ capacityType: 'on-demand', zones: [A] })))[0] ?? '';
      const before = await launch();
      await bench.clock.sleep(10_000);
      let fired = 0;
      const ending = { selector: { zones: [A] }, count: 2, how, afterMs: 5_000, fired: () => (fired += 1) };
      const heal = bench.ports.instanceFaults.endRunning(ending);
      const after = await launch();
      const third = await launch();
      await bench.clock.sleep(90_000);
      const ended = [before, after, third].filter((id) => statesOf(bench, id).length === 4);
      expect(ended).toHaveLength(2);
      expect(ended).toContain(before);
      for (const id of ended) expect(statesOf(bench, id)).toEqual(states);
      expect(fired).toBe(2);
      await heal();
      await bench.ports.instanceFaults.endRunning(ending)();
      await bench.clock.sleep(10_000);
      expect(fired).toBe(2);
    });
  });
}

test('a quota fails pools of a fleet, is named once, and lets the rest through', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const fired: (number | undefined)[] = [];
    const heal = bench.ports.quota.limitVcpus({ capacityTypes: ['spot'], vcpus: 5, fired: (span) => fired.push(span) });
    const output = await bench.send(fleet({ count: 4, types: ['m5.large', 'm5.xlarge'] }));
    expect(idsOf(output)).toHaveLength(2);
    expect(errorsOf(output).map((error) => error.split(' ')[0])).toEqual(['MaxSpotInstanceCountExceeded']);
    expect(fired).toEqual([1]);
    const none = await bench.send(fleet({ types: ['m5.large'], zones: [A, B] }));
    expect(idsOf(none)).toEqual([]);
    expect(errorsOf(none)).toEqual([`MaxSpotInstanceCountExceeded m5.large ${A}`]);
    expect(idsOf(await bench.send(fleet({ capacityType: 'on-demand' })))).toHaveLength(1);
    const [first = ''] = idsOf(output);
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [first] }));
    await bench.clock.sleep(60_000);
    expect(idsOf(await bench.send(fleet({})))).toHaveLength(1);
    await heal();
    expect(idsOf(await bench.send(fleet({ count: 9 })))).toHaveLength(9);
  });
});

test('a subnet with one free address reuses it for the next instance', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const { ports } = bench;
    const fired: (number | undefined)[] = [];
    const heal = ports.quota.limitAddresses({ zones: [A], remaining: 1, fired: (span) => fired.push(span) });
    const free = async (): Promise<unknown> => {
      const { Subnets = [] } = await bench.send(new DescribeSubnetsCommand({ SubnetIds: [CLUSTER.subnets[A] ?? ''] }));
      return Subnets[0]?.AvailableIpAddressCount;
    };
    expect(await free()).toBe(1);
    const [first = ''] = idsOf(await bench.send(fleet({ zones: [A] })));
    const address = ports.instances.get(first)?.privateIp;
    expect(await free()).toBe(0);
    const output = await bench.send(fleet({ zones: [A, B] }));
    expect(idsOf(output)).toHaveLength(1);
    const full = await bench.send(fleet({ zones: [A] }));
    expect(errorsOf(full)).toEqual([`InsufficientFreeAddressesInSubnet m6i.large ${A}`]);
    expect(fired.length).toBeGreaterThan(0);
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [first] }));
    await bench.clock.sleep(60_000);
    const [second = ''] = idsOf(await bench.send(fleet({ zones: [A] })));
    expect(ports.instances.get(second)?.privateIp).toBe(address);
    await heal();
    expect(await free()).toBe(4_090);
  });
});

test('others take never-used addresses first: each further instance gets the address of an earlier one, with every seed', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    await withEc2(
      async (bench) => {
        await makeTemplate(bench);
        const { instances, quota } = bench.ports;
        const launch = async (): Promise<string> => idsOf(await bench.send(fleet({ zones: [A] })))[0] ?? '';
        const end = async (id: string): Promise<void> => {
          await bench.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
          await bench.clock.sleep(60_000);
        };
        const first = await launch();
        const address = instances.get(first)?.privateIp;
        await end(first);
        const reuse: string[] = [];
        const note = (instance: string, before: string): unknown => reuse.push(`${instance} after ${before}`);
        const heal = quota.limitAddresses({ zones: [A], remaining: 1, fired: () => undefined, reused: note });
        const second = await launch();
        await end(second);
        const third = await launch();
        expect([second, third].map((id) => instances.get(id)?.privateIp)).toEqual([address, address]);
        expect(reuse).toEqual([`${second} after ${first}`, `${third} after ${second}`]);
        await heal();
        await launch();
        expect(reuse).toHaveLength(2);
      },
      { seed },
    );
  }
});

test('stale reads hide recent changes, but never what a read has already shown', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench, 'before');
    const [old = ''] = idsOf(await bench.send(fleet({ template: 'before' })));
    await bench.clock.sleep(60_000);
    const fired = new Set<number>();
    const maxMs = 60_000;
    const delay = {
      resources: ['instances', 'launch-templates'] as const,
      maxMs,
      mutations: true,
      fired: (span: number) => fired.add(span),
    };
    const heal = bench.ports.reads.delay(delay);
    const ids = idsOf(await bench.send(fleet({ template: 'before', count: 5 })));
    const listed = async (): Promise<string[]> =>
      instancesOf(await bench.send(new DescribeInstancesCommand({}))).map(({ InstanceId = '' }) => InstanceId);
    let seen: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const now = await listed();
      expect(now).toEqual(expect.arrayContaining([old, ...seen]));
      const hidden = ids.find((id) => !now.includes(id));
      if (hidden !== undefined) {
        const byId = new DescribeInstancesCommand({ InstanceIds: [hidden] });
        expect(await refusal(bench.send(byId))).toBe('400 InvalidInstanceID.NotFound');
        const tag = new CreateTagsCommand({ Resources: [hidden], Tags: [{ Key: 'a', Value: '1' }] });
        expect(await refusal(bench.send(tag))).toBe('400 InvalidInstanceID.NotFound');
      }
      seen = now;
      await bench.clock.sleep(maxMs / 11);
    }
    expect(seen).toHaveLength(6);
    expect(fired.size).toBeGreaterThan(3);

    await makeTemplate(bench, 'after');
    expect(await refusal(bench.send(fleet({ template: 'after' })))).toBe('400 InvalidLaunchTemplateName.NotFoundException');
    const byName = new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['after'] });
    expect(await refusal(bench.send(byName))).toBe('400 InvalidLaunchTemplateName.NotFoundException');
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [old] }));
    await heal();
    expect(await refusal(bench.send(byName))).toBe('none');
    const [ended] = instancesOf(await bench.send(new DescribeInstancesCommand({ InstanceIds: [old] })));
    expect(ended?.State?.Name).toBe('shutting-down');
  });
});

test('a refusal inside a fleet: 200, no instances, one error', async () => {
  await withEc2(async (bench) => {
    const body = 'Action=CreateFleet&Version=2016-11-15&LaunchTemplateConfigs.1.Overrides.1.InstanceType=m5.large';
    const operation = bench.backend.describe({ method: 'POST', path: '/', headers: {}, body });
    const answer = bench.backend.refuse(operation, { status: 200, code: 'RequestLimitExceeded', message: 'Request limit exceeded.' });
    expect(answer.status).toBe(200);
    expect(asText(answer.body as string)).toContain('<errorCode>RequestLimitExceeded</errorCode>');
    expect(bench.backend.describeAnswer(operation, { status: 200, body: answer.body as string })).toEqual({
      note: 'instances: none, errors: RequestLimitExceeded (1)',
    });
    await Promise.resolve();
  });
});
