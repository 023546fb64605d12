import type { NodeSelectorRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm, PodSpec } from '../../../model/kube.ts';
import { forbidden, invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateLabelKeys, validateLabelSelector } from './label-selector.ts';
import { checkDnsLabel, checkDnsSubdomain, checkLabelValue, checkQualifiedName } from '../../../protocols/kube/names.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const WEIGHT_RANGE = 'must be in the range 1-100';

/** Validates a pod's affinity as `validateAffinity` of `pkg/apis/core/validation` does. */
export function validateAffinity(affinity: NonNullable<PodSpec['affinity']>, field: string): FieldError[] {
  const { nodeAffinity, podAffinity = {}, podAntiAffinity = {} } = affinity;
  return [
    ...validateNodeAffinity(nodeAffinity ?? {}, `${field}.nodeAffinity`),
    ...validatePodAffinity(podAffinity, `${field}.podAffinity`),
    ...validatePodAffinity(podAntiAffinity, `${field}.podAntiAffinity`),
  ];
}

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;

function validateNodeAffinity(affinity: NodeAffinity, field: string): FieldError[] {
  const preferred = affinity[PREFERRED] ?? [];
  return [
    ...(affinity[REQUIRED] === undefined ? [] : validateNodeSelector(affinity[REQUIRED], `${field}.${REQUIRED}`)),
    ...preferred.flatMap(({ weight, preference }, index) => [
      ...validateWeight(weight, `${field}.${PREFERRED}[${index}].weight`),
      ...validateNodeSelectorTerm(preference ?? {}, `${field}.${PREFERRED}[${index}].preference`, false),
    ]),
  ];
}

/** Validates a node selector: of a pod's required affinity, or of a volume. */
export function validateNodeSelector(selector: { nodeSelectorTerms?: NodeSelectorTerm[] }, field: string): FieldError[] {
  const path = `${field}.nodeSelectorTerms`;
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => validateNodeSelectorTerm(term, `${path}[${index}]`, true));
}

/** @param values whether values must be valid label values: in a preference they need not */
function validateNodeSelectorTerm(term: NodeSelectorTerm, field: string, values: boolean): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((one, index) => validateNodeRequirement(one, `${field}.matchExpressions[${index}]`, values)),
    ...(term.matchFields ?? []).flatMap((one, index) => validateFieldRequirement(one, `${field}.matchFields[${index}]`)),
  ];
}

function validateNodeRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  field: string,
  checkValues: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${field}.operator`, operator ?? '', 'not a valid selector operator'));
  }
  errors.push(...checkQualifiedName(key ?? '').map((problem) => invalid(`${field}.key`, key ?? '', problem)));
  if (!checkValues) return errors;
  const wrong = values.flatMap((value, index) =>
    checkLabelValue(value).map((problem) => invalid(`${field}.values[${index}]`, value, problem)),
  );
  return [...errors, ...wrong];
}

/** The only supported field is a node's name. */
function validateFieldRequirement({ key, operator, values = [] }: NodeSelectorRequirement, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') errors.push(invalid(`${field}.operator`, operator ?? '', 'not a valid selector operator'));
  else if (values.length !== 1) {
    errors.push(required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (key !== 'metadata.name') return [...errors, invalid(`${field}.key`, key ?? '', 'not a valid field selector key')];
  const wrong = values.flatMap((value, index) =>
    checkDnsSubdomain(value).map((problem) => invalid(`${field}.values[${index}]`, value, problem)),
  );
  return [...errors, ...wrong];
}

function validatePodAffinity(affinity: PodAffinity, field: string): FieldError[] {
  return [
    ...(affinity[REQUIRED] ?? []).flatMap((term, index) => validatePodAffinityTerm(term, `${field}.${REQUIRED}[${index}]`)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, index) => [
      ...validateWeight(weight, `${field}.${PREFERRED}[${index}].weight`),
      ...validatePodAffinityTerm(podAffinityTerm ?? {}, `${field}.${PREFERRED}[${index}].podAffinityTerm`),
    ]),
  ];
}

function validatePodAffinityTerm(term: Partial<PodAffinityTerm>, field: string): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = '' } = term;
  return [
    ...validateLabelSelector(labelSelector, `${field}.labelSelector`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...namespaces.flatMap((name) => checkDnsLabel(name).map((problem) => invalid(`${field}.namespace`, name, problem))),
    ...validateLabelKeys(term, field),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...checkQualifiedName(topologyKey).map((problem) => invalid(`${field}.topologyKey`, topologyKey, problem)),
  ];
}

function validateWeight(weight: number | undefined, field: string): FieldError[] {
  const value = weight ?? 0;
  return value >= 1 && value <= 100 ? [] : [invalid(field, value, WEIGHT_RANGE)];
}
