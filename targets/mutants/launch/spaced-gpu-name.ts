import type { InstanceTypes, NodeType } from '../../../controller/capacity/instance-types.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const GPU_NAME = 'karpenter.k8s.aws/instance-gpu-name';

function withSpaces(types: InstanceTypes): InstanceTypes {
  // The planted bug: EC2 writes the name with spaces, and it is made a label as it is.
  const spaced = (type: NodeType): NodeType => {
    const name = type.labels[GPU_NAME];
    return name === undefined ? type : { ...type, labels: { ...type.labels, [GPU_NAME]: name.replaceAll('-', ' ') } };
  };
  return {
    list: (settings) => types.list(settings).map(spaced),
    get: (name, settings) => {
      const type = types.get(name, settings);
      return type === undefined ? undefined : spaced(type);
    },
    learn: (name, allocatable, settings) => types.learn(name, allocatable, settings),
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
  };
}

export const spacedGpuName: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:spaced-gpu-name',
    summary: "makes the name of an instance's GPU a label without replacing its spaces: the claim never records the instance",
    makeParts: (context) => createParts({ ...context, instanceTypes: withSpaces(context.instanceTypes) }),
  }),
  resembles:
    'a GPU name was made a label with a character that no label may have, so that all labels were refused (ROCm/k8s-device-plugin#230)',
  caughtBy: {
    scenario: 'pools/gpu-name-with-spaces',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/*',
    seeds: 'every',
  },
};
