import type { Principal } from '../../../model/operation.ts';
import { defined } from '../../../model/defined.ts';
import { serviceAccountOf } from '../../../model/service-account.ts';
import type { ServiceAccountName } from '../../../model/service-account.ts';
import { attributesOf, denied } from '../../../protocols/kube/attributes.ts';
import type { Attributes } from '../../../model/denial.ts';
import { StatusError, internalError } from '../../../protocols/kube/status.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { WireRequest } from '../../../wire/wire.ts';
import { objectKey } from '../resource.ts';
import type { Admission, Resource } from '../resource.ts';
import type { ResourceTable } from '../resource-table.ts';
import type { Store } from '../store.ts';
import { AUDIENCES, authenticateToken } from '../tokens.ts';
import { authorize, rulesFor } from './evaluator.ts';
import type { Decision, Policy } from './evaluator.ts';
import type { Binding, PolicyRule } from './rules.ts';
import { ADMINISTRATOR, MASTERS, impersonatedGroups, serviceAccountUser } from './users.ts';
import type { User } from './users.ts';

/** Who a request is from, and what users may do. */
export interface Access {
  /** Finds out who a request is from, and whether it is allowed. @throws StatusError 401, 403 */
  admit(request: WireRequest, principal: Principal): User;
  decide(user: User, request: Attributes): Decision;
  /** @param namespace empty for the cluster scope */
  rules(user: User, namespace: string): { readonly rules: readonly PolicyRule[]; readonly problem?: string };
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Everybody is an administrator, as with `--authorization-mode=AlwaysAllow`. */
export const ALWAYS_ALLOW: Access = {
  admit: () => ADMINISTRATOR,
  decide: () => ({ allowed: true, reason: '' }),
  rules: () => ({ rules: EVERYTHING }),
};

/** What RBAC needs. */
interface RbacSite {
  readonly store: Store;
  readonly table: ResourceTable;
  readonly clock: Clock;
  /** Whose rights the target's requests have that come without credentials. Those of all others are an administrator's. */
  readonly account: ServiceAccountName;
}

/** As with `--authorization-mode=RBAC`: requests are allowed by the roles in the store. A bearer token or impersonation says who asks. */
export function rbacAccess({ store, table, clock, account }: RbacSite): Access {
  const policy = policyIn(store, table);
  const find: Admission['find'] = (id, namespace, name) => store.get(table.byId(id), objectKey(namespace, name))?.object;
  const ofAccount = ({ namespace, name }: ServiceAccountName): User => {
    const uid = find('serviceaccounts', namespace, name)?.metadata.uid;
    return { ...serviceAccountUser({ namespace, name }), ...defined({ uid }) };
  };
  const decide: Access['decide'] = (user, request) =>
    user.groups.includes(MASTERS) ? { allowed: true, reason: '' } : authorize(policy, user, request);
  const demand = (user: User, request: Attributes): void => {
    const { allowed, reason } = decide(user, request);
    if (!allowed) throw denied(user.name, request, reason);
  };
  const authenticate = ({ headers }: WireRequest, principal: Principal): User => {
    const [, token] = /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '') ?? [];
    if (token === undefined) return principal === 'target' ? ofAccount(account) : ADMINISTRATOR;
    const found = authenticateToken(token, AUDIENCES, { find, nowMs: clock.nowMs() });
    if ('problem' in found) throw unauthorized();
    return found.user;
  };
  return {
    decide,
    rules: (user, namespace) => rulesFor(policy, user, namespace),
    admit: (request, principal) => {
      const user = impersonate(authenticate(request, principal), request, demand);
      demand(user, attributesOf(request.method, request.path));
      return user;
    },
  };
}

/** The user that a request acts as, which its sender must be allowed to impersonate. Source: `WithImpersonation`. */
function impersonate(sender: User, { headers }: WireRequest, demand: (user: User, request: Attributes) => void): User {
  const name = headers['impersonate-user'] ?? '';
  const groups = (headers['impersonate-group'] ?? '').split(', ').filter((group) => group !== '');
  const uid = headers['impersonate-uid'] ?? '';
  if (name === '' && groups.length === 0 && uid === '') return sender;
  if (name === '') throw internalError('requested groups or a uid without impersonating a user');
  const account = serviceAccountOf(name);
  const as = { kind: 'resource', verb: 'impersonate', subresource: '' } as const;
  const plain = { ...as, group: '', version: '', namespace: '' };
  if (account === undefined) demand(sender, { ...plain, resource: 'users', name });
  else demand(sender, { ...plain, version: 'v1', resource: 'serviceaccounts', ...account });
  for (const group of groups) demand(sender, { ...plain, resource: 'groups', name: group });
  if (uid !== '') demand(sender, { ...as, group: 'authentication.k8s.io', version: 'v1', resource: 'uids', namespace: '', name: uid });
  return { name, groups: impersonatedGroups(name, groups), ...(uid === '' ? {} : { uid }) };
}

function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

function policyIn(store: Store, table: ResourceTable): Policy {
  const of = (plural: string): Resource => table.byId(`${plural}.rbac.authorization.k8s.io`);
  const [bindings, localBindings] = [of('clusterrolebindings'), of('rolebindings')];
  const [clusterRoles, roles] = [of('clusterroles'), of('roles')];
  return {
    clusterRoleBindings: () => store.list(bindings).map(({ object }) => object as unknown as Binding),
    roleBindings: (namespace) => store.list(localBindings, namespace).map(({ object }) => object as unknown as Binding),
    clusterRole: (name) => store.get(clusterRoles, name)?.object,
    role: (namespace, name) => store.get(roles, objectKey(namespace, name))?.object,
  };
}
