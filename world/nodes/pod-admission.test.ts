import { expect, test } from '@playwright/test';
import type { Taint } from '../../model/kube.ts';
import { makeNode, makePod } from '../testing/world-parts.ts';
import { admissionFailure } from './pod-admission.ts';

const ROOM = { cpu: 1930, memory: 2 ** 32, pods: 29 };
const NOBODY = {};
const taints = (effect: Taint['effect']): Taint[] => [{ key: 'k', effect }];

const CASES: readonly { what: string; failure: ReturnType<typeof admissionFailure>; says: string | undefined }[] = [
  { what: 'it fits', failure: admissionFailure(makePod('p'), makeNode('n'), ROOM, NOBODY), says: undefined },
  {
    what: 'too much CPU',
    failure: admissionFailure(makePod('p'), makeNode('n'), ROOM, { cpu: 1000, pods: 3 }),
    says: "OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1000, capacity: 1930",
  },
  {
    what: 'too many pods, reported first',
    failure: admissionFailure(makePod('p'), makeNode('n'), { ...ROOM, pods: 3 }, { cpu: 1000, pods: 3 }),
    says: "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  },
  {
    what: 'a device that the node does not report',
    failure: admissionFailure(
      makePod('p', { containers: [{ name: 'c', resources: { requests: { 'nvidia.com/gpu': '1' } } }] }),
      makeNode('n'),
      ROOM,
      NOBODY,
    ),
    says: undefined,
  },
  {
    what: 'labels that the node has lost',
    failure: admissionFailure(makePod('p', { nodeSelector: { tier: 'a' } }), makeNode('n'), ROOM, NOBODY),
    says: "NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  },
  {
    what: 'a taint with NoExecute',
    failure: admissionFailure(makePod('p'), makeNode('n', { taints: taints('NoExecute') }), ROOM, NOBODY),
    says: "TaintToleration: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  },
  {
    what: 'a taint with NoSchedule',
    failure: admissionFailure(makePod('p'), makeNode('n', { taints: taints('NoSchedule') }), ROOM, NOBODY),
    says: undefined,
  },
  {
    what: 'a deleted Node',
    failure: admissionFailure(makePod('p', { nodeSelector: { tier: 'a' } }), undefined, ROOM, NOBODY),
    says: undefined,
  },
];

for (const { what, failure, says } of CASES) {
  test(`admission: ${what}`, () => expect(failure && `${failure.reason}: ${failure.message}`).toBe(says));
}
