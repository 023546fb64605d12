import { DescribeInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { DescribeInstancesCommandInput } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { fleet, idsOf, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench, FleetSpec } from './testing/ec2.ts';
import { INSTANCE_DELAYS, TERMINATED_VISIBLE_MS } from './instances.ts';

async function launch(bench: Bench, spec: FleetSpec): Promise<string[]> {
  return idsOf(await bench.send(fleet(spec)));
}

async function describe(bench: Bench, input: DescribeInstancesCommandInput): Promise<string[]> {
  return instancesOf(await bench.send(new DescribeInstancesCommand(input))).map(({ InstanceId = '' }) => InstanceId);
}

test('an instance goes through its states, is terminated once, stays listed for an hour, and its address is reused', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const zones = ['us-east-1a'];
    const [id = '', other = ''] = await launch(bench, { count: 2, zones });
    await bench.clock.sleep(INSTANCE_DELAYS.pending.maxMs);
    const heard: string[] = [];
    const stop = bench.ports.instances.onChange((instance) => heard.push(`${instance.id} ${instance.state}`));

    const ended = await bench.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(ended.TerminatingInstances).toEqual([
      { InstanceId: id, CurrentState: { Code: 32, Name: 'shutting-down' }, PreviousState: { Code: 16, Name: 'running' } },
    ]);
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(bench.effect()).toEqual({ kind: 'none' });
    await bench.clock.sleep(INSTANCE_DELAYS.shuttingDown.maxMs);
    const again = await bench.send(new TerminateInstancesCommand({ InstanceIds: [id, other, id] }));
    expect(again.TerminatingInstances?.map(({ PreviousState, CurrentState }) => [PreviousState?.Name, CurrentState?.Name])).toEqual([
      ['terminated', 'terminated'],
      ['running', 'shutting-down'],
    ]);
    expect(heard).toEqual([`${id} shutting-down`, `${id} terminated`, `${other} shutting-down`]);
    stop();
    expect(bench.events.filter(({ instance }) => instance === id).map(({ to, span, reason }) => [to, span, reason])).toEqual([
      ['pending', 1, undefined],
      ['running', undefined, undefined],
      ['shutting-down', 2, 'Client.UserInitiatedShutdown: User initiated shutdown'],
      ['terminated', undefined, 'Client.UserInitiatedShutdown: User initiated shutdown'],
    ]);

    const [terminated] = instancesOf(await bench.send(new DescribeInstancesCommand({ InstanceIds: [id] })));
    expect(terminated).toMatchObject({
      State: { Code: 48, Name: 'terminated' },
      StateReason: { Code: 'Client.UserInitiatedShutdown' },
      StateTransitionReason: 'User initiated (2026-01-01 00:00:08 GMT)',
    });
    expect(terminated?.PrivateIpAddress).toBeUndefined();
    const [next = ''] = await launch(bench, { zones });
    expect(bench.ports.instances.get(next)?.privateIp).toBe('10.0.0.4');

    await bench.clock.sleep(INSTANCE_DELAYS.shuttingDown.maxMs + TERMINATED_VISIBLE_MS);
    expect(await describe(bench, {})).toEqual([next]);
    expect(await refusal(bench.send(new TerminateInstancesCommand({ InstanceIds: [id] })))).toBe('400 InvalidInstanceID.NotFound');
  });
});

test('a pending instance can be terminated and then never runs', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const [id = ''] = await launch(bench, {});
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await bench.clock.sleep(INSTANCE_DELAYS.shuttingDown.maxMs);
    expect(bench.events.map(({ to }) => to)).toEqual(['pending', 'shutting-down', 'terminated']);
  });
});

test('an instance can be terminated out of band', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const [id = ''] = await launch(bench, {});
    bench.ports.instances.end(id, 'Server.SpotInstanceTermination: Spot instance termination');
    bench.ports.instances.end(id, 'again');
    bench.ports.instances.end('i-00000000', 'nobody');
    const [instance] = instancesOf(await bench.send(new DescribeInstancesCommand({})));
    expect(instance).toMatchObject({
      State: { Name: 'shutting-down' },
      StateReason: { Code: 'Server.SpotInstanceTermination', Message: 'Server.SpotInstanceTermination: Spot instance termination' },
    });
    expect(bench.events.at(-1)).not.toHaveProperty('span');
  });
});

