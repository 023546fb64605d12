import {
  CompleteLifecycleActionCommand,
  DeleteLifecycleHookCommand,
  DescribeLifecycleHooksCommand,
  PutLifecycleHookCommand,
  RecordLifecycleActionHeartbeatCommand,
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeTagsCommand,
  CreateOrUpdateTagsCommand,
  SetInstanceProtectionCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { CLUSTER } from '../testing/ec2.ts';
import { MINUTE_MS, create, refusal, resize, spreadOf, withGroups } from '../testing/groups.ts';

test('a group reaches its desired capacity, over all zones, and says so', async () => {
  await withGroups(async ({ groups, group, activities, clock, told, events }) => {
    const tags = [
      { Key: 'a', Value: '1', PropagateAtLaunch: true },
      { Key: 'b', Value: '2', PropagateAtLaunch: false },
    ];
    await groups(create({ Tags: tags }));
    await clock.sleep(MINUTE_MS);
    expect((await group()).Instances).toEqual([]);
    await groups(resize(3));
    const span = told.filter(({ type }) => type === 'group').at(-1);
    await clock.sleep(MINUTE_MS);
    const { Instances = [], DesiredCapacity } = await group();
    expect(DesiredCapacity).toBe(3);
    expect(Instances.map(({ AvailabilityZone }) => AvailabilityZone).sort()).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c']);
    expect(new Set(Instances.map(({ LifecycleState, HealthStatus }) => `${LifecycleState} ${HealthStatus}`))).toEqual(
      new Set(['InService Healthy']),
    );
    expect((await activities()).map((text) => text.replace(/i-\w+/, 'ID'))).toEqual(
      Array(3).fill('Successful: Launching a new EC2 instance: ID'),
    );
    expect(span).toMatchObject({ group: 'g', to: 'changed', desired: 3, min: 0, max: 10 });
    const launched = events.filter(({ to }) => to === 'pending');
    expect(launched).toHaveLength(3);
    for (const event of launched) {
      expect(event).toMatchObject({ group: 'g', span: (span as { span: number }).span, capacityType: 'on-demand' });
      expect(event.tags).toMatchObject({ a: '1', 'aws:autoscaling:groupName': 'g' });
      expect(event.tags).not.toHaveProperty('b');
    }
  });
});

test('one that somebody else terminates is found and replaced, on nobody’s behalf', async () => {
  await withGroups(async ({ groups, group, activities, send, clock, events }) => {
    await groups(create({ DesiredCapacity: 1 }));
    await clock.sleep(MINUTE_MS);
    const { Instances: [first] = [] } = await group();
    const id = first?.InstanceId ?? '';
    await send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect((await group()).Instances).toMatchObject([{ InstanceId: id, LifecycleState: 'InService' }]);
    await clock.sleep(3 * MINUTE_MS);
    const { Instances = [] } = await group();
    expect(Instances).toMatchObject([{ LifecycleState: 'InService' }]);
    expect(Instances[0]?.InstanceId).not.toBe(id);
    expect(events.filter(({ to }) => to === 'pending').at(-1)).not.toHaveProperty('span');
    expect(await activities()).toContain(`Successful: Terminating EC2 instance: ${id}`);
  });
});

test('without capacity in one zone, others get the instances; without any, activities fail with growing pauses', async () => {
  await withGroups(async ({ groups, group, activities, clock, ports }) => {
    const fired: (number | undefined)[] = [];
    const limit = (zones: string[]) =>
      ports.capacity.limit({ selector: { zones }, remaining: 0, naming: 'one', fired: (span) => void fired.push(span) });
    const healFirst = limit(['us-east-1a']);
    await groups(create());
    await groups(resize(4));
    await clock.sleep(MINUTE_MS);
    expect((await group()).Instances?.map(({ AvailabilityZone }) => AvailabilityZone).sort()).toEqual([
      'us-east-1b',
      'us-east-1b',
      'us-east-1c',
      'us-east-1c',
    ]);
    expect(await activities()).toContain(
      'Failed: Launching a new EC2 instance.  Status Reason: Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient m6i.large capacity in the Availability Zone you requested (us-east-1a). Our system will be working on provisioning additional capacity. Launching EC2 instance failed.',
    );
    const healAll = limit(['us-east-1a', 'us-east-1b', 'us-east-1c']);
    await groups(resize(5));
    await clock.sleep(10 * MINUTE_MS);
    const failures = (await activities()).filter((text) => text.startsWith('Failed')).length;
    expect(failures).toBeGreaterThan(6);
    expect(failures).toBeLessThan(30);
    healFirst();
    healAll();
    await clock.sleep(10 * MINUTE_MS);
    expect((await group()).Instances).toHaveLength(5);
    expect(fired[0]).toBeGreaterThan(100);
  });
});

test('a group with only a launch template launches what that says, and words failures as RunInstances does', async () => {
  await withGroups(async ({ groups, group, activities, clock, send, ports }) => {
    const LaunchTemplateData = {
      ImageId: CLUSTER.imageIds.x86_64,
      InstanceType: 'm5.large' as const,
      InstanceMarketOptions: { MarketType: 'spot' as const },
    };
    await send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'plain', LaunchTemplateData }));
    const LaunchTemplate = { LaunchTemplateName: 'plain' };
    const { MixedInstancesPolicy: _mixed, ...rest } = create().input;
    await groups(new CreateAutoScalingGroupCommand({ ...rest, LaunchTemplate, DesiredCapacity: 1 }));
    await clock.sleep(MINUTE_MS);
    expect((await group()).Instances).toMatchObject([{ InstanceType: 'm5.large', LaunchTemplate: { ...LaunchTemplate, Version: '1' } }]);
    ports.capacity.limit({ selector: { capacityTypes: ['spot'] }, remaining: 0, naming: 'one', fired: () => undefined });
    await groups(resize(2));
    await clock.sleep(MINUTE_MS);
    expect((await activities())[0]).toBe(
      'Failed: Launching a new EC2 instance.  Status Reason: There is no Spot capacity available that matches your request. Launching EC2 instance failed.',
    );
    expect(await refusal(groups(create({ AutoScalingGroupName: 'h', LaunchTemplate })))).toMatch(
      /^400 ValidationError: Valid requests must/,
    );
  });
});

