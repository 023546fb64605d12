import { expect, test } from '@playwright/test';
import type { Pod } from '../../model/kube.ts';
import type { Group } from './groups.ts';
import { planScaleUp } from './plan.ts';

const group = (zone: string, more: Partial<Group> = {}): Group => ({
  name: `default-${zone}`,
  instanceType: 'm6i.large',
  zone,
  maxSize: 10,
  labels: {},
  taints: [],
  ...more,
});
const pod = (cpu: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu, memory: '1Gi' } } }], ...spec },
});
const shapeOf = (): { vcpu: number; memoryMiB: number } => ({ vcpu: 2, memoryMiB: 8192 });
const plan = (pending: Pod[], groups: Group[], upcoming: Group[] = [], sizes = new Map<string, number>()) => {
  const { launches, unserved } = planScaleUp({ pending, groups, sizes, upcoming: upcoming.map((one) => ({ group: one })), shapeOf });
  return {
    launches: Object.fromEntries([...launches].map(([{ name }, count]) => [name, count])),
    unserved: unserved.map(({ why }) => why),
  };
};

for (const { name, run, gives } of [
  {
    name: 'pods are packed first fit',
    run: () => plan([pod('800m'), pod('800m'), pod('800m')], [group('a')]),
    gives: { launches: { 'default-a': 2 }, unserved: [] },
  },
  {
    name: 'groups grow evenly',
    run: () => plan([pod('1500m'), pod('1500m'), pod('1500m')], [group('a'), group('b')]),
    gives: { launches: { 'default-a': 2, 'default-b': 1 }, unserved: [] },
  },
  {
    name: 'what is on its way is used first',
    run: () => plan([pod('1500m')], [group('a')], [group('a')]),
    gives: { launches: {}, unserved: [] },
  },
  {
    name: 'a selector that no group has',
    run: () => plan([pod('1', { nodeSelector: { disk: 'ssd' } })], [group('a')]),
    gives: { launches: {}, unserved: ['no group has the labels and taints that it asks for'] },
  },
  {
    name: 'a pod larger than any instance',
    run: () => plan([pod('3')], [group('a')]),
    gives: { launches: {}, unserved: ["its requests don't fit an instance of any group"] },
  },
  {
    name: 'a full group',
    run: () => plan([pod('1')], [group('a')], [], new Map([['default-a', 10]])),
    gives: { launches: {}, unserved: ['every group that suits has reached its largest size'] },
  },
  {
    name: 'an untolerated taint',
    run: () => plan([pod('1')], [group('a', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] })]),
    gives: { launches: {}, unserved: ['no group has the labels and taints that it asks for'] },
  },
]) {
  test(`plain plans: ${name}`, () => {
    expect(run()).toEqual(gives);
  });
}
