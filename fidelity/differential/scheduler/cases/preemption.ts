import { LABEL } from '../../../../model/kube.ts';
import type { Pod, PodDisruptionBudget } from '../../../../model/kube.ts';
import { SOURCE, inPlugin, inSources, node, on, pod, preempts, refused } from './case.ts';
import type { OtherObject, PodOptions, SchedulerCase } from './case.ts';

const TEST = inPlugin('defaultpreemption/default_preemption_test.go');
const CPU = { 'Insufficient cpu': 1 };
const TWO_CPU = { 'Insufficient cpu': 2 };
const ONE = [node('n1')];
const TWO = [node('n1'), node('n2')];
const AT = { early: '2026-01-01T00:00:00Z', middle: '2026-01-01T01:00:00Z', late: '2026-01-01T02:00:00Z' } as const;

const running = (name: string, at: string, priority: number, cpu: string, more: PodOptions = {}): Pod =>
  pod(name, { on: at, priority, cpu, status: { phase: 'Running', startTime: AT.middle }, ...more });
const since = (startTime: string): PodOptions => ({ status: { phase: 'Running', startTime } });
const urgent = (cpu: string, more: PodOptions = {}): Pod => pod('p', { priority: 1000, cpu, ...more });

function budget(name: string, labels: Readonly<Record<string, string>>, disruptionsAllowed: number): OtherObject {
  const object: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { ...labels } }, minAvailable: 1 },
    status: { disruptionsAllowed, currentHealthy: 1 + disruptionsAllowed, desiredHealthy: 1, expectedPods: 1 + disruptionsAllowed },
  };
  return { resource: 'poddisruptionbudgets', object };
}

