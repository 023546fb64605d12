import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { Pod, PodSpec, Taint, TopologySpreadConstraint } from '../../model/kube.ts';
import { createRandom } from '../../runtime/random.ts';
import { makeNode, makePod } from '../testing/world-parts.ts';
import type { NodeSpec } from '../testing/world-parts.ts';
import { SchedulerCache } from './cache.ts';
import { decide } from './decide.ts';
import type { Decision } from './decide.ts';
import { podInfo } from './pod-info.ts';

const WEB = { app: 'web' };
const TAINT: Taint = { key: 'team', value: 'a', effect: 'NoSchedule' };

interface Situation {
  readonly nodes: Readonly<Record<string, NodeSpec>>;
  /** Pods by node. */
  readonly placed?: Readonly<Record<string, readonly Pod[]>>;
  readonly pod: Pod;
}

function decideIn({ nodes, placed = {}, pod }: Situation, seed = 1): Decision {
  const cache = new SchedulerCache();
  for (const [name, spec] of Object.entries(nodes)) cache.setNode(makeNode(name, spec));
  for (const [name, pods] of Object.entries(placed)) for (const one of pods) cache.assign(podInfo(one), name);
  return decide(podInfo(pod), cache, createRandom(seed));
}

let pods = 0;
const web = (extra: Parameters<typeof makePod>[1] = {}): Pod => {
  pods += 1;
  return makePod(`web-${pods}`, { labels: WEB, cpu: '100m', ...extra });
};
const spread = (change: Partial<TopologySpreadConstraint> = {}): PodSpec['topologySpreadConstraints'] => [
  { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: WEB }, ...change },
];
const zones = { n1: { zone: 'a' }, n2: { zone: 'b' }, n3: { zone: 'c' } };
const affinity = (key: string, values: string[]): PodSpec['affinity'] => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] },
  },
});

/** Expected: the only possible node, or the message up to the part about preemption. */
const CASES: Readonly<Record<string, Situation & { readonly expected: string }>> = {
  'enough CPU on one node': { nodes: { n1: { cpu: '500m' }, n2: { cpu: '2' } }, pod: makePod('p'), expected: 'n2' },
  'CPU and memory short': {
    nodes: { n1: { cpu: '500m' }, n2: { cpu: '500m' } },
    pod: makePod('p', { containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '9Gi' } } }] }),
    expected: '0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory.',
  },
  'a resource that no node has': {
    nodes: { n1: {} },
    pod: makePod('p', { containers: [{ name: 'c', resources: { requests: { 'nvidia.com/gpu': '1' } } }] }),
    expected: '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.',
  },
  'no room for one more pod': {
    nodes: { n1: { pods: '1' } },
    placed: { n1: [web()] },
    pod: makePod('p'),
    expected: '0/1 nodes are available: 1 Too many pods.',
  },
  'no nodes at all': { nodes: {}, pod: makePod('p'), expected: 'no nodes available to schedule pods' },
  'a taint': { nodes: { n1: { taints: [TAINT] }, n2: {} }, pod: makePod('p'), expected: 'n2' },
  'reasons are sorted as text': {
    nodes: { n1: { taints: [TAINT] }, n2: { cpu: '1m' }, n3: { unschedulable: true }, n4: { cpu: '1m' } },
    pod: makePod('p'),
    expected: '0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu.',
  },
  'a tolerated taint': {
    nodes: { n1: { taints: [TAINT] }, n2: { cpu: '1m' } },
    pod: makePod('p', { tolerations: [{ key: 'team', operator: 'Exists' }] }),
    expected: 'n1',
  },
  'NoExecute repels, PreferNoSchedule only lowers the score': {
    nodes: { n1: { taints: [{ key: 'x', effect: 'NoExecute' }] }, n2: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] }, n3: {} },
    pod: makePod('p'),
    expected: 'n3',
  },
  'a cordoned node can be tolerated': {
    nodes: { n1: { unschedulable: true } },
    pod: makePod('p', { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] }),
    expected: 'n1',
  },
  'node selector': { nodes: zones, pod: makePod('p', { nodeSelector: { [LABEL.zone]: 'b' } }), expected: 'n2' },
  'node affinity that nothing matches': {
    nodes: zones,
    pod: makePod('p', { affinity: affinity(LABEL.zone, ['d']) }),
    expected: "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
  },
  'the least allocated node': { nodes: { n1: {}, n2: {} }, placed: { n1: [makePod('other')] }, pod: makePod('p'), expected: 'n2' },

  'spread: the emptiest zone': {
    nodes: zones,
    placed: { n1: [web()], n3: [web()] },
    pod: web({ topologySpreadConstraints: spread() }),
    expected: 'n2',
  },
  'spread: the emptiest zone is full': {
    nodes: { ...zones, n2: { zone: 'b', cpu: '50m' } },
    placed: { n1: [web()], n3: [web()] },
    pod: web({ topologySpreadConstraints: spread() }),
    expected: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.",
  },
  'spread: a cordoned node is still a domain': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b', unschedulable: true } },
    placed: { n1: [web()] },
    pod: web({ topologySpreadConstraints: spread() }),
    expected: "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable.",
  },
  'spread: nodeTaintsPolicy Honor excludes tainted nodes': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b', taints: [TAINT] } },
    placed: { n1: [web()] },
    pod: web({ topologySpreadConstraints: spread({ nodeTaintsPolicy: 'Honor' }) }),
    expected: 'n1',
  },
  'spread: by default, nodes that the pod does not select are not domains': {
    nodes: zones,
    placed: { n1: [web()] },
    pod: web({ topologySpreadConstraints: spread(), nodeSelector: { [LABEL.zone]: 'a' } }),
    expected: 'n1',
  },
  'spread: nodeAffinityPolicy Ignore counts them all': {
    nodes: zones,
    placed: { n1: [web()] },
    pod: web({ topologySpreadConstraints: spread({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { [LABEL.zone]: 'a' } }),
    expected:
      "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 2 node(s) didn't match Pod's node affinity/selector.",
  },
  'spread: a node without the key': {
    nodes: { n1: {} },
    pod: web({ topologySpreadConstraints: spread() }),
    expected: "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
  },
  'spread: minDomains keeps the global minimum at zero': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b' } },
    placed: { n1: [web()], n2: [web()] },
    pod: web({ topologySpreadConstraints: spread({ minDomains: 3 }) }),
    expected: "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
  },
  'spread: minDomains reached': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b' } },
    placed: { n1: [web()] },
    pod: web({ topologySpreadConstraints: spread({ minDomains: 2 }) }),
    expected: 'n2',
  },
  'spread: an absent selector counts nothing': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b', cpu: '1m' } },
    placed: { n1: [web(), web(), web()] },
    pod: web({ topologySpreadConstraints: spread({ labelSelector: undefined }) }),
    expected: 'n1',
  },
  'spread: terminating pods are not counted': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b', cpu: '1m' } },
    placed: { n1: [{ ...web(), metadata: { name: 'old', namespace: 'default', labels: WEB, deletionTimestamp: '2026-01-01T00:00:00Z' } }] },
    pod: web({ topologySpreadConstraints: spread() }),
    expected: 'n1',
  },
  'spread: pods of other namespaces are not counted': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b', cpu: '1m' } },
    placed: { n1: [{ ...web(), metadata: { name: 'far', namespace: 'other', labels: WEB } }] },
    pod: web({ topologySpreadConstraints: spread() }),
    expected: 'n1',
  },
  'spread: a negative maxSkew rejects pods that match themselves': {
    nodes: zones,
    pod: web({ topologySpreadConstraints: spread({ maxSkew: -1 }) }),
    expected: "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.",
  },
  'spread: two constraints': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'a' }, n3: { zone: 'b' } },
    placed: { n1: [web()], n3: [web()] },
    pod: web({ topologySpreadConstraints: [...(spread() ?? []), ...(spread({ topologyKey: LABEL.hostname }) ?? [])] }),
    expected: 'n2',
  },
  'spread: matchLabelKeys count one version only': {
    nodes: { n1: { zone: 'a' }, n2: { zone: 'b' } },
    placed: { n2: [makePod('new', { labels: { ...WEB, version: '2' }, cpu: '1m' })], n1: [web(), web()] },
    pod: makePod('p', { labels: { ...WEB, version: '2' }, cpu: '1m', topologySpreadConstraints: spread({ matchLabelKeys: ['version'] }) }),
    expected: 'n1',
  },
  'spread: ScheduleAnyway only lowers the score': {
    nodes: zones,
    placed: { n1: [web()], n2: [web(), makePod('big')] },
    pod: web({ topologySpreadConstraints: spread({ whenUnsatisfiable: 'ScheduleAnyway' }) }),
    expected: 'n3',
  },
};

