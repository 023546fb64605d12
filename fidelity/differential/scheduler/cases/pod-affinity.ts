import { defined } from '../../../../model/defined.ts';
import { LABEL } from '../../../../model/kube.ts';
import type { LabelSelector, Node, Pod, PodAffinityTerm, PodSpec } from '../../../../model/kube.ts';
import { SOURCE, inPlugin, namespace, node, on, pod, refused } from './case.ts';
import type { Expected, OtherObject, SchedulerCase } from './case.ts';

const FILTER_TEST = inPlugin('interpodaffinity/filtering_test.go');
const SCORE_TEST = inPlugin('interpodaffinity/scoring_test.go');
const NEAR = "node(s) didn't match pod affinity rules";
const APART = "node(s) didn't match pod anti-affinity rules";
const REFUSED = "node(s) didn't satisfy existing pods anti-affinity rules";

const DB = { app: 'db' };
const WEB = { app: 'web' };
const term = (labels: Readonly<Record<string, string>>, change: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: LABEL.zone,
  labelSelector: { matchLabels: { ...labels } },
  ...change,
});
const HOST = { topologyKey: LABEL.hostname };
const near = (...terms: PodAffinityTerm[]): PodSpec['affinity'] => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const apart = (...terms: PodAffinityTerm[]): PodSpec['affinity'] => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const liking = (podAffinityTerm: PodAffinityTerm, weight = 100): PodSpec['affinity'] => ({
  podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});
const disliking = (podAffinityTerm: PodAffinityTerm, weight = 100): PodSpec['affinity'] => ({
  podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});

/** Zones a (two nodes) and b (one). */
const NODES = [node('a1', { zone: 'a' }), node('a2', { zone: 'a' }), node('b1', { zone: 'b' })];

interface Situation {
  readonly nodes?: readonly Node[];
  readonly pods?: readonly Pod[];
  readonly affinity?: PodSpec['affinity'];
  readonly labels?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly objects?: readonly OtherObject[];
  readonly source?: string;
  readonly expected: Expected;
}

function affinityCase(id: string, situation: Situation): SchedulerCase {
  const { nodes = NODES, pods = [], affinity, labels, namespace, objects = [], source = SOURCE.assigning, expected } = situation;
  const wanted = pod('p', { ...defined({ affinity, labels }), namespace });
  return { id, source, nodes, objects, pods, pod: wanted, expected };
}

const db = (name: string, at: string, more: Parameters<typeof pod>[1] = {}): Pod => pod(name, { on: at, labels: DB, ...more });
/** Makes a node as full as one with another pod. */
const filler = (at: string): Pod => pod(`filler-${at}`, { on: at });
const OTHERS = [namespace('team', { tier: 'data' })];
const IN_TEAM = [db('d', 'b1', { namespace: 'team' })];
const NOWHERE = refused({ [NEAR]: 3 }, { unhelpful: 3 });
const anyOf = (key: string, ...values: string[]): LabelSelector => ({ matchExpressions: [{ key, operator: 'In', values }] });