/** Priority, preemption and nominated nodes. */
export const PREEMPTION_CASES: readonly SchedulerCase[] = [
  {
    id: 'preempts-the-only-pod',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('low', 'n1', 0, '3')],
    pod: urgent('2'),
    expected: preempts(CPU, 1, { n1: ['low'] }),
  },
  {
    id: 'preempts-no-equals',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('same', 'n1', 1000, '3')],
    pod: urgent('2'),
    expected: refused(CPU, { victimless: 1 }),
  },
  {
    id: 'preempts-nobody-of-higher-priority',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('higher', 'n1', 2000, '3')],
    pod: urgent('2'),
    expected: refused(CPU, { victimless: 1 }),
  },
  {
    id: 'preempts-nobody-where-there-is-room',
    source: SOURCE.preemption,
    nodes: TWO,
    pods: [running('low', 'n1', 0, '3')],
    pod: urgent('2'),
    expected: on('n2'),
  },
  {
    id: 'preempts-nobody-in-vain',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('low', 'n1', 0, '1')],
    pod: urgent('5'),
    expected: refused(CPU, { unhelpful: 1 }),
  },
  {
    id: 'preempts-nobody-if-that-is-not-enough',
    source: TEST,
    nodes: ONE,
    pods: [running('low', 'n1', 0, '1'), running('same', 'n1', 1000, '2')],
    pod: urgent('3'),
    expected: refused(CPU, { others: { 'Insufficient cpu': 1 } }),
  },
  {
    id: 'preempts-never-by-policy',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('low', 'n1', 0, '3')],
    pod: urgent('2', { preemptionPolicy: 'Never' }),
    expected: {
      refused:
        '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    },
  },
  {
    id: 'preempts-as-few-as-possible',
    source: TEST,
    nodes: ONE,
    pods: [running('a', 'n1', 0, '1'), running('b', 'n1', 0, '3')],
    pod: urgent('1'),
    // The longest-running pod is spared first; among equals, list order decides.
    expected: preempts(CPU, 1, { n1: ['b'] }),
  },
  {
    id: 'preempts-the-lowest-priority-first',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('low', 'n1', 10, '2'), running('mid', 'n1', 100, '2')],
    pod: urgent('2'),
    expected: preempts(CPU, 1, { n1: ['low'] }),
  },
  {
    id: 'preempts-the-youngest-of-equals',
    source: inSources('util/utils.go'),
    nodes: ONE,
    pods: [running('old', 'n1', 10, '2', since(AT.early)), running('young', 'n1', 10, '2', since(AT.late))],
    pod: urgent('2'),
    expected: preempts(CPU, 1, { n1: ['young'] }),
  },
  {
    id: 'preempts-several',
    source: TEST,
    nodes: ONE,
    pods: [running('a', 'n1', 10, '2'), running('b', 'n1', 20, '2')],
    pod: urgent('4'),
    expected: preempts(CPU, 1, { n1: ['b', 'a'] }),
  },
  {
    id: 'preempts-where-the-highest-victim-is-lowest',
    source: inSources('framework/preemption/preemption.go'),
    nodes: TWO,
    pods: [running('mid', 'n1', 100, '4'), running('low1', 'n2', 10, '2'), running('low2', 'n2', 10, '2')],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['low1', 'low2'] }),
  },
  {
    id: 'preempts-where-priorities-sum-up-to-least',
    source: inSources('framework/preemption/preemption.go'),
    nodes: TWO,
    pods: [running('a1', 'n1', 100, '2'), running('a2', 'n1', 90, '2'), running('b1', 'n2', 100, '2'), running('b2', 'n2', 10, '2')],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['b1', 'b2'] }),
  },
  {
    id: 'preempts-where-victims-are-fewest',
    source: inSources('framework/preemption/preemption.go'),
    nodes: TWO,
    pods: [running('a1', 'n1', 10, '2'), running('a2', 'n1', 10, '2'), running('b', 'n2', 10, '4')],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['b'] }),
  },
  {
    id: 'preempts-fewer-of-negative-priority',
    source: inSources('framework/preemption/preemption.go'),
    nodes: TWO,
    pods: [running('a1', 'n1', -10, '2'), running('a2', 'n1', -10, '2'), running('b', 'n2', -10, '4')],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['b'] }),
  },
  {
    id: 'preempts-where-victims-started-last',
    source: inSources('framework/preemption/preemption.go'),
    nodes: TWO,
    pods: [running('old', 'n1', 10, '4', since(AT.early)), running('young', 'n2', 10, '4', since(AT.late))],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['young'] }),
  },
  {
    id: 'preempts-either-of-equal-nodes',
    source: inSources('framework/preemption/preemption.go'),
    nodes: TWO,
    pods: [running('a', 'n1', 10, '4'), running('b', 'n2', 10, '4')],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n1: ['a'], n2: ['b'] }),
  },
  {
    id: 'preempts-within-budgets',
    source: SOURCE.preemption,
    nodes: TWO,
    objects: [budget('web', { app: 'web' }, 0)],
    pods: [running('a', 'n1', 10, '4', { labels: { app: 'web' } }), running('b', 'n2', 100, '4')],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['b'] }),
  },
  {
    id: 'preempts-beyond-a-budget-if-there-is-no-other-way',
    source: SOURCE.preemption,
    nodes: ONE,
    objects: [budget('web', { app: 'web' }, 0)],
    pods: [running('a', 'n1', 10, '4', { labels: { app: 'web' } })],
    pod: urgent('4'),
    expected: preempts(CPU, 1, { n1: ['a'] }),
  },
  {
    id: 'preempts-the-unprotected-on-a-node',
    source: TEST,
    nodes: ONE,
    objects: [budget('web', { app: 'web' }, 0)],
    pods: [running('a', 'n1', 10, '2', { labels: { app: 'web' } }), running('b', 'n1', 100, '2')],
    pod: urgent('2'),
    expected: preempts(CPU, 1, { n1: ['b'] }),
  },
  {
    id: 'preempts-as-a-budget-allows',
    source: TEST,
    nodes: TWO,
    objects: [budget('web', { app: 'web' }, 1)],
    pods: [
      running('a1', 'n1', 10, '2', { labels: { app: 'web' } }),
      running('a2', 'n1', 10, '2', { labels: { app: 'web' } }),
      running('b', 'n2', 100, '4', { labels: { app: 'web' } }),
    ],
    pod: urgent('4'),
    expected: preempts(TWO_CPU, 2, { n2: ['b'] }),
  },
  {
    id: 'preempts-not-through-taints',
    source: TEST,
    nodes: [node('n1', { taints: [{ key: 'x', effect: 'NoSchedule' }] })],
    pods: [running('low', 'n1', 0, '3')],
    pod: urgent('2'),
    expected: refused({ 'node(s) had untolerated taint(s)': 1 }, { unhelpful: 1 }),
  },
  {
    id: 'preempts-not-where-affinity-forbids',
    source: TEST,
    nodes: [node('n1'), node('n2', { labels: { disk: 'ssd' } })],
    pods: [running('a', 'n1', 0, '3'), running('b', 'n2', 0, '3')],
    pod: urgent('2', { nodeSelector: { disk: 'ssd' } }),
    expected: preempts({ 'Insufficient cpu': 1, "node(s) didn't match Pod's node affinity/selector": 1 }, 2, { n2: ['b'] }),
  },
  {
    id: 'preempts-for-a-port',
    source: TEST,
    nodes: ONE,
    pods: [running('low', 'n1', 0, '1', { container: { ports: [{ containerPort: 80, hostPort: 80 }] } }), running('other', 'n1', 0, '1')],
    pod: pod('p', { priority: 1000, container: { ports: [{ containerPort: 80, hostPort: 80 }] } }),
    expected: preempts({ "node(s) didn't have free ports for the requested pod ports": 1 }, 1, { n1: ['low'] }),
  },
  {
    id: 'preempts-for-room-for-one-more-pod',
    source: TEST,
    nodes: [node('n1', { pods: '2' })],
    pods: [running('old', 'n1', 0, '1', since(AT.early)), running('young', 'n1', 0, '1', since(AT.late))],
    pod: urgent('1'),
    expected: preempts({ 'Too many pods': 1 }, 1, { n1: ['young'] }),
  },
  {
    id: 'preempts-whom-it-does-not-stand',
    source: TEST,
    nodes: ONE,
    pods: [running('db', 'n1', 0, '1', { labels: { app: 'db' } }), running('web', 'n1', 0, '1', { labels: { app: 'web' } })],
    pod: urgent('1', {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL.hostname, labelSelector: { matchLabels: { app: 'db' } } }],
        },
      },
    }),
    expected: preempts({ "node(s) didn't match pod anti-affinity rules": 1 }, 1, { n1: ['db'] }),
  },
  {
    id: 'preempts-who-does-not-stand-it',
    source: TEST,
    nodes: ONE,
    pods: [
      running('db', 'n1', 0, '1', {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL.hostname, labelSelector: { matchLabels: { app: 'x' } } }],
          },
        },
      }),
    ],
    pod: urgent('1', { labels: { app: 'x' } }),
    expected: preempts({ "node(s) didn't satisfy existing pods anti-affinity rules": 1 }, 1, { n1: ['db'] }),
  },
  {
    id: 'preempts-not-those-on-whom-it-leans',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [running('db', 'n1', 0, '4', { labels: { app: 'db' } })],
    pod: urgent('1', {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL.hostname, labelSelector: { matchLabels: { app: 'db' } } }],
        },
      },
    }),
    expected: refused(CPU, { others: { "node(s) didn't match pod affinity rules": 1 } }),
  },
  {
    id: 'preempts-for-spread',
    source: TEST,
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', cpu: '1' })],
    pods: [running('w', 'n1', 0, '1', { labels: { app: 'web' } })],
    pod: urgent('2', {
      labels: { app: 'web' },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    }),
    expected: preempts({ "node(s) didn't match pod topology spread constraints": 1, 'Insufficient cpu': 1 }, 2, { n1: ['w'] }),
  },
  {
    id: 'waits-for-its-victims',
    source: TEST,
    nodes: ONE,
    pods: [
      running('leaving', 'n1', 0, '3', {
        metadata: { name: 'leaving', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
        status: {
          phase: 'Running',
          startTime: AT.middle,
          conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
        },
      }),
      running('low', 'n1', 0, '1'),
    ],
    pod: urgent('2', { status: { phase: 'Pending', nominatedNodeName: 'n1' } }),
    expected: {
      refused:
        '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.',
    },
  },
  {
    id: 'nominated-node-comes-first',
    source: inSources('schedule_one.go'),
    nodes: [node('n1'), node('n2', { cpu: '64', memory: '64Gi' })],
    pod: urgent('1', { status: { phase: 'Pending', nominatedNodeName: 'n1' } }),
    expected: on('n1'),
  },
  {
    id: 'nominated-node-is-gone',
    source: inSources('schedule_one.go'),
    nodes: ONE,
    pod: urgent('1', { status: { phase: 'Pending', nominatedNodeName: 'n9' } }),
    expected: on('n1'),
  },
  {
    id: 'room-is-kept-for-a-nominated-pod',
    source: SOURCE.preemption,
    nodes: TWO,
    pods: [pod('first', { priority: 2000, cpu: '3', status: { phase: 'Pending', nominatedNodeName: 'n1' } })],
    pod: urgent('2'),
    expected: on('n2'),
  },
  {
    id: 'room-is-kept-for-an-equal-nominated-pod',
    source: inSources('framework/runtime/framework.go'),
    nodes: ONE,
    pods: [pod('first', { priority: 1000, cpu: '3', status: { phase: 'Pending', nominatedNodeName: 'n1' } })],
    pod: urgent('2'),
    expected: refused(CPU, { victimless: 1 }),
  },
  {
    id: 'room-is-not-kept-for-a-lower-nominated-pod',
    source: SOURCE.preemption,
    nodes: ONE,
    pods: [pod('first', { priority: 10, cpu: '3', status: { phase: 'Pending', nominatedNodeName: 'n1' } })],
    pod: urgent('2'),
    expected: on('n1'),
  },
  {
    id: 'leans-not-on-a-nominated-pod',
    source: inSources('framework/runtime/framework.go'),
    nodes: ONE,
    pods: [pod('first', { priority: 2000, cpu: '1', labels: { app: 'db' }, status: { phase: 'Pending', nominatedNodeName: 'n1' } })],
    pod: urgent('1', {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: LABEL.hostname, labelSelector: { matchLabels: { app: 'db' } } }],
        },
      },
    }),
    expected: refused({ "node(s) didn't match pod affinity rules": 1 }, { unhelpful: 1 }),
  },
];
