import type { KubeObject, LabelSelector } from '../../../model/kube.ts';
import type { Attributes } from '../../../model/denial.ts';

/** One rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  /** `pods`, `pods/eviction`, `*`, or a subresource of anything: `*\/scale`. */
  readonly resources?: readonly string[];
  /** By default all. */
  readonly resourceNames?: readonly string[];
  /** A `*` at the end stands for any ending. */
  readonly nonResourceURLs?: readonly string[];
}

/** A Role or ClusterRole. */
export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  /** Of a ClusterRole: its rules are those of the ClusterRoles with these labels. */
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface Binding extends KubeObject {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: { readonly kind: string; readonly name: string; readonly apiGroup?: string };
}

const ALL = '*';

/** Whether a rule allows a request. Source: `RuleAllows` of `plugin/pkg/auth/authorizer/rbac`, `pkg/apis/rbac/v1/evaluation_helpers.go`. */
export function ruleAllows(rule: PolicyRule, request: Attributes): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  if (request.kind === 'path') return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, request.path));
  return (
    has(rule.apiGroups, request.group) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, request.resource, request.subresource)) &&
    ((rule.resourceNames ?? []).length === 0 || rule.resourceNames?.includes(request.name) === true)
  );
}

function has(values: readonly string[] = [], value: string): boolean {
  return values.includes(ALL) || values.includes(value);
}

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === ALL) return true;
  return subresource === '' ? pattern === resource : pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

function urlMatches(pattern: string, path: string): boolean {
  if (pattern === ALL || pattern === path) return true;
  return pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, ''));
}
