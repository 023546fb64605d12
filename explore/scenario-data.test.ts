import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { podSpec } from '../harness/scenario.ts';
import { endingSlowly } from '../harness/shapes.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import { drawScenario } from './draw/scenario.ts';
import { earlyDaemonSets, parseScenarioData, peaksOf, specOf, stopSecondsOf, tidy } from './scenario-data.ts';
import type { ScenarioData, WorkloadData } from './scenario-data.ts';
import { LARGE, SITE, SMALL, withSteps } from './testing/ground.ts';

test('a scenario with every kind of part is read as it was written', () => {
  expect(parseScenarioData(JSON.parse(JSON.stringify(LARGE)))).toEqual(LARGE);
});

for (const { what, data, says } of [
  { what: 'another format', data: { ...SMALL, schema: 'v0' }, says: 'scaleproof.dev/scenario/v1' },
  { what: 'an unknown field', data: { ...SMALL, polls: [] }, says: 'polls' },
  { what: 'no pool', data: { ...SMALL, pools: [] }, says: 'pools' },
  { what: 'an unknown field of a pool', data: { ...SMALL, pools: [{ name: 'a', zone: 'us-east-1a' }] }, says: 'zone' },
  { what: 'a workload without a name', data: { ...SMALL, workloads: [{ replicas: 1, cpu: '1', memory: '1Gi' }] }, says: 'name' },
  {
    what: 'too many pods',
    data: { ...SMALL, workloads: [{ name: 'web', replicas: 100_000, cpu: '1', memory: '1Gi' }] },
    says: 'at most 500',
  },
  { what: 'two pools of a name', data: { ...SMALL, pools: [SMALL.pools[0], SMALL.pools[0]] }, says: 'pools: two are named "a"' },
  {
    what: 'a DaemonSet with the name of a workload',
    data: { ...SMALL, daemonSets: [{ name: 'web', cpu: '1m', memory: '1Mi' }] },
    says: 'workloads and daemonSets: two are named "web"',
  },
  {
    what: 'pods near a workload that does not exist',
    data: { ...SMALL, workloads: [{ ...SMALL.workloads[0], near: { workload: 'wbe', over: 'kubernetes.io/hostname' } }] },
    says: 'workloads.0.near: there is no workload "wbe"; there are: web',
  },
  {
    what: 'pods that finish, but not of a Job',
    data: { ...SMALL, workloads: [{ ...SMALL.workloads[0], runSeconds: 60 }] },
    says: 'workloads.0.runSeconds: only pods of a Job finish',
  },
  {
    what: 'an affinity without a key',
    data: { ...SMALL, workloads: [{ ...SMALL.workloads[0], nodeAffinity: [{}] }] },
    says: '`workloads.0.nodeAffinity.0.key`',
  },
  {
    what: 'other amounts of pods that finish',
    data: {
      ...SMALL,
      workloads: [{ ...SMALL.workloads[0], kind: 'Job', runSeconds: 60 }],
      steps: [
        { do: 'deploy', workload: 'web' },
        { do: 'scale', workload: 'web', replicas: 2 },
      ],
    },
    says: 'steps.1 (scale): "web" has as many pods as have to finish',
  },
  {
    what: 'a roll-out of a Job',
    data: {
      ...SMALL,
      workloads: [{ ...SMALL.workloads[0], kind: 'Job' }],
      steps: [
        { do: 'deploy', workload: 'web' },
        { do: 'roll-out', workload: 'web' },
      ],
    },
    says: 'steps.1 (roll-out): "web" is a Job, whose template can\'t be changed',
  },
  {
    what: 'a DaemonSet that is deployed twice',
    data: {
      ...SMALL,
      daemonSets: [{ name: 'agent', cpu: '1m', memory: '1Mi' }],
      steps: [
        { do: 'deploy', workload: 'agent' },
        { do: 'deploy', workload: 'agent' },
      ],
    },
    says: 'steps.1 (deploy): "agent" was deployed before',
  },
  {
    what: 'a DaemonSet that is scaled',
    data: {
      ...SMALL,
      daemonSets: [{ name: 'agent', cpu: '1m', memory: '1Mi' }],
      steps: [
        { do: 'deploy', workload: 'agent' },
        { do: 'scale', workload: 'agent', replicas: 2 },
      ],
    },
    says: 'steps.1 (scale): no workload "agent" is deployed then',
  },
  {
    what: 'pods that stop after no number of seconds',
    data: { ...SMALL, workloads: [{ ...SMALL.workloads[0], annotations: { 'scaleproof.dev/stop-seconds': 'soon' } }] },
    says: 'must be a number of seconds, and is "soon"',
  },
  { what: 'an amount that is none', data: { ...SMALL, workloads: [{ ...SMALL.workloads[0], cpu: 'much' }] }, says: 'must be a quantity' },
  {
    what: 'an unknown fault',
    data: { ...SMALL, faults: [{ name: 'f', fault: 'lost-answr', params: {} }] },
    says: 'faults.0: no fault is named "lost-answr"',
  },
  {
    what: 'a wrong parameter of a fault',
    data: { ...SMALL, faults: [{ name: 'f', fault: 'slow-answer', params: { operations: ['*'], delayMs: 'x' } }] },
    says: 'faults.0 (slow-answer): `delayMs` must be a number, and is "x"',
  },
  {
    what: 'a pool of a fixed size with a limit of CPU',
    data: { ...SMALL, pools: [{ name: 'a', replicas: 2, limits: { cpu: 2 } }] },
    says: 'pool "a" has a fixed size (replicas)',
  },
  { what: 'a name too long for a file', data: { ...SMALL, name: 'a'.repeat(300) }, says: 'at most 100 characters' },
  {
    what: 'an unknown step',
    data: { ...SMALL, steps: [{ do: 'explode' }] },
    says: /^`steps\.0\.do` must be one of deploy, scale, .*, until-fired, and is "explode"$/,
  },
  {
    what: 'a step of no kind',
    data: { ...SMALL, steps: [{ workload: 'web' }] },
    says: '`steps.0.do` is missing: it must be one of deploy, ',
  },
  {
    what: 'an unknown type of a pool',
    data: { ...SMALL, pools: [{ name: 'a', instanceTypes: ['m6i.large', 'm6i.larg'] }] },
    says: 'pools.0.instanceTypes: there is no instance type "m6i.larg"; did you mean `m6i.large`?',
  },
  {
    what: 'a type that no region has',
    data: { ...SMALL, pools: [{ name: 'a', instanceTypes: ['huge'] }] },
    says: 'pools.0.instanceTypes: there is no instance type "huge"; there are 1334, such as ',
  },
  {
    what: 'an unknown zone of a changed pool',
    data: withSteps(SMALL, { do: 'change-pool', pool: { name: 'a', zones: ['us-west-2a'] } }),
    says: 'steps.1.pool.zones: there is no zone "us-west-2a"; there are: us-east-1a, us-east-1b, us-east-1c',
  },
  {
    what: 'an unknown zone in a requirement of a pool',
    data: {
      ...SMALL,
      pools: [{ name: 'a', requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1x'] }] }],
    },
    says: 'pools.0.requirements.0: there is no zone "us-east-1x"; there are: us-east-1a, ',
  },
  {
    what: 'an unknown zone of a volume',
    data: { ...SMALL, workloads: [{ ...SMALL.workloads[0], volume: { is: 'existing', zone: 'eu-1a' } }] },
    says: 'workloads.0.volume: there is no zone "eu-1a"',
  },
  {
    what: 'an unknown priority class',
    data: { ...SMALL, daemonSets: [{ name: 'd', cpu: '1m', memory: '1Mi', priorityClassName: 'system-critical' }] },
    says: 'daemonSets.0.priorityClassName: there is no priority class "system-critical"',
  },
  {
    what: 'an unknown zone of a fault',
    data: { ...SMALL, faults: [{ name: 'f', fault: 'insufficient-capacity', params: { zones: ['us-east-1z'] } }] },
    says: 'faults.0 (insufficient-capacity).zones: there is no zone "us-east-1z"',
  },
  {
    what: 'a workload that does not exist',
    data: withSteps(SMALL, { do: 'deploy', workload: 'api' }),
    says: 'steps.1 (deploy): there is no workload "api"',
  },
  { what: 'a workload deployed twice', data: withSteps(SMALL, { do: 'deploy', workload: 'web' }), says: 'was deployed before' },
  {
    what: 'a step too early',
    data: { ...SMALL, steps: [{ do: 'remove', workload: 'web' }] },
    says: 'steps.0 (remove): no workload "web" is deployed then',
  },
  { what: 'a fault that is not injected', data: withSteps(SMALL, { do: 'heal', fault: 'f' }), says: 'no fault "f" is active then' },
  {
    what: 'a pool that was withdrawn',
    data: withSteps(SMALL, { do: 'withdraw-pool', pool: 'a' }, { do: 'withdraw-pool', pool: 'a' }),
    says: 'there is no pool "a" then',
  },
]) {
  test(`refused with the place: ${what}`, () => {
    expect(() => parseScenarioData(data)).toThrow(says);
  });
}

test('what can be done stays, the rest goes, and nothing goes twice', () => {
  const messy: ScenarioData = {
    ...LARGE,
    steps: [
      { do: 'heal', fault: 'fault-1' },
      { do: 'deploy', workload: 'web' },
      { do: 'deploy', workload: 'web' },
      { do: 'pass', seconds: 1 },
    ],
  };
  const tidied = tidy(messy);
  expect(tidied.steps).toEqual([
    { do: 'deploy', workload: 'web' },
    { do: 'pass', seconds: 1 },
  ]);
  expect(tidied.workloads.map(({ name }) => name)).toEqual(['web']);
  expect(tidied.faults).toEqual([]);
  expect(tidy(tidied)).toEqual(tidied);
});

test('nodes live long enough for a moment at which none is being replaced', () => {
  const [pool] = SMALL.pools;
  if (pool === undefined) throw new Error('no pool');
  const ageOf = ({ pools }: ScenarioData): number | undefined => pools[0]?.expireAfterMs;
  const short = { ...SMALL, pools: [{ ...pool, expireAfterMs: 60_000 }] };
  // Two minutes for each of two pods, and for one node more.
  expect(ageOf(tidy(short))).toBe(360_000);
  expect(ageOf(tidy(withSteps(short, { do: 'scale', workload: 'web', replicas: 4 })))).toBe(600_000);
  expect(ageOf(tidy({ ...SMALL, pools: [{ ...pool, expireAfterMs: 400_000 }] }))).toBe(400_000);
  expect(ageOf(tidy(SMALL))).toBeUndefined();
  const slow = { ...SMALL.workloads[0], graceSeconds: 120, annotations: { 'scaleproof.dev/stop-seconds': '90' } } as WorkloadData;
  expect(ageOf(tidy({ ...short, workloads: [slow] }))).toBe(3 * (120 + 90) * 1_000);
  const changed = withSteps(SMALL, { do: 'change-pool', pool: { ...pool, expireAfterMs: 60_000 } });
  expect(tidy(changed).steps.at(-1)).toMatchObject({ pool: { expireAfterMs: 360_000 } });
});

test('where nodes are consolidated, pods stop within a minute', () => {
  const slow = endingSlowly({ seconds: 500, graceSeconds: 600 });
  const workloads = SMALL.workloads.map((one) => ({ ...one, ...slow }));
  const stopOf = (pools: ScenarioData['pools']): number[] => tidy({ ...SMALL, pools, workloads }).workloads.map(stopSecondsOf);
  expect(stopOf(SMALL.pools)).toEqual([500]);
  expect(stopOf([{ name: 'a', disruption: { consolidation: 'when-empty' } }])).toEqual([500]);
  expect(stopOf([{ name: 'a', disruption: { consolidation: 'when-empty-or-underutilized' } }])).toEqual([60]);
});

test('with any steps left out, a tidy scenario is valid', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.array(fc.boolean(), { maxLength: 60 }), (seed, kept) => {
      const drawn = drawScenario(createRandom(seed), 'any', SITE);
      const data = tidy({ ...drawn, steps: drawn.steps.filter((_step, index) => kept[index] ?? true) });
      expect(parseScenarioData(JSON.parse(JSON.stringify(data)))).toEqual(data);
    }),
    { numRuns: 100 },
  );
});

