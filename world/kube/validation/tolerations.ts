import type { Taint, Toleration } from '../../../model/kube.ts';
import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkLabelValue, checkQualifiedName } from '../../../protocols/kube/names.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates tolerations as `ValidateTolerations` of `pkg/apis/core/validation` does. */
export function validateTolerations(tolerations: readonly Toleration[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(toleration, `${field}[${index}]`));
}

function validateToleration(toleration: Toleration, field: string): FieldError[] {
  const { key = '', operator = 'Equal', value = '', effect } = toleration;
  const errors: FieldError[] = [];
  if (key !== '') errors.push(...checkQualifiedName(key).map((problem) => invalid(`${field}.key`, key, problem)));
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${field}.operator`, toleration.operator ?? '', detail));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalid(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Equal') {
    const problems = checkLabelValue(value);
    if (problems.length > 0) errors.push(invalid(`${field}.operator`, value, problems.join(';')));
  } else if (operator !== 'Exists') {
    errors.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
  } else if (value !== '') {
    errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  if (effect !== undefined && !EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, EFFECTS));
  return errors;
}

/** Validates a node's taints as `validateNodeTaints` does. */
export function validateTaints(taints: readonly Taint[], field: string): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const path = `${field}[${index}]`;
    const { key = '', value = '', effect } = taint;
    const errors = checkQualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem));
    const problems = checkLabelValue(value);
    if (problems.length > 0) errors.push(invalid(`${path}.value`, value, problems.join(';')));
    if (effect === undefined) errors.push(required(`${path}.effect`));
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS));
    const id = `${effect}:${key}`;
    if (seen.has(id)) {
      // The real message shows the server's internal type.
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      const message = `Duplicate value: ${JSON.stringify(shown)}: taints must be unique by key and effect pair`;
      errors.push({ reason: 'FieldValueDuplicate', field: path, message });
    }
    seen.add(id);
    return errors;
  });
}
