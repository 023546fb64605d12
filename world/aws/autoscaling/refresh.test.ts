import {
  CancelInstanceRefreshCommand,
  DescribeInstanceRefreshesCommand,
  ResumeProcessesCommand,
  SetInstanceProtectionCommand,
  StartInstanceRefreshCommand,
  SuspendProcessesCommand,
} from '@aws-sdk/client-auto-scaling';
import type { InstanceRefresh, RefreshPreferences } from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateVersionCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { CLUSTER } from '../testing/ec2.ts';
import { MINUTE_MS, create, refusal, withGroups } from '../testing/groups.ts';
import type { GroupBench } from '../testing/groups.ts';

const GROUP = { AutoScalingGroupName: 'g' };
const start = (Preferences?: RefreshPreferences): StartInstanceRefreshCommand => new StartInstanceRefreshCommand({ ...GROUP, Preferences });

async function newest({ groups }: GroupBench): Promise<InstanceRefresh> {
  const { InstanceRefreshes: [first] = [] } = await groups(new DescribeInstanceRefreshesCommand(GROUP));
  if (first === undefined) throw new Error('there is no refresh');
  return first;
}

async function membersOf({ group }: GroupBench): Promise<{ readonly ids: readonly string[]; readonly inService: number }> {
  const { Instances = [] } = await group();
  const live = Instances.filter(({ LifecycleState }) => LifecycleState !== 'Terminating');
  return {
    ids: live.map(({ InstanceId = '' }) => InstanceId),
    inService: live.filter(({ LifecycleState }) => LifecycleState === 'InService').length,
  };
}

/** Starts a refresh of a group of four, and follows it to its end. @returns the least and the most that it had in service */
async function follow(bench: GroupBench, preferences: RefreshPreferences): Promise<readonly [least: number, most: number]> {
  const { groups, clock, causes } = bench;
  // In one zone: no launch is for the balance of zones.
  await groups(create({ DesiredCapacity: 4, VPCZoneIdentifier: CLUSTER.subnets['us-east-1a'] }));
  await clock.sleep(3 * MINUTE_MS);
  const before = await membersOf(bench);
  await groups(start(preferences));
  const inService: number[] = [];
  let last = await newest(bench);
  expect(last).toMatchObject({ Status: 'Pending', Strategy: 'Rolling' });
  for (let step = 0; step < 2_000 && last.EndTime === undefined; step += 1) {
    await clock.sleep(1_000);
    inService.push((await membersOf(bench)).inService);
    const next = await newest(bench);
    expect(next.PercentageComplete ?? 0).toBeGreaterThanOrEqual(last.PercentageComplete ?? 0);
    last = next;
  }
  expect(last).toMatchObject({ Status: 'Successful', PercentageComplete: 100, InstancesToUpdate: 0 });
  await clock.sleep(3 * MINUTE_MS);
  const after = await membersOf(bench);
  expect(after.inService).toBe(4);
  expect(after.ids.filter((id) => before.ids.includes(id))).toEqual([]);
  for (const cause of (await causes()).slice(0, 8)) expect(cause).toMatch(/ in response to an instance refresh\.$/);
  return [Math.min(...inService), Math.max(...inService)];
}

test('a refresh replaces one member after the other, unless the group may have fewer in service', async () => {
  await withGroups(async (bench) => {
    expect(await follow(bench, { InstanceWarmup: 30 })).toEqual([3, 4]);
  });
  await withGroups(async (bench) => {
    expect((await follow(bench, { MinHealthyPercentage: 50 }))[0]).toBe(2);
  });
});

test('if all have to stay in service, new ones come first', async () => {
  await withGroups(async (bench) => {
    expect(await follow(bench, { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 })).toEqual([4, 6]);
  });
});

test('one refresh at a time, which can be cancelled: what has been replaced stays', async () => {
  await withGroups(async (bench) => {
    const { groups, clock } = bench;
    const cancel = new CancelInstanceRefreshCommand(GROUP);
    await groups(create({ DesiredCapacity: 4 }));
    await clock.sleep(3 * MINUTE_MS);
    expect(await refusal(groups(cancel))).toBe(
      '400 ActiveInstanceRefreshNotFoundFault: No in progress or pending Instance Refresh found for Auto Scaling group g',
    );
    const before = await membersOf(bench);
    const { InstanceRefreshId: id } = await groups(start());
    expect(await refusal(groups(start()))).toContain('400 InstanceRefreshInProgressFault: An Instance Refresh is already in progress');
    await clock.sleep(MINUTE_MS);
    expect(await groups(cancel)).toMatchObject({ InstanceRefreshId: id });
    await clock.sleep(5 * MINUTE_MS);
    expect(await newest(bench)).toMatchObject({
      InstanceRefreshId: id,
      Status: 'Cancelled',
      StatusReason: 'Cancelled due to user request.',
    });
    const after = await membersOf(bench);
    expect(after.inService).toBe(4);
    const kept = after.ids.filter((one) => before.ids.includes(one));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(4);
  });
});

