import {
  DescribeScalingActivitiesCommand,
  SetInstanceProtectionCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import type { Instance } from '@aws-sdk/client-auto-scaling';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { CLUSTER } from '../testing/ec2.ts';
import { MINUTE_MS, create, resize, spreadOf, withGroups } from '../testing/groups.ts';
import type { GroupBench } from '../testing/groups.ts';
import { launchesToBalance } from './balance.ts';
import type { Member } from './group.ts';

const ZONES = Object.keys(CLUSTER.subnets);

/** Takes all members of a zone out of the group `g`, which becomes smaller. */
async function emptyZone({ groups, group }: GroupBench, zone: string): Promise<void> {
  for (const { InstanceId, AvailabilityZone } of (await group()).Instances ?? []) {
    if (AvailabilityZone !== zone) continue;
    await groups(new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity: true }));
  }
}

function idsOf(instances: readonly Instance[] = []): string[] {
  return instances.map(({ InstanceId = '' }) => InstanceId).sort();
}

test('a group whose zones are uneven launches in the smaller one before it terminates in a larger one', async () => {
  await withGroups(async (bench) => {
    const { groups, group, clock, events } = bench;
    await groups(create({ DesiredCapacity: 6, MaxSize: 6 }));
    await clock.sleep(MINUTE_MS);
    await emptyZone(bench, 'us-east-1a');
    const from = events.length;
    await clock.sleep(5 * MINUTE_MS);
    const { Instances, DesiredCapacity } = await group();
    expect([DesiredCapacity, Instances?.length, spreadOf(Instances)]).toEqual([4, 4, 1]);
    const own = events.slice(from).filter(({ span, to }) => span === undefined && (to === 'pending' || to === 'shutting-down'));
    expect(own.map(({ to }) => to)).toEqual(['pending', 'shutting-down']);
    const { Activities = [] } = await groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'g' }));
    const causes = Activities.map(({ Cause = '' }) => Cause.replaceAll(/At \S+/g, 'At T').replaceAll(/i-\w+/g, 'ID'));
    expect(causes.slice(0, 2)).toEqual([
      'At T instances were launched to balance instances in zones us-east-1a with other zones resulting in more than desired number of instances in the group.  At T an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from 5 to 4.  At T instance ID was selected for termination.',
      "At T availability zones us-east-1a us-east-1b us-east-1c had 0 2 2 instances respectively.  An instance was launched to aid in balancing the group's zones.",
    ]);
  });
});

test('a group moves back into a zone whose capacity returned', async () => {
  await withGroups(async ({ groups, group, activities, clock, ports }) => {
    const heal = ports.capacity.limit({ selector: { zones: ['us-east-1a'] }, remaining: 0, naming: 'one', fired: () => undefined });
    await groups(create({ DesiredCapacity: 6 }));
    await clock.sleep(20 * MINUTE_MS);
    expect(spreadOf((await group()).Instances)).toBe(3);
    const failed = (await activities()).filter((text) => text.startsWith('Failed')).length;
    heal();
    await clock.sleep(10 * MINUTE_MS);
    const { Instances } = await group();
    expect([Instances?.length, spreadOf(Instances)]).toEqual([6, 0]);
    expect((await activities()).filter((text) => text.startsWith('Failed'))).toHaveLength(failed);
  });
});

test('a group leaves a zone that it no longer has', async () => {
  await withGroups(async ({ groups, group, clock }) => {
    await groups(create({ DesiredCapacity: 3 }));
    await clock.sleep(MINUTE_MS);
    const [, ...kept] = Object.values(CLUSTER.subnets);
    await groups(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: 'g', VPCZoneIdentifier: kept.join(',') }));
    await clock.sleep(5 * MINUTE_MS);
    const zones = (await group()).Instances?.map(({ AvailabilityZone }) => AvailabilityZone);
    expect(zones).toHaveLength(3);
    expect(zones).not.toContain(ZONES[0]);
  });
});

test('a group stays uneven while AZRebalance is suspended, or what could go is protected', async () => {
  for (const suspended of [true, false]) {
    await withGroups(async (bench) => {
      const { groups, group, clock } = bench;
      await groups(create({ DesiredCapacity: 6 }));
      await clock.sleep(MINUTE_MS);
      const InstanceIds = idsOf((await group()).Instances);
      if (suspended) await groups(new SuspendProcessesCommand({ AutoScalingGroupName: 'g', ScalingProcesses: ['AZRebalance'] }));
      else await groups(new SetInstanceProtectionCommand({ AutoScalingGroupName: 'g', InstanceIds, ProtectedFromScaleIn: true }));
      await emptyZone(bench, 'us-east-1b');
      const left = idsOf((await group()).Instances?.filter(({ AvailabilityZone }) => AvailabilityZone !== 'us-east-1b'));
      await clock.sleep(10 * MINUTE_MS);
      expect(idsOf((await group()).Instances)).toEqual(left);
    });
  }
});

