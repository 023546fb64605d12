import { expect, test } from '@playwright/test';
import { SPREAD_OVER_ZONES, endingSlowly } from '../harness/shapes.ts';
import type { PoolData, ScenarioData } from './scenario-data.ts';
import { SMALL, withSteps } from './testing/ground.ts';
import { truthsOf } from './truths.ts';
import type { VolumeData } from './volumes.ts';

const [pool] = SMALL.pools;
const [web] = SMALL.workloads;
if (pool === undefined || web === undefined) throw new Error('the small scenario has a pool and a workload');

const FAULT = { name: 'f', fault: 'never-ready', params: {} };
const slow = endingSlowly({ seconds: 100, graceSeconds: 300 });
const TOGETHER: ScenarioData = { ...SMALL, workloads: [{ ...web, ...slow, near: { workload: 'web', over: 'kubernetes.io/hostname' } }] };
const near = { ...web, name: 'api', near: { workload: 'web', over: 'topology.kubernetes.io/zone' } };

const AGENT = { name: 'agent', cpu: '20m', memory: '512Mi' };
const GPUS = { name: 'a', instanceTypes: ['g4dn.xlarge'] };

function withVolume(volume: VolumeData, more: Partial<PoolData> = {}): ScenarioData {
  return {
    ...SMALL,
    pools: [{ name: 'a', instanceTypes: ['m6i.large'], ...more }],
    workloads: [{ ...web, replicas: 1, volume }],
  } as ScenarioData;
}

