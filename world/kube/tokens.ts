import { defined } from '../../model/defined.ts';
import type { Pod } from '../../model/kube.ts';
import { serviceAccountOf, userNameOf } from '../../model/service-account.ts';
import { formatTime } from '../../model/time.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { badRequest, conflict, invalidObject, notFound } from '../../protocols/kube/status.ts';
import { serviceAccountUser } from './rbac/users.ts';
import type { User } from './rbac/users.ts';
import type { Admission, ApiObject } from './resource.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Whom tokens are for by default: the API server. */
export const AUDIENCES: readonly string[] = [ISSUER];
/** The default of a TokenRequest, the least and the most (`pkg/apis/authentication`). */
const TOKEN_SECONDS = 3_600;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const KIND = { group: 'authentication.k8s.io', resource: 'TokenRequest' };

/** A named object, as claims name it. */
interface Named {
  readonly name: string;
  readonly uid?: string;
}

/** The objects that a token is bound to: it is void without any of them. */
interface Bound {
  readonly pod?: Named;
  readonly node?: Named;
  readonly secret?: Named;
}

/** The claims of a token (`pkg/serviceaccount/claims.go`). */
interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': Bound & { readonly namespace: string; readonly serviceaccount: Named };
}

/** What is asked for. */
interface TokenSpec {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef: { readonly kind?: string; readonly apiVersion?: string; readonly name?: string; readonly uid?: string } | null;
}

/** A request for a token of a service account, without the token. */
export type TokenRequest = ApiObject & { readonly spec: TokenSpec };

/** A request with its defaults. @param sent the right type @throws StatusError 422 */
export function readTokenRequest({ metadata: { name = '', namespace } }: ApiObject, sent: ApiObject, nowMs: number): TokenRequest {
  const { audiences = [], expirationSeconds = TOKEN_SECONDS, boundObjectRef = null } = (sent.spec ?? {}) as Partial<TokenSpec>;
  const problem =
    expirationSeconds < MIN_TOKEN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : expirationSeconds > MAX_TOKEN_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  // The real server forgets the name in the message.
  if (problem !== undefined) throw invalidObject(KIND, '', [invalid('spec.expirationSeconds', expirationSeconds, problem)]);
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...defined({ name, namespace }), creationTimestamp: formatTime(nowMs) },
    spec: { audiences: audiences.length === 0 ? AUDIENCES : audiences, expirationSeconds, boundObjectRef },
  };
}

/** @throws StatusError 422 if the request names another account than its path */
export function checkAccountName(name: string, { metadata: { name: sent = '' } }: ApiObject): void {
  if (sent === '' || sent === name) return;
  throw invalidObject(KIND, name, [invalid('metadata.name', sent, 'must match the service account name if specified')]);
}

/**
 * The answer to a request for a token: with the token. It has no signature: nobody here needs to be kept from making one.
 * @param id of the token
 * @throws StatusError 404, 400 or 409 if it can't be bound to the object that the request names
 */
