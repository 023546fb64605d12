import type { Node, Taint } from '../../../model/kube.ts';
import { duplicate, forbidden } from '../../../protocols/kube/field-error.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { nodeShape } from '../validation/shapes.ts';
import { validateTaints } from '../validation/tolerations.ts';

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeRules: ResourceRules = {
  shape: nodeShape,
  /** One address range is the first of several (`Convert_v1_NodeSpec_To_core_NodeSpec`). An empty `unschedulable` is left out. */
  defaults: (object) => {
    const { unschedulable, ...spec } = specOf(object) as NonNullable<Node['spec']> & { podCIDR?: string; podCIDRs?: string[] };
    const ranges = (spec.podCIDR ?? '') === '' || spec.podCIDRs !== undefined ? {} : { podCIDRs: [spec.podCIDR] };
    return { ...object, spec: { ...spec, ...ranges, ...(unschedulable === true ? { unschedulable } : {}) } };
  },
  /** The TaintNodesByCondition admission plugin: a new node takes no pods until it is found to be ready. */
  admit: (object, _admission, old) => {
    if (old !== undefined) return object;
    const spec = specOf(object);
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return object;
    return { ...object, spec: { ...spec, taints: [...taints, NOT_READY] } };
  },
  /** A kubelet registers with its status in the same request. */
  initialStatus: (object) => canonicalStatus(object.status as Node['status']),
  validate: (object) =>
    // The path is the real one's.
    validateTaints(specOf(object).taints ?? [], 'metadata.taints'),
  validateUpdate: (object, old) => {
    const before = specOf(old).providerID ?? '';
    if (before === '' || before === specOf(object).providerID) return [];
    return [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')];
  },
  validateStatus: (object) => {
    const seen = new Set<string>();
    return ((object.status as Node['status'])?.addresses ?? []).flatMap((address, index) => {
      const id = JSON.stringify(address);
      if (seen.has(id)) return [duplicate(`status.addresses[${index}]`, address)];
      seen.add(id);
      return [];
    });
  },
  fields: { 'spec.unschedulable': (object) => String(specOf(object).unschedulable ?? false) },
};

function specOf(object: ApiObject): NonNullable<Node['spec']> {
  return object.spec ?? {};
}

function canonicalStatus(status: Node['status']): Node['status'] {
  const owner = 'Node in version "v1" cannot be handled as a Node';
  const capacity = canonicalQuantities(status?.capacity, owner);
  const allocatable = canonicalQuantities(status?.allocatable, owner);
  return { ...status, ...(capacity === undefined ? {} : { capacity }), ...(allocatable === undefined ? {} : { allocatable }) };
}
