import type { TopologySpreadConstraint } from '../../../model/kube.ts';
import { duplicate, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateLabelKeys, validateLabelSelector } from './label-selector.ts';

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
    if ((topologyKey ?? '') === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'));
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
      ...validateLabelKeys({ labelSelector: constraint.labelSelector, matchLabelKeys: constraint.matchLabelKeys }, path),
      ...validateLabelSelector(constraint.labelSelector, `${path}.labelSelector`),
    );
    return errors;
  });
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
