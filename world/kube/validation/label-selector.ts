import type { LabelSelector } from '../../../model/kube.ts';
import { forbidden, invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkLabelValue, checkQualifiedName } from '../../../protocols/kube/names.ts';

/** Validates a LabelSelector as `pkg/apis/meta/v1/validation` does. */
export function validateLabelSelector(selector: LabelSelector | undefined, field: string): FieldError[] {
  const labels = Object.entries(selector?.matchLabels ?? {}).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(`${field}.matchLabels`, key, problem)),
    ...checkLabelValue(value).map((problem) => invalid(`${field}.matchLabels`, value, problem)),
  ]);
  const expressions = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }, index) => {
    const path = `${field}.matchExpressions[${index}]`;
    const errors: FieldError[] = [];
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
        errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'));
    }
    return [
      ...errors,
      ...checkQualifiedName(key ?? '').map((problem) => invalid(`${path}.key`, key ?? '', problem)),
      ...values.flatMap((value, at) => checkLabelValue(value).map((problem) => invalid(`${path}.values[${at}]`, value, problem))),
    ];
  });
  return [...labels, ...expressions];
}

/** Label keys whose values in the pod are added to a selector. */
interface LabelKeys {
  readonly labelSelector?: LabelSelector | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly mismatchLabelKeys?: readonly string[] | undefined;
}

/**
 * Validates matchLabelKeys and mismatchLabelKeys after they were merged into the selector, as
 * `ValidateMatchLabelKeysAndMismatchLabelKeys` of `pkg/apis/core/validation` does.
 */
export function validateLabelKeys({ labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: LabelKeys, field: string): FieldError[] {
  const errors = [
    ...validateKeys(matchLabelKeys, labelSelector, `${field}.matchLabelKeys`),
    ...validateKeys(mismatchLabelKeys, labelSelector, `${field}.mismatchLabelKeys`),
  ];
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    // The path is that of the real server, without the name of the list.
    const detail = 'exists in both matchLabelKeys and labelSelector';
    if (selected.has(key) && matchLabelKeys.includes(key)) errors.push(invalid(`${field}[${matchLabelKeys.indexOf(key)}]`, key, detail));
    selected.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    if (mismatchLabelKeys.includes(key)) errors.push(invalid(`${field}.matchLabelKeys[${index}]`, key, detail));
  }
  return errors;
}

function validateKeys(keys: readonly string[], selector: LabelSelector | undefined, field: string): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(field, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) => checkQualifiedName(key).map((problem) => invalid(`${field}[${index}]`, key, problem)));
}
