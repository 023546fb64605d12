import type { InstanceRequirements } from '@aws-sdk/client-auto-scaling';
import { expect, test } from '@playwright/test';
import { defined } from '../../../model/defined.ts';
import { MINUTE_MS, create, refusal, withGroups } from '../testing/groups.ts';

const SMALL: InstanceRequirements = { VCpuCount: { Min: 2, Max: 2 }, MemoryMiB: { Min: 8_192, Max: 8_192 } };

function withAttributes(asked: InstanceRequirements, more: object = {}, strategy?: string): ReturnType<typeof create> {
  return create({
    DesiredCapacity: 2,
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateName: 'nodes' },
        Overrides: [{ InstanceRequirements: asked, ...more }],
      },
      InstancesDistribution: defined({ OnDemandAllocationStrategy: strategy }),
    },
  });
}

test('a group that asks for attributes launches the cheapest type that has them', async () => {
  await withGroups(async ({ groups, group, clock }) => {
    await groups(withAttributes({ ...SMALL, AllowedInstanceTypes: ['m5.large', 'm6i.large', 'm5a.large'] }));
    await clock.sleep(MINUTE_MS);
    const { Instances, MixedInstancesPolicy: policy } = await group();
    expect(Instances?.map(({ InstanceType }) => InstanceType)).toEqual(['m5a.large', 'm5a.large']);
    expect(policy?.InstancesDistribution?.OnDemandAllocationStrategy).toBe('lowest-price');
    expect(policy?.LaunchTemplate?.Overrides?.[0]?.InstanceRequirements).toMatchObject({ VCpuCount: { Min: 2, Max: 2 } });
  });
});

test('types without capacity are passed over, but none that cost a fifth more', async () => {
  await withGroups(async ({ groups, group, activities, clock, ports }) => {
    const limit = (instanceTypes: string[]) =>
      ports.capacity.limit({ selector: { instanceTypes }, remaining: 0, naming: 'one', fired: () => undefined });
    limit(['m5a.large']);
    const heal = limit(['m5.large']);
    await groups(withAttributes({ ...SMALL, AllowedInstanceTypes: ['m5.large', 'm5a.large', 'm5dn.large'] }));
    await clock.sleep(MINUTE_MS);
    expect((await group()).Instances).toEqual([]);
    expect((await activities())[0]).toContain('InsufficientInstanceCapacity');
    heal();
    await clock.sleep(5 * MINUTE_MS);
    expect((await group()).Instances?.map(({ InstanceType }) => InstanceType)).toEqual(['m5.large', 'm5.large']);
  });
});

test('attributes that no type has launch nothing, and contradictory ones are refused', async () => {
  await withGroups(async ({ groups, group, activities, clock }) => {
    await groups(withAttributes({ ...SMALL, AllowedInstanceTypes: ['m6g.*'] }));
    await clock.sleep(MINUTE_MS);
    expect((await group()).Instances).toEqual([]);
    expect((await activities())[0]).toMatch(/^Failed: .*No instance types satisfy the instance requirements/);
    const named = (command: ReturnType<typeof create>) =>
      Object.assign(command, { input: { ...command.input, AutoScalingGroupName: 'h' } });
    expect(await refusal(groups(named(withAttributes(SMALL, { InstanceType: 'm5.large' }))))).toMatch(/cannot specify both/);
    expect(await refusal(groups(named(withAttributes(SMALL, {}, 'prioritized'))))).toMatch(/cannot be used with InstanceRequirements/);
    expect(await refusal(groups(named(withAttributes({ ...SMALL, VCpuCount: { Min: 3, Max: 2 } }))))).toMatch(/more than the maximum/);
  });
});
