import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import type { Node, Taint } from '../../../model/kube.ts';
import { duplicate, forbidden, invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { NO_ADDRESS_RANGE, isAddressRange } from '../validation/addresses.ts';
import { validateAmount } from '../validation/resources.ts';
import { nodeShape } from '../validation/shapes.ts';
import { validateTaints } from '../validation/tolerations.ts';

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeRules: ResourceRules = {
  shape: nodeShape,
  /** `podCIDR` equals the first of `podCIDRs` (`Convert_v1_NodeSpec_To_core_NodeSpec` and back). A false `unschedulable` is omitted. */
  defaults: (object) => {
    const { unschedulable, podCIDR: one = '', podCIDRs: several = [], ...spec } = specOf(object) as NodeSpec;
    const ranges = one === '' || one === several[0] ? several : [one];
    const [podCIDR] = ranges;
    const cidrs = podCIDR === undefined ? {} : { podCIDR, podCIDRs: ranges };
    return { ...object, spec: { ...spec, ...cidrs, ...(unschedulable === true ? { unschedulable } : {}) } };
  },
  defaultStatus: (object) => ({ ...object, status: canonicalStatus(object.status as Node['status']) }),
  /** The TaintNodesByCondition admission plugin: a new node accepts no pods until it is ready. */
  admit: (object, _admission, old) => {
    if (old !== undefined) return object;
    const spec = specOf(object);
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return object;
    return { ...object, spec: { ...spec, taints: [...taints, NOT_READY] } };
  },
  /** A kubelet registers with its status in the same request. */
  initialStatus: (object) => canonicalStatus(object.status as Node['status']),
  validate: (object) => [
    // The path is that of the real server.
    ...validateTaints(specOf(object).taints ?? [], 'metadata.taints'),
    ...validateAmounts(object),
    ...((specOf(object) as NodeSpec).podCIDRs ?? []).flatMap((range, index) =>
      isAddressRange(range) ? [] : [invalid(`spec.podCIDRs[${index}]`, range, NO_ADDRESS_RANGE)],
    ),
  ],
  validateUpdate: (object, old) => {
    const [next, before] = [specOf(object) as NodeSpec, specOf(old) as NodeSpec];
    const changed = (before.podCIDRs ?? []).length > 0 && !isDeepStrictEqual(next.podCIDRs, before.podCIDRs);
    const moved = (before.providerID ?? '') !== '' && before.providerID !== next.providerID;
    return [
      ...(changed ? [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')] : []),
      ...(moved ? [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')] : []),
    ];
  },
  validateStatus: (object) => {
    const seen = new Set<string>();
    const addresses = ((object.status as Node['status'])?.addresses ?? []).flatMap((address, index) => {
      const id = JSON.stringify(address);
      if (seen.has(id)) return [duplicate(`status.addresses[${index}]`, address)];
      seen.add(id);
      return [];
    });
    return [...validateAmounts(object), ...addresses];
  },
  fields: { 'spec.unschedulable': (object) => String(specOf(object).unschedulable ?? false) },
};

type NodeSpec = NonNullable<Node['spec']> & { podCIDR?: string; podCIDRs?: string[] };

/** `ValidateNodeResources` */
function validateAmounts({ status }: ApiObject): FieldError[] {
  const { capacity = {}, allocatable = {} } = (status ?? {}) as NonNullable<Node['status']>;
  return Object.entries({ capacity, allocatable }).flatMap(([part, amounts]) =>
    Object.entries(amounts).flatMap(([name, amount]) => validateAmount(name, amount, `status.${part}.${name}`)),
  );
}

function specOf(object: ApiObject): NonNullable<Node['spec']> {
  return object.spec ?? {};
}

function canonicalStatus(status: Node['status']): Node['status'] {
  const owner = 'Node in version "v1" cannot be handled as a Node';
  const capacity = canonicalQuantities(status?.capacity, owner);
  // `SetDefaults_NodeStatus`
  const allocatable = canonicalQuantities(status?.allocatable ?? capacity, owner);
  return { ...status, ...defined({ capacity, allocatable }) };
}