export function withToken(
  request: TokenRequest,
  account: ApiObject,
  { find, nowMs, id }: { readonly find: Admission['find']; readonly nowMs: number; readonly id: string },
): ApiObject {
  const { audiences, expirationSeconds } = request.spec;
  const { name = '', namespace = '' } = account.metadata;
  const iat = Math.floor(nowMs / 1_000);
  const claims: Claims = {
    iss: ISSUER,
    sub: userNameOf({ namespace, name }),
    aud: audiences,
    iat,
    exp: iat + expirationSeconds,
    jti: id,
    'kubernetes.io': { namespace, serviceaccount: named(account), ...boundTo(request, account, find) },
  };
  const token = [{ alg: 'none', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return { ...request, status: { token: `${token}.`, expirationTimestamp: formatTime(claims.exp * 1_000) } };
}

function named({ metadata: { name = '', uid } }: ApiObject): Named {
  return { name, ...defined({ uid }) };
}

const BINDABLE: Readonly<Record<string, { readonly id: string; readonly namespaced: boolean; readonly as: keyof Bound }>> = {
  Pod: { id: 'pods', namespaced: true, as: 'pod' },
  Secret: { id: 'secrets', namespaced: true, as: 'secret' },
  Node: { id: 'nodes', namespaced: false, as: 'node' },
};

/** `TokenREST.Create` of `pkg/registry/core/serviceaccount/storage/token.go` */
function boundTo({ spec: { boundObjectRef } }: TokenRequest, { metadata }: ApiObject, find: Admission['find']): Bound {
  if (boundObjectRef === null) return {};
  const { kind = '', apiVersion = '', name = '', uid = '' } = boundObjectRef;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const bindable = group === '' ? BINDABLE[kind] : undefined;
  if (bindable === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const { id, namespaced, as } = bindable;
  const found = find(id, namespaced ? metadata.namespace : undefined, name);
  if (found === undefined) throw notFound({ group: '', resource: id }, name);
  const { serviceAccountName, nodeName = '' } = (as === 'pod' ? found.spec : {}) as Partial<Pod['spec']> & { serviceAccountName?: string };
  if (as === 'pod' && serviceAccountName !== metadata.name) {
    const account = JSON.stringify(metadata.name);
    throw badRequest(`cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`);
  }
  if (uid !== '' && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource: kind }, name, why);
  }
  const node = nodeName === '' ? undefined : find('nodes', undefined, nodeName);
  return { [as]: named(found), ...(nodeName === '' ? {} : { node: node === undefined ? { name: nodeName } : named(node) }) };
}

/** What a token is worth: whose it is and for which of the wanted audiences, or why it is worth nothing. */
type Authentication = { readonly user: User; readonly audiences: readonly string[] } | { readonly problem: string };

/** What the real server says of a token that is none of its own. */
const NOT_OWN = 'invalid bearer token';

/** Source: `jwtTokenAuthenticator.AuthenticateToken` and `validator.Validate` of `pkg/serviceaccount`. */
export function authenticateToken(
  token: string,
  wanted: readonly string[],
  { find, nowMs }: { readonly find: Admission['find']; readonly nowMs: number },
): Authentication {
  const refused = (why: string): Authentication => ({ problem: `[${NOT_OWN}, ${why}]` });
  const claims = claimsOf(token);
  const account = claims && serviceAccountOf(claims.sub);
  if (claims === undefined || account === undefined) return { problem: NOT_OWN };
  const audiences = wanted.filter((one) => claims.aud.includes(one));
  if (audiences.length === 0) return refused(`token audiences ${quoted(claims.aud)} is invalid for the target audiences ${quoted(wanted)}`);
  if (claims.exp * 1_000 <= nowMs) return refused('service account token has expired');
  const { serviceaccount, pod, node, secret } = claims['kubernetes.io'];
  const { namespace, name } = account;
  const { uid } = find('serviceaccounts', namespace, name)?.metadata ?? {};
  if (uid === undefined) return refused(`serviceaccounts ${JSON.stringify(name)} not found`);
  if (uid !== serviceaccount.uid) return refused(`service account UID (${uid}) does not match claim (${serviceaccount.uid ?? ''})`);
  const isGone = (id: string, one: Named | undefined): boolean =>
    one?.uid !== undefined && find(id, id === 'nodes' ? undefined : namespace, one.name)?.metadata.uid !== one.uid;
  if (isGone('secrets', secret) || isGone('pods', pod)) return refused('service account token has been invalidated');
  // The node of a bound pod is only information.
  if (pod === undefined && isGone('nodes', node)) return refused('service account token has been invalidated');
  const extra = {
    'credential-id': `JTI=${claims.jti}`,
    ...defined({ 'pod-name': pod?.name, 'pod-uid': pod?.uid, 'node-name': node?.name, 'node-uid': node?.uid }),
  };
  const entries = Object.entries(extra).map(([key, value]) => [`authentication.kubernetes.io/${key}`, [value]] as const);
  return { user: { ...serviceAccountUser(account), uid, extra: Object.fromEntries(entries) }, audiences };
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

function claimsOf(token: string): Claims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Partial<Claims>;
    const { iss, sub, aud, exp, 'kubernetes.io': own } = claims;
    const isWhole = typeof sub === 'string' && typeof exp === 'number' && Array.isArray(aud) && typeof own?.serviceaccount === 'object';
    return iss === ISSUER && isWhole ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}