/** Affinity and anti-affinity between pods. */
export const POD_AFFINITY_CASES: readonly SchedulerCase[] = [
  affinityCase('near-zone', {
    pods: [db('d', 'a1'), filler('a2')],
    affinity: near(term(DB)),
    source: SOURCE.assigning,
    expected: on('a1', 'a2'),
  }),
  affinityCase('near-host', { pods: [db('d', 'a1')], affinity: near(term(DB, HOST)), expected: on('a1') }),
  affinityCase('near-nobody', { affinity: near(term(DB)), expected: NOWHERE }),
  affinityCase('near-other-labels', { pods: [pod('o', { on: 'a1', labels: WEB })], affinity: near(term(DB)), expected: NOWHERE }),
  affinityCase('near-by-expression', {
    pods: [db('d', 'b1')],
    affinity: near(term({}, { labelSelector: anyOf('app', 'db', 'cache') })),
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('near-not-in', {
    pods: [db('d', 'b1'), pod('w', { on: 'a1', labels: WEB })],
    affinity: near(term({}, { labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } })),
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('near-nil-selector', {
    pods: [db('d', 'a1')],
    affinity: near({ topologyKey: LABEL.zone }),
    source: FILTER_TEST,
    expected: NOWHERE,
  }),
  affinityCase('near-empty-selector', { pods: [db('d', 'b1')], affinity: near(term({})), source: FILTER_TEST, expected: on('b1') }),
  affinityCase('near-two-terms-one-pod', {
    pods: [pod('d', { on: 'b1', labels: { app: 'db', tier: 'hot' } }), db('e', 'a1')],
    affinity: near(term(DB), term({ tier: 'hot' })),
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('near-two-terms-two-pods', {
    pods: [db('d', 'a1'), pod('h', { on: 'a2', labels: { tier: 'hot' } })],
    affinity: near(term(DB), term({ tier: 'hot' })),
    source: FILTER_TEST,
    expected: NOWHERE,
  }),
  affinityCase('near-zone-and-host', {
    pods: [db('d', 'a1'), db('e', 'b1')],
    affinity: near(term(DB), term(DB, HOST)),
    source: FILTER_TEST,
    expected: on('a1', 'b1'),
  }),
  affinityCase('near-terminating-pod-counts', {
    pods: [
      db('d', 'b1', {
        metadata: {
          name: 'd',
          namespace: 'default',
          labels: DB,
          deletionTimestamp: '2026-01-01T00:00:30Z',
          deletionGracePeriodSeconds: 30,
        },
      }),
    ],
    affinity: near(term(DB)),
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('near-node-without-the-label', {
    nodes: [node('n1'), node('b1', { zone: 'b' })],
    pods: [db('d', 'b1')],
    affinity: near(term(DB)),
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('near-pod-on-a-node-without-the-label', {
    nodes: [node('n1'), node('b1', { zone: 'b' })],
    pods: [db('d', 'n1')],
    affinity: near(term(DB)),
    source: FILTER_TEST,
    expected: refused({ [NEAR]: 2 }, { unhelpful: 2 }),
  }),
  affinityCase('first-of-its-own', { affinity: near(term(WEB)), labels: WEB, expected: on('a1', 'a2', 'b1') }),
  affinityCase('second-of-its-own', {
    pods: [pod('w', { on: 'b1', labels: WEB })],
    affinity: near(term(WEB)),
    labels: WEB,
    expected: on('b1'),
  }),
  affinityCase('first-of-its-own-needs-the-label', {
    nodes: [node('n1'), node('b1', { zone: 'b' })],
    affinity: near(term(WEB)),
    labels: WEB,
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('first-of-its-own-in-another-namespace', {
    affinity: near(term(WEB, { namespaces: ['team'] })),
    labels: WEB,
    objects: OTHERS,
    source: FILTER_TEST,
    expected: NOWHERE,
  }),
  affinityCase('first-that-meets-one-term-of-two', {
    affinity: near(term(WEB), term(DB)),
    labels: WEB,
    source: FILTER_TEST,
    expected: NOWHERE,
  }),
  affinityCase('near-own-namespace-only', { pods: IN_TEAM, objects: OTHERS, affinity: near(term(DB)), expected: NOWHERE }),
  affinityCase('near-named-namespace', {
    pods: IN_TEAM,
    objects: OTHERS,
    affinity: near(term(DB, { namespaces: ['team'] })),
    expected: on('b1'),
  }),
  affinityCase('near-selected-namespace', {
    pods: IN_TEAM,
    objects: OTHERS,
    affinity: near(term(DB, { namespaceSelector: { matchLabels: { tier: 'data' } } })),
    expected: on('b1'),
  }),
  affinityCase('near-unselected-namespace', {
    pods: IN_TEAM,
    objects: OTHERS,
    affinity: near(term(DB, { namespaceSelector: { matchLabels: { tier: 'none' } } })),
    expected: NOWHERE,
  }),
  affinityCase('near-all-namespaces', {
    pods: IN_TEAM,
    objects: OTHERS,
    affinity: near(term(DB, { namespaceSelector: {} })),
    expected: on('b1'),
  }),
  affinityCase('near-named-or-selected-namespace', {
    pods: [...IN_TEAM, db('e', 'a1')],
    objects: OTHERS,
    affinity: near(term(DB, { ...HOST, namespaces: ['default'], namespaceSelector: { matchLabels: { tier: 'data' } } })),
    source: FILTER_TEST,
    expected: on('a1', 'b1'),
  }),
  affinityCase('near-match-label-keys', {
    pods: [pod('old', { on: 'a1', labels: { app: 'db', hash: '1' } }), pod('new', { on: 'b1', labels: { app: 'db', hash: '2' } })],
    affinity: near(term(DB, { matchLabelKeys: ['hash'] })),
    labels: { hash: '2' },
    expected: on('b1'),
  }),
  affinityCase('apart-mismatch-label-keys', {
    pods: [pod('mine', { on: 'a1', labels: { tenant: 'x' } }), pod('other', { on: 'b1', labels: { tenant: 'y' } }), filler('a2')],
    affinity: apart(
      term({}, { labelSelector: { matchExpressions: [{ key: 'tenant', operator: 'Exists' }] }, mismatchLabelKeys: ['tenant'] }),
    ),
    labels: { tenant: 'x' },
    expected: on('a1', 'a2'),
  }),

  affinityCase('apart-zone', { pods: [db('d', 'a1')], affinity: apart(term(DB)), expected: on('b1') }),
  affinityCase('apart-host', { pods: [db('d', 'a1')], affinity: apart(term(DB, HOST)), expected: on('a2', 'b1') }),
  affinityCase('apart-everywhere', {
    pods: [db('d', 'a1'), db('e', 'b1')],
    affinity: apart(term(DB)),
    expected: refused({ [APART]: 3 }, { victimless: 3 }),
  }),
  affinityCase('apart-from-its-own', {
    pods: [pod('w1', { on: 'a1', labels: WEB }), pod('w2', { on: 'a2', labels: WEB })],
    affinity: apart(term(WEB, HOST)),
    labels: WEB,
    expected: on('b1'),
  }),
  affinityCase('apart-node-without-the-label', {
    nodes: [node('n1'), node('b1', { zone: 'b' })],
    pods: [db('d', 'b1')],
    affinity: apart(term(DB)),
    source: FILTER_TEST,
    expected: on('n1'),
  }),
  affinityCase('apart-any-of-two-terms', {
    pods: [db('d', 'a1'), pod('w', { on: 'b1', labels: WEB })],
    affinity: apart(term(DB, HOST), term(WEB)),
    source: FILTER_TEST,
    expected: on('a2'),
  }),
  affinityCase('apart-other-namespace-does-not-matter', {
    pods: [...IN_TEAM, filler('a1'), filler('a2')],
    objects: OTHERS,
    affinity: apart(term(DB)),
    labels: WEB,
    source: FILTER_TEST,
    expected: on('a1', 'a2', 'b1'),
  }),
  affinityCase('apart-selected-namespace', {
    pods: IN_TEAM,
    objects: OTHERS,
    affinity: apart(term(DB, { namespaceSelector: { matchLabels: { tier: 'data' } } })),
    expected: on('a1', 'a2'),
  }),
  affinityCase('near-and-apart', {
    pods: [db('d', 'a1'), pod('w', { on: 'a1', labels: WEB })],
    affinity: { ...near(term(DB)), ...apart(term(WEB, HOST)) },
    expected: on('a2'),
  }),
  affinityCase('near-and-apart-contradict', {
    pods: [db('d', 'a1')],
    affinity: { ...near(term(DB)), ...apart(term(DB)) },
    source: FILTER_TEST,
    expected: refused({ [APART]: 2, [NEAR]: 1 }, { victimless: 2, unhelpful: 1 }),
  }),

  affinityCase('kept-away-by-a-running-pod', { pods: [db('d', 'a1', { affinity: apart(term(WEB)) })], labels: WEB, expected: on('b1') }),
  affinityCase('kept-away-by-host', { pods: [db('d', 'a1', { affinity: apart(term(WEB, HOST)) })], labels: WEB, expected: on('a2', 'b1') }),
  affinityCase('kept-away-everywhere', {
    pods: [db('d', 'a1', { affinity: apart(term(WEB)) }), db('e', 'b1', { affinity: apart(term(WEB)) })],
    labels: WEB,
    expected: refused({ [REFUSED]: 3 }, { victimless: 3 }),
  }),
  affinityCase('not-kept-away-with-other-labels', {
    pods: [db('d', 'a1', { affinity: apart(term(WEB)) })],
    labels: { app: 'batch' },
    source: FILTER_TEST,
    expected: on('a2', 'b1'),
  }),
  affinityCase('kept-away-from-another-namespace', {
    pods: [db('d', 'a1', { namespace: 'team', affinity: apart(term(WEB, { namespaces: ['default'] })) })],
    objects: OTHERS,
    labels: WEB,
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('kept-away-by-selected-namespace', {
    pods: [db('d', 'a1', { affinity: apart(term(WEB, { namespaceSelector: { matchLabels: { tier: 'data' } } })) })],
    objects: OTHERS,
    namespace: 'team',
    labels: WEB,
    source: FILTER_TEST,
    expected: on('b1'),
  }),
  affinityCase('not-kept-away-by-own-namespace-rule', {
    pods: [db('d', 'a1', { namespace: 'team', affinity: apart(term(WEB)) })],
    objects: OTHERS,
    labels: WEB,
    source: FILTER_TEST,
    expected: on('a2', 'b1'),
  }),
  affinityCase('affinity-of-running-pods-does-not-bind', {
    pods: [pod('w', { on: 'a1', labels: WEB }), db('d', 'a1', { affinity: near(term(WEB)) })],
    labels: { app: 'batch' },
    source: FILTER_TEST,
    expected: on('a2', 'b1'),
  }),

  affinityCase('likes-zone', { pods: [db('d', 'b1')], affinity: liking(term(DB)), source: SCORE_TEST, expected: on('b1') }),
  affinityCase('likes-nobody', { affinity: liking(term(DB)), source: SCORE_TEST, expected: on('a1', 'a2', 'b1') }),
  affinityCase('dislikes-zone', { pods: [db('d', 'a1')], affinity: disliking(term(DB)), source: SCORE_TEST, expected: on('b1') }),
  affinityCase('dislikes-everywhere-but-has-to', {
    nodes: [node('b1', { zone: 'b' })],
    pods: [db('d', 'b1')],
    affinity: disliking(term(DB)),
    source: SCORE_TEST,
    expected: on('b1'),
  }),
  affinityCase('likes-more-pods-more', {
    nodes: [node('a1', { zone: 'a' }), node('b1', { zone: 'b' })],
    pods: [db('d', 'a1'), db('e', 'b1'), db('f', 'b1')],
    affinity: liking(term(DB)),
    source: SCORE_TEST,
    expected: on('b1'),
  }),
  affinityCase('likes-by-weight', {
    nodes: [node('a1', { zone: 'a' }), node('b1', { zone: 'b' })],
    pods: [db('d', 'a1'), pod('w', { on: 'b1', labels: WEB })],
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, podAffinityTerm: term(WEB) },
          { weight: 90, podAffinityTerm: term(DB) },
        ],
      },
    },
    source: SCORE_TEST,
    expected: on('a1'),
  }),
  affinityCase('liked-by-a-running-pod', {
    pods: [db('d', 'b1', { affinity: liking(term(WEB)) })],
    labels: WEB,
    source: SCORE_TEST,
    expected: on('b1'),
  }),
  affinityCase('disliked-by-a-running-pod', {
    pods: [db('d', 'b1', { affinity: disliking(term(WEB)) })],
    labels: WEB,
    source: SCORE_TEST,
    expected: on('a1', 'a2'),
  }),
  affinityCase('needed-by-a-running-pod', {
    pods: [pod('w', { on: 'b1', labels: WEB }), pod('d', { on: 'b1', affinity: near(term(WEB)) })],
    labels: WEB,
    source: SCORE_TEST,
    expected: on('b1'),
  }),
  affinityCase('likes-and-dislikes', {
    nodes: [node('a1', { zone: 'a' }), node('b1', { zone: 'b' })],
    pods: [db('d', 'a1'), pod('w', { on: 'a1', labels: WEB }), db('e', 'b1')],
    affinity: { ...liking(term(DB), 50), ...disliking(term(WEB), 20) },
    source: SCORE_TEST,
    expected: on('b1'),
  }),
  affinityCase('likes-another-namespace', {
    pods: IN_TEAM,
    objects: OTHERS,
    affinity: liking(term(DB, { namespaceSelector: { matchLabels: { tier: 'data' } } })),
    source: SCORE_TEST,
    expected: on('b1'),
  }),
];