test('the peak of a workload counts its scaling, and the surge of a roll-out', () => {
  expect(Object.fromEntries(peaksOf(LARGE))).toMatchObject({ web: 7, api: 2, task: 2 });
});

test('the peak of a Deployment that is rolled out counts its surge', () => {
  const peakOf = (data: ScenarioData): number | undefined => peaksOf(withSteps(data, { do: 'roll-out', workload: 'web' })).get('web');
  const deployment = { ...SMALL, workloads: SMALL.workloads.map((one) => ({ ...one, kind: 'Deployment' as const, replicas: 5 })) };
  expect(peakOf(deployment)).toBe(7);
  expect(peakOf(withSteps(deployment, { do: 'scale', workload: 'web', replicas: 8 }))).toBe(10);
});

for (const [spread, message] of [
  [{ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 }, 'only goes with whenUnsatisfiable: DoNotSchedule'],
  [{ whenUnsatisfiable: 'DoNotSchedule', labelSelector: null, matchLabelKeys: ['a'] }, 'only goes with a label selector'],
] as const) {
  test(`a spread constraint that the API server would refuse: ${message}`, () => {
    const constraint = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', ...spread };
    const workloads = SMALL.workloads.map((one) => ({ ...one, spread: [constraint] }));
    expect(() => parseScenarioData({ ...SMALL, workloads })).toThrow(message);
  });
}

test('without a label selector a spread constraint counts no pods; by default it counts those of its workload', () => {
  const constraint = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' } as const;
  const [workload] = SMALL.workloads;
  if (workload === undefined) throw new Error('the small scenario has a workload');
  const spread = [constraint, { ...constraint, labelSelector: null }];
  const constraints = podSpec(specOf({ ...workload, spread })).topologySpreadConstraints ?? [];
  expect(constraints.map(({ labelSelector }) => labelSelector)).toEqual([{ matchLabels: { [WORKLOAD_LABEL]: 'web' } }, undefined]);
});

test('DaemonSets are there from the start, unless a step deploys them', () => {
  const daemonSets = ['early', 'late'].map((name) => ({ name, cpu: '1m', memory: '1Mi' }));
  const data = withSteps({ ...SMALL, daemonSets }, { do: 'deploy', workload: 'late' });
  expect(earlyDaemonSets(data).map(({ name }) => name)).toEqual(['early']);
});
