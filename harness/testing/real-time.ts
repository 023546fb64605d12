import { faults } from '../../faults/catalogue.ts';
import { pool, scenario } from '../scenario.ts';

/** Scenarios that are short enough for real time. */

export const onePod = scenario({
  id: 'real-time/one-pod',
  title: 'one pod is served, while the target is killed at its launch',
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm7i.large'] })],
  async run(t) {
    const when = { kind: 'first', count: 1 } as const;
    const crash = await t.inject(faults.crash({ operations: ['ec2:CreateFleet'], when, moment: 'after', applied: true }));
    const web = await t.deploy({ name: 'web', replicas: 1, cpu: '500m', memory: '1Gi' });
    t.expect.served(web, 'recover');
    await t.untilFired(crash, 'provision');
    await t.untilServed(web, 'recover');
  },
});

export const nothing = scenario({ id: 'real-time/nothing', title: 'does nothing', run: () => Promise.resolve() });

export const crashAtAsking = scenario({
  id: 'real-time/crash',
  title: 'killed when it lists instances',
  async run(t) {
    const operations = ['ec2:DescribeInstances'];
    const when = { kind: 'first', count: 1 } as const;
    await t.inject(faults.crash({ operations, when, moment: 'before', applied: false }));
    // The next program sends one request after the other: when this one fires, an earlier one of its own was answered.
    const third = await t.inject(faults.slowAnswer({ operations, when: { kind: 'nth', nth: 3 }, delayMs: 1 }));
    await t.untilFired(third, 'provision');
  },
});
