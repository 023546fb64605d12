import { defined } from '../../../../../model/defined.ts';
import type { Random } from '../../../../../runtime/random.ts';
import type { Kind } from './kind.ts';
import { metadataChange } from './metadata.ts';
import { NOBODY, POD_SPEC, podDetail, tolerations } from './pod-spec.ts';

const podChange = (random: Random): object =>
  random.pick<() => object>([
    () => metadataChange(random),
    () => metadataChange(random),
    () => ({ spec: { containers: [{ name: 'main', image: random.pick(['pause', 'other', 'third:1', '']) }] } }),
    () => ({ spec: { activeDeadlineSeconds: random.pick([10, 100, 0, null]) } }),
    () => ({ spec: { tolerations: tolerations(random) } }),
    () => ({ spec: { nodeSelector: { zone: 'a' } } }),
    () => ({ spec: { nodeName: 'elsewhere' } }),
    () => ({ spec: { terminationGracePeriodSeconds: 1 } }),
  ])();

export const pods: Kind = {
  plural: 'pods',
  apiVersion: 'v1',
  kind: 'Pod',
  namespaced: true,
  controlled: false,
  weight: 9,
  create: (random) => ({ spec: { ...POD_SPEC, ...podDetail(random) } }),
  // An apply of only the change would create a pod that is scheduled and gets a token volume with a random name.
  applied: (configuration) => {
    const { spec, ...rest } = configuration as { spec?: object };
    return { ...rest, ...defined({ spec: spec && { ...spec, schedulerName: NOBODY, automountServiceAccountToken: false } }) };
  },
  change: podChange,
  status: (random) => ({
    status: random.pick<object>([
      { phase: 'Running' },
      { phase: 'Succeeded' },
      { conditions: [{ type: 'Ready', status: random.pick(['True', 'False']) }] },
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no' }] },
      { nominatedNodeName: 'there', reason: 'x' },
      { podIP: random.pick(['10.0.0.1', 'not an address']) },
    ]),
  }),
  strategic: (random) => ({
    spec: random.pick<object>([
      { containers: [{ name: 'main', image: 'other' }] },
      { containers: [{ name: 'extra', image: 'pause' }] },
      { containers: [{ name: 'main', $patch: 'delete' }] },
      { tolerations: tolerations(random) },
      { '$setElementOrder/containers': [{ name: 'main' }], containers: [{ name: 'main', image: 'third' }] },
      { activeDeadlineSeconds: 50 },
    ]),
  }),
};
