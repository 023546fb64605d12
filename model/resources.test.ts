import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from './defined.ts';
import type { PodSpec } from './kube.ts';
import { addResources, fits, formatResources, parseResources, podRequests, shortages, subtractResources } from './resources.ts';

const MIB = 2 ** 20;

test('amounts are millicores, bytes and counts', () => {
  const parsed = parseResources({ cpu: '1.5', memory: '128Mi', pods: '58', 'nvidia.com/gpu': '1' });
  expect(parsed).toEqual({ cpu: 1500, memory: 128 * MIB, pods: 58, 'nvidia.com/gpu': 1 });
  expect(formatResources(parsed)).toEqual({ cpu: '1500m', memory: '128Mi', pods: '58', 'nvidia.com/gpu': '1' });
  expect(parseResources(undefined)).toEqual({});
});

const container = (cpu: string, memory?: string): PodSpec['containers'][number] => {
  return { name: 'c', resources: { requests: { cpu, ...defined({ memory }) } } };
};

const PODS: Readonly<Record<string, { spec: PodSpec; expected: object }>> = {
  'containers add up': { spec: { containers: [container('100m', '1Mi'), container('200m')] }, expected: { cpu: 300, memory: MIB } },
  'an init container counts if it is larger': {
    spec: { containers: [container('100m', '4Mi')], initContainers: [container('1', '1Mi'), container('500m', '2Mi')] },
    expected: { cpu: 1000, memory: 4 * MIB },
  },
  'sidecars run beside the containers': {
    spec: { containers: [container('100m')], initContainers: [{ ...container('50m'), restartPolicy: 'Always' }] },
    expected: { cpu: 150 },
  },
  'an init container runs beside the sidecars that started before it': {
    spec: {
      containers: [container('100m')],
      initContainers: [container('400m'), { ...container('50m'), restartPolicy: 'Always' }, container('390m')],
    },
    expected: { cpu: 440 },
  },
  'overhead comes on top': { spec: { containers: [container('100m')], overhead: { cpu: '10m' } }, expected: { cpu: 110 } },
  'a pod without requests is still a pod': { spec: { containers: [{ name: 'c' }] }, expected: {} },
};

for (const [name, { spec, expected }] of Object.entries(PODS)) {
  test(`requests: ${name}`, () => expect(podRequests(spec)).toEqual({ pods: 1, ...expected }));
}

test('a resource that is not requested is never short', () => {
  expect(fits({ cpu: 100 }, { cpu: 100, memory: -5 })).toBe(true);
  expect(fits({ cpu: 0 }, { cpu: -100 })).toBe(true);
  expect(shortages({ pods: 1, cpu: 101, memory: 1, 'nvidia.com/gpu': 1 }, { pods: 0, cpu: 100, memory: 1 })).toEqual([
    'pods',
    'cpu',
    'nvidia.com/gpu',
  ]);
});

test('addition and subtraction are inverse, and fitting agrees with subtraction', () => {
  const amounts = fc.dictionary(fc.constantFrom('cpu', 'memory', 'pods'), fc.integer({ min: 1, max: 1000 }));
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      expect(addResources(a, b)).toEqual(addResources(b, a));
      const back = subtractResources(addResources(a, b), b);
      for (const name of ['cpu', 'memory', 'pods']) expect(back[name] ?? 0).toBe(a[name] ?? 0);
      expect(fits(a, b)).toBe(Object.keys(a).every((name) => (subtractResources(b, a)[name] ?? 0) >= 0));
      expect(fits(a, b)).toBe(shortages(a, b).length === 0);
    }),
  );
});
