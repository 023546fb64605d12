import { expect, test } from '@playwright/test';
import { faults } from '../faults/catalogue.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { defined } from '../model/defined.ts';
import { podSpec, pool, scenario } from './scenario.ts';
import type { Trial } from './scenario.ts';

const shortage = faults.insufficientCapacity({ errors: 'all' });
const pause = faults.pause({});
const kill = faults.crash({ operations: ['*'], moment: 'before' });

const head = { id: 'mine/one', title: 'one of mine' };
const nothing = (): Promise<void> => Promise.resolve();

test('a scenario needs the capabilities of its faults in addition to its own', () => {
  const { needs } = scenario({
    ...head,
    capabilities: ['time.virtual', 'target.kill'],
    under: [shortage, kill],
    faults: { pause, both: [shortage, faults.instanceEnd({ count: 1 })] },
    run: nothing,
  });
  expect(needs.capabilities).toEqual(['time.virtual', 'target.kill', 'capacity.set', 'target.pause', 'instance.end']);
  expect(scenario({ ...head, run: nothing }).needs.capabilities).toEqual([]);
});

test('a scenario that needs a feature has the extended profile by default', () => {
  expect(scenario({ ...head, run: nothing }).profile).toBe('core');
  expect(scenario({ ...head, features: ['spot'], run: nothing }).profile).toBe('extended');
  expect(scenario({ ...head, features: ['spot'], profile: 'robustness', run: nothing }).profile).toBe('robustness');
});

test('a scenario needs the feature node-settings if a pool has such settings, once', () => {
  const pools = [pool('plain'), pool('dense', { nodeSettings: { kubelet: { maxPods: 100 } } })];
  const { needs, profile } = scenario({ ...head, features: ['spot'], pools, run: nothing });
  expect({ features: needs.features, profile }).toEqual({ features: ['spot', 'node-settings'], profile: 'extended' });
  expect(scenario({ ...head, features: ['node-settings'], pools, run: nothing }).needs.features).toEqual(['node-settings']);
});

for (const { nodeSettings, says } of [
  {
    nodeSettings: { kubelet: { kubeReserved: { memory: '-5Gi' } } },
    says: '`nodeSettings.kubelet.kubeReserved.memory` must not be negative',
  },
  { nodeSettings: { kubelet: { systemReserved: { cpu: 'lots' } } }, says: 'must be a quantity, such as 500m or 2Gi, and is "lots"' },
  { nodeSettings: { kubelet: { evictionHard: { 'memory.available': '150%' } } }, says: 'must be at most 100%, and is "150%"' },
  { nodeSettings: { kubelet: { evictionHard: { 'memory.available': '0' } } }, says: 'must be more than 0, or 0% for none, and is "0"' },
  {
    nodeSettings: { userDataLabels: { 'bad key!': 'x' } },
    says: '`bad key!` is no key of `nodeSettings.userDataLabels`: it must be a label key',
  },
  { nodeSettings: { userDataLabels: { 'node-role.kubernetes.io/a': 'x' } }, says: "it must not be one of Kubernetes' own" },
  { nodeSettings: { userDataLabels: { 'kubernetes.io/hostname': 'x' } }, says: 'it must not be one that each node has' },
  { nodeSettings: { userDataLabels: { a: 'x,b=c' } }, says: '`nodeSettings.userDataLabels.a` must be a label value' },
]) {
  test(`settings of nodes with which no kubelet starts are refused: ${says}`, () => {
    expect(() => pool('a', { nodeSettings })).toThrow(says);
  });
}

test('an unknown setting of a kubelet is named, with the one that was meant', () => {
  const nodeSettings = { kubelet: { maxPod: 3 } } as object;
  expect(() => pool('a', { nodeSettings })).toThrow('`maxPod` is no field of `nodeSettings.kubelet`; did you mean `maxPods`?');
});

test('faults in under are injected first, in order; the named ones are passed to run', async () => {
  const injected: (FaultSpec | 'run')[] = [];
  const trial = { inject: (fault: FaultSpec) => Promise.resolve(void injected.push(fault)) } as unknown as Trial;
  const { run } = scenario({
    ...head,
    under: [kill, shortage],
    faults: { pause },
    async run(t, named) {
      injected.push('run');
      await t.inject(named.pause);
    },
  });
  await run(trial);
  expect(injected).toEqual([kill, shortage, 'run', pause]);
});

test('GPUs are requested and limited, as the API server requires of devices; without any, nothing is limited', () => {
  const size = { name: 'web', replicas: 1, cpu: '1', memory: '1Gi' };
  const resourcesOf = (gpus?: number): unknown => podSpec({ ...size, ...defined({ gpus }) }).containers[0]?.resources;
  const requests = { cpu: '1', memory: '1Gi' };
  expect(resourcesOf(2)).toEqual({ requests: { ...requests, 'nvidia.com/gpu': '2' }, limits: { 'nvidia.com/gpu': '2' } });
  expect(resourcesOf()).toEqual({ requests });
  expect(resourcesOf(0)).toEqual({ requests });
});

test('local storage, a port of the node and a priority are those of the pods; by default there are none', () => {
  const size = { name: 'web', replicas: 1, cpu: '1', memory: '1Gi' };
  const full = podSpec({ ...size, ephemeralStorage: '5Gi', hostPort: 8080, priorityClassName: 'urgent' });
  expect(full.priorityClassName).toBe('urgent');
  expect(full.containers[0]?.ports).toEqual([{ containerPort: 8080, hostPort: 8080 }]);
  expect(full.containers[0]?.resources).toEqual({ requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '5Gi' } });
  const plain = podSpec(size);
  expect(plain).not.toHaveProperty('priorityClassName');
  expect(plain.containers[0]).not.toHaveProperty('ports');
  expect(plain.containers[0]?.resources).toEqual({ requests: { cpu: '1', memory: '1Gi' } });
});

test('a scenario keeps the origin of its random numbers, and how long its pods take to stop; by default there are none', () => {
  expect(scenario({ ...head, origin: 'larger', podStopMs: 5_000, run: nothing })).toMatchObject({ origin: 'larger', podStopMs: 5_000 });
  const plain = scenario({ ...head, run: nothing });
  expect(plain).not.toHaveProperty('origin');
  expect(plain).not.toHaveProperty('podStopMs');
  expect(() => scenario({ ...head, origin: '', run: nothing })).toThrow(/origin/);
});
