import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { defined } from '../model/defined.ts';
import { LONGEST_SCALING_MS, podAutoscalersOf, scalingSteps } from './pod-autoscalers.ts';
import type { Scaling } from './pod-autoscalers.ts';

function scalingOf(behavior?: object, minReplicas?: number): Scaling {
  const object = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web' },
      maxReplicas: 30,
      ...defined({ minReplicas, behavior }),
    },
  };
  const [[title, scaling] = []] = podAutoscalersOf([{ where: 'x', apiVersion: object.apiVersion, kind: object.kind, object }]);
  expect(title).toBe('Deployment shop/web');
  if (scaling === undefined) throw new Error('there is no autoscaler');
  return scaling;
}

const seconds = (steps: ReturnType<typeof scalingSteps>): string =>
  steps.map(({ atMs, replicas }) => `${atMs / 1_000}s:${replicas}`).join(' ');

test('without a behavior it doubles the pods every 15 s, from four on', () => {
  expect(seconds(scalingSteps(1, 30, scalingOf()))).toBe('15s:4 30s:8 45s:16 60s:30');
  expect(seconds(scalingSteps(30, 1, scalingOf()))).toBe('300s:1');
});

test('below its minimum it goes there at once', () => {
  expect(seconds(scalingSteps(1, 8, scalingOf(undefined, 6)))).toBe('15s:6 30s:8');
});

test('the defaults of a behavior: four pods or twice as many every 15 s, and all removed after five minutes', () => {
  const scaling = scalingOf({});
  expect(scaling).toMatchObject({ min: 1, max: 30 });
  expect(seconds(scalingSteps(2, 30, scaling))).toBe('15s:6 30s:12 45s:24 60s:30');
  expect(seconds(scalingSteps(30, 1, scaling))).toBe('300s:1');
});

for (const [what, behavior, [from, to], steps] of [
  [
    'a policy with a longer period',
    { scaleUp: { policies: [{ type: 'Pods', value: 2, periodSeconds: 60 }] } },
    [1, 6],
    '15s:3 75s:5 135s:6',
  ],
  [
    'the smaller of two policies',
    {
      scaleUp: {
        selectPolicy: 'Min',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 50, periodSeconds: 15 },
        ],
      },
    },
    [4, 15],
    '15s:6 30s:9 45s:13 60s:15',
  ],
  ['a stabilization window', { scaleUp: { stabilizationWindowSeconds: 50 } }, [2, 5], '60s:5'],
  [
    'a slow way down',
    { scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 50, periodSeconds: 60 }] } },
    [10, 2],
    '15s:5 75s:2',
  ],
  ['no way down', { scaleDown: { selectPolicy: 'Disabled' } }, [10, 2], ''],
] as const) {
  test(`its behavior is followed: ${what}`, () => {
    expect(seconds(scalingSteps(from, to, scalingOf(behavior)))).toBe(steps);
  });
}

test('steps go one way, to the end or for half an hour', () => {
  const policy = fc.record({
    type: fc.constantFrom('Pods', 'Percent'),
    value: fc.integer({ min: 1, max: 200 }),
    periodSeconds: fc.integer({ min: 1, max: 1_800 }),
  });
  const rules = fc.record({
    stabilizationWindowSeconds: fc.integer({ min: 0, max: 3_600 }),
    selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
    policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
  });
  const pods = fc.integer({ min: 1, max: 500 });
  fc.assert(
    fc.property(rules, pods, pods, (written, from, to) => {
      const steps = scalingSteps(from, to, scalingOf({ scaleUp: written, scaleDown: written }));
      const replicas = [from, ...steps.map((step) => step.replicas)];
      expect(replicas.every((count, index) => index === 0 || Math.sign(count - (replicas[index - 1] ?? 0)) === Math.sign(to - from))).toBe(
        true,
      );
      expect(replicas.every((count) => count >= Math.min(from, to) && count <= Math.max(from, to))).toBe(true);
      expect(steps.every(({ atMs }) => atMs <= LONGEST_SCALING_MS)).toBe(true);
    }),
  );
});
