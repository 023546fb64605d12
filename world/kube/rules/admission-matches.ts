import { defined } from '../../../model/defined.ts';
import { duplicate, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkPathSegment } from '../../../protocols/kube/names.ts';
import type { MatchResources, ResourceRule } from '../policies/policy.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';

/* What policies, bindings and webhooks apply to (`pkg/apis/admissionregistration`). */

export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const MATCH_POLICIES = ['Equivalent', 'Exact'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** `SetDefaults_Rule` */
export function scoped(rules: readonly ResourceRule[]): ResourceRule[] {
  return rules.map((rule) => ({ ...rule, scope: rule.scope ?? '*' }));
}

/** `SetDefaults_MatchResources` */
export function matchDefaults(matching: MatchResources): MatchResources {
  const { resourceRules, excludeResourceRules, ...rest } = matching;
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...rest,
    ...defined({
      resourceRules: resourceRules && scoped(resourceRules),
      excludeResourceRules: excludeResourceRules && scoped(excludeResourceRules),
    }),
  };
}

export function validateMatchResources(matching: MatchResources, at: string): FieldError[] {
  const { matchPolicy = '', namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = matching;
  return [
    ...(MATCH_POLICIES.includes(matchPolicy) ? [] : [notSupported(`${at}.matchPolicy`, matchPolicy, MATCH_POLICIES)]),
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${at}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => validateRule(rule, `${at}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => validateRule(rule, `${at}.excludeResourceRules[${index}]`)),
  ];
}

export function validateRule(
  { operations = [], apiGroups = [], apiVersions = [], resources = [], scope, resourceNames = [] }: ResourceRule,
  at: string,
): FieldError[] {
  const names = resourceNames.flatMap((name, index) => [
    ...checkPathSegment(name).map((problem) => invalid(`${at}.resourceNames[${index}]`, name, problem)),
    ...(resourceNames.indexOf(name) < index ? [duplicate(`${at}.resourceNames[${index}]`, name)] : []),
  ]);
  return [
    ...names,
    ...validateList(operations, `${at}.operations`, 'operations'),
    ...operations.flatMap((one, index) => (OPERATIONS.includes(one) ? [] : [notSupported(`${at}.operations[${index}]`, one, OPERATIONS)])),
    ...validateList(apiGroups, `${at}.apiGroups`, 'API groups'),
    ...validateList(apiVersions, `${at}.apiVersions`, 'API versions'),
    ...apiVersions.flatMap((one, index) => (one === '' ? [required(`${at}.apiVersions[${index}]`)] : [])),
    ...validateResources(resources, `${at}.resources`),
    ...(scope === undefined || SCOPES.includes(scope) ? [] : [notSupported(`${at}.scope`, scope, SCOPES)]),
  ];
}

function validateList(values: readonly string[], field: string, what: string): FieldError[] {
  if (values.length === 0) return [required(field)];
  return values.length > 1 && values.includes('*') ? [invalid(field, values, `if '*' is present, must not specify other ${what}`)] : [];
}

/** `validateResources` */
function validateResources(resources: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(field)] : [];
  const [wholes, everywhere] = [new Set<string>(), new Set<string>()];
  let plain = false;
  for (const [index, one] of resources.entries()) {
    const slash = one.indexOf('/');
    if (one === '') errors.push(required(`${field}[${index}]`));
    // As in the real server, only the last one counts.
    else if (slash < 0) plain = one !== '*';
    else {
      const [resource, subresource] = [one.slice(0, slash), one.slice(slash + 1)];
      const refuse = (other: string): void =>
        void errors.push(invalid(`${field}[${index}]`, one, `if '${other}' is present, must not specify ${one}`));
      if (wholes.has(resource)) refuse(`${resource}/*`);
      if (everywhere.has(subresource)) refuse(`*/${subresource}`);
      if (subresource === '*') wholes.add(resource);
      if (resource === '*') everywhere.add(subresource);
    }
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && plain) {
    errors.push(invalid(field, resources, "if '*' is present, must not specify other resources without subresources"));
  }
  return errors;
}
