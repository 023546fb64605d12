import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { LABEL } from '../../model/kube.ts';
import type { Pod, PodSpec, Taint } from '../../model/kube.ts';
import { createRandom } from '../../runtime/random.ts';
import { makeNode, makePod } from '../testing/world-parts.ts';
import { SchedulerCache } from './cache.ts';
import { decide } from './decide.ts';
import { Decider } from './decider.ts';
import { PodKinds, demandKey, podInfo } from './pod-info.ts';

const NODES = ['n1', 'n2'] as const;
const APPS = ['web', 'db'] as const;
const TAINT: Taint = { key: 'team', value: 'a', effect: 'NoSchedule' };

const near = (app: string, topologyKey: string) => [
  { labelSelector: { matchLabels: { app } }, topologyKey, namespaceSelector: { matchLabels: { of: 'a' } } },
];

/** Kinds of pods that find no node for different reasons. */
const SPECS: readonly Partial<PodSpec>[] = [
  {},
  { priority: 10 },
  { priority: 10, preemptionPolicy: 'Never' },
  { nodeSelector: { disk: 'ssd' } },
  { tolerations: [{ key: 'team', operator: 'Exists' }] },
  { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near('db', LABEL.zone) } } },
  { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near('web', LABEL.hostname) } } },
  {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'web' } } },
    ],
  },
];

/** Pods that wait: some fit nowhere, some only meet other obstacles. */
const KINDS = SPECS.flatMap((_spec, spec) => ['500m', '3'].map((cpu) => ({ app: 'web', spec, cpu, isDying: false })));

const node = fc.constantFrom(...NODES);
const one = { app: fc.constantFrom(...APPS), spec: fc.nat(SPECS.length - 1) };
const bound = fc.constantFrom('b1', 'b2', 'b3');
const step = fc.oneof(
  fc.record({
    do: fc.constant('set node' as const),
    node,
    zone: fc.constantFrom('a', 'b'),
    cpu: fc.constantFrom('1', '4'),
    disk: fc.constantFrom('ssd', 'hdd'),
    taints: fc.constantFrom<Taint[]>([], [], [], [TAINT]),
    unschedulable: fc.constantFrom(false, false, false, true),
  }),
  fc.record({ do: fc.constant('remove node' as const), node }),
  fc.record({ do: fc.constant('assign' as const), name: bound, node, ...one, cpu: fc.constantFrom('500m', '3'), isDying: fc.boolean() }),
  fc.record({ do: fc.constant('status' as const), name: bound }),
  fc.record({ do: fc.constant('relabel' as const), name: bound, app: fc.constantFrom(...APPS) }),
  fc.record({ do: fc.constant('forget' as const), name: bound }),
  fc.record({
    do: fc.constant('nominate' as const),
    name: fc.constant('w1'),
    node: fc.constantFrom(undefined, undefined, undefined, 'n1'),
  }),
  fc.record({ do: fc.constant('namespace' as const), of: fc.constantFrom('a', 'a', 'b') }),
  fc.record({ do: fc.constant('service' as const), app: fc.constantFrom(...APPS) }),
);

function podOf(name: string, { app, spec, cpu, isDying }: { app: string; spec: number; cpu: string; isDying: boolean }): Pod {
  const pod = makePod(name, { cpu, ...SPECS[spec] });
  const deletion = isDying ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return { ...pod, metadata: { ...pod.metadata, namespace: 'default', uid: name, labels: { app }, ...deletion } };
}

test('decisions, and what they draw, are those of a decider that remembers nothing', () => {
  let remembered = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const cache = new SchedulerCache();
      const kinds = new PodKinds(demandKey);
      const decider = new Decider(cache, (pod) => kinds.of(pod));
      const [draws, wantedDraws] = [createRandom('ties'), createRandom('ties')];
      const seen = new Set<unknown>();
      const found: unknown[] = [];
      const wanted: unknown[] = [];
      steps.forEach((now, at) => {
        const key = 'name' in now ? `default/${now.name}` : '';
        const known = cache.pod(key)?.pod;
        const nodeName = cache.nodeOf(key) ?? '';
        if (now.do === 'set node') cache.setNode(makeNode(now.node, { ...now, labels: { disk: now.disk } }));
        if (now.do === 'remove node') cache.removeNode(now.node);
        if (now.do === 'assign') cache.assign(podInfo(podOf(now.name, now)), now.node);
        if (now.do === 'status' && known !== undefined) cache.assign(podInfo({ ...known, status: { phase: 'Running' } }), nodeName);
        if (now.do === 'relabel' && known !== undefined) {
          cache.assign(podInfo({ ...known, metadata: { ...known.metadata, labels: { app: now.app } } }), nodeName);
        }
        if (now.do === 'forget') cache.forget(key);
        if (now.do === 'nominate') cache.nominate(podInfo(podOf(now.name, { app: 'web', spec: 1, cpu: '3', isDying: false })), now.node);
        if (now.do === 'namespace') cache.objects.set('namespaces', { metadata: { name: 'default', labels: { of: now.of } } });
        if (now.do === 'service') {
          const service = { metadata: { name: 's', namespace: 'default' }, spec: { selector: { app: now.app } } };
          cache.objects.set('services', service);
        }
        KINDS.forEach((kind) => {
          const pod = podInfo(podOf(`p${at}`, kind));
          const decision = decider.decide(pod, draws);
          if (seen.has(decision)) remembered += 1;
          seen.add(decision);
          found.push(decision, draws.int(0, 1_000_000));
          wanted.push(decide(pod, cache, wantedDraws), wantedDraws.int(0, 1_000_000));
        });
      });
      expect(found).toEqual(wanted);
    }),
    { numRuns: 100 },
  );
  expect(remembered).toBeGreaterThan(1_000);
});
