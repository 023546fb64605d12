import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';

const POOLS = [pool('default', { instanceTypes: ['m6i.large', 'm6a.large', 'm7i.large'] })];
/** As many as the SDK's three attempts for each of five launches: the autoscaler itself must know what to do then. */
const LOST_ANSWERS = 15;
/** Longer than the slowest node takes to register, shorter than the SDK's patience. */
const SLOW_ANSWER_MS = 45_000;
const FIVE_NODES = { name: 'web', replicas: 5, cpu: '1500m', memory: '2Gi' } as const;

export const lostLaunchAnswer = scenario({
  id: 'api-pressure/lost-launch-answer',
  title: 'fleets are launched and their answers never arrive: every pod is served, and nothing is forgotten',
  capabilities: ['wire.aws'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.lostAnswer, { operations: ['ec2:CreateFleet'], when: { kind: 'first', count: LOST_ANSWERS } }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
  },
});

export const slowLaunchAnswer = scenario({
  id: 'api-pressure/slow-launch-answer',
  title: "fleets' answers arrive after their nodes have registered: no instance is lost to the race",
  capabilities: ['wire.aws'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.slowAnswer, { operations: ['ec2:CreateFleet'], when: { kind: 'always' }, delayMs: SLOW_ANSWER_MS }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('teardown');
  },
});
