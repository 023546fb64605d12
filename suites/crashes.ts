import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';

/** Kills the target around its first fleet request, and expects every pod served and nothing forgotten. */
function killedAroundLaunch(options: { readonly id: string; readonly title: string; readonly moment: 'before' | 'after' }): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    capabilities: ['target.kill'],
    pools: [pool('default', { instanceTypes: ['m6i.large', 'm6a.large', 'm7i.large'] })],
    async run(t) {
      await t.inject(
        specify(faults.crash, {
          operations: ['ec2:CreateFleet'],
          when: { kind: 'first', count: 1 },
          moment: options.moment,
          applied: options.moment === 'after',
        }),
      );
      const web = await t.deploy({ name: 'web', replicas: 5, cpu: '1500m', memory: '2Gi' });
      t.expect.served(web, 'recover');
      await t.untilServed(web, 'recover');
    },
  });
}

export const killedAfterLaunch = killedAroundLaunch({
  id: 'crashes/killed-after-launch',
  title: 'killed right after CreateFleet took effect and before its answer',
  moment: 'after',
});

export const killedBeforeLaunch = killedAroundLaunch({
  id: 'crashes/killed-before-launch',
  title: 'killed right before CreateFleet is sent',
  moment: 'before',
});