test('a refresh that is over replaces nobody, unless another was launched before', async () => {
  const preferences = { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 };
  const cancel = new CancelInstanceRefreshCommand(GROUP);
  for (const [status, stop] of [
    ['Cancelled', async ({ groups }: GroupBench) => void (await groups(cancel))],
    ['Failed', async ({ clock }: GroupBench) => await clock.sleep(65 * MINUTE_MS)],
  ] as const) {
    await withGroups(async (bench) => {
      const { groups, clock, ports } = bench;
      await groups(create({ DesiredCapacity: 2 }));
      await clock.sleep(3 * MINUTE_MS);
      const before = await membersOf(bench);
      const heal = ports.capacity.limit({ selector: {}, remaining: 0, naming: 'one', fired: () => undefined });
      await groups(start(preferences));
      await clock.sleep(5 * MINUTE_MS);
      await stop(bench);
      await clock.sleep(MINUTE_MS);
      expect(await newest(bench)).toMatchObject({ Status: status });
      heal();
      await clock.sleep(20 * MINUTE_MS);
      expect(await membersOf(bench)).toEqual(before);
    });
  }
  await withGroups(async (bench) => {
    const { groups, clock } = bench;
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(3 * MINUTE_MS);
    const before = await membersOf(bench);
    await groups(start(preferences));
    while ((await membersOf(bench)).ids.length === 2) await clock.sleep(1_000);
    await groups(cancel);
    await clock.sleep(10 * MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'Cancelled' });
    const after = await membersOf(bench);
    expect(after.inService).toBe(2);
    expect(after.ids.filter((id) => before.ids.includes(id))).toHaveLength(1);
  });
});

test('a refresh can be cancelled while a process that it needs is suspended', async () => {
  await withGroups(async (bench) => {
    const { groups, clock } = bench;
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(3 * MINUTE_MS);
    await groups(new SuspendProcessesCommand({ ...GROUP, ScalingProcesses: ['Launch'] }));
    await groups(start());
    await clock.sleep(MINUTE_MS);
    await groups(new CancelInstanceRefreshCommand(GROUP));
    await clock.sleep(MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'Cancelled' });
    await groups(new ResumeProcessesCommand(GROUP));
    await groups(start());
  });
});

test('skip matching replaces only what is not as the group would launch it now', async () => {
  await withGroups(async (bench) => {
    const { groups, send, clock } = bench;
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(3 * MINUTE_MS);
    const before = await membersOf(bench);
    await groups(start({ SkipMatching: true }));
    await clock.sleep(MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'Successful', PercentageComplete: 100 });
    expect((await membersOf(bench)).ids).toEqual(before.ids);
    // The group's version is $Latest.
    await send(
      new CreateLaunchTemplateVersionCommand({ LaunchTemplateName: 'nodes', SourceVersion: '1', LaunchTemplateData: { KeyName: 'mine' } }),
    );
    await groups(start({ SkipMatching: true, MinHealthyPercentage: 0 }));
    await clock.sleep(10 * MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'Successful' });
    const after = await membersOf(bench);
    expect(after.ids.filter((one) => before.ids.includes(one))).toEqual([]);
    const { InstanceRefreshes = [] } = await groups(new DescribeInstanceRefreshesCommand(GROUP));
    expect(InstanceRefreshes).toHaveLength(2);
  });
});

test('protected members hold up a refresh until it fails, or are ignored', async () => {
  await withGroups(async (bench) => {
    const { groups, clock } = bench;
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(3 * MINUTE_MS);
    const { ids } = await membersOf(bench);
    await groups(new SetInstanceProtectionCommand({ ...GROUP, InstanceIds: ids.slice(0, 1), ProtectedFromScaleIn: true }));
    await groups(start());
    await clock.sleep(30 * MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'InProgress', PercentageComplete: 50, InstancesToUpdate: 1 });
    await clock.sleep(60 * MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'Failed' });
    await groups(start({ ScaleInProtectedInstances: 'Ignore' }));
    await clock.sleep(10 * MINUTE_MS);
    expect(await newest(bench)).toMatchObject({ Status: 'Successful' });
    expect((await membersOf(bench)).ids).toContain(ids[0]);
  });
});

test('preferences that this world lacks are refused, and so are percentages out of range', async () => {
  await withGroups(async ({ groups }) => {
    await groups(create());
    for (const [preferences, says] of [
      [{ CheckpointPercentages: [50, 100] }, 'This world does not emulate instance refreshes with CheckpointPercentages.'],
      [{ AutoRollback: true }, 'AutoRollback'],
      [{ MinHealthyPercentage: 101 }, "'preferences.minHealthyPercentage' failed to satisfy constraint"],
      [{ MaxHealthyPercentage: 110 }, 'MaxHealthyPercentage requires MinHealthyPercentage.'],
    ] as const)
      expect(await refusal(groups(start(preferences as unknown as RefreshPreferences)))).toContain(says);
  });
});
