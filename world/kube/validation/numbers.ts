import { invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';

const PERCENT = /^[0-9]+%$/;
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function validateNonNegative(value: number | undefined, field: string): FieldError[] {
  return value === undefined || value >= 0 ? [] : [invalid(field, value, 'must be greater than or equal to 0')];
}

/** A count, or a percentage such as `25%`. */
export function validateCountOrPercent(value: number | string | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return validateNonNegative(value, field);
  return PERCENT.test(value) ? [] : [invalid(field, value, PERCENT_RULE)];
}

export function validateAtMost100Percent(value: number | string | undefined, field: string): FieldError[] {
  const over = typeof value === 'string' && PERCENT.test(value) && Number.parseInt(value, 10) > 100;
  return over ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** Whether a count or a percentage is zero. A malformed one counts as zero, as in the API's own helper. */
export function isZero(value: number | string | undefined): boolean {
  return value === undefined || value === 0 || (typeof value === 'string' && (!PERCENT.test(value) || Number.parseInt(value, 10) === 0));
}
