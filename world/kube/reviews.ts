import { defined } from '../../model/defined.ts';
import { formatTime } from '../../model/time.ts';
import type { Attributes } from '../../model/denial.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import { badRequest, invalidObject } from '../../protocols/kube/status.ts';
import type { StatusError } from '../../protocols/kube/status.ts';
import type { Resource } from './resource.ts';
import { AUDIENCES, authenticateToken } from './tokens.ts';

/** What the API server answers about access: objects that are created, answered and never stored. */

type Review = NonNullable<Resource['review']>;

type ResourceAttributes = Partial<Record<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name', string>>;

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
}

/** `SelfSubjectAccessReview`: what the asker may do. @throws StatusError 422 */
export const selfAccessReview: Review = (object, { resource, user, access }) => {
  const spec = (object.spec ?? {}) as AccessSpec;
  const errors = kindErrors(spec);
  if (errors.length > 0) throw refusal(resource, errors);
  return { ...object, status: statusOf(access.decide(user, attributesIn(spec))) };
};

/** `SubjectAccessReview` and `LocalSubjectAccessReview`: what somebody may do. @throws StatusError 422 */
export const accessReview: Review = (object, { resource, namespace, access }) => {
  const spec = (object.spec ?? {}) as AccessSpec;
  const { user = '', groups = [] } = spec;
  const errors = kindErrors(spec);
  if (user === '' && groups.length === 0) errors.push(invalid('spec.user', user, 'at least one of user or group must be specified'));
  if (namespace !== undefined) errors.push(...localErrors(spec, namespace));
  if (errors.length > 0) throw refusal(resource, errors);
  return { ...object, status: statusOf(access.decide({ name: user, groups }, attributesIn(spec))) };
};

/** The real server forgets the kind in the message. */
function refusal({ group }: Resource, errors: readonly FieldError[]): StatusError {
  return invalidObject({ group, resource: '' }, '', errors);
}

function kindErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec): FieldError[] {
  if ((resourceAttributes === undefined) !== (nonResourceAttributes === undefined)) return [];
  return resourceAttributes === undefined
    ? [invalid('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')]
    : [invalid('spec.nonResourceAttributes', shown(nonResourceAttributes), 'cannot be specified in combination with resourceAttributes')];
}

/** As the real message shows it: with the server's internal type. */
function shown({ path: Path = '', verb: Verb = '' }: NonNullable<AccessSpec['nonResourceAttributes']> = {}): object {
  return { Path, Verb };
}

function localErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec, namespace: string): FieldError[] {
  const asked = resourceAttributes?.namespace ?? '';
  return [
    ...(resourceAttributes === undefined || asked === namespace
      ? []
      : [invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]),
    ...(nonResourceAttributes === undefined
      ? []
      : [invalid('spec.nonResourceAttributes', shown(nonResourceAttributes), 'disallowed on this kind of request')]),
  ];
}

function attributesIn({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', verb, path };
  }
  const { verb = '', group = '', version = '*', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes;
  return { kind: 'resource', verb, group, version, resource, subresource, namespace, name };
}

function statusOf({ allowed, reason }: { readonly allowed: boolean; readonly reason: string }): object {
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

/** `SelfSubjectRulesReview`: what `kubectl auth can-i --list` shows. @throws StatusError 400 */
export const rulesReview: Review = (object, { user, access }) => {
  const { namespace = '' } = (object.spec ?? {}) as { namespace?: string };
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, problem } = access.rules(user, namespace);
  return {
    ...object,
    status: {
      resourceRules: rules.flatMap(({ verbs, apiGroups, resources = [], resourceNames }) =>
        resources.length === 0 ? [] : [{ verbs, ...defined({ apiGroups }), resources, ...defined({ resourceNames }) }],
      ),
      nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
        nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
      ),
      incomplete: false,
      ...defined({ evaluationError: problem }),
    },
  };
};

/** `SelfSubjectReview`: what `kubectl auth whoami` shows. */
export const selfReview: Review = (object, { nowMs, user: { name, groups, uid, extra } }) => ({
  ...object,
  metadata: { creationTimestamp: formatTime(nowMs) },
  status: { userInfo: { username: name, ...defined({ uid }), groups, ...defined({ extra }) } },
});

/** `TokenReview`: who a token of a service account belongs to, and for whom it is. @throws StatusError 400 */
export const tokenReview: Review = (object, { nowMs, find }) => {
  const { token = '', audiences = [] } = (object.spec ?? {}) as { readonly token?: string; readonly audiences?: readonly string[] };
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const found = authenticateToken(token, audiences.length === 0 ? AUDIENCES : audiences, { find, nowMs });
  if ('problem' in found) return { ...object, status: { user: {}, error: found.problem } };
  const { name: username, uid, groups, extra } = found.user;
  return { ...object, status: { authenticated: true, user: { username, uid, groups, extra }, audiences: found.audiences } };
};
