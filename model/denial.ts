import { defined } from './defined.ts';

/* What is authorized, and how an API server says that it is not allowed. */

/** What is authorized: a request for a resource, or for another path. Absent parts of a request for a resource are empty. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

/**
 * The message of a denial. Source: `ForbiddenStatusError` of `k8s.io/apiserver/pkg/endpoints/handlers/responsewriters`.
 * @param reason why the authorizer could not allow it, if it says so
 */
export function denialMessage(user: string, request: Attributes, reason = ''): string {
  const why = `${escaped(`User ${JSON.stringify(user)} cannot ${request.verb} ${whatOf(request)}`)}${reason === '' ? '' : `: ${reason}`}`;
  if (request.kind === 'path') return `forbidden: ${why}`;
  const { group, resource, name } = request;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return `${qualified}${name === '' ? '' : ` ${JSON.stringify(name)}`} is forbidden: ${why}`;
}

/** What the Status of a denial is about. */
export function denialDetails(request: Attributes): { readonly name?: string; readonly group?: string; readonly kind?: string } {
  if (request.kind === 'path') return {};
  const { group, resource, name } = request;
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource };
}

function whatOf(request: Attributes): string {
  if (request.kind === 'path') return `path ${JSON.stringify(request.path)}`;
  const { group, resource, subresource, namespace } = request;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A denial, read from the message of an answer. */
export interface Denial {
  readonly user: string;
  readonly verb: string;
  /** With its subresource: `pods/eviction`. Absent for a path. */
  readonly resource?: { readonly group: string; readonly resource: string; readonly namespace?: string };
  readonly path?: string;
}

const DENIAL =
  /forbidden: User "([^"]*)" cannot (\S*) (?:path "([^"]*)"|resource "([^"]*)" in API group "([^"]*)" (?:at the cluster scope|in the namespace "([^"]*)"))/;

/** Reads a denial's message. @returns undefined for any other message: quotas and admission refuse with 403, too */
export function readDenial(message: string): Denial | undefined {
  const [, user, verb, path, resource, group, namespace] = DENIAL.exec(message) ?? [];
  if (user === undefined || verb === undefined) return undefined;
  if (path !== undefined) return { user, verb, path };
  if (resource === undefined || group === undefined) return undefined;
  return { user, verb, resource: { group, resource, ...defined({ namespace }) } };
}
