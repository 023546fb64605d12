import { expect, test } from '@playwright/test';
import type { ScenarioData } from './scenario-data.ts';
import { SMALL, withSteps } from './testing/ground.ts';
import { truthsOf } from './truths.ts';

const [pool] = SMALL.pools;
const [web] = SMALL.workloads;
if (pool === undefined || web === undefined) throw new Error('the small scenario has a pool and a workload');

const FAULT = { name: 'f', fault: 'never-ready', params: {} };
const near = { ...web, name: 'api', near: { workload: 'web', over: 'topology.kubernetes.io/zone' } };

const CASES: readonly {
  readonly what: string;
  readonly data: ScenarioData;
  readonly of?: string;
  readonly is: string;
  readonly launchless?: true;
}[] = [
  { what: 'pods that the pool serves', data: SMALL, is: 'schedulable' },
  {
    what: 'the same under a fault',
    data: { ...SMALL, faults: [FAULT], steps: [{ do: 'inject', fault: 'f' }, ...SMALL.steps] },
    is: 'schedulable-after-heal',
  },
  {
    what: 'the same under a fault that hinders nothing',
    data: {
      ...SMALL,
      faults: [{ name: 'f', fault: 'stray-messages', params: { what: 'unknown' } }],
      steps: [{ do: 'inject', fault: 'f' }, ...SMALL.steps],
    },
    is: 'schedulable',
  },
  { what: 'pods that no node can hold', data: { ...SMALL, workloads: [{ ...web, cpu: '64' }] }, is: 'impossible', launchless: true },
  {
    what: 'the same if the target restarts',
    data: withSteps({ ...SMALL, workloads: [{ ...web, cpu: '64' }] }, { do: 'restart-target' }),
    is: 'impossible',
  },
  { what: 'a limit that all pods together may reach', data: { ...SMALL, pools: [{ ...pool, limits: { cpu: 2 } }] }, is: 'impossible' },
  {
    what: 'a limit that what one resource wastes may reach',
    data: {
      ...SMALL,
      pools: [{ name: 'a', instanceTypes: ['r6i.large'], limits: { memoryMiB: 64 * 1_024 } }],
      workloads: [{ ...web, replicas: 3, cpu: '1500m' }],
    },
    is: 'impossible',
  },
  { what: 'only a pool of a fixed size', data: { ...SMALL, pools: [{ ...pool, replicas: 1 }] }, is: 'impossible' },
  { what: 'a pool that is withdrawn', data: withSteps(SMALL, { do: 'withdraw-pool', pool: 'a' }), is: 'impossible' },
  {
    what: 'a pool that is withdrawn after the workload',
    data: withSteps(SMALL, { do: 'remove', workload: 'web' }, { do: 'withdraw-pool', pool: 'a' }),
    is: 'schedulable',
  },
  {
    what: 'a pool that allows less from then on',
    data: withSteps(
      { ...SMALL, workloads: [{ ...web, cpu: '1500m' }] },
      { do: 'change-pool', pool: { ...pool, instanceTypes: ['t3.small'], zones: ['us-west-2a'] } },
    ),
    is: 'impossible',
  },
  {
    what: 'pods near others that come later',
    data: { ...SMALL, workloads: [web, near], steps: [{ do: 'deploy', workload: 'api' }, ...SMALL.steps] },
    of: 'api',
    is: 'impossible',
  },
  {
    what: 'pods near others that go',
    data: withSteps({ ...SMALL, workloads: [web, near] }, { do: 'deploy', workload: 'api' }, { do: 'remove', workload: 'web' }),
    of: 'api',
    is: 'impossible',
  },
];

for (const { what, data, of = 'web', is, launchless = false } of CASES) {
  test(`${what}: ${is}${launchless ? ', and nothing may be launched' : ''}`, () => {
    const found = truthsOf(data).get(of);
    expect(found).toMatchObject({ truth: { kind: is }, launchless });
  });
}