test('a group shrinks by SetDesiredCapacity and by its own termination request, and not below its minimum', async () => {
  await withGroups(async ({ groups, group, clock, events }) => {
    await groups(create({ DesiredCapacity: 4, MinSize: 1 }));
    await clock.sleep(MINUTE_MS);
    const { Instances = [] } = await group();
    const [kept = '', ended = ''] = Instances.map(({ InstanceId }) => InstanceId ?? '');
    await groups(new SetInstanceProtectionCommand({ AutoScalingGroupName: 'g', InstanceIds: [kept], ProtectedFromScaleIn: true }));
    const terminate = (id: string, ShouldDecrementDesiredCapacity: boolean) =>
      groups(new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: id, ShouldDecrementDesiredCapacity }));
    const { Activity } = await terminate(ended, true);
    expect(Activity?.Cause).toMatch(/was taken out of service in response to a user request, shrinking the capacity from 4 to 3\.$/);
    expect((await group()).DesiredCapacity).toBe(3);
    await groups(resize(1));
    await clock.sleep(3 * MINUTE_MS);
    expect((await group()).Instances?.map(({ InstanceId }) => InstanceId)).toEqual([kept]);
    expect(await refusal(terminate(kept, true))).toMatch(/^400 ValidationError: Currently, desiredSize equals minSize \(1\)\./);
    expect(await refusal(groups(resize(0)))).toBe(
      '400 ValidationError: New SetDesiredCapacity value 0 is below min value 1 for the AutoScalingGroup.',
    );
    expect(await refusal(groups(resize(11)))).toBe(
      '400 ValidationError: New SetDesiredCapacity value 11 is above max value 10 for the AutoScalingGroup.',
    );
    expect(await refusal(terminate('i-00000000000000000', true))).toBe(
      '400 ValidationError: Instance Id not found - No managed instance found for instance ID: i-00000000000000000',
    );
    expect(await refusal(groups(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'g' })))).toMatch(/^400 ResourceInUse/);
    await groups(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'g', ForceDelete: true }));
    await clock.sleep(3 * MINUTE_MS);
    expect((await groups(new DescribeAutoScalingGroupsCommand({}))).AutoScalingGroups).toEqual([]);
    expect(events.filter(({ to }) => to === 'shutting-down').every(({ span, group }) => group === 'g' && span !== undefined)).toBe(true);
  });
});

