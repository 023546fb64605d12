import { isDeepStrictEqual } from 'node:util';
import type { LabelSelector } from '../../../model/kube.ts';
import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsSubdomain, checkPathSegment } from '../../../protocols/kube/names.ts';
import type { Binding, PolicyRule, Role, Subject } from '../rbac/rules.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { roleBindingShape, roleShape } from '../validation/shapes.ts';

/* Roles and their bindings, validated as `pkg/apis/rbac/validation` does, with the defaults of `pkg/apis/rbac/v1`. */

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export const roleRules: ResourceRules = rulesOfRoles(true);
export const clusterRoleRules: ResourceRules = rulesOfRoles(false);
export const roleBindingRules: ResourceRules = rulesOfBindings(['Role', 'ClusterRole']);
export const clusterRoleBindingRules: ResourceRules = rulesOfBindings(['ClusterRole']);

function rulesOfRoles(isNamespaced: boolean): ResourceRules {
  return {
    shape: roleShape,
    // A role without rules is answered with null.
    defaults: (object) => ({ ...object, rules: object['rules'] ?? null }),
    validate: (object) => {
      const { rules, aggregationRule } = object as ApiObject & Role;
      const errors = (rules ?? []).flatMap((rule, index) => ruleErrors(rule, isNamespaced, `rules[${index}]`));
      if (aggregationRule === undefined || isNamespaced) return errors;
      const selectors = aggregationRule.clusterRoleSelectors ?? [];
      const field = 'aggregationRule.clusterRoleSelectors';
      if (selectors.length === 0) errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
      return [...errors, ...selectors.flatMap((selector, index) => selectorErrors(selector, `${field}[${index}]`))];
    },
  };
}

/** What is wrong with a selector is said twice. */
function selectorErrors(selector: LabelSelector, field: string): FieldError[] {
  const errors = validateLabelSelector(selector, field);
  return errors.length === 0 ? [] : [...errors, invalid(field, null, 'invalid label selector.')];
}

function ruleErrors(rule: PolicyRule, isNamespaced: boolean, field: string): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs as readonly string[] | null | undefined;
  const errors: FieldError[] = [];
  if ((verbs ?? []).length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const urls = `${field}.nonResourceURLs`;
    if (isNamespaced) errors.push(invalid(urls, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
      errors.push(invalid(urls, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
    return errors;
  }
  if (apiGroups.length === 0) errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if (resources.length === 0) errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function rulesOfBindings(roleKinds: readonly string[]): ResourceRules {
  const isNamespaced = roleKinds.includes('Role');
  return {
    shape: roleBindingShape,
    defaults: (object) => {
      const { roleRef, subjects } = object as ApiObject & Partial<Binding>;
      return {
        ...object,
        ...(subjects == null ? {} : { subjects: subjects.map(withGroup) }),
        roleRef: { kind: '', name: '', ...roleRef, apiGroup: nonEmpty(roleRef?.apiGroup) ?? GROUP },
      };
    },
    validate: (object) => {
      const { roleRef, subjects } = object as ApiObject & Binding;
      const { kind, name, apiGroup } = roleRef;
      const errors: FieldError[] = [];
      if (apiGroup !== GROUP) errors.push(notSupported('roleRef.apiGroup', apiGroup, [GROUP]));
      if (!roleKinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, roleKinds));
      if (name === '') errors.push(required('roleRef.name'));
      else errors.push(...checkPathSegment(name).map((problem) => invalid('roleRef.name', name, problem)));
      return [...errors, ...(subjects ?? []).flatMap((subject, index) => subjectErrors(subject, isNamespaced, `subjects[${index}]`))];
    },
    validateUpdate: (object, old) => {
      const { roleRef } = object as ApiObject & Binding;
      if (isDeepStrictEqual(roleRef, (old as ApiObject & Binding).roleRef)) return [];
      const { apiGroup, kind, name } = roleRef;
      // The real message shows the server's internal type.
      return [invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')];
    },
  };
}

function withGroup(subject: Subject): Subject {
  const isGrouped = subject.kind === 'User' || subject.kind === 'Group';
  return isGrouped && nonEmpty(subject.apiGroup) === undefined ? { ...subject, apiGroup: GROUP } : subject;
}

function subjectErrors({ kind, name = '', apiGroup = '', namespace = '' }: Subject, isNamespaced: boolean, field: string): FieldError[] {
  const errors: FieldError[] = name === '' ? [required(`${field}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...checkDnsSubdomain(name).map((problem) => invalid(`${field}.name`, name, problem)));
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (!isNamespaced && namespace === '') errors.push(required(`${field}.namespace`));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== GROUP) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [GROUP]));
      break;
    default:
      errors.push(notSupported(`${field}.kind`, kind, SUBJECT_KINDS));
  }
  return errors;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
