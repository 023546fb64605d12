import type { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { serviceAccountOf, userNameOf } from '../../model/service-account.ts';
import type { ServiceAccountName } from '../../model/service-account.ts';
import { formatTime } from '../../model/time.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { invalidObject } from '../../protocols/kube/status.ts';
import type { ApiObject } from './resource.ts';
import type { tokenRequestShape } from './validation/shapes.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Whom tokens are for by default: the API server. */
export const AUDIENCES: readonly string[] = [ISSUER];
/** The default of a TokenRequest, the least and the most (`pkg/apis/authentication`). */
const TOKEN_SECONDS = 3_600;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** The claims of a token. */
interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly exp: number;
}

/** The answer to a request for a token of a service account. It has no signature: nobody here needs to be kept from making one. @throws StatusError 422 */
export function tokenRequest(account: ApiObject, request: z.infer<typeof tokenRequestShape>, nowMs: number): ApiObject {
  const { audiences = [], expirationSeconds = TOKEN_SECONDS } = request.spec ?? {};
  const { name = '', namespace = '' } = account.metadata;
  const problem =
    expirationSeconds < MIN_TOKEN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : expirationSeconds > MAX_TOKEN_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (problem !== undefined) {
    const error = invalid('spec.expirationSeconds', expirationSeconds, problem);
    throw invalidObject({ group: 'authentication.k8s.io', resource: 'TokenRequest' }, name, [error]);
  }
  const iat = Math.floor(nowMs / 1_000);
  const aud = audiences.length === 0 ? AUDIENCES : audiences;
  const claims: Claims = { iss: ISSUER, sub: userNameOf({ namespace, name }), aud, iat, exp: iat + expirationSeconds };
  const token = [{ alg: 'none', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...defined({ name, namespace }), creationTimestamp: formatTime(nowMs) },
    spec: { audiences: aud, expirationSeconds, boundObjectRef: null },
    status: { token: `${token}.`, expirationTimestamp: formatTime(claims.exp * 1_000) },
  };
}

/** The service account that a token of `tokenRequest` belongs to, until it expires. */
export function accountOfToken(token: string, nowMs: number): (ServiceAccountName & { readonly audiences: readonly string[] }) | undefined {
  const claims = claimsOf(token);
  if (claims === undefined || claims.exp * 1_000 <= nowMs) return undefined;
  const account = serviceAccountOf(claims.sub);
  return account === undefined ? undefined : { ...account, audiences: claims.aud };
}

function claimsOf(token: string): Claims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Partial<Claims>;
    const { iss, sub, aud, exp } = claims;
    return iss === ISSUER && typeof sub === 'string' && typeof exp === 'number' && Array.isArray(aud) ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}