test('what replaces an unhealthy member while a size change is pending is on nobody’s behalf', async () => {
  await withGroups(async ({ groups, group, send, clock, events, ports }) => {
    await groups(create({ DesiredCapacity: 2 }));
    await clock.sleep(MINUTE_MS);
    const [lost = ''] = idsOf((await group()).Instances);
    const heal = ports.capacity.limit({ selector: {}, remaining: 0, naming: 'one', fired: () => undefined });
    await groups(resize(4));
    await clock.sleep(MINUTE_MS);
    await send(new TerminateInstancesCommand({ InstanceIds: [lost] }));
    await clock.sleep(5 * MINUTE_MS);
    const from = events.length;
    heal();
    await clock.sleep(10 * MINUTE_MS);
    const launched = events.slice(from).filter(({ to }) => to === 'pending');
    expect(launched.map(({ span }) => span === undefined)).toEqual([true, false, false]);
    const { Activities = [] } = await groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'g' }));
    const causes = Activities.filter(({ StatusCode }) => StatusCode === 'Successful').map(({ Cause = '' }) => Cause);
    expect(causes.filter((cause) => cause.endsWith('an unhealthy instance needing to be replaced.'))).toHaveLength(1);
    expect(causes.filter((cause) => cause.endsWith('increasing the capacity from 1 to 4.'))).toHaveLength(2);
  });
});

test('balancing ends with even zones, after as few launches as that takes', () => {
  const anyMember = fc.record({ zone: fc.constantFrom('a', 'b', 'c', 'gone'), isProtected: fc.boolean() });
  fc.assert(
    fc.property(fc.array(anyMember, { maxLength: 20 }), fc.subarray(['a', 'b', 'c'], { minLength: 1 }), (drawn, zones) => {
      const members = drawn.map((one) => ({ ...one, lifecycle: 'InService' }) as Member);
      const launches = launchesToBalance(zones, members);
      expect(launches.length).toBeLessThanOrEqual(members.filter(({ isProtected }) => !isProtected).length);
      for (const zone of launches) expect(zones).toContain(zone);
      if (members.some(({ isProtected }) => isProtected)) return;
      const size = (zone: string): number => members.filter((one) => one.zone === zone).length;
      const [least, most] = [Math.floor(members.length / zones.length), Math.ceil(members.length / zones.length)];
      for (const zone of zones) {
        const to = launches.filter((one) => one === zone).length;
        expect(size(zone) + to).toBeGreaterThanOrEqual(least);
        if (to > 0) expect(size(zone) + to).toBeLessThanOrEqual(most);
      }
      // Each launch is for a zone that had too few.
      const needed = zones.reduce((sum, zone) => sum + Math.max(least - size(zone), 0), 0);
      expect(launches.length).toBeGreaterThanOrEqual(needed);
    }),
  );
});

test('whatever a group goes through, it ends with its size and even zones, and never has over a tenth more than its maximum', async () => {
  const anyStep = fc.record({
    what: fc.constantFrom('resize', 'terminate', 'terminate and shrink', 'end', 'scarce', 'plenty'),
    pick: fc.nat({ max: 100 }),
    waitMs: fc.integer({ min: 0, max: 90_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 8 }), fc.integer({ min: 1, max: 1_000 }), async (steps, seed) => {
      await withGroups(async ({ groups, group, send, clock, ports, events }) => {
        await groups(create({ DesiredCapacity: 5 }));
        let heal = (): void => undefined;
        for (const { what, pick, waitMs } of steps) {
          await clock.sleep(waitMs);
          const { Instances = [], DesiredCapacity = 0 } = await group();
          const { InstanceId } = Instances[pick % Math.max(Instances.length, 1)] ?? {};
          if (what === 'resize') await groups(resize(pick % 11));
          else if (what === 'end' && InstanceId !== undefined) await send(new TerminateInstancesCommand({ InstanceIds: [InstanceId] }));
          else if (what.startsWith('terminate') && InstanceId !== undefined && DesiredCapacity > 0) {
            const ShouldDecrementDesiredCapacity = what.endsWith('shrink');
            await groups(new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }));
          } else if (what === 'scarce') {
            heal();
            const zones = [ZONES[pick % ZONES.length] ?? ''];
            heal = ports.capacity.limit({ selector: { zones }, remaining: 0, naming: 'one', fired: () => undefined });
          } else if (what === 'plenty') heal();
        }
        heal();
        await clock.sleep(30 * MINUTE_MS);
        const { Instances = [], DesiredCapacity } = await group();
        expect(Instances).toHaveLength(DesiredCapacity ?? 0);
        expect(spreadOf(Instances)).toBeLessThanOrEqual(1);
        let live = 0;
        for (const { to } of events) {
          if (to === 'pending') live += 1;
          if (to === 'shutting-down') live -= 1;
          expect(live).toBeLessThanOrEqual(11);
        }
        const quiet = events.length;
        await clock.sleep(30 * MINUTE_MS);
        expect(events).toHaveLength(quiet);
      }, seed);
    }),
    { numRuns: 15 },
  );
});
