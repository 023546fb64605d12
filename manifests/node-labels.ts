import { archOf } from '../model/catalogue.ts';
import type { InstanceType, Offering } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { LABEL, NODE_POOL_LABEL } from '../model/kube.ts';
import { allows, intersect } from '../model/requirements.ts';
import type { NodeAlternative, Requirements } from '../model/requirements.ts';
import type { Labels } from '../model/selector.ts';

const AWS_LABEL = 'karpenter.k8s.aws/instance-';
/** `m6i`, `u-6tb1`: category and generation, parsed as in Karpenter's AWS provider. */
const FAMILY = /^([a-z]+)(?:-[0-9]+tb)?([0-9]+)/;
/** Labels of a type that follow from the catalogue. */
const DERIVED = ['category', 'generation', 'family', 'size', 'cpu', 'memory', 'hypervisor', 'gpu-name', 'gpu-count'].map(
  (name) => `${AWS_LABEL}${name}`,
);
const DECIDED: readonly string[] = [...Object.values(LABEL), NODE_POOL_LABEL, ...DERIVED];

/** Whether the pool, the type and the zone of a node determine this label's value. */
export function isKnownLabel(key: string): boolean {
  return DECIDED.includes(key);
}

/** Whether Karpenter gives nodes this label by their type, from facts that this world's catalogue lacks. */
export function isUnmodelledLabel(key: string): boolean {
  return key.startsWith(AWS_LABEL) && !DERIVED.includes(key);
}

/** The labels of a node of an offering, from its type and zone. Source: Karpenter's documentation, "Well-Known Labels". */
export function offeringLabels(type: InstanceType, { zone, capacityType }: Offering, region: string): Labels {
  const [family = '', size = ''] = type.type.split('.');
  const [, category, generation] = FAMILY.exec(family) ?? [];
  const { gpu } = type;
  return {
    [LABEL.instanceType]: type.type,
    [LABEL.arch]: archOf(type),
    [LABEL.os]: 'linux',
    [LABEL.region]: region,
    [LABEL.zone]: zone,
    [LABEL.capacityType]: capacityType,
    [`${AWS_LABEL}family`]: family,
    [`${AWS_LABEL}size`]: size,
    ...defined({ [`${AWS_LABEL}category`]: category, [`${AWS_LABEL}generation`]: generation }),
    [`${AWS_LABEL}cpu`]: String(type.vcpu),
    [`${AWS_LABEL}memory`]: String(type.memoryMiB),
    [`${AWS_LABEL}hypervisor`]: type.hypervisor,
    ...(gpu !== undefined && {
      [`${AWS_LABEL}gpu-name`]: gpu.name.toLowerCase().replaceAll(' ', '-'),
      [`${AWS_LABEL}gpu-count`]: String(gpu.count),
    }),
  };
}

/** Whether a node with these labels, of a pool with these requirements, suits one alternative of a pod. */
export function suits({ labels: asked, fields }: NodeAlternative, labels: Labels, stated: Requirements): boolean {
  if (fields.size > 0) return false;
  for (const [key, set] of asked) if (!allowsLabel(key, set, labels, stated)) return false;
  return true;
}

/** The allowed values of a label. */
export type ValueSet = Parameters<typeof allows>[0];

/** Whether a label allows these values. If the pool leaves the value of a user's label open, it gets the value that pods request. */
export function allowsLabel(key: string, set: ValueSet, labels: Labels, stated: Requirements): boolean {
  const open = stated.get(key);
  if (labels[key] !== undefined || isKnownLabel(key) || open === undefined) return allows(set, labels[key]);
  const both = intersect(new Map([[key, open]]), new Map([[key, set]])).get(key);
  return both !== undefined && (both.excluding || both.values.length > 0 || both.missing);
}