for (const { ids, code } of [
  { ids: [], code: '400 MissingParameter' },
  { ids: ['i-0123456789abcdef0'], code: '400 InvalidInstanceID.NotFound' },
  { ids: ['i-nonsense'], code: '400 InvalidInstanceID.Malformed' },
]) {
  test(`one bad id among ${ids.join() || 'none'}: nothing is terminated`, async () => {
    await withEc2(async (bench) => {
      await makeTemplate(bench);
      const good = ids.length === 0 ? [] : await launch(bench, {});
      expect(await refusal(bench.send(new TerminateInstancesCommand({ InstanceIds: [...good, ...ids] })))).toBe(code);
      expect(bench.effect()).toEqual({ kind: 'rejected', code: code.slice(4) });
      expect(bench.ports.instances.list().every(({ state }) => state === 'pending')).toBe(true);
    });
  });
}

test('filters narrow what is listed', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const tagged = (Value: string): FleetSpec['more'] => ({
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'claim', Value }] }],
    });
    const [a = ''] = await launch(bench, { zones: ['us-east-1a'], token: 'one', more: tagged('a*b') });
    const [b = ''] = await launch(bench, { zones: ['us-east-1b'], types: ['c5.large'], more: tagged('axb') });
    const [c = ''] = await launch(bench, { zones: ['us-east-1b'], capacityType: 'on-demand' });
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [c] }));
    const cases: [string, string[], string[]][] = [
      ['instance-state-name', ['pending', 'running'], [a, b]],
      ['instance-state-name', ['shutting-down'], [c]],
      ['tag:claim', ['a*b'], [a, b]],
      ['tag:claim', ['a\\*b'], [a]],
      ['tag:claim', ['a?b', 'nobody'], [a, b]],
      ['tag:claim', ['A*B'], []],
      ['tag:owner', ['*'], []],
      ['tag:toString', ['*'], []],
      ['tag-key', ['claim'], [a, b]],
      ['instance-id', [c, a], [a, c]],
      ['availability-zone', ['us-east-1b'], [b, c]],
      ['instance-type', ['c5.*'], [b]],
      ['instance-lifecycle', ['spot'], [a, b]],
      ['private-dns-name', ['ip-10-0-16-5.ec2.internal'], [c]],
      ['client-token', ['one'], [a]],
    ];
    for (const [Name, Values, expected] of cases) {
      expect([Name, Values, await describe(bench, { Filters: [{ Name, Values }] })]).toEqual([Name, Values, expected]);
    }
    const both = [
      { Name: 'tag-key', Values: ['claim'] },
      { Name: 'availability-zone', Values: ['us-east-1b'] },
    ];
    expect(await describe(bench, { Filters: both })).toEqual([b]);
    expect(await describe(bench, { InstanceIds: [c, a] })).toEqual([a, c]);
  });
});

test('pages neither repeat nor skip existing instances, whatever is launched in between', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const launched = await launch(bench, { count: 13 });
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await bench.send(new DescribeInstancesCommand({ MaxResults: 5, ...defined({ NextToken: token }) }));
      seen.push(...instancesOf(page).map(({ InstanceId = '' }) => InstanceId));
      token = page.NextToken;
      if (seen.length === 5) launched.push(...(await launch(bench, { count: 2 })));
    } while (token !== undefined);
    expect(seen).toEqual(launched);
  });
});

for (const { name, input, code } of [
  { name: 'an unknown filter', input: { Filters: [{ Name: 'colour', Values: ['red'] }] }, code: 'InvalidParameterValue' },
  { name: 'a filter named after a method', input: { Filters: [{ Name: 'toString', Values: ['x'] }] }, code: 'InvalidParameterValue' },
  { name: 'a filter without values', input: { Filters: [{ Name: 'instance-id' }] }, code: 'InvalidParameterValue' },
  {
    name: 'more than 200 values',
    input: { Filters: [{ Name: 'instance-id', Values: Array.from({ length: 201 }, (_, at) => `i-${at}`) }] },
    code: 'FilterLimitExceeded',
  },
  { name: 'a page too short', input: { MaxResults: 4 }, code: 'InvalidParameterValue' },
  { name: 'a page too long', input: { MaxResults: 1_001 }, code: 'InvalidParameterValue' },
  { name: 'a made-up token', input: { MaxResults: 5, NextToken: 'x' }, code: 'InvalidPaginationToken' },
  { name: 'ids with pages', input: { MaxResults: 5, InstanceIds: ['i-00000001'] }, code: 'InvalidParameterCombination' },
  { name: 'an unknown id', input: { InstanceIds: ['i-00000001'] }, code: 'InvalidInstanceID.NotFound' },
] satisfies { name: string; input: DescribeInstancesCommandInput; code: string }[]) {
  test(`listing refuses ${name}`, async () => {
    await withEc2(async (bench) => {
      expect(await refusal(bench.send(new DescribeInstancesCommand(input)))).toBe(`400 ${code}`);
    });
  });
}
