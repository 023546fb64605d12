import { DescribeInstancesCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { CLUSTER, fleet, idsOf, instancesOf, makeTemplate, withEc2 } from './testing/ec2.ts';

const [A, B] = ['us-east-1a', 'us-east-1b'] as const;

test('a subnet names new instances by their ids until healed; an instance keeps its name', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const launch = async (zone: string): Promise<string> => idsOf(await bench.send(fleet({ zones: [zone] })))[0] ?? '';
    const describe = async (id: string): Promise<unknown> => {
      await bench.clock.sleep(10_000);
      const [found] = instancesOf(await bench.send(new DescribeInstancesCommand({ InstanceIds: [id] })));
      return [found?.PrivateDnsName, found?.PrivateDnsNameOptions?.HostnameType];
    };
    const subnetType = async (): Promise<unknown> => {
      const { Subnets = [] } = await bench.send(new DescribeSubnetsCommand({ SubnetIds: [CLUSTER.subnets[A] ?? ''] }));
      return Subnets[0]?.PrivateDnsNameOptionsOnLaunch?.HostnameType;
    };
    const named: string[] = [];
    const heal = bench.ports.hostnames.nameByInstance({ zones: [A], fired: (id) => named.push(id) });
    const [inA, inB] = [await launch(A), await launch(B)];
    expect(named).toEqual([inA]);
    expect(await subnetType()).toBe('resource-name');
    await heal();
    expect(await subnetType()).toBe('ip-name');
    const later = await launch(A);
    const byAddress = [expect.stringMatching(/^ip-[\d-]+\.ec2\.internal$/), 'ip-name'];
    expect(await describe(inA)).toEqual([`${inA}.ec2.internal`, 'resource-name']);
    expect(await describe(inB)).toEqual(byAddress);
    expect(await describe(later)).toEqual(byAddress);
  });
});
