import { userNameOf } from '../../../model/service-account.ts';
import type { Attributes } from '../../../model/denial.ts';
import { aggregateText, notFound } from '../../../protocols/kube/status.ts';
import { ruleAllows } from './rules.ts';
import type { Binding, PolicyRule, Role, Subject } from './rules.ts';
import type { User } from './users.ts';

/** The roles and bindings of a cluster. */
export interface Policy {
  /** Sorted by name. */
  clusterRoleBindings(): readonly Binding[];
  /** Sorted by name. */
  roleBindings(namespace: string): readonly Binding[];
  clusterRole(name: string): Role | undefined;
  role(namespace: string, name: string): Role | undefined;
}

/** Whether something is allowed, and why; `reason` is empty if there is nothing to say. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** A rule that applies to a user and why; or why a binding has none. */
type Found = { readonly rule: PolicyRule; readonly source: string } | { readonly problem: string };

const ROLES_GROUP = 'rbac.authorization.k8s.io';

/** Decides as RBAC does: a request is allowed if one rule of the user's roles allows it. Source: `plugin/pkg/auth/authorizer/rbac`. */
export function authorize(policy: Policy, user: User, request: Attributes): Decision {
  const problems: string[] = [];
  const namespace = request.kind === 'resource' ? request.namespace : '';
  for (const found of visit(policy, user, namespace)) {
    if ('problem' in found) problems.push(found.problem);
    else if (ruleAllows(found.rule, request)) return { allowed: true, reason: `RBAC: allowed by ${found.source}` };
  }
  return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregateText(problems)}` };
}

/** All rules of a user in a namespace (empty: at the cluster scope), and what is wrong with the bindings. */
export function rulesFor(
  policy: Policy,
  user: User,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly problem?: string } {
  const found = [...visit(policy, user, namespace)];
  const problems = found.flatMap((one) => ('problem' in one ? [one.problem] : []));
  const rules = found.flatMap((one) => ('rule' in one ? [one.rule] : []));
  return { rules, ...(problems.length === 0 ? {} : { problem: aggregateText(problems) }) };
}

/** Source: `VisitRulesFor` of `pkg/registry/rbac/validation`. The real one goes through bindings in no particular order. */
function* visit(policy: Policy, user: User, namespace: string): Generator<Found, void, undefined> {
  for (const binding of policy.clusterRoleBindings()) yield* visitBinding(policy, user, binding, '');
  if (namespace === '') return;
  for (const binding of policy.roleBindings(namespace)) yield* visitBinding(policy, user, binding, namespace);
}

function* visitBinding(policy: Policy, user: User, binding: Binding, namespace: string): Generator<Found, void, undefined> {
  const subject = binding.subjects?.find((one) => appliesTo(one, user, namespace));
  if (subject === undefined) return;
  const { kind, name } = binding.roleRef;
  const role = kind === 'ClusterRole' ? policy.clusterRole(name) : namespace === '' ? undefined : policy.role(namespace, name);
  if (role === undefined) {
    yield { problem: notFound({ group: ROLES_GROUP, resource: kind.toLowerCase() }, name).message };
    return;
  }
  const bound = binding.metadata.name ?? '';
  const what = namespace === '' ? `ClusterRoleBinding ${JSON.stringify(bound)}` : `RoleBinding ${JSON.stringify(`${bound}/${namespace}`)}`;
  const source = `${what} of ${kind} ${JSON.stringify(name)} to ${describe(subject, namespace)}`;
  for (const rule of role.rules ?? []) yield { rule, source };
}

function appliesTo({ kind, name, namespace }: Subject, user: User, bindingNamespace: string): boolean {
  switch (kind) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount': {
      const home = namespace === undefined || namespace === '' ? bindingNamespace : namespace;
      return home !== '' && user.name === userNameOf({ namespace: home, name });
    }
    default:
      return false;
  }
}

function describe({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  if (kind !== 'ServiceAccount') return `${kind} ${JSON.stringify(name)}`;
  const home = namespace === undefined || namespace === '' ? bindingNamespace : namespace;
  return `${kind} ${JSON.stringify(`${name}/${home}`)}`;
}
