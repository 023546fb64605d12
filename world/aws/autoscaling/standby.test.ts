import {
  EnterStandbyCommand,
  ExitStandbyCommand,
  PutLifecycleHookCommand,
  SetInstanceProtectionCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { MINUTE_MS, create, refusal, resize, withGroups } from '../testing/groups.ts';
import type { GroupBench } from '../testing/groups.ts';

const GROUP = { AutoScalingGroupName: 'g' };
const DAY_MS = 86_400_000;

const enter = (id: string, isSmaller: boolean): EnterStandbyCommand =>
  new EnterStandbyCommand({ ...GROUP, InstanceIds: [id], ShouldDecrementDesiredCapacity: isSmaller });
const exit = (id: string): ExitStandbyCommand => new ExitStandbyCommand({ ...GROUP, InstanceIds: [id] });

async function statesOf({ group }: GroupBench): Promise<Record<string, string | undefined>> {
  const { Instances = [] } = await group();
  return Object.fromEntries(Instances.map(({ InstanceId = '', LifecycleState }) => [InstanceId, LifecycleState]));
}

test('a member on standby does not count, and comes back', async () => {
  await withGroups(async (bench) => {
    const { groups, group, clock } = bench;
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(2 * MINUTE_MS);
    const [id = '', other = ''] = Object.keys(await statesOf(bench));
    const { Activities: [entering] = [] } = await groups(enter(id, true));
    expect(entering).toMatchObject({ Description: `Moving EC2 instance to Standby: ${id}`, StatusCode: 'InProgress' });
    expect(entering?.Cause).toMatch(
      /^At \S+Z instance i-\w+ was moved to standby in response to a user request, shrinking the capacity from 2 to 1\.$/,
    );
    expect(await statesOf(bench)).toEqual({ [id]: 'EnteringStandby', [other]: 'InService' });
    expect(await refusal(groups(exit(id)))).toBe(`400 ValidationError: The instance ${id} is not in Standby.`);
    await clock.sleep(3 * MINUTE_MS);
    expect(await statesOf(bench)).toEqual({ [id]: 'Standby', [other]: 'InService' });
    await groups(new SetInstanceProtectionCommand({ ...GROUP, InstanceIds: [id], ProtectedFromScaleIn: true }));
    const { Activities: [leaving] = [] } = await groups(exit(id));
    expect(leaving?.Cause).toMatch(/ was moved out of standby in response to a user request, increasing the capacity from 1 to 2\.$/);
    await clock.sleep(2 * MINUTE_MS);
    expect(await statesOf(bench)).toEqual({ [id]: 'InService', [other]: 'InService' });
    expect((await group()).DesiredCapacity).toBe(2);
  });
});

test('one that goes to standby while the size stays is replaced; its end there is only found when it comes back', async () => {
  await withGroups(async (bench) => {
    const { groups, send, clock } = bench;
    await groups(create({ DesiredCapacity: 1 }));
    await clock.sleep(2 * MINUTE_MS);
    const [id = ''] = Object.keys(await statesOf(bench));
    await groups(enter(id, false));
    await clock.sleep(2 * MINUTE_MS);
    expect(Object.values(await statesOf(bench)).sort()).toEqual(['InService', 'Standby']);
    await send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await clock.sleep(5 * MINUTE_MS);
    expect((await statesOf(bench))[id]).toBe('Standby');
    await groups(exit(id));
    await clock.sleep(5 * MINUTE_MS);
    const states = await statesOf(bench);
    expect(states).not.toHaveProperty(id);
    expect(Object.values(states)).toEqual(['InService', 'InService']);
  });
});

test('one that is terminated on its way to standby ends both activities', async () => {
  await withGroups(async (bench) => {
    const { groups, activities, clock } = bench;
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(2 * MINUTE_MS);
    const [id = ''] = Object.keys(await statesOf(bench));
    await groups(enter(id, true));
    await groups(new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: id, ShouldDecrementDesiredCapacity: false }));
    await clock.sleep(5 * MINUTE_MS);
    expect(await statesOf(bench)).not.toHaveProperty(id);
    expect((await activities()).slice(0, 2)).toEqual([
      `Successful: Terminating EC2 instance: ${id}`,
      `Cancelled: Moving EC2 instance to Standby: ${id}.  Status Reason: Instance was terminated by a user request.`,
    ]);
  });
});