test('an instance waits for hooks before it is in service and before it goes', async () => {
  await withGroups(async ({ groups, group, clock, autoscaling, events }) => {
    const actions: { instance: string; token: string }[] = [];
    autoscaling.onAction((action) => actions.push(action));
    const put = (LifecycleHookName: string, what: string, HeartbeatTimeout: number) =>
      groups(
        new PutLifecycleHookCommand({
          AutoScalingGroupName: 'g',
          LifecycleHookName,
          LifecycleTransition: `autoscaling:EC2_INSTANCE_${what}`,
          HeartbeatTimeout,
          DefaultResult: 'CONTINUE',
        }),
      );
    const state = async () => (await group()).Instances?.map(({ LifecycleState }) => LifecycleState);
    await groups(create());
    await put('up', 'LAUNCHING', 60);
    await put('down', 'TERMINATING', 300);
    await groups(resize(1));
    await clock.sleep(40_000);
    expect(await state()).toEqual(['Pending:Wait']);
    await clock.sleep(1.5 * MINUTE_MS);
    expect(await state()).toEqual(['InService']);
    await groups(resize(0));
    await clock.sleep(MINUTE_MS);
    expect(await state()).toEqual(['Terminating:Wait']);
    expect(events.at(-1)?.to).toBe('running');
    const { instance = '', token } = actions[1] ?? {};
    const about = { AutoScalingGroupName: 'g', LifecycleHookName: 'down', LifecycleActionToken: token };
    await groups(new RecordLifecycleActionHeartbeatCommand(about));
    await clock.sleep(4.5 * MINUTE_MS);
    expect(await state()).toEqual(['Terminating:Wait']);
    await groups(new CompleteLifecycleActionCommand({ ...about, LifecycleActionResult: 'CONTINUE' }));
    expect(await refusal(groups(new RecordLifecycleActionHeartbeatCommand({ ...about, InstanceId: instance })))).toMatch(
      /No active Lifecycle Action/,
    );
    await clock.sleep(MINUTE_MS);
    expect(await state()).toEqual([]);
    const { LifecycleHooks } = await groups(new DescribeLifecycleHooksCommand({ AutoScalingGroupName: 'g' }));
    expect(LifecycleHooks).toMatchObject([
      { LifecycleHookName: 'down', HeartbeatTimeout: 300, GlobalTimeout: 30_000 },
      { LifecycleHookName: 'up', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
    ]);
    await groups(new DeleteLifecycleHookCommand({ AutoScalingGroupName: 'g', LifecycleHookName: 'up' }));
  });
});

test('deleting a group by force ends the waits for its hooks', async () => {
  await withGroups(async ({ groups, group, clock }) => {
    await groups(create({ DesiredCapacity: 1 }));
    const LifecycleTransition = 'autoscaling:EC2_INSTANCE_TERMINATING';
    const hook = { AutoScalingGroupName: 'g', LifecycleHookName: 'down' };
    await groups(new PutLifecycleHookCommand({ ...hook, LifecycleTransition, HeartbeatTimeout: 7_200 }));
    await clock.sleep(MINUTE_MS);
    await groups(resize(0));
    await clock.sleep(MINUTE_MS);
    const [waiting] = (await group()).Instances ?? [];
    expect(waiting?.LifecycleState).toBe('Terminating:Wait');
    await groups(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'g', ForceDelete: true }));
    expect(await refusal(groups(new RecordLifecycleActionHeartbeatCommand({ ...hook, InstanceId: waiting?.InstanceId })))).toMatch(
      /No active Lifecycle Action/,
    );
    await clock.sleep(2 * MINUTE_MS);
    await expect(group()).rejects.toThrow('there is no group g');
  });
});

