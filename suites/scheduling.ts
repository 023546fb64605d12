import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { LABEL, WORKLOAD_LABEL } from '../model/kube.ts';

const ZONAL_SPREAD = { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule' } as const;

export const spotSpread = scenario({
  id: 'scheduling/spot-spread',
  title: 'fifty pods of a spot pool, spread over three zones',
  profile: 'extended',
  features: ['spot'],
  pools: [pool('spot', { capacityTypes: ['spot'] })],
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 50, cpu: '500m', memory: '1Gi', spread: [ZONAL_SPREAD] });
    t.expect.served(web, 'provision');
    t.expect.latency(web, 'pending', 'running', 'provision');
    await t.untilServed(web, 'provision');
  },
});

/** What the target reads of these pods is not what they are: nobody counts on them. */
const MALFORMED = { kind: 'malformed', why: 'the target reads maxSkew -1', field: 'maxSkew' } as const;

export const negativeMaxSkew = scenario({
  id: 'scheduling/negative-max-skew',
  title: 'a pod with maxSkew -1 on the wire: the healthy pods of its batch are served, and nothing is launched for it alone',
  profile: 'robustness',
  features: ['spot'],
  capabilities: ['wire.kube'],
  pools: [pool('spot', { capacityTypes: ['spot'] })],
  async run(t) {
    for (const name of ['beside', 'alone']) {
      await t.inject(specify(faults.topologySkew, { labels: { [WORKLOAD_LABEL]: name }, maxSkew: -1 }));
    }
    const beside = await t.deploy({ name: 'beside', replicas: 1, cpu: '2', memory: '4Gi', spread: [ZONAL_SPREAD], truth: MALFORMED });
    const healthy = await t.deploy({ name: 'healthy', replicas: 10, cpu: '500m', memory: '1Gi', spread: [ZONAL_SPREAD] });
    t.expect.served(healthy, 'provision');
    t.expect.noLaunchFor(beside);
    t.expect.explained(beside, ['maxSkew']);
    await t.untilServed(healthy, 'provision');

    // Too large for the nodes that are there: who overlooks its skew launches one for it.
    const alone = await t.deploy({ name: 'alone', replicas: 1, cpu: '24', memory: '48Gi', spread: [ZONAL_SPREAD], truth: MALFORMED });
    t.expect.noLaunchFor(alone);
    t.expect.explained(alone, ['maxSkew']);
    await t.pass('explain');
  },
});
