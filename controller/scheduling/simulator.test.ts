import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorTerm, Pod, PodSpec } from '../../model/kube.ts';
import { addResources, fits, podRequests } from '../../model/resources.ts';
import { openLabels } from './open-labels.ts';
import { createSimulator } from './simulator.ts';
import { TYPES, ZONES, node, pod, pods, pool, zonal } from './testing/simulator.ts';
import type { Plan, PlannedNode, PoolOptions, SchedulingInput } from './types.ts';
import { createPodValidator } from './validator.ts';

function simulate(input: Partial<SchedulingInput>): Plan {
  return createSimulator().simulate({ pods: [], nodes: [], pools: [pool('default')], namespaces: new Map(), ...input });
}

function valuesOf(launch: PlannedNode | undefined, key: string): readonly string[] {
  return launch?.requirements.find((requirement) => requirement.key === key)?.values ?? [];
}

/** Pods per zone, for launches with one zone. */
function countByZone(plan: Plan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const launch of plan.launches) {
    const zones = valuesOf(launch, LABEL.zone);
    const key = zones.join('|');
    counts[key] = (counts[key] ?? 0) + launch.pods.length;
  }
  return counts;
}

function affinity(key: string, operator: 'In' | 'NotIn', values: string[]): Partial<PodSpec> {
  const nodeSelectorTerms = [{ matchExpressions: [{ key, operator, values }] }];
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

test('no pods, no plan', () => {
  expect(simulate({})).toEqual({ launches: [], nominations: new Map(), refusals: [] });
});

test('pods share a node as long as some type has room', () => {
  const plan = simulate({ pods: pods(15, '1') });
  expect(plan.launches).toHaveLength(1);
  expect(valuesOf(plan.launches[0], LABEL.instanceType)).toEqual(['large']);
  expect(valuesOf(plan.launches[0], LABEL.zone)).toEqual(ZONES);
});

test('pods that fit on an existing node, or one in progress, launch nothing', () => {
  const plan = simulate({ pods: pods(4, '1'), nodes: [node('n1', 'a')] });
  expect(plan.launches).toEqual([]);
  expect(plan.nominations.get('n1')).toHaveLength(4);
});

test('pods keep the place of the last plan, so that one that can run anywhere does not take the node that is on its way for another', () => {
  const nodes = ['n1', 'n2'].map((name, index) =>
    node(name, index === 0 ? 'a' : 'b', { claim: `claim-${name}`, free: { cpu: 1_000, memory: 1e9, pods: 1 } }),
  );
  const [anywhere] = pods(1, '1');
  const [inZoneA] = pods(1, '1', { nodeSelector: { [LABEL.zone]: 'a' } });
  if (anywhere === undefined || inZoneA === undefined) throw new Error('two pods are needed');
  const named = [
    { ...anywhere, metadata: { ...anywhere.metadata, name: 'anywhere', uid: 'anywhere' } },
    { ...inZoneA, metadata: { ...inZoneA.metadata, name: 'in-a', uid: 'in-a' } },
  ];
  expect(simulate({ pods: named, nodes }).launches).toHaveLength(1);
  for (const places of [new Map([['anywhere', 'n2']]), new Map([['in-a', 'claim-n1']])]) {
    const plan = simulate({ pods: named, nodes, places });
    expect(plan.launches).toEqual([]);
    expect(plan.nominations.get('n1')?.map(({ metadata }) => metadata.name)).toEqual(['in-a']);
  }
  const urgent = named.map((one) => (one.metadata.name === 'anywhere' ? { ...one, spec: { ...one.spec, priority: 1 } } : one));
  const plan = simulate({ pods: urgent, nodes, places: new Map([['in-a', 'n1']]) });
  expect(plan.nominations.get('n1')?.map(({ metadata }) => metadata.name)).toEqual(['anywhere']);
  const gone = new Map([['in-a', 'n3']]);
  expect(simulate({ pods: named, nodes, places: gone }).launches).toHaveLength(1);
});

test('a node that is being removed takes no pods', () => {
  expect(simulate({ pods: pods(1, '1'), nodes: [node('n1', 'a', { accepting: false })] }).launches).toHaveLength(1);
});

test('a claim with several options takes only pods that suit all of them', () => {
  const variants = ['a', 'b'].map((zone) => ({ [LABEL.zone]: zone, [LABEL.hostname]: 'claim' }));
  const nodes = [node('claim', 'a', { variants })];
  expect(simulate({ pods: pods(1, '1'), nodes }).launches).toEqual([]);
  expect(simulate({ pods: pods(1, '1', { nodeSelector: { [LABEL.zone]: 'a' } }), nodes }).launches).toHaveLength(1);
  expect(simulate({ pods: pods(1, '1', affinity(LABEL.zone, 'In', ['a', 'b'])), nodes }).launches).toEqual([]);
});

test("requirements narrow a node's options", () => {
  const plan = simulate({ pods: pods(1, '1', { nodeSelector: { [LABEL.zone]: 'b', [LABEL.capacityType]: 'spot' } }) });
  expect(valuesOf(plan.launches[0], LABEL.zone)).toEqual(['b']);
  expect(valuesOf(plan.launches[0], LABEL.capacityType)).toEqual(['spot']);
});

test('alternatives of an affinity never widen to their product', () => {
  const term = (zone: string, capacityType: string) => ({
    matchExpressions: [
      { key: LABEL.zone, operator: 'In' as const, values: [zone] },
      { key: LABEL.capacityType, operator: 'In' as const, values: [capacityType] },
    ],
  });
  const nodeSelectorTerms = [term('a', 'spot'), term('b', 'on-demand')];
  const spec = { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
  const [launch] = simulate({ pods: pods(1, '1', spec) }).launches;
  expect([valuesOf(launch, LABEL.zone), valuesOf(launch, LABEL.capacityType)]).toEqual([['a'], ['spot']]);
});

test('an alternative that asks for a value of an open label only helps on nodes that get this value', () => {
  const tiers = openLabels([{ key: 'tier', operator: 'In', values: ['1', '2'] }], () => false);
  const matching = (...labels: readonly [key: string, value: string][]) =>
    labels.map(([key, value]) => ({ matchExpressions: [{ key, operator: 'In' as const, values: [value] }] }));
  const labelsFor = (nodeSelectorTerms: readonly NodeSelectorTerm[], pools: PoolOptions): unknown => {
    const spec = {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...nodeSelectorTerms] } } },
    };
    return simulate({ pods: pods(2, '1', spec), pools: [pools] }).launches.map((launch) => [launch.labels, valuesOf(launch, LABEL.zone)]);
  };
  const open = pool('default', { open: tiers });
  expect(labelsFor(matching([LABEL.zone, 'nowhere'], ['tier', '2']), open)).toEqual([[{ tier: '2' }, ZONES]]);
  expect(labelsFor(matching([LABEL.zone, 'b'], ['tier', '2']), open)).toEqual([[{ tier: '1' }, ['b']]]);
  expect(labelsFor(matching(['tier', '3'], ['tier', '2']), open)).toEqual([[{ tier: '2' }, ZONES]]);
  // One pod a zone: the first alternative is taken by the first pod, so the other one serves the second.
  const labels = { app: 'web' };
  const podAntiAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL.zone, labelSelector: { matchLabels: labels } }],
  };
  const spec = {
    affinity: {
      podAntiAffinity,
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: matching([LABEL.zone, 'a'], ['tier', '2']) } },
    },
  };
  expect(simulate({ pods: pods(2, '1', spec, labels), pools: [open] }).launches).toHaveLength(2);
});

