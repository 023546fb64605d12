import {
  CreateOrUpdateTagsCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeScalingActivitiesCommand,
  DescribeTagsCommand,
} from '@aws-sdk/client-auto-scaling';
import { expect, test } from '@playwright/test';
import { MINUTE_MS, create, refusal, resize, withGroups } from '../testing/groups.ts';
import { asText } from '../../../wire/wire.ts';
import type { GroupBench } from '../testing/groups.ts';

/** What the target sees of a group: its size, its members, and its activities. */
async function seen({ groups, group }: GroupBench): Promise<readonly [desired: number, members: number, activities: number]> {
  const { DesiredCapacity = -1, Instances = [] } = await group();
  const { AutoScalingInstances = [] } = await groups(new DescribeAutoScalingInstancesCommand({}));
  expect(AutoScalingInstances.map(({ InstanceId }) => InstanceId).sort()).toEqual(Instances.map(({ InstanceId }) => InstanceId).sort());
  const { Activities = [] } = await groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'g' }));
  return [DesiredCapacity, Instances.length, Activities.length];
}

test('stale reads show a group, its members and its activities as they were, never older than before, until the fault is healed', async () => {
  for (const seed of [1, 2, 3]) {
    await withGroups(async (bench) => {
      const { groups, clock, ports } = bench;
      await groups(create({ DesiredCapacity: 1 }));
      await clock.sleep(2 * MINUTE_MS);
      const fired: number[] = [];
      const delay = {
        resources: ['instances'] as const,
        maxMs: 5 * MINUTE_MS,
        mutations: false,
        fired: (span: number) => void fired.push(span),
      };
      const heal = ports.reads.delay(delay);
      expect(await seen(bench)).toEqual([1, 1, 1]);
      expect(fired).toEqual([]);
      await groups(resize(4));
      const rounds = [await seen(bench)];
      expect(rounds).toEqual([[1, 1, 1]]);
      for (let round = 0; round < 30; round += 1) {
        await clock.sleep(20_000);
        rounds.push(await seen(bench));
      }
      for (const column of [0, 1, 2] as const) {
        const values = rounds.map((one) => one[column]);
        expect(values).toEqual(values.toSorted((a, b) => a - b));
      }
      // Everything is seen after five minutes: all of it happened in the first minute.
      expect(rounds.at(-1)).toEqual([4, 4, 4]);
      expect(fired.length).toBeGreaterThan(3);

      await groups(resize(2));
      expect(await seen(bench)).toEqual([4, 4, 4]);
      await heal();
      expect((await seen(bench))[0]).toBe(2);
    }, seed);
  }
});

test('a group that was created is found late, and one that was deleted is listed for a while, but the operator sees what is', async () => {
  await withGroups(async ({ groups, clock, ports, autoscaling: { backend } }) => {
    const names = async (): Promise<string[]> => {
      const { AutoScalingGroups = [] } = await groups(new DescribeAutoScalingGroupsCommand({}));
      return AutoScalingGroups.map(({ AutoScalingGroupName = '' }) => AutoScalingGroupName);
    };
    await groups(create({ Tags: [{ Key: 'a', Value: '1' }] }));
    ports.reads.delay({ resources: ['instances'], maxMs: MINUTE_MS, mutations: false, fired: () => undefined });
    await groups(create({ AutoScalingGroupName: 'new' }));
    await groups(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: 'g' }));
    expect(await names()).toEqual(['g']);
    const request = { method: 'POST', path: '/', headers: {}, body: 'Action=DescribeAutoScalingGroups&Version=2011-01-01' };
    const { body } = await backend.handle(request, backend.describe(request), { principal: 'scenario', incarnation: 1, span: 1 });
    expect(/<AutoScalingGroupName>(.*?)</.exec(asText(body as string))?.[1]).toBe('new');
    expect((await groups(new DescribeTagsCommand({}))).Tags).toMatchObject([{ ResourceId: 'g', Key: 'a' }]);
    const activities = groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'new' }));
    expect(await refusal(activities)).toBe("400 ValidationError: AutoScalingGroup name not found - AutoScalingGroup 'new' not found");
    await clock.sleep(MINUTE_MS);
    expect(await names()).toEqual(['new']);
    expect((await groups(new DescribeTagsCommand({}))).Tags).toEqual([]);
  });
});

test('stale reads have fired only for requests whose answers they change', async () => {
  await withGroups(async ({ groups, group, clock, ports }) => {
    const other = { AutoScalingGroupName: 'other' };
    await groups(create({ DesiredCapacity: 1 }));
    await groups(create({ ...other, DesiredCapacity: 1 }));
    await clock.sleep(2 * MINUTE_MS);
    const { Instances: [member] = [] } = await group('other');
    const { Activities: [activity] = [] } = await groups(new DescribeScalingActivitiesCommand(other));
    let fired = 0;
    ports.reads.delay({ resources: ['instances'], maxMs: 24 * 60 * MINUTE_MS, mutations: false, fired: () => void (fired += 1) });
    const tag = { ResourceId: 'g', ResourceType: 'auto-scaling-group', Key: 'a', Value: '1' };
    await groups(new CreateOrUpdateTagsCommand({ Tags: [tag] }));
    await groups(resize(2));
    await clock.sleep(2 * MINUTE_MS);
    await group('other');
    await groups(new DescribeAutoScalingInstancesCommand({ InstanceIds: [member?.InstanceId ?? ''] }));
    await groups(new DescribeScalingActivitiesCommand(other));
    await groups(new DescribeScalingActivitiesCommand({ ActivityIds: [activity?.ActivityId ?? ''] }));
    await groups(new DescribeTagsCommand({ Filters: [{ Name: 'auto-scaling-group', Values: ['other'] }] }));
    await groups(new DescribeTagsCommand({ Filters: [{ Name: 'key', Values: ['b'] }] }));
    expect(fired).toBe(0);
    for (const request of [
      () => group(),
      () => groups(new DescribeAutoScalingInstancesCommand({})),
      () => groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'g' })),
      () => groups(new DescribeTagsCommand({ Filters: [{ Name: 'key', Values: ['a'] }] })),
    ]) {
      const before = fired;
      await request();
      expect(fired).toBeGreaterThan(before);
    }
  });
});

test('without the fault every change is seen at once, and stale launch templates do not concern groups', async () => {
  await withGroups(async (bench) => {
    const { groups, clock, ports } = bench;
    ports.reads.delay({ resources: ['launch-templates'], maxMs: MINUTE_MS, mutations: false, fired: () => undefined });
    await groups(create());
    for (const size of [1, 3, 2]) {
      await groups(resize(size));
      expect((await seen(bench))[0]).toBe(size);
      await clock.sleep(1_000);
    }
  });
});