test('with capacity rebalancing, a replacement is in service before the instance at risk goes', async () => {
  await withGroups(async ({ groups, group, clock, autoscaling, events }) => {
    await groups(create({ CapacityRebalance: true, DesiredCapacity: 2 }));
    await clock.sleep(MINUTE_MS);
    const [atRisk] = (await group()).Instances ?? [];
    autoscaling.controller.rebalance(atRisk?.InstanceId ?? '');
    await clock.sleep(2 * MINUTE_MS);
    const { Instances = [], DesiredCapacity } = await group();
    expect(DesiredCapacity).toBe(2);
    expect(Instances.map(({ LifecycleState }) => LifecycleState)).toEqual(['InService', 'InService']);
    expect(Instances.map(({ InstanceId }) => InstanceId)).not.toContain(atRisk?.InstanceId);
    expect(events.filter(({ to }) => to === 'running' || to === 'shutting-down').map(({ to }) => to)).toEqual([
      'running',
      'running',
      'running',
      'shutting-down',
    ]);
  });
});

test('groups are listed by pages, names and tags', async () => {
  await withGroups(async ({ groups }) => {
    for (const name of ['g1', 'g2', 'g3']) {
      await groups(create({ AutoScalingGroupName: name, Tags: [{ Key: 'own', Value: name, PropagateAtLaunch: true }] }));
    }
    const { AutoScalingGroups: first, NextToken } = await groups(new DescribeAutoScalingGroupsCommand({ MaxRecords: 2 }));
    expect(first?.map(({ AutoScalingGroupName }) => AutoScalingGroupName)).toEqual(['g1', 'g2']);
    const { AutoScalingGroups: rest } = await groups(new DescribeAutoScalingGroupsCommand({ MaxRecords: 2, NextToken }));
    expect(rest?.map(({ AutoScalingGroupName }) => AutoScalingGroupName)).toEqual(['g3']);
    const byTag = await groups(new DescribeAutoScalingGroupsCommand({ Filters: [{ Name: 'tag:own', Values: ['g2'] }] }));
    expect(byTag.AutoScalingGroups?.map(({ AutoScalingGroupName }) => AutoScalingGroupName)).toEqual(['g2']);
    await groups(
      new CreateOrUpdateTagsCommand({
        Tags: [{ ResourceId: 'g2', ResourceType: 'auto-scaling-group', Key: 'own', Value: 'me', PropagateAtLaunch: false }],
      }),
    );
    const { Tags } = await groups(new DescribeTagsCommand({ Filters: [{ Name: 'auto-scaling-group', Values: ['g2'] }] }));
    expect(Tags).toEqual([{ ResourceId: 'g2', ResourceType: 'auto-scaling-group', Key: 'own', Value: 'me', PropagateAtLaunch: false }]);
    expect(await refusal(groups(create({ AutoScalingGroupName: 'g1' })))).toMatch(/^400 AlreadyExists/);
    expect((await groups(new DescribeAutoScalingInstancesCommand({}))).AutoScalingInstances).toEqual([]);
    expect(await refusal(groups(create({ MaxSize: 0, MinSize: 1 })))).toBe(
      '400 ValidationError: Max bound, 0, must be greater than or equal to min bound, 1',
    );
  });
});

test('after any changes of size, a group has as many as it should, balanced over its zones', async () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 40_000 })), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 1_000 }), async (changes, seed) => {
      await withGroups(async ({ groups, group, clock }) => {
        await groups(create());
        for (const [size, waitMs] of changes) {
          await groups(resize(size));
          await clock.sleep(waitMs);
        }
        await clock.sleep(5 * MINUTE_MS);
        const { Instances = [], DesiredCapacity } = await group();
        expect(Instances).toHaveLength(changes.at(-1)?.[0] ?? 0);
        expect(DesiredCapacity).toBe(Instances.length);
        expect(spreadOf(Instances)).toBeLessThanOrEqual(1);
      }, seed);
    }),
    { numRuns: 15 },
  );
});