test('pools are tried by weight, and skipped where their taints repel', () => {
  const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const;
  const pools = [pool('plain'), pool('preferred', { weight: 10, taints: [taint] })];
  expect(simulate({ pods: pods(1, '1'), pools }).launches[0]?.pool).toBe('plain');
  const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }];
  expect(simulate({ pods: pods(1, '1', { tolerations }), pools }).launches[0]?.pool).toBe('preferred');
});

test('limits count the largest option of each planned node', () => {
  const limited = pool('default', { remaining: { cpu: 4_000 } });
  const spec = { topologySpreadConstraints: [zonal({ topologyKey: LABEL.hostname })] };
  const plan = simulate({ pods: pods(3, '1', spec), pools: [limited] });
  expect(plan.launches).toHaveLength(1);
  expect(valuesOf(plan.launches[0], LABEL.instanceType)).toEqual(['medium', 'small']);
  expect(plan.refusals[0]?.reason).toContain('limits leave no room');
});

test('a limit of nodes is respected', () => {
  const spec = { topologySpreadConstraints: [zonal({ topologyKey: LABEL.hostname })] };
  const plan = simulate({ pods: pods(5, '1', spec), pools: [pool('default', { remaining: { nodes: 3 } })] });
  expect([plan.launches.length, plan.refusals.length]).toEqual([3, 2]);
});

