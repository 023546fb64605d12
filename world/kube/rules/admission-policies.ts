import { isDeepStrictEqual } from 'node:util';
import { duplicate, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDns1035Label, checkDnsSubdomain, checkQualifiedName } from '../../../protocols/kube/names.ts';
import { PolicyExpressions } from '../policies/expressions.ts';
import type { AuditAnnotation, NamedExpression, ParamKind, PolicySpec, Validation } from '../policies/policy.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { isReserved } from '../validation/custom/cel/names.ts';
import { admissionPolicyShape } from '../validation/shapes.ts';
import { problemOf, validateConditions } from './admission-conditions.ts';
import { FAILURE_POLICIES, matchDefaults, validateMatchResources } from './admission-matches.ts';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_AUDIT_EXPRESSION_BYTES = 5 * 1024;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/**
 * ValidatingAdmissionPolicies (`pkg/apis/admissionregistration/validation`). Their types are not checked against the resources that
 * they apply to: the controller that does so, and writes `status.typeChecking`, is left out.
 */
export const policyRules: ResourceRules = {
  shape: admissionPolicyShape,
  defaults: (object) => {
    const spec = specOf(object);
    const { matchConstraints, failurePolicy = 'Fail' } = spec;
    const matching = matchConstraints === undefined ? {} : { matchConstraints: matchDefaults(matchConstraints) };
    return { ...object, spec: { ...spec, ...matching, failurePolicy } };
  },
  initialStatus: () => ({}),
  validate: (object, old) => validateSpec(object, old === undefined ? undefined : specOf(old)),
};

function specOf(object: ApiObject): PolicySpec {
  return object.spec ?? {};
}

function validateSpec(object: ApiObject, old: PolicySpec | undefined): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [], ...checked } = specOf(object);
  const { validations = [], auditAnnotations = [] } = checked;
  const errors: FieldError[] = [];
  if (!FAILURE_POLICIES.includes(failurePolicy ?? '')) errors.push(notSupported('spec.failurePolicy', failurePolicy, FAILURE_POLICIES));
  if (paramKind !== undefined) errors.push(...validateParamKind(paramKind));
  if (matchConstraints === undefined) errors.push(required('spec.matchConstraints'));
  else {
    errors.push(...validateMatchResources(matchConstraints, 'spec.matchConstraints'));
    if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(required('spec.matchConstraints.resourceRules'));
  }
  const hasParams = paramKind !== undefined;
  if (old === undefined || !isDeepStrictEqual(matchConditions, old.matchConditions ?? [])) {
    errors.push(...validateConditions(matchConditions, new PolicyExpressions({ hasParams, composed: false }), 'spec.matchConditions'));
  }
  const expressions = new PolicyExpressions({ hasParams, composed: variables.length > 0 });
  for (const [index, variable] of variables.entries()) errors.push(...validateVariable(variable, expressions, `spec.variables[${index}]`));
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [...errors, required('spec.validations', detail), required('spec.auditAnnotations', detail)];
  }
  const annotated = validateAnnotations(auditAnnotations, object.metadata.name ?? '', expressions);
  return [
    ...errors,
    ...validations.flatMap((one, index) => validateValidation(one, expressions, `spec.validations[${index}]`)),
    ...annotated,
  ];
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind): FieldError[] {
  const at = 'spec.paramKind';
  const errors: FieldError[] = [];
  const parts = apiVersion.split('/');
  const [group = '', version = ''] = parts.length === 1 ? ['', apiVersion] : parts;
  if (apiVersion === '') errors.push(required(`${at}.apiVersion`));
  else if (parts.length > 2) errors.push(invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const wrongGroup = group === '' ? [] : checkDnsSubdomain(group);
    if (wrongGroup.length > 0) errors.push(invalid(`${at}.apiVersion`, group, wrongGroup.join(',')));
    const wrongVersion = version === '' ? [] : checkDns1035Label(version);
    if (version === '') errors.push(invalid(`${at}.apiVersion`, apiVersion, 'version must be specified'));
    else if (wrongVersion.length > 0) errors.push(invalid(`${at}.apiVersion`, version, wrongVersion.join(',')));
  }
  const wrongKind = kind === '' ? [] : checkDns1035Label(kind.toLowerCase());
  if (kind === '') errors.push(required(`${at}.kind`));
  else if (wrongKind.length > 0) {
    errors.push(invalid(`${at}.kind`, kind, `may have mixed case, but should otherwise match: ${wrongKind.join(',')}`));
  }
  return errors;
}

function validateVariable(variable: NamedExpression, expressions: PolicyExpressions, at: string): FieldError[] {
  const { name = '', expression = '' } = variable;
  const errors: FieldError[] = [];
  if (name.trim() === '') errors.push(required(`${at}.name`, 'name is not specified'));
  else if (!IDENTIFIER.test(name) || isReserved(name)) errors.push(invalid(`${at}.name`, name, 'must be a valid CEL identifier'));
  if (expression.trim() === '') return [...errors, required(`${at}.expression`, 'expression is not specified')];
  return [...errors, ...problemOf(expressions.addVariable(variable), `${at}.expression`, expression)];
}

function validateValidation(validation: Validation, expressions: PolicyExpressions, at: string): FieldError[] {
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  const errors: FieldError[] = [];
  const notEmpty = 'must be non-empty if specified';
  const isBlank = (text: string): boolean => text !== '' && text.trim() === '';
  if (expression.trim() === '') errors.push(required(`${at}.expression`, 'expression is not specified'));
  else errors.push(...problemOf(expressions.compile(expression, ['bool']), `${at}.expression`, expression));
  if (isBlank(messageExpression)) errors.push(invalid(`${at}.messageExpression`, messageExpression, notEmpty));
  else if (messageExpression !== '') {
    const compiled = expressions.compile(messageExpression, ['string'], { authorizer: false, variables: true });
    errors.push(...problemOf(compiled, `${at}.messageExpression`, messageExpression));
  }
  if (isBlank(message)) errors.push(invalid(`${at}.message`, message, notEmpty));
  else if (/[\n\r]/.test(message.trim())) errors.push(invalid(`${at}.message`, message, 'must not contain line breaks'));
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, REASONS));
  return errors;
}

function validateAnnotations(annotations: readonly AuditAnnotation[], policy: string, expressions: PolicyExpressions): FieldError[] {
  const at = 'spec.auditAnnotations';
  const errors: FieldError[] = [];
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    // The server's internal type.
    const shown = annotations.map(({ key = '', valueExpression = '' }) => ({ Key: key, ValueExpression: valueExpression }));
    errors.push(invalid(at, shown, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    const [name, value] = [`${at}[${index}].key`, `${at}[${index}].valueExpression`];
    if (policy === '') errors.push(invalid(name, key, 'requires metadata.name be non-empty'));
    else errors.push(...checkQualifiedName(`${policy}/${key}`).map((problem) => invalid(name, `${policy}/${key}`, problem)));
    const source = valueExpression.trim();
    if (source === '') errors.push(required(value, 'valueExpression is not specified'));
    else if (Buffer.byteLength(source) > MAX_AUDIT_EXPRESSION_BYTES) {
      errors.push(required(value, `must not exceed ${MAX_AUDIT_EXPRESSION_BYTES} bytes in length`));
    } else errors.push(...problemOf(expressions.compile(source, ['string', 'null']), value, valueExpression));
    if (keys.has(key)) errors.push(duplicate(name, key));
    keys.add(key);
  }
  return errors;
}