const CASES: readonly {
  readonly what: string;
  readonly data: ScenarioData;
  readonly of?: string;
  readonly is: string;
  readonly launchless?: true;
}[] = [
  { what: 'pods that the pool serves', data: SMALL, is: 'schedulable' },
  {
    what: 'pods that only types serve which a small region lacks',
    data: { ...SMALL, pools: [{ name: 'a' }], workloads: [{ ...web, cpu: '500' }] },
    is: 'impossible',
  },
  {
    what: 'the same if the pool names such a type',
    data: { ...SMALL, pools: [{ name: 'a', instanceTypes: ['u7i-12tb.224xlarge'] }], workloads: [{ ...web, cpu: '500' }] },
    is: 'schedulable',
  },
  {
    what: 'pods that do not fit beside a DaemonSet',
    data: { ...SMALL, pools: [{ name: 'a', instanceTypes: ['t3.medium'] }], daemonSets: [AGENT], workloads: [{ ...web, memory: '3Gi' }] },
    is: 'impossible',
    launchless: true,
  },
  {
    what: 'pods that fit until a DaemonSet comes',
    data: withSteps(
      { ...SMALL, pools: [{ name: 'a', instanceTypes: ['t3.medium'] }], daemonSets: [AGENT], workloads: [{ ...web, memory: '3Gi' }] },
      { do: 'deploy', workload: 'agent' },
    ),
    is: 'impossible',
  },
  {
    what: 'a pod in each zone',
    data: { ...SMALL, workloads: [{ ...web, kind: 'Deployment', replicas: 3, apartOver: 'topology.kubernetes.io/zone' }] },
    is: 'schedulable',
  },
  {
    what: 'a pod in each zone that is rolled out: the first new pod has no zone, and no old one may go',
    data: withSteps(
      { ...SMALL, workloads: [{ ...web, kind: 'Deployment', replicas: 3, apartOver: 'topology.kubernetes.io/zone' }] },
      { do: 'roll-out', workload: 'web' },
    ),
    is: 'impossible',
  },
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
  {
    what: 'the same while the target sees what no real server would show',
    data: {
      ...SMALL,
      faults: [{ name: 'f', fault: 'topology-skew', params: { labels: { app: 'web' }, maxSkew: -1 } }],
      steps: [{ do: 'inject', fault: 'f' }, ...SMALL.steps],
    },
    is: 'impossible',
  },
  {
    what: 'pods that would fit without what the kubelet is told to reserve',
    data: {
      ...SMALL,
      pools: [{ ...pool, nodeSettings: { kubelet: { kubeReserved: { memory: '2Gi' } } } }],
      workloads: [{ ...web, memory: '6Gi' }],
    },
    is: 'impossible',
    launchless: true,
  },
  { what: 'pods that no node can hold', data: { ...SMALL, workloads: [{ ...web, cpu: '64' }] }, is: 'impossible', launchless: true },
  {
    what: 'the same beside pods whose nodes may be replaced',
    data: withSteps(
      {
        ...SMALL,
        workloads: [
          { ...web, cpu: '64' },
          { ...web, name: 'api' },
        ],
      },
      { do: 'deploy', workload: 'api' },
      { do: 'change-pool', pool: { ...pool, labels: { a: 'b' } } },
    ),
    is: 'impossible',
  },
  {
    what: 'the same beside pods whose pool is withdrawn',
    data: withSteps(
      {
        ...SMALL,
        pools: [pool, { ...pool, name: 'b' }],
        workloads: [
          { ...web, cpu: '64' },
          { ...web, name: 'api' },
        ],
      },
      { do: 'deploy', workload: 'api' },
      { do: 'withdraw-pool', pool: pool.name },
    ),
    is: 'impossible',
  },
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
  {
    what: 'pods spread over zones beside a pool of a fixed size',
    data: {
      ...SMALL,
      pools: [...SMALL.pools, { ...pool, name: 'fixed', replicas: 1 }],
      workloads: [{ ...web, spread: [SPREAD_OVER_ZONES] }],
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
  {
    what: 'pods near others that finish',
    data: withSteps({ ...SMALL, workloads: [{ ...web, kind: 'Job', runSeconds: 60 }, near] }, { do: 'deploy', workload: 'api' }),
    of: 'api',
    is: 'impossible',
  },
  {
    what: 'pods that must share a node with others that take minutes to stop',
    data: withSteps(TOGETHER, { do: 'roll-out', workload: 'web' }),
    is: 'impossible',
  },
  { what: 'the same where no pod has to go', data: TOGETHER, is: 'schedulable' },
  {
    what: 'pods that must share a zone with others that take minutes to stop',
    data: withSteps(
      { ...SMALL, workloads: [{ ...web, ...slow, near: { workload: 'web', over: 'topology.kubernetes.io/zone' } }] },
      { do: 'roll-out', workload: 'web' },
    ),
    is: 'schedulable',
  },
  {
    what: 'pods that must not share a zone with others that take minutes to stop',
    data: withSteps(
      { ...SMALL, workloads: [{ ...web, ...slow, apartOver: 'topology.kubernetes.io/zone' }] },
      { do: 'roll-out', workload: 'web' },
    ),
    is: 'impossible',
  },
  { what: 'pods behind a gate', data: { ...SMALL, workloads: [{ ...web, schedulingGates: ['g'] }] }, is: 'impossible', launchless: true },
  {
    what: 'pods of another scheduler',
    data: { ...SMALL, workloads: [{ ...web, schedulerName: 's' }] },
    is: 'impossible',
    launchless: true,
  },
  {
    what: 'pods near others that wait behind a gate',
    data: withSteps({ ...SMALL, workloads: [{ ...web, schedulingGates: ['g'] }, near] }, { do: 'deploy', workload: 'api' }),
    of: 'api',
    is: 'impossible',
  },
  { what: 'pods of a Job', data: { ...SMALL, workloads: [{ ...web, kind: 'Job' }] }, is: 'schedulable' },
  {
    what: 'pods on nodes with startup taints, which agents remove',
    data: { ...SMALL, pools: [{ ...pool, startupTaints: [{ key: 'agent', effect: 'NoSchedule' }] }] },
    is: 'schedulable',
  },
  { what: 'GPUs that the pool has', data: { ...SMALL, pools: [GPUS], workloads: [{ ...web, gpus: 1 }] }, is: 'schedulable' },
  { what: 'GPUs of a pool without', data: { ...SMALL, workloads: [{ ...web, gpus: 1 }] }, is: 'impossible', launchless: true },
  {
    what: 'more GPUs than a node has',
    data: { ...SMALL, pools: [GPUS], workloads: [{ ...web, gpus: 2 }] },
    is: 'impossible',
    launchless: true,
  },
  { what: 'a volume in a zone of the pool', data: withVolume({ is: 'existing', zone: 'us-east-1b' }), is: 'schedulable' },
  {
    what: 'a volume in another zone',
    data: withVolume({ is: 'existing', zone: 'us-east-1b' }, { zones: ['us-east-1a'] }),
    is: 'impossible',
    launchless: true,
  },
  {
    what: 'a volume in several zones, of which the pool has the last',
    data: withVolume({ is: 'existing', zone: 'us-east-1b', otherZones: ['us-east-1c', 'us-east-1a'] }, { zones: ['us-east-1a'] }),
    is: 'schedulable',
  },
  {
    what: 'a volume in several zones, of which the pool has none',
    data: withVolume({ is: 'existing', zone: 'us-east-1b', otherZones: ['us-east-1c'] }, { zones: ['us-east-1a'] }),
    is: 'impossible',
    launchless: true,
  },
  { what: 'a volume of a missing class', data: withVolume({ is: 'of-missing-class' }), is: 'impossible', launchless: true },
  { what: 'a volume that is created where its pod runs', data: withVolume({ is: 'created-with-pod' }), is: 'schedulable' },
  {
    what: 'a volume whose zone the pool may lose',
    data: withSteps(withVolume({ is: 'created-with-pod' }), { do: 'change-pool', pool: { ...pool, zones: ['us-east-1a'] } }),
    is: 'impossible',
  },
  {
    what: 'a volume that is created at once, where its pod may not run',
    data: withVolume({ is: 'created-at-once' }, { zones: ['us-east-1a'] }),
    is: 'impossible',
  },
  {
    what: 'the same if its class allows only that zone',
    data: withVolume({ is: 'created-at-once', zones: ['us-east-1a'] }, { zones: ['us-east-1a'] }),
    is: 'schedulable',
  },
  {
    what: 'a volume that two pods share',
    data: { ...SMALL, workloads: [{ ...web, replicas: 2, volume: { is: 'created-with-pod' } }] },
    is: 'impossible',
  },
  {
    what: 'volumes of each pod of a StatefulSet',
    data: { ...SMALL, workloads: [{ ...web, kind: 'StatefulSet', replicas: 2, volume: { is: 'created-with-pod' } }] },
    is: 'schedulable',
  },
  {
    what: 'the same if the pods are spread over zones',
    data: { ...SMALL, workloads: [{ ...web, kind: 'StatefulSet', volume: { is: 'created-with-pod' }, spread: [SPREAD_OVER_ZONES] }] },
    is: 'impossible',
  },
];

test('only pods that no pool can serve at all need an explanation', () => {
  const truthOf = (data: ScenarioData) => truthsOf(data).get('web')?.truth;
  expect(truthOf({ ...SMALL, workloads: [{ ...web, cpu: '64' }] })).not.toHaveProperty('mayBeSilent');
  expect(truthOf({ ...SMALL, workloads: [{ ...web, schedulingGates: ['g'] }] })).toHaveProperty('mayBeSilent', true);
  const tight = {
    ...SMALL,
    pools: [{ name: 'a', instanceTypes: ['t3.medium'] }],
    daemonSets: [AGENT],
    workloads: [{ ...web, memory: '3Gi' }],
  };
  expect(truthOf(tight)).not.toHaveProperty('mayBeSilent');
  expect(truthOf(withSteps(tight, { do: 'deploy', workload: 'agent' }))).toHaveProperty('mayBeSilent', true);
  // It may launch for them, and only then see that this was of no use.
  expect(truthOf({ ...SMALL, pools: [{ ...pool, limits: { cpu: 2 } }] })).toHaveProperty('mayBeSilent', true);
  expect(truthOf({ ...SMALL, pools: [{ name: 'a' }], workloads: [{ ...web, cpu: '500' }] })).toHaveProperty('mayBeSilent', true);
});

for (const { what, data, of = 'web', is, launchless = false } of CASES) {
  test(`${what}: ${is}${launchless ? ', and nothing may be launched' : ''}`, () => {
    const found = truthsOf(data).get(of);
    expect(found).toMatchObject({ truth: { kind: is }, launchless });
  });
}
