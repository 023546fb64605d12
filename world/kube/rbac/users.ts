import { serviceAccountOf, userNameOf } from '../../../model/service-account.ts';
import type { ServiceAccountName } from '../../../model/service-account.ts';

/** Who a request is from, as far as authorization knows. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ANONYMOUS = 'system:anonymous';
/** Members may do everything, whatever the roles say. */
export const MASTERS = 'system:masters';

/** The people and parts whose requests come without credentials, and are trusted because of their port. */
export const ADMINISTRATOR: User = { name: 'scaleproof', groups: [MASTERS, AUTHENTICATED] };

/** The user that a service account is. Source: `k8s.io/apiserver/pkg/authentication/serviceaccount`. */
export function serviceAccountUser(account: ServiceAccountName): User {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  return { name: userNameOf(account), groups: [...groups, AUTHENTICATED] };
}

/** The groups of an impersonated user, given those that were asked for. Source: `WithImpersonation`. */
export function impersonatedGroups(user: string, asked: readonly string[]): string[] {
  const account = serviceAccountOf(user);
  const groups = asked.length > 0 || account === undefined ? [...asked] : [...serviceAccountUser(account).groups];
  if (user === ANONYMOUS) return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  return groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}
