import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { PodAffinityTerm, PodSpec } from '../../model/kube.ts';
import { parseRequirements } from '../../model/requirements.ts';
import { relaxations } from './relaxation.ts';
import { createSimulator } from './simulator.ts';
import { node, pod, pods, pool, zonal } from './testing/simulator.ts';
import type { Plan, SchedulingInput } from './types.ts';

function simulate(input: Partial<SchedulingInput>): Plan {
  return createSimulator().simulate({ pods: [], nodes: [], pools: [pool('default')], namespaces: new Map(), ...input });
}

function term(topologyKey: string, app = 'web'): PodAffinityTerm {
  return { topologyKey, labelSelector: { matchLabels: { app } } };
}

function apart(topologyKey: string, app?: string): Partial<PodSpec> {
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(topologyKey, app)] } } };
}

function together(topologyKey: string, app?: string): Partial<PodSpec> {
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(topologyKey, app)] } } };
}

function zonesOf(plan: Plan): string[] {
  return plan.launches.map(({ requirements }) => requirements.find(({ key }) => key === LABEL.zone)?.values?.join('|') ?? '').sort();
}

test.describe('affinity to pods', () => {
  test('apart by host: one node per pod', () => {
    expect(simulate({ pods: pods(5, '1', apart(LABEL.hostname)) }).launches).toHaveLength(5);
  });

  test('apart by zone: one pod per zone, and the rest are refused', () => {
    const plan = simulate({ pods: pods(5, '1', apart(LABEL.zone)) });
    expect(zonesOf(plan)).toEqual(['a', 'b', 'c']);
    expect(plan.refusals.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('spec.affinity.podAntiAffinity'),
      expect.stringContaining('spec.affinity.podAntiAffinity'),
    ]);
  });

  test('anti-affinity works in both directions', () => {
    const loner = pod('loner', '100m', apart(LABEL.zone), { app: 'db' });
    const plan = simulate({
      pods: pods(3, '1'),
      nodes: [node('n1', 'a', { pods: [loner], free: { cpu: 10_000, memory: 2 ** 40, pods: 50 } })],
    });
    expect(plan.nominations.size).toBe(0);
    expect(zonesOf(plan).every((zone) => !zone.includes('a'))).toBe(true);
  });

  test('together by zone: the first may be anywhere, the others follow', () => {
    const plan = simulate({ pods: pods(3, '15', together(LABEL.zone)) });
    expect(plan.launches).toHaveLength(3);
    expect(new Set(zonesOf(plan)).size).toBe(1);
  });

  test('a follower waits for its leader, in any order', () => {
    const leader = pod('z-leader', '100m', { nodeSelector: { [LABEL.zone]: 'b' } }, { app: 'db' });
    const plan = simulate({ pods: [...pods(2, '1', together(LABEL.zone, 'db')), leader] });
    expect(plan.refusals).toEqual([]);
    expect(new Set(zonesOf(plan))).toEqual(new Set(['b']));
  });

  test('without a leader followers are refused, with a reason', () => {
    const plan = simulate({ pods: pods(1, '1', together(LABEL.zone, 'db')) });
    expect(plan.refusals[0]?.reason).toContain('spec.affinity.podAffinity');
  });

  test("namespaces: named, selected, or the pod's own", () => {
    const other = { ...pod('other', '1', {}, { app: 'web' }), metadata: { name: 'other', namespace: 'other', labels: { app: 'web' } } };
    const nodes = [node('n1', 'a', { pods: [other] })];
    const namespaces = new Map([['other', { team: 'x' }]]);
    const keepAway = (extra: Partial<PodAffinityTerm>): Plan =>
      simulate({
        pods: pods(1, '1', {
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term(LABEL.hostname), ...extra }] } },
        }),
        nodes,
        namespaces,
      });
    expect(keepAway({}).nominations.size).toBe(1);
    expect(keepAway({ namespaces: ['other'] }).nominations.size).toBe(0);
    expect(keepAway({ namespaceSelector: { matchLabels: { team: 'x' } } }).nominations.size).toBe(0);
    expect(keepAway({ namespaceSelector: { matchLabels: { team: 'y' } } }).nominations.size).toBe(1);
    expect(keepAway({ namespaceSelector: {} }).nominations.size).toBe(0);
  });
});

