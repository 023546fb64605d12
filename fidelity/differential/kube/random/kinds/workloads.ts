import type { Random } from '../../../../../runtime/random.ts';
import type { Kind } from './kind.ts';
import { metadataChange, value } from './metadata.ts';
import { NOBODY, POD_SPEC, podDetail, tolerations } from './pod-spec.ts';

const template = (random: Random, name: string): object => ({
  metadata: { labels: { app: name, ...random.pick([{}, { tier: 'a' }]) } },
  spec: { ...POD_SPEC, ...podDetail(random) },
});

const workload = (random: Random, plural: string): object =>
  random.pick<() => object>([
    () => metadataChange(random),
    () => ({ spec: { template: { metadata: { labels: { tier: value(random) } } } } }),
    () => ({ spec: { template: { spec: podDetail(random) } } }),
    () => ({ spec: { template: { spec: { containers: [{ name: 'main', image: random.pick(['pause', 'other']) }] } } } }),
    () => (plural === 'daemonsets' ? {} : { spec: { replicas: random.pick([0, 0, null, -1]) } }),
    () =>
      plural === 'daemonsets' || plural === 'deployments' ? { spec: { minReadySeconds: random.pick([0, 5, -2]) } } : metadataChange(random),
    () =>
      plural === 'deployments'
        ? {
            spec: {
              strategy: random.pick([
                { type: 'Recreate', rollingUpdate: null },
                { rollingUpdate: { maxSurge: random.pick([1, '10%', '0%', 'x']) } },
              ]),
            },
          }
        : {},
    () => ({ spec: { selector: { matchLabels: { app: 'another' } } } }),
  ])();

const workloadStrategic = (random: Random): object => ({
  spec: {
    template: {
      spec: random.pick<object>([
        { containers: [{ name: 'side', image: 'pause' }] },
        { containers: [{ name: 'side', $patch: 'delete' }] },
        { containers: [{ name: 'main', env: [{ name: 'A', value: random.pick(['1', '2']) }] }] },
        { containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] },
        { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }], containers: [{ name: 'side', image: 'new' }] },
        { containers: [{ $patch: 'replace' }, { name: 'new', image: 'pause' }] },
        { tolerations: tolerations(random) },
        { $retainKeys: ['containers', 'schedulerName'], schedulerName: NOBODY },
        { nodeSelector: { $patch: 'replace', zone: 'b' } },
      ]),
    },
  },
});

const workloadKind = (plural: string, kind: string): Kind => ({
  plural,
  apiVersion: 'apps/v1',
  kind,
  namespaced: true,
  controlled: true,
  annotated: plural === 'deployments' || plural === 'daemonsets',
  ...(plural === 'daemonsets' ? {} : { scaled: true }),
  weight: 2,
  create: (random, name) => ({
    spec: {
      ...(plural === 'daemonsets' ? {} : { replicas: 0 }),
      selector: { matchLabels: { app: random.chance(0.95) ? name : 'another' } },
      template: template(random, name),
      ...(plural === 'statefulsets' ? { serviceName: 'none' } : {}),
    },
  }),
  change: (random) => workload(random, plural),
  strategic: workloadStrategic,
});

export const WORKLOADS: readonly Kind[] = [
  workloadKind('deployments', 'Deployment'),
  workloadKind('replicasets', 'ReplicaSet'),
  workloadKind('statefulsets', 'StatefulSet'),
  workloadKind('daemonsets', 'DaemonSet'),
];
