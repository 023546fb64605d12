import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { CLUSTER } from '../../world/embedded.ts';
import { skipWithout, withRunningWorld } from './testing/running-world.ts';

const GROUP = ['--auto-scaling-group-name', 'web'];
const WAIT = { timeout: 60_000 };

/** Version 1 ends with this code after a refusal, version 2 with another. */
const REFUSED = [254, 255];

test('the AWS CLI creates a group, scales it, describes its activities and ends it', async ({}, testInfo) => {
  skipWithout('aws', ['--version']);
  test.setTimeout(300_000);
  await withRunningWorld(testInfo, async ({ run }) => {
    const aws = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run('aws', [...args, '--output', 'text']);
      expect(code, `aws ${args.join(' ')}: ${stderr}`).toBe(0);
      return stdout.trim();
    };
    const states = async (): Promise<string[]> => {
      const query = 'AutoScalingGroups[].Instances[].LifecycleState';
      return (await aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'web', '--query', query)).split('\t');
    };
    const data = JSON.stringify({ ImageId: CLUSTER.imageIds.x86_64, InstanceType: 'm5.large' });
    const id = await aws(
      ...['ec2', 'create-launch-template', '--launch-template-name', 'web', '--launch-template-data', data],
      ...['--query', 'LaunchTemplate.LaunchTemplateId'],
    );
    expect(id).toMatch(/^lt-[0-9a-f]{17}$/);
    const subnets = Object.values(CLUSTER.subnets).join(',');
    await aws(
      ...['autoscaling', 'create-auto-scaling-group', ...GROUP, '--launch-template', `LaunchTemplateId=${id}`],
      ...['--min-size', '0', '--max-size', '3', '--vpc-zone-identifier', subnets, '--tags', 'Key=team,Value=web,PropagateAtLaunch=true'],
    );
    await aws('autoscaling', 'set-desired-capacity', ...GROUP, '--desired-capacity', '2');
    await expect.poll(states, WAIT).toEqual(['InService', 'InService']);
    const tagged = ['--filters', 'Name=tag:team,Values=web', '--query', 'length(Reservations)'];
    expect(await aws('ec2', 'describe-instances', ...tagged)).toBe('2');

    await aws('autoscaling', 'update-auto-scaling-group', ...GROUP, '--desired-capacity', '1');
    await expect.poll(states, WAIT).toEqual(['InService']);
    const said = await aws('autoscaling', 'describe-scaling-activities', ...GROUP, '--query', 'Activities[].[StatusCode,Description]');
    const [newest = '', ...older] = said.split('\n');
    expect(newest).toMatch(/^Successful\tTerminating EC2 instance: i-[0-9a-f]{17}$/);
    expect(older.map((line) => line.replace(/i-[0-9a-f]{17}$/, 'ID'))).toEqual(
      Array(2).fill('Successful\tLaunching a new EC2 instance: ID'),
    );

    await aws('autoscaling', 'delete-auto-scaling-group', ...GROUP, '--force-delete');
    await expect.poll(() => aws('autoscaling', 'describe-auto-scaling-groups', '--query', 'length(AutoScalingGroups)'), WAIT).toBe('0');
  });
});

test('the AWS CLI shows what a refusal says, with its code', async ({}, testInfo) => {
  skipWithout('aws', ['--version']);
  test.setTimeout(300_000);
  await withRunningWorld(testInfo, async ({ run }) => {
    const { code, stdout, stderr } = await run('aws', ['autoscaling', 'set-desired-capacity', ...GROUP, '--desired-capacity', '2']);
    expect(REFUSED).toContain(code);
    expect(stdout).toBe('');
    expect(stderr.trim()).toBe(
      "An error occurred (ValidationError) when calling the SetDesiredCapacity operation: AutoScalingGroup name not found - AutoScalingGroup 'web' not found",
    );
  });
});

test('the commands for groups in docs/world.md work as printed', async ({}, testInfo) => {
  skipWithout('aws', ['--version']);
  test.setTimeout(300_000);
  const page = readFileSync(join(packageRoot(), 'docs/world.md'), 'utf8');
  const commands = /```sh\n((?:(?!```)[^])*?create-auto-scaling-group[^]*?)```/.exec(page)?.[1] ?? '';
  await withRunningWorld(testInfo, async ({ run }) => {
    const { code, stdout, stderr } = await run('bash', ['-euc', commands]);
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^(InProgress|Successful)\tLaunching a new EC2 instance: i-[0-9a-f]{17}$/);
  });
});
