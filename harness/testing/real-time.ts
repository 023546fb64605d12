import { faults } from '../../faults/catalogue.ts';
import { specify } from '../../faults/fault.ts';
import { pool, scenario } from '../scenario.ts';

/** Scenarios short enough for real time. */

export const onePod = scenario({
  id: 'real-time/one-pod',
  title: 'one pod is served, while the target is killed at its launch',
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm7i.large'] })],
  async run(t) {
    const when = { kind: 'first', count: 1 } as const;
    const crash = await t.inject(specify(faults.crash, { operations: ['ec2:CreateFleet'], when, moment: 'after', applied: true }));
    const web = await t.deploy({ name: 'web', replicas: 1, cpu: '500m', memory: '1Gi' });
    t.expect.served(web, 'recover');
    await t.untilFired(crash, 'provision');
    await t.untilServed(web, 'recover');
  },
});

export const nothing = scenario({ id: 'real-time/nothing', title: 'nothing is asked', run: () => Promise.resolve() });

export const crashAtAsking = scenario({
  id: 'real-time/crash',
  title: 'killed when it asks for instances',
  async run(t) {
    const when = { kind: 'first', count: 1 } as const;
    const crash = await t.inject(specify(faults.crash, { operations: ['ec2:DescribeInstances'], when, moment: 'before', applied: false }));
    await t.untilFired(crash, 'provision');
    await t.pause({ minMs: 3_000, maxMs: 3_000 });
  },
});
