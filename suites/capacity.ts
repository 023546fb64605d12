import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { LABEL } from '../model/kube.ts';
import { pool, scenario } from '../harness/scenario.ts';

export const spotRunsOut = scenario({
  id: 'capacity/spot-runs-out',
  title: 'no spot capacity in one zone, then none anywhere: the pool falls back to on-demand there',
  profile: 'extended',
  features: ['spot'],
  capabilities: ['capacity.set'],
  pools: [pool('default', { capacityTypes: ['spot', 'on-demand'] })],
  async run(t) {
    const zone = await t.inject(specify(faults.insufficientCapacity, { zones: ['us-east-1a'], capacityTypes: ['spot'], errors: 'all' }));
    // Spread over all zones: the one without spot capacity can't be gone round.
    const spread = { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule', minDomains: 3 } as const;
    const first = await t.deploy({ name: 'first', replicas: 9, cpu: '1', memory: '2Gi', spread: [spread] });
    t.expect.served(first, 'fallback');
    await t.untilServed(first, 'fallback');
    await zone.heal();

    await t.inject(specify(faults.insufficientCapacity, { capacityTypes: ['spot'], errors: 'all' }));
    const second = await t.deploy({ name: 'second', replicas: 20, cpu: '1', memory: '2Gi' });
    t.expect.served(second, 'fallback');
    await t.untilServed(second, 'fallback');
  },
});
