import type { LabelSelector, TopologySpreadConstraint } from '../../../model/kube.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';

const GREATER_THAN_ZERO = 'must be greater than zero';
const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

/** Validates spread constraints as validateTopologySpreadConstraints of `pkg/apis/core/validation` does. */
export function validateTopologySpread(constraints: readonly TopologySpreadConstraint[], field: string): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const path = `${field}[${index}]`;
    const { topologyKey, whenUnsatisfiable } = constraint;
    const errors: FieldError[] = [];
    if (!(constraint.maxSkew > 0)) errors.push(invalid(`${path}.maxSkew`, constraint.maxSkew ?? 0, GREATER_THAN_ZERO));
    errors.push(...validateTopologyKey(topologyKey, `${path}.topologyKey`));
    if (!ACTIONS.includes(whenUnsatisfiable)) errors.push(notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, ACTIONS));
    const repeated = constraints
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (repeated) {
      errors.push(duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    errors.push(
      ...validateMinDomains(constraint, `${path}.minDomains`),
      ...validatePolicy(constraint.nodeAffinityPolicy, `${path}.nodeAffinityPolicy`),
      ...validatePolicy(constraint.nodeTaintsPolicy, `${path}.nodeTaintsPolicy`),
      ...validateMatchLabelKeys(constraint, `${path}.matchLabelKeys`),
      ...validateLabelSelector(constraint.labelSelector, `${path}.labelSelector`),
    );
    return errors;
  });
}

function validateTopologyKey(topologyKey: string | undefined, field: string): FieldError[] {
  if (topologyKey === undefined || topologyKey === '') return [required(field, 'can not be empty')];
  return checkQualifiedName(topologyKey).map((problem) => invalid(field, topologyKey, problem));
}

function validateMinDomains({ minDomains, whenUnsatisfiable }: TopologySpreadConstraint, field: string): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = minDomains > 0 ? [] : [invalid(field, minDomains, GREATER_THAN_ZERO)];
  if (whenUnsatisfiable !== 'DoNotSchedule') {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
    errors.push(invalid(field, minDomains, detail));
  }
  return errors;
}

function validatePolicy(policy: string | undefined, field: string): FieldError[] {
  return policy === undefined || POLICIES.includes(policy) ? [] : [notSupported(field, policy, POLICIES)];
}

function validateMatchLabelKeys({ matchLabelKeys, labelSelector }: TopologySpreadConstraint, field: string): FieldError[] {
  if (matchLabelKeys === undefined || matchLabelKeys.length === 0) return [];
  if (labelSelector === undefined) return [forbidden(field, 'must not be specified when labelSelector is not set')];
  return matchLabelKeys.flatMap((key, index) => checkQualifiedName(key).map((problem) => invalid(`${field}[${index}]`, key, problem)));
}

/** Validates a LabelSelector as `pkg/apis/meta/v1/validation` does. */
export function validateLabelSelector(selector: LabelSelector | undefined, field: string): FieldError[] {
  const labels = Object.entries(selector?.matchLabels ?? {}).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(`${field}.matchLabels`, key, problem)),
    ...checkLabelValue(value).map((problem) => invalid(`${field}.matchLabels`, value, problem)),
  ]);
  const expressions = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }, index) => {
    const path = `${field}.matchExpressions[${index}]`;
    const errors = checkQualifiedName(key ?? '').map((problem) => invalid(`${path}.key`, key, problem));
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0)
          errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        break;
      default:
        errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
    }
    return [
      ...errors,
      ...values.flatMap((value, at) => checkLabelValue(value).map((problem) => invalid(`${path}.values[${at}]`, value, problem))),
    ];
  });
  return [...labels, ...expressions];
}
