import { archOf } from './catalogue.ts';
import type { InstanceType } from './catalogue.ts';
import { defined } from './defined.ts';
import { LABEL } from './kube.ts';

/** The prefix of the instance type labels of Karpenter's AWS provider. Source: its documentation, "Well-Known Labels". */
const PREFIX = 'karpenter.k8s.aws';

/** The node labels that follow from an instance type's name, architecture and size. */
export function typeLabels({
  type,
  architecture,
  vcpu,
  memoryMiB,
}: Pick<InstanceType, 'type' | 'architecture' | 'vcpu' | 'memoryMiB'>): Record<string, string> {
  const [family = '', size = ''] = type.split('.');
  const [, category, generation] = /^([a-z]+)(\d+)?/.exec(family) ?? [];
  return {
    [LABEL.instanceType]: type,
    [LABEL.arch]: archOf({ architecture }),
    [LABEL.os]: 'linux',
    [`${PREFIX}/instance-family`]: family,
    [`${PREFIX}/instance-size`]: size,
    ...defined({ [`${PREFIX}/instance-category`]: category, [`${PREFIX}/instance-generation`]: generation }),
    [`${PREFIX}/instance-cpu`]: String(vcpu),
    [`${PREFIX}/instance-memory`]: String(memoryMiB),
  };
}