test('daemon pods take their share of each new node', () => {
  const plan = simulate({ pods: pods(1, '1500m'), pools: [pool('default', { overhead: { cpu: 500 } })] });
  expect(valuesOf(plan.launches[0], LABEL.instanceType)).toEqual(['large', 'medium']);
});

const inZone = (...values: string[]): NodeSelectorTerm => ({ matchExpressions: [{ key: LABEL.zone, operator: 'In', values }] });

test("a pod's own affinity and its volumes are combined", () => {
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inZone('a', 'b'), inZone('c')] } },
  };
  const placed = (...volumeTerms: NodeSelectorTerm[]): Plan => simulate({ pods: [{ ...pod('web', '1', { affinity }), volumeTerms }] });
  expect(countByZone(placed(inZone('b', 'd')))).toEqual({ b: 1 });
  expect(countByZone(placed(inZone('d'), inZone('c')))).toEqual({ c: 1 });
  expect(placed(inZone('d')).launches).toEqual([]);
});

test.describe('topology spread', () => {
  const spread = { topologySpreadConstraints: [zonal()] };

  test('pods spread over all zones that have offerings', () => {
    expect(countByZone(simulate({ pods: pods(50, '500m', spread) }))).toEqual({ a: 17, b: 17, c: 16 });
  });

  test('zones without capacity are not domains', () => {
    const full = pool('default');
    const options = full.options.filter(({ offering }) => offering.zone !== 'c');
    const pools = [{ ...full, options, unavailable: full.options.filter((option) => !options.includes(option)) }];
    expect(countByZone(simulate({ pods: pods(10, '500m', spread), pools }))).toEqual({ a: 5, b: 5 });
  });

  test('zones of existing nodes are domains, with their pods', () => {
    const nodes = [node('n1', 'a', { free: {}, pods: pods(3, '1') }), node('n2', 'b', { free: {} })];
    expect(countByZone(simulate({ pods: pods(3, '500m', spread), nodes }))).toEqual({ b: 2, c: 1 });
  });

  test('where volumes are decides where pods may go, but not which nodes count, as in the scheduler', () => {
    const inA = pods(1, '500m', spread).map((one) => ({ ...one, volumeTerms: [inZone('a')] }));
    const nodes = [node('n1', 'a', { free: {}, pods: pods(1, '1') })];
    expect(countByZone(simulate({ pods: inA, nodes }))).toEqual({ a: 1 });
    const { launches, refusals } = simulate({ pods: inA, nodes: [...nodes, node('n2', 'b', { free: {} })] });
    expect(launches).toEqual([]);
    expect(refusals.map(({ reason }) => reason)).toEqual([expect.stringContaining('maxSkew')]);
  });

  test('terminating pods, other labels and other namespaces do not count: the input only contains pods that count', () => {
    const others = pods(5, '1', {}, { app: 'other' });
    expect(countByZone(simulate({ pods: pods(3, '500m', spread), nodes: [node('n1', 'a', { free: {}, pods: others })] }))).toEqual({
      a: 1,
      b: 1,
      c: 1,
    });
  });

  test('an absent selector counts nothing and so never blocks', () => {
    const constraint: Record<string, unknown> = { ...zonal() };
    delete constraint['labelSelector'];
    const spec = { topologySpreadConstraints: [constraint as unknown as ReturnType<typeof zonal>] };
    expect(simulate({ pods: pods(5, '1', spec) }).refusals).toEqual([]);
  });

  test('a key that no node has is refused with a reason', () => {
    const spec = { topologySpreadConstraints: [zonal({ topologyKey: 'example.com/rack' })] };
    const { refusals, launches } = simulate({ pods: pods(1, '1', spec) });
    expect(launches).toEqual([]);
    expect(refusals[0]?.reason).toContain('spec.topologySpreadConstraints[0].topologyKey: no node would have the label example.com/rack');
  });

  test('too few domains: as many as the skew allows, the rest with a reason', () => {
    const spec = { topologySpreadConstraints: [zonal({ minDomains: 5 })] };
    const { refusals, launches } = simulate({ pods: pods(5, '1', spec) });
    expect(launches).toHaveLength(3);
    expect(refusals).toHaveLength(2);
    expect(refusals[0]?.reason).toContain('minDomains: 5 domains of topology.kubernetes.io/zone are demanded, there are 3');
  });

  test('soft constraints are kept if possible, and dropped otherwise', () => {
    const spec = { topologySpreadConstraints: [zonal({ whenUnsatisfiable: 'ScheduleAnyway' })] };
    expect(countByZone(simulate({ pods: pods(9, '1', spec) }))).toEqual({ a: 3, b: 3, c: 3 });
    const pinned = {
      ...spec,
      nodeSelector: { [LABEL.zone]: 'a' },
      topologySpreadConstraints: [zonal({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 3 })],
    };
    expect(simulate({ pods: pods(9, '1', pinned) }).refusals).toEqual([]);
  });

  test('by host: every new node is a new domain', () => {
    const spec = { topologySpreadConstraints: [zonal({ topologyKey: LABEL.hostname, maxSkew: 2 })] };
    expect(simulate({ pods: pods(10, '100m', spec) }).launches).toHaveLength(5);
  });

  test('node affinity narrows the domains, unless the policy is Ignore', () => {
    const spec = { ...spread, ...affinity(LABEL.zone, 'NotIn', ['c']) };
    expect(countByZone(simulate({ pods: pods(4, '1', spec) }))).toEqual({ a: 2, b: 2 });
  });

  test("pods without the constraint count once their node's domain is known", () => {
    const plain = pods(2, '2', {}, { app: 'web' });
    const plan = simulate({ pods: [...plain, ...pods(4, '100m', spread)] });
    expect(plan.refusals).toEqual([]);
    const [first] = plan.launches;
    expect(first?.pods.map(({ metadata }) => metadata.name)).toContain('2-0000');
    const counts = Object.values(countByZone(plan));
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
});

const REFUSALS: readonly { name: string; pod: Pod; reason: string }[] = [
  { name: 'too large', pod: pod('p', '900'), reason: 'no instance type that it could use has cpu: 900' },
  {
    name: 'unknown zone',
    pod: pod('p', '1', { nodeSelector: { [LABEL.zone]: 'mars-1a' } }),
    reason: 'no offering meets spec.nodeSelector topology.kubernetes.io/zone In [mars-1a]',
  },
  {
    name: 'impossible affinity',
    pod: pod('p', '1', affinity('team', 'In', ['x'])),
    reason: 'no offering meets spec.affinity.nodeAffinity team In [x]',
  },
  {
    name: 'together impossible',
    pod: pod('p', '1', { nodeSelector: { [LABEL.zone]: 'a' }, ...affinity(LABEL.zone, 'In', ['b']) }),
    reason: 'together spec.nodeSelector topology.kubernetes.io/zone In [a]',
  },
];
for (const { name, pod: refused, reason } of REFUSALS) {
  test(`a refusal names what prevents it: ${name}`, () => {
    const { refusals, launches } = simulate({ pods: [refused, ...pods(3, '1')] });
    expect(refusals).toEqual([{ pod: refused, reason: expect.stringContaining(reason) as unknown }]);
    expect(launches.flatMap((launch) => launch.pods)).toHaveLength(3);
  });
}

test('a refusal says if only capacity is missing', () => {
  const full = pool('default');
  const { refusals } = simulate({ pods: pods(1, '1'), pools: [{ ...full, options: [], unavailable: full.options }] });
  expect(refusals[0]?.reason).toContain('insufficient capacity: all 18 offerings');
});

test.describe('doubtful options', () => {
  const doubtful = (name: string, change: Partial<PoolOptions> = {}, refusedAtMs = 0): PoolOptions => {
    const { options } = pool(name);
    return pool(name, { options: [], unavailable: options, probes: options.map((option) => ({ ...option, refusedAtMs })), ...change });
  };
  const apart: Partial<PodSpec> = { topologySpreadConstraints: [zonal({ topologyKey: LABEL.hostname })] };

  test('they are used only for what no other pool can serve, on one node at a time', () => {
    const preferred = doubtful('preferred', { weight: 10 });
    const both = simulate({ pods: pods(3, '1', apart), pools: [preferred, pool('next')], probeTurn: 0 });
    expect(both.launches.map((launch) => launch.pool)).toEqual(['next', 'next', 'next']);
    const alone = simulate({ pods: pods(3, '1', apart), pools: [preferred], probeTurn: 0 });
    expect(alone.launches.map((launch) => launch.pool)).toEqual(['preferred']);
    expect(alone.refusals).toHaveLength(2);
    expect(alone.refusals[0]?.reason).toContain('insufficient capacity');
    expect(simulate({ pods: pods(3, '1', apart), pools: [preferred] }).launches).toEqual([]);
  });

  test('classes of pods take turns', () => {
    const waiting = [pod('a', '1', apart, { app: 'a' }), pod('b', '1', apart, { app: 'b' }), pod('c', '1', apart, { app: 'c' })];
    const turns = [0, 1, 2, 3].map((probeTurn) => {
      const plan = simulate({ pods: waiting, pools: [doubtful('spot')], probeTurn });
      // All of them fit on its node.
      expect(plan.refusals).toEqual([]);
      return plan.launches.map((launch) => launch.pods[0]?.metadata.name);
    });
    expect(turns).toEqual([['a'], ['b'], ['c'], ['a']]);
  });

  test('while other pods wait, a probe leaves half of the limits, unless no type is that small', () => {
    const typesWith = (cpu: number, waiting: number): readonly string[] => {
      const plan = simulate({ pods: pods(waiting, '1', apart), pools: [doubtful('spot', { remaining: { cpu } })], probeTurn: 0 });
      return valuesOf(plan.launches[0], LABEL.instanceType);
    };
    expect(typesWith(20_000, 2)).toEqual(['medium', 'small']);
    expect(typesWith(2_500, 2)).toEqual(['small']);
    const { options } = pool('spot');
    const large = options.filter(({ type }) => type.name === 'large');
    const masked = (waiting: number): Plan => {
      const left = doubtful('spot', { remaining: { cpu: 20_000 }, probes: large });
      return simulate({ pods: pods(waiting, '1', apart), pools: [left], probeTurn: 0 });
    };
    expect(masked(2).launches).toEqual([]);
    expect(masked(1).launches).toHaveLength(1);
  });
});

test('a thousand pods are planned', () => {
  const plan = simulate({ pods: pods(1_000, '500m', { topologySpreadConstraints: [zonal()] }) });
  expect(plan.launches.flatMap((launch) => launch.pods)).toHaveLength(1_000);
});

const podArbitrary = fc.record({
  cpu: fc.constantFrom('100m', '500m', '1', '3', '15', '40'),
  zone: fc.option(fc.constantFrom(...ZONES), { nil: undefined }),
  app: fc.constantFrom('web', 'db'),
  spread: fc.constantFrom<'none' | 'zone' | 'host'>('none', 'zone', 'host'),
  maxSkew: fc.integer({ min: 1, max: 3 }),
});
const inputArbitrary = fc.record({
  pods: fc.array(podArbitrary, { maxLength: 30 }),
  nodes: fc.array(fc.record({ zone: fc.constantFrom(...ZONES), cpu: fc.integer({ min: 0, max: 8_000 }), bound: fc.nat(3) }), {
    maxLength: 5,
  }),
});

function toInput(value: typeof inputArbitrary extends fc.Arbitrary<infer T> ? T : never): SchedulingInput {
  return {
    namespaces: new Map(),
    pools: [pool('default')],
    pods: value.pods.map(({ cpu, zone, app, spread, maxSkew }, index) =>
      pod(
        `p${String(index).padStart(2, '0')}`,
        cpu,
        {
          ...defined({ nodeSelector: zone === undefined ? undefined : { [LABEL.zone]: zone } }),
          ...(spread === 'none'
            ? {}
            : {
                topologySpreadConstraints: [
                  zonal({
                    topologyKey: spread === 'zone' ? LABEL.zone : LABEL.hostname,
                    maxSkew,
                    labelSelector: { matchLabels: { app } },
                  }),
                ],
              }),
        },
        { app },
      ),
    ),
    nodes: value.nodes.map(({ zone, cpu, bound }, index) =>
      node(`n${index}`, zone, { free: { cpu, memory: 8 * 1024 ** 3, pods: 20 }, pods: pods(bound, '1').map((one) => ({ ...one })) }),
    ),
  };
}

test('property: every pod is planned once or refused, and no node is oversubscribed', () => {
  fc.assert(
    fc.property(inputArbitrary, (value) => {
      const input = toInput(value);
      const plan = simulate(input);
      const planned = [...plan.launches.flatMap((launch) => launch.pods), ...[...plan.nominations.values()].flat()];
      const all = [...planned, ...plan.refusals.map((refusal) => refusal.pod)].map(({ metadata }) => metadata.name).sort();
      expect(all).toEqual(input.pods.map(({ metadata }) => metadata.name).sort());
      for (const [name, taken] of plan.nominations) {
        const free = input.nodes.find((candidate) => candidate.name === name)?.free ?? {};
        expect(fits(total(taken), free)).toBe(true);
      }
      for (const launch of plan.launches) {
        for (const name of valuesOf(launch, LABEL.instanceType)) {
          const type = TYPES.find((one) => one.name === name);
          expect(fits(total(launch.pods), type?.allocatable ?? {})).toBe(true);
        }
      }
    }),
    { numRuns: 150 },
  );
});

function total(some: readonly Pod[]): Record<string, number> {
  return some.map(({ spec }) => podRequests(spec)).reduce(addResources, {});
}

test('property: the planned state keeps every hard spread, whatever zone each launch gets', () => {
  fc.assert(
    fc.property(inputArbitrary, fc.array(fc.nat(), { minLength: 30, maxLength: 30 }), (value, choices) => {
      const input = toInput(value);
      const plan = simulate(input);
      const placed: { zone: string; host: string; pod: Pod; bound: boolean }[] = [];
      const zoneOf = (name: string): string => input.nodes.find((one) => one.name === name)?.variants[0]?.[LABEL.zone] ?? '';
      for (const one of input.nodes)
        for (const bound of one.pods) placed.push({ zone: zoneOf(one.name), host: one.name, pod: bound, bound: true });
      for (const [name, taken] of plan.nominations)
        for (const one of taken) placed.push({ zone: zoneOf(name), host: name, pod: one, bound: false });
      for (const [index, launch] of plan.launches.entries()) {
        const zones = valuesOf(launch, LABEL.zone);
        const zone = zones[(choices[index] ?? 0) % zones.length] ?? '';
        for (const one of launch.pods) placed.push({ zone, host: `new-${index}`, pod: one, bound: false });
        for (const one of launch.pods)
          if (one.spec.topologySpreadConstraints?.[0]?.topologyKey === LABEL.zone) expect(zones).toHaveLength(1);
      }
      for (const { pod: one, host } of placed.filter(({ bound }) => !bound)) {
        const constraint = one.spec.topologySpreadConstraints?.[0];
        if (constraint?.topologyKey !== LABEL.hostname) continue;
        const app = one.metadata.labels?.['app'];
        const own = placed.filter((other) => other.host === host && other.pod.metadata.labels?.['app'] === app);
        // Pods without the constraint may be added later; those with it must not have been put on a full host.
        const strict = own.filter((other) => other.pod.spec.topologySpreadConstraints?.[0]?.topologyKey === LABEL.hostname);
        if (strict.length === own.length) {
          const largest = Math.max(...strict.map((other) => other.pod.spec.topologySpreadConstraints?.[0]?.maxSkew ?? 0));
          expect(own.length).toBeLessThanOrEqual(largest);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('property: a uniform zonal workload ends within its skew over the usable zones', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom(...ZONES), { maxLength: 6 }),
      (count, maxSkew, bound) => {
        const nodes = ZONES.map((zone) =>
          node(`n-${zone}`, zone, { free: {}, pods: bound.filter((one) => one === zone).map(() => pod('x', '1')) }),
        );
        const plan = simulate({ nodes, pods: pods(count, '1', { topologySpreadConstraints: [zonal({ maxSkew })] }) });
        const counts = ZONES.map((zone) => (countByZone(plan)[zone] ?? 0) + bound.filter((one) => one === zone).length);
        const grown = ZONES.map((zone) => countByZone(plan)[zone] ?? 0);
        const least = Math.min(...counts);
        for (const [index, added] of grown.entries()) if (added > 0) expect((counts[index] ?? 0) - least).toBeLessThanOrEqual(maxSkew);
        expect(plan.refusals).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test('property: pods that the validator refuses never change what happens to the others', () => {
  const validator = createPodValidator();
  fc.assert(
    fc.property(inputArbitrary, fc.array(fc.integer({ min: -3, max: 0 }), { maxLength: 4 }), (value, skews) => {
      const input = toInput(value);
      const bad = skews.map((maxSkew, index) => pod(`bad-${index}`, '1', { topologySpreadConstraints: [zonal({ maxSkew })] }));
      for (const one of bad) expect(validator.problem(one)).toContain('spec.topologySpreadConstraints[0].maxSkew: Invalid value');
      const valid = [...bad, ...input.pods].filter((one) => validator.problem(one) === undefined);
      expect(simulate({ ...input, pods: valid })).toEqual(simulate(input));
    }),
    { numRuns: 50 },
  );
});
