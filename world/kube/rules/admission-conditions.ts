import { duplicate, invalid, required, tooMany } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkQualifiedName } from '../../../protocols/kube/names.ts';
import type { PolicyExpressions } from '../policies/expressions.ts';
import type { NamedExpression } from '../policies/policy.ts';

const MAX_MATCH_CONDITIONS = 64;

/** The error of an expression that does not compile. */
export function problemOf(compiled: ReturnType<PolicyExpressions['compile']>, field: string, shown: string): FieldError[] {
  return 'problem' in compiled ? [invalid(field, shown, compiled.problem)] : [];
}

/** Match conditions of policies and webhooks. */
export function validateConditions(conditions: readonly NamedExpression[], expressions: PolicyExpressions, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > MAX_MATCH_CONDITIONS) errors.push(tooMany(at, conditions.length, MAX_MATCH_CONDITIONS));
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const source = expression.trim();
    if (source === '') errors.push(required(`${at}[${index}].expression`));
    else errors.push(...problemOf(expressions.compile(source, ['bool']), `${at}[${index}].expression`, source));
    if (name === '') errors.push(required(`${at}[${index}].name`));
    else errors.push(...checkQualifiedName(name).map((problem) => invalid(`${at}[${index}].name`, name, problem)));
    if (names.has(name)) errors.push(duplicate(`${at}[${index}].name`, name));
    if (name !== '') names.add(name);
  }
  return errors;
}
