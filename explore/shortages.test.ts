import { expect, test } from '@playwright/test';
import { SPREAD_OVER_ZONES, endingSlowly } from '../harness/shapes.ts';
import type { FaultData, ScenarioData, WorkloadData } from './scenario-data.ts';
import { SMALL, withSteps } from './testing/ground.ts';
import { truthsOf } from './truths.ts';

const [web] = SMALL.workloads;
if (web === undefined) throw new Error('the small scenario has a workload');

const fault = (name: string, params: FaultData['params'] = {}): FaultData => ({ name: `f-${name}`, fault: name, params });
const shortage = (params: FaultData['params']): FaultData => fault('insufficient-capacity', params);
const ZONE = shortage({ zones: ['us-east-1a'] });

/** Two types in three zones, on demand. */
function under(faults: readonly FaultData[], more: Partial<WorkloadData> = {}): ScenarioData {
  return {
    ...SMALL,
    pools: [{ name: 'a', instanceTypes: ['m6i.large', 'm7i.large'], capacityTypes: ['on-demand'] }],
    workloads: [{ ...web, ...more } as WorkloadData],
    faults,
    steps: [...faults.map(({ name }) => ({ do: 'inject' as const, fault: name })), ...SMALL.steps],
  };
}

for (const { what, data, kind, within } of [
  { what: 'without faults', data: under([]), kind: 'schedulable', within: 'provision' },
  {
    what: 'without faults, if the target restarts',
    data: withSteps(under([]), { do: 'restart-target' }),
    kind: 'schedulable',
    within: 'recover',
  },
  {
    what: 'without faults, but with GPUs',
    data: { ...under([], { gpus: 1 }), pools: [{ name: 'a', instanceTypes: ['g4dn.xlarge'] }] },
    kind: 'schedulable',
    within: 'devices',
  },
  { what: 'where one zone has no capacity', data: under([ZONE]), kind: 'schedulable', within: 'fallback' },
  {
    what: 'in another zone than the one without capacity',
    data: under([ZONE], { nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1b' } }),
    kind: 'schedulable',
    within: 'provision',
  },
  {
    what: 'in the zone without capacity',
    data: under([ZONE], { nodeSelector: { 'topology.kubernetes.io/zone': 'us-east-1a' } }),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'where two faults together leave nothing',
    data: under([ZONE, shortage({ zones: ['us-east-1b', 'us-east-1c'] })]),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'where launches of one type are refused',
    data: under([fault('launch-refused', { instanceTypes: ['m6i.large'] })]),
    kind: 'schedulable',
    within: 'fallback',
  },
  {
    what: 'beside messages that mean nothing',
    data: under([fault('stray-messages', { what: 'unknown' })]),
    kind: 'schedulable',
    within: 'recover',
  },
  {
    what: 'where one zone has no capacity and the target restarts, so that it has to learn that again',
    data: withSteps(under([ZONE]), { do: 'restart-target' }),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'where more offerings have no capacity than can be tried one by one',
    data: { ...under([ZONE]), pools: [{ name: 'a' }] },
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'where the quota of vCPUs on demand is low',
    data: {
      ...under([fault('quota', { of: 'vcpus', vcpus: 4, capacityTypes: ['on-demand'] })]),
      pools: [{ name: 'a', instanceTypes: ['m6i.large'], capacityTypes: ['spot', 'on-demand'] }],
    },
    kind: 'schedulable',
    within: 'fallback',
  },
  {
    what: 'with a volume, where one zone has no capacity',
    data: under([ZONE], { kind: 'StatefulSet', volume: { is: 'created-with-pod' } }),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'where their pool changes meanwhile',
    data: withSteps(under([]), { do: 'change-pool', pool: { name: 'a', instanceTypes: ['m7i.large'] } }),
    kind: 'schedulable',
    within: 'recover',
  },
  {
    what: 'where they may preempt others',
    data: { ...under([]), workloads: [{ ...web, priorityClassName: 'system-cluster-critical' }] },
    kind: 'schedulable',
    within: 'recover',
  },
  {
    what: 'where they may preempt others that take long to stop',
    data: {
      ...under([]),
      workloads: [
        { ...web, priorityClassName: 'system-cluster-critical' },
        { ...web, name: 'slow', ...endingSlowly({ seconds: 100, graceSeconds: 300 }) },
      ],
    },
    kind: 'impossible',
    within: 'recover',
  },
  {
    what: 'where a quota is used up',
    data: under([fault('quota', { of: 'instances', count: 0, instanceTypes: ['m6i.large'] })]),
    kind: 'schedulable',
    within: 'fallback',
  },
  {
    what: 'where no fleets are accepted',
    data: under([fault('quota', { of: 'fleets' })]),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'where one zone has no capacity and nodes never become ready',
    data: under([ZONE, fault('never-ready')]),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'spread over zones of which one has no capacity',
    data: under([ZONE], { spread: [SPREAD_OVER_ZONES] }),
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
  {
    what: 'up to a limit that what was launched before may use up',
    data: { ...under([ZONE]), pools: [{ name: 'a', instanceTypes: ['m6i.large', 'm7i.large'], limits: { cpu: 100 } }] },
    kind: 'schedulable-after-heal',
    within: 'settle',
  },
] as const) {
  test(`what pods are owed ${what}: ${kind}, ${within}`, () => {
    expect(truthsOf(data).get('web')).toMatchObject({ truth: { kind }, within });
  });
}
