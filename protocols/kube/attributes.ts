import { denialDetails, denialMessage } from '../../model/denial.ts';
import type { Attributes } from '../../model/denial.ts';
import { parseFieldTerms } from './field-selector.ts';
import { StatusError } from './status.ts';
import { isTrue } from './request.ts';

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Verbs in front of the path, an old form. */
const IN_PATH: readonly string[] = ['proxy', 'watch'];
const NAMESPACE_SUBRESOURCES: readonly string[] = ['status', 'finalize'];

/** What a request is authorized for, whether it is served or not. Source: `RequestInfoFactory` of `k8s.io/apiserver/pkg/endpoints/request`. */
export function attributesOf(method: string, target: string): Attributes {
  const [pathname = '', ...query] = target.split('?');
  const path = decode(pathname);
  const [root = '', ...parts] = path.split('/').filter((part) => part !== '');
  const isCore = root === 'api';
  if ((!isCore && root !== 'apis') || parts.length < (isCore ? 2 : 3)) return { kind: 'path', verb: method.toLowerCase(), path };
  const group = isCore ? '' : (parts.shift() ?? '');
  const version = parts.shift() ?? '';
  const inPath = IN_PATH.includes(parts[0] ?? '') && parts.length > 1 ? parts.shift() : undefined;
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] ?? '';
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.includes(parts[2] ?? '')) parts.splice(0, 2);
  }
  const [resource = '', named = '', below = ''] = parts;
  const verb = inPath ?? VERBS[method] ?? '';
  const subresource = verb === 'proxy' ? '' : below;
  const parameters = new URLSearchParams(query.join('?'));
  const isMany = named === '' && (verb === 'get' || verb === 'delete');
  const many = verb === 'delete' ? 'deletecollection' : isTrue(parameters.get('watch') ?? undefined) ? 'watch' : 'list';
  return {
    kind: 'resource',
    verb: isMany ? many : verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name: isMany && verb === 'get' ? nameIn(parameters.get('fieldSelector') ?? '') : named,
  };
}

/** A list or watch of one object, by its name. A malformed selector is refused later. */
function nameIn(fieldSelector: string): string {
  const name = termsOf(fieldSelector).find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value ?? '';
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
}

function termsOf(fieldSelector: string): ReturnType<typeof parseFieldTerms> {
  try {
    return parseFieldTerms(fieldSelector);
  } catch (error) {
    if (error instanceof StatusError) return [];
    throw error;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The answer to a request that its user has no right to. @param reason why the authorizer could not allow it, if it says so */
export function denied(user: string, request: Attributes, reason = ''): StatusError {
  return new StatusError(403, 'Forbidden', denialMessage(user, request, reason), denialDetails(request));
}
