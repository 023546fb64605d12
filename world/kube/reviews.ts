import type { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { formatTime } from '../../model/time.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { invalidObject } from '../../protocols/kube/status.ts';
import type { ApiObject, Resource } from './resource.ts';
import type { tokenRequestShape } from './validation/shapes.ts';

/** What the API server answers about access: objects that are created, answered and never stored. Everybody may do everything here. */

/** Who everybody is, as far as the API server knows. */
export const USER = { username: 'scaleproof', groups: ['system:masters', 'system:authenticated'] };
const SERVICE_ACCOUNT_GROUPS = ['system:serviceaccounts', 'system:authenticated'];
const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const AUDIENCES = [ISSUER];
/** The default of a TokenRequest, and the least (`pkg/apis/authentication`). */
const TOKEN_SECONDS = 3_600;
const MIN_TOKEN_SECONDS = 600;

type Review = NonNullable<Resource['review']>;

/** `SelfSubjectAccessReview`, `SubjectAccessReview`, `LocalSubjectAccessReview`. @throws StatusError 422 */
export const accessReview: Review = (object, { resource }) => {
  const spec = (object.spec ?? {}) as { resourceAttributes?: unknown; nonResourceAttributes?: unknown };
  const [isResource, isOther] = [spec.resourceAttributes !== undefined, spec.nonResourceAttributes !== undefined];
  if (isResource === isOther) {
    const error = isResource
      ? invalid('spec.nonResourceAttributes', spec.nonResourceAttributes, 'cannot be specified in combination with resourceAttributes')
      : invalid('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified');
    throw invalidObject({ group: resource.group, resource: resource.kind }, '', [error]);
  }
  return { ...object, status: { allowed: true } };
};

/** `SelfSubjectRulesReview`: what `kubectl auth can-i --list` shows. */
export const rulesReview: Review = (object) => ({
  ...object,
  status: {
    incomplete: false,
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  },
});

/** `SelfSubjectReview`: what `kubectl auth whoami` shows. */
export const selfReview: Review = (object, { nowMs }) => ({
  ...object,
  metadata: { creationTimestamp: formatTime(nowMs) },
  status: { userInfo: USER },
});

/** `TokenReview`: who a token of `tokenRequest` belongs to, until it expires. */
export const tokenReview: Review = (object, { nowMs }) => {
  const claims = claimsOf((object.spec as { token?: string } | undefined)?.token ?? '');
  if (claims === undefined || claims.exp * 1_000 <= nowMs) {
    return { ...object, status: { authenticated: false, user: {}, error: '[invalid bearer token, service account token is not valid]' } };
  }
  const namespace = claims.sub.split(':').at(-2) ?? '';
  const user = { username: claims.sub, groups: [...SERVICE_ACCOUNT_GROUPS, `system:serviceaccounts:${namespace}`] };
  return { ...object, status: { authenticated: true, user, audiences: AUDIENCES } };
};

/** The claims of a token. */
interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly exp: number;
}

/** The answer to a request for a token of a service account. Nothing here checks tokens, so it has no signature. @throws StatusError 422 */
export function tokenRequest(account: ApiObject, request: z.infer<typeof tokenRequestShape>, nowMs: number): ApiObject {
  const { audiences = [], expirationSeconds = TOKEN_SECONDS } = request.spec ?? {};
  const { name = '', namespace = '' } = account.metadata;
  if (expirationSeconds < MIN_TOKEN_SECONDS) {
    const error = invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 10 minutes');
    throw invalidObject({ group: 'authentication.k8s.io', resource: 'TokenRequest' }, name, [error]);
  }
  const iat = Math.floor(nowMs / 1_000);
  const aud = audiences.length === 0 ? AUDIENCES : audiences;
  const claims: Claims = { iss: ISSUER, sub: `system:serviceaccount:${namespace}:${name}`, aud, iat, exp: iat + expirationSeconds };
  const token = [{ alg: 'none', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...defined({ name, namespace }), creationTimestamp: formatTime(nowMs) },
    spec: { audiences: aud, expirationSeconds, boundObjectRef: null },
    status: { token: `${token}.`, expirationTimestamp: formatTime(claims.exp * 1_000) },
  };
}

function claimsOf(token: string): Claims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Partial<Claims>;
    return claims.iss === ISSUER && typeof claims.sub === 'string' && typeof claims.exp === 'number' ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}