for (const [name, { expected, ...situation }] of Object.entries(CASES)) {
  test(`decision: ${name}`, () => {
    const decision = decideIn(situation);
    const answer = decision.kind === 'node' ? decision.nodeName : decision.message.replace(/ no new claims to deallocate.*$/, '');
    expect(answer).toBe(expected);
  });
}

test('the whole message is that of 1.34', () => {
  const nodes = { n1: { cpu: '500m' }, n2: { taints: [TAINT] }, n3: { cpu: '1' } };
  const decision = decideIn({ nodes, placed: { n3: [makePod('other')] }, pod: makePod('p') });
  expect(decision).toMatchObject({
    kind: 'none',
    message:
      '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: ' +
      '0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
  });
});

test('the seed breaks ties', () => {
  const situation = { nodes: { n1: {}, n2: {}, n3: {} }, pod: makePod('p') };
  const picked = Array.from({ length: 40 }, (_, seed) => decideIn(situation, seed));
  expect(new Set(picked.map((decision) => JSON.stringify(decision))).size).toBe(3);
  expect(decideIn(situation, 7)).toEqual(decideIn(situation, 7));
});

test('500 pods are placed on 100 nodes, spread evenly', () => {
  const cache = new SchedulerCache();
  for (let node = 0; node < 100; node += 1) cache.setNode(makeNode(`n${node}`, { zone: 'abc'[node % 3] ?? 'a' }));
  const random = createRandom(1);
  const zoneOf = new Map(cache.nodes().map(({ name, labels }) => [name, labels[LABEL.zone] ?? '']));
  const perZone = new Map<string, number>();
  for (let count = 0; count < 500; count += 1) {
    const pod = makePod(`p${count}`, { labels: WEB, cpu: '500m', topologySpreadConstraints: spread() });
    const decision = decide(podInfo(pod), cache, random);
    if (decision.kind === 'none') throw new Error(decision.message);
    cache.assign(podInfo(pod), decision.nodeName);
    const zone = zoneOf.get(decision.nodeName) ?? '';
    perZone.set(zone, (perZone.get(zone) ?? 0) + 1);
  }
  expect([...perZone.values()].sort()).toEqual([166, 167, 167]);
});