test('sizes can be in the way of standby, and only members in service go there', async () => {
  await withGroups(async (bench) => {
    const { groups, clock } = bench;
    await groups(create({ MinSize: 1, MaxSize: 1, DesiredCapacity: 1 }));
    await clock.sleep(2 * MINUTE_MS);
    const [id = ''] = Object.keys(await statesOf(bench));
    const sizes = 'AutoScalingGroup g has min-size=1, max-size=1, and desired-size=1.';
    expect(await refusal(groups(enter(id, true)))).toBe(
      `400 ValidationError: ${sizes} To place into standby 1 instance, please update the AutoScalingGroup sizes appropriately.`,
    );
    expect(await refusal(groups(enter('i-1', true)))).toBe('400 ValidationError: The instance i-1 is not part of Auto Scaling group g.');
    await groups(enter(id, false));
    expect(await refusal(groups(enter(id, false)))).toBe(`400 ValidationError: The instance ${id} is not in InService.`);
    await clock.sleep(2 * MINUTE_MS);
    expect(await refusal(groups(exit(id)))).toBe(
      `400 ValidationError: ${sizes} To place into service 1 instance, please update the AutoScalingGroup sizes appropriately.`,
    );
  });
});

test('members are replaced one after the other at the age that their group sets', async () => {
  await withGroups(async (bench) => {
    const { groups, clock, activities, causes } = bench;
    expect(await refusal(groups(create({ MaxInstanceLifetime: 3_600 })))).toContain('400 ValidationError');
    await groups(create({ DesiredCapacity: 3, MaxInstanceLifetime: DAY_MS / 1_000 }));
    await clock.sleep(DAY_MS - 5 * MINUTE_MS);
    const before = Object.keys(await statesOf(bench));
    expect(before).toHaveLength(3);
    let least = 3;
    for (let minute = 0; minute < 30; minute += 1) {
      await clock.sleep(MINUTE_MS / 4);
      least = Math.min(least, Object.values(await statesOf(bench)).filter((state) => state === 'InService').length);
    }
    await clock.sleep(10 * MINUTE_MS);
    expect(least).toBe(2);
    const after = Object.keys(await statesOf(bench));
    expect(after).toHaveLength(3);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect((await activities()).filter((text) => text.startsWith('Successful: Terminating'))).toHaveLength(3);
    const launches = (await causes()).filter((cause) => cause.includes(' launched '));
    expect(launches).toHaveLength(3);
    for (const cause of launches) expect(cause).toMatch(/ in response to an instance that reached its maximum lifetime\.$/);
    await groups(new UpdateAutoScalingGroupCommand({ ...GROUP, MaxInstanceLifetime: 0 }));
    await clock.sleep(2 * DAY_MS);
    expect(Object.keys(await statesOf(bench))).toEqual(after);
  });
});

test('hooks for launches do not hold up a member that comes back from standby', async () => {
  await withGroups(async (bench) => {
    const { groups, clock } = bench;
    await groups(create());
    await groups(resize(1));
    await clock.sleep(2 * MINUTE_MS);
    const [id = ''] = Object.keys(await statesOf(bench));
    await groups(
      new PutLifecycleHookCommand({ ...GROUP, LifecycleHookName: 'up', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' }),
    );
    await groups(enter(id, true));
    await clock.sleep(MINUTE_MS);
    await groups(exit(id));
    await clock.sleep(MINUTE_MS);
    expect(await statesOf(bench)).toEqual({ [id]: 'InService' });
  });
});