test.describe('host ports', () => {
  const withPort = (hostIP?: string): Partial<PodSpec> => ({
    containers: [
      {
        name: 'main',
        resources: { requests: { cpu: '100m' } },
        ports: [{ containerPort: 80, hostPort: 80, ...defined({ hostIP }) }],
      },
    ],
  });

  test('one node each', () => {
    expect(simulate({ pods: pods(3, '100m', withPort()) }).launches).toHaveLength(3);
  });

  test('other addresses do not conflict', () => {
    const two = [pod('a', '100m', withPort('10.0.0.1')), pod('b', '100m', withPort('10.0.0.2'))];
    expect(simulate({ pods: two }).launches).toHaveLength(1);
  });

  test('a port that is in use on a node excludes the pod', () => {
    const taken = node('n1', 'a', { hostPorts: [{ ip: '0.0.0.0', protocol: 'TCP', port: 80 }] });
    expect(simulate({ pods: pods(1, '100m', withPort()), nodes: [taken] }).launches).toHaveLength(1);
  });

  test('a DaemonSet that uses the port on every node is named', () => {
    const taken = pool('default', { hostPorts: [{ ip: '0.0.0.0', protocol: 'TCP', port: 80 }] });
    expect(simulate({ pods: pods(1, '100m', withPort()), pools: [taken] }).refusals[0]?.reason).toContain('host port');
  });
});

test.describe('preferences', () => {
  const preferZone = (zone: string): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: LABEL.zone, operator: 'In', values: ['c'] }] } },
          { weight: 50, preference: { matchExpressions: [{ key: LABEL.zone, operator: 'In', values: [zone] }] } },
        ],
      },
    },
  });

  test('the heaviest preference is kept if possible, then the next, then none', () => {
    expect(zonesOf(simulate({ pods: pods(1, '1', preferZone('b')) }))).toEqual(['b']);
    expect(zonesOf(simulate({ pods: pods(1, '1', preferZone('nowhere')) }))).toEqual(['c']);
    const pinned = { ...preferZone('nowhere'), nodeSelector: { [LABEL.zone]: 'a' } };
    expect(zonesOf(simulate({ pods: pods(1, '1', pinned) }))).toEqual(['a']);
  });

  test('are relaxed one by one, in order', () => {
    const soft = zonal({ whenUnsatisfiable: 'ScheduleAnyway' });
    const spec: PodSpec = {
      containers: [],
      topologySpreadConstraints: [zonal(), soft],
      affinity: {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(LABEL.zone) }] },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(LABEL.zone) }] },
        ...preferZone('b').affinity,
      },
    };
    const left = [...relaxations(spec, true)].map(({ affinity, topologySpreadConstraints = [], tolerations = [] }) => [
      affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length,
      affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length,
      affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.map(({ weight }) => weight).join(),
      topologySpreadConstraints.length,
      tolerations.length,
    ]);
    expect(left).toEqual([
      [1, 1, '1,50', 2, 0],
      [0, 1, '1,50', 2, 0],
      [0, 0, '1,50', 2, 0],
      [0, 0, '1', 2, 0],
      [0, 0, '', 2, 0],
      [0, 0, '', 1, 0],
      [0, 0, '', 1, 1],
    ]);
  });

  test('a pool with a PreferNoSchedule taint is the last choice', () => {
    const disliked = pool('a-disliked', { weight: 9, taints: [{ key: 'x', effect: 'PreferNoSchedule' }] });
    expect(simulate({ pods: pods(1, '1'), pools: [disliked, pool('b')] }).launches.map((launch) => launch.pool)).toEqual(['b']);
    expect(simulate({ pods: pods(1, '1'), pools: [disliked] }).launches).toHaveLength(1);
  });

  test('an existing node with a PreferNoSchedule taint is taken before a new one', () => {
    const existing = node('n', 'a', { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] });
    expect(simulate({ pods: pods(1, '1'), nodes: [existing], pools: [pool('b')] }).launches).toEqual([]);
  });
});

test('pods of higher priority get what a limit leaves', () => {
  const spec = apart(LABEL.hostname);
  const waiting = [...pods(3, '1', { ...spec, priority: 0 }), pod('z', '100m', { ...spec, priority: 1_000 })];
  const plan = simulate({ pods: waiting, pools: [pool('default', { remaining: { nodes: 1 } })] });
  expect(plan.launches.flatMap(({ pods: planned }) => planned.map(({ metadata }) => metadata.name))).toEqual(['z']);
});

test('labels that a pool leaves open take the value that pods require', () => {
  const open = parseRequirements([
    { key: 'team', operator: 'Exists' },
    { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
  ]);
  const asking = (team: string, tier?: string): Partial<PodSpec> => ({ nodeSelector: { team, ...defined({ tier }) } });
  const plan = simulate({ pods: [pod('a', '1', asking('x')), pod('b', '1', asking('y', 'silver'))], pools: [pool('default', { open })] });
  expect(plan.launches.map(({ labels }) => labels)).toEqual([
    { team: 'x', tier: 'gold' },
    { team: 'y', tier: 'silver' },
  ]);
  expect(simulate({ pods: [pod('c', '1', asking('x', 'bronze'))], pools: [pool('default', { open })] }).refusals).toHaveLength(1);
  expect(simulate({ pods: [pod('d', '1')], pools: [pool('default', { open })] }).launches[0]?.labels).toEqual({
    team: 'any',
    tier: 'gold',
  });
});
