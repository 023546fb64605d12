/** A service account's name. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

const PREFIX = 'system:serviceaccount:';
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The user that a service account is to an API server. */
export function userNameOf({ namespace, name }: ServiceAccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The service account that a user is; undefined if it is another user. */
export function serviceAccountOf(user: string): ServiceAccountName | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(PREFIX.length).split(':');
  return more.length > 0 ? undefined : accountNamed(namespace, name);
}

/** Reads `NAMESPACE/NAME`. @returns undefined for anything else */
export function parseServiceAccount(text: string): ServiceAccountName | undefined {
  const [namespace = '', name = '', ...more] = text.split('/');
  return more.length > 0 ? undefined : accountNamed(namespace, name);
}

function accountNamed(namespace: string, name: string): ServiceAccountName | undefined {
  return DNS_LABEL.test(namespace) && DNS_SUBDOMAIN.test(name) ? { namespace, name } : undefined;
}
