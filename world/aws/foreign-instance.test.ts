import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { CLUSTER, fleet, idsOf, instancesOf, makeTemplate, withEc2 } from './testing/ec2.ts';
import type { Bench } from './testing/ec2.ts';

/** Runs `work` beside foreign instances. @param work gets the ids of one that no cluster owns, and of one of another cluster */
async function withForeign(work: (bench: Bench, id: string, otherCluster: string) => Promise<void>): Promise<void> {
  await withEc2(async (bench) => {
    for (const part of bench.others) await part.run(new AbortController().signal);
    const [foreign, otherCluster] = instancesOf(await bench.send(new DescribeInstancesCommand({})));
    await work(bench, foreign?.InstanceId ?? '', otherCluster?.InstanceId ?? '');
  });
}

/** What the history records about it. */
function changes({ told }: Bench): string[] {
  return told.flatMap((event) =>
    event.type === 'foreign-instance' ? [`${event.to}${event.span === undefined ? '' : ' by request'}`] : [],
  );
}

test("requests list them first, as older than the cluster; filters by the cluster's tag and the world do not see them", async () => {
  await withForeign(async (bench, id, otherCluster) => {
    await makeTemplate(bench);
    const own = idsOf(await bench.send(fleet()));
    const listed = instancesOf(await bench.send(new DescribeInstancesCommand({})));
    expect(listed.map(({ InstanceId }) => InstanceId)).toEqual([id, otherCluster, ...own]);
    expect(listed[0]).toMatchObject({
      State: { Name: 'running' },
      SubnetId: CLUSTER.subnets['us-east-1a'],
      PrivateIpAddress: '10.0.15.254',
      Tags: expect.arrayContaining([{ Key: 'Name', Value: 'somebody-elses' }]),
    });
    expect(listed[0]?.LaunchTime?.getTime()).toBeLessThan(bench.clock.nowMs());
    const withTag = async (name: string): Promise<unknown[]> =>
      instancesOf(await bench.send(new DescribeInstancesCommand({ Filters: [{ Name: 'tag-key', Values: [name] }] }))).map(
        ({ InstanceId }) => InstanceId,
      );
    expect(await withTag(`kubernetes.io/cluster/${CLUSTER.name}`)).not.toContain(otherCluster);
    // An autoscaler that looks only at its kind's tags takes it for its own.
    expect(await withTag('karpenter.sh/nodeclaim')).toContain(otherCluster);
    expect(await withTag('karpenter.sh/nodeclaim')).not.toContain(id);
    expect(bench.ports.instances.list().map((instance) => instance.id)).toEqual(own);
    expect(bench.ports.instances.get(id)).toBeUndefined();
    const { Subnets = [] } = await bench.send(new DescribeSubnetsCommand({ SubnetIds: [CLUSTER.subnets['us-east-1a'] ?? ''] }));
    expect(Subnets[0]?.AvailableIpAddressCount).toBeLessThan(4_091);
    expect(changes(bench)).toEqual(['found', 'found']);
    expect(bench.events.some(({ instance }) => [id, otherCluster].includes(instance))).toBe(false);
  });
});

for (const [what, command, told] of [
  ['terminated', (id: string) => new TerminateInstancesCommand({ InstanceIds: [id] }), ['shutting-down by request', 'terminated']],
  ['stopped', (id: string) => new StopInstancesCommand({ InstanceIds: [id] }), ['stopping by request', 'stopped']],
  ['retagged', (id: string) => new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: 'b' }] }), ['retagged by request']],
  [
    'given a tag that it has',
    (id: string) => new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'Name', Value: 'somebody-elses' }] }),
    [],
  ],
] as const) {
  test(`the history records that it was ${what}, and the rest of the world does not notice`, async () => {
    await withForeign(async (bench, id) => {
      const heard: string[] = [];
      bench.ports.instances.onChange((instance) => heard.push(instance.id));
      // The client's overloads accept no union of commands.
      await bench.send(command(id) as TerminateInstancesCommand);
      await bench.clock.sleep(60_000);
      expect(changes(bench)).toEqual(['found', 'found', ...told]);
      expect(heard).toEqual([]);
    });
  });
}

test("the seed's draws for the cluster are the same with and without it", async () => {
  const launch = async (bench: Bench): Promise<string[]> => {
    await makeTemplate(bench);
    const ids = idsOf(await bench.send(fleet({ count: 3 })));
    await bench.clock.sleep(60_000);
    return [...ids, ...bench.ports.instances.list().map(({ privateIp }) => privateIp)];
  };
  const drawn: string[][] = [];
  await withForeign(async (bench) => void drawn.push(await launch(bench)));
  await withEc2(async (bench) => void drawn.push(await launch(bench)));
  expect(drawn[0]).toEqual(drawn[1]);
});
