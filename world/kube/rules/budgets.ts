import type { PodDisruptionBudget } from '../../../model/kube.ts';
import { invalid, notSupported } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ResourceRules } from '../resource.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { validateAtMost100Percent, validateCountOrPercent, validateNonNegative } from '../validation/numbers.ts';
import { budgetShape } from '../validation/shapes.ts';

/** The status of a budget that no controller has seen. */
export const EMPTY_STATUS: NonNullable<PodDisruptionBudget['status']> = {
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
};

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

/** PodDisruptionBudgets, validated as `pkg/apis/policy/validation` does. */
export const budgetRules: ResourceRules = {
  shape: budgetShape,
  defaults: (object) => ({ ...object, spec: object.spec ?? {} }),
  initialStatus: () => EMPTY_STATUS,
  validate: (object) => {
    const spec = object.spec as PodDisruptionBudget['spec'];
    const errors: FieldError[] = [];
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      // The real message shows the server's internal type.
      const { minAvailable: MinAvailable, maxUnavailable: MaxUnavailable, selector: Selector = null } = spec;
      const UnhealthyPodEvictionPolicy = spec.unhealthyPodEvictionPolicy ?? null;
      const shown = { MinAvailable, Selector, MaxUnavailable, UnhealthyPodEvictionPolicy };
      errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'));
    }
    for (const part of ['minAvailable', 'maxUnavailable'] as const) {
      errors.push(...validateCountOrPercent(spec[part], `spec.${part}`), ...validateAtMost100Percent(spec[part], `spec.${part}`));
    }
    errors.push(...validateLabelSelector(spec.selector, 'spec.selector'));
    const policy = spec.unhealthyPodEvictionPolicy;
    if (policy !== undefined && !POLICIES.includes(policy)) {
      errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, POLICIES));
    }
    return errors;
  },
  validateStatus: (object) => {
    const status = (object.status ?? {}) as Partial<NonNullable<PodDisruptionBudget['status']>>;
    const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
    return counts.flatMap((part) => validateNonNegative(status[part], `status.${part}`));
  },
};
