import type { Node, Taint } from '../../../model/kube.ts';
import { forbidden, invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { checkLabelValue, checkQualifiedName } from '../validation/names.ts';
import { validateTaintEffect } from '../validation/pod-spec.ts';
import { nodeShape } from '../validation/shapes.ts';

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeRules: ResourceRules = {
  shape: nodeShape,
  /** The TaintNodesByCondition admission plugin: a new node takes no pods until it is found to be ready. */
  admit: (object) => {
    const spec = specOf(object);
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return object;
    return { ...object, spec: { ...spec, taints: [...taints, NOT_READY] } };
  },
  /** A kubelet registers with its status in the same request. */
  initialStatus: (object) => canonicalStatus(object.status as Node['status']),
  validate: (object) => validateTaints(specOf(object).taints ?? [], 'spec.taints'),
  validateUpdate: (object, old) => {
    const before = specOf(old).providerID ?? '';
    if (before === '' || before === specOf(object).providerID) return [];
    return [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')];
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

function validateTaints(taints: readonly Taint[], field: string): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const path = `${field}[${index}]`;
    const errors = checkQualifiedName(taint.key ?? '').map((problem) => invalid(`${path}.key`, taint.key, problem));
    errors.push(...checkLabelValue(taint.value ?? '').map((problem) => invalid(`${path}.value`, taint.value, problem)));
    if (taint.effect === undefined) errors.push(required(`${path}.effect`));
    else errors.push(...validateTaintEffect(taint.effect, `${path}.effect`));
    const id = `${taint.key}:${taint.effect}`;
    if (seen.has(id)) {
      const message = `Duplicate value: ${JSON.stringify(taint)}: taints must be unique by key and effect pair`;
      errors.push({ reason: 'FieldValueDuplicate', field: path, message });
    }
    seen.add(id);
    return errors;
  });
}
