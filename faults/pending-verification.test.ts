import { expect, test } from '@playwright/test';
import { CLUSTER } from '../world/aws/testing/ec2.ts';
import { MINUTE_MS, create, resize, withGroups } from '../world/aws/testing/groups.ts';
import type { FaultPorts } from '../world/ports.ts';
import { faults } from './catalogue.ts';

test('a group of an account that is being verified launches nothing, and its activities quote EC2', async () => {
  await withGroups(async ({ groups, group, activities, clock, ports: { capacity } }) => {
    const spans: (number | undefined)[] = [];
    const heal = await faults.pendingVerification({}).inject({
      arm: () => () => undefined,
      ports: { capacity } as Partial<FaultPorts> as FaultPorts,
      cluster: CLUSTER,
      fired: (span) => void spans.push(span),
    });
    await groups(create());
    await groups(resize(2));
    await clock.sleep(2 * MINUTE_MS);
    expect((await group()).Instances).toEqual([]);
    const [newest = ''] = await activities();
    expect(newest).toMatch(
      /^Failed: Launching a new EC2 instance\. {2}Status Reason: Could not launch On-Demand Instances\. PendingVerification - Your request for accessing resources in this region is being validated, .* Launching EC2 instance failed\.$/,
    );
    expect(spans[0]).toBeGreaterThan(100);
    await heal();
    await clock.sleep(10 * MINUTE_MS);
    expect((await group()).Instances).toHaveLength(2);
  });
});
