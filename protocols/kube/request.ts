import { defined } from '../../model/defined.ts';

/** The verb of a request, as in RBAC. */
type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The known query parameters, as sent. */
export interface KubeOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: string;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly timeoutSeconds?: string;
  readonly allowWatchBookmarks?: string;
  readonly sendInitialEvents?: string;
  readonly dryRun?: string;
  readonly gracePeriodSeconds?: string;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: string;
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  readonly force?: string;
  readonly includeObject?: string;
}

/** A request for a resource, parsed from its method and path. */
export interface KubeRequest {
  readonly verb: KubeVerb;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural name in the path. */
  readonly resource: string;
  readonly namespace?: string;
  /** A watch has one only in its old form (`/api/v1/watch/nodes/a`). */
  readonly name?: string;
  readonly subresource?: string;
  readonly options: KubeOptions;
}

const OPTIONS: readonly (keyof KubeOptions)[] = [
  'labelSelector',
  'fieldSelector',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'dryRun',
  'gracePeriodSeconds',
  'propagationPolicy',
  'orphanDependents',
  'fieldManager',
  'fieldValidation',
  'force',
  'includeObject',
];

/** Subresources of namespaces themselves: `namespaces/x/status` is not a resource `status` in `x`. */
const NAMESPACE_SUBRESOURCES: readonly string[] = ['status', 'finalize'];

/**
 * Parses a request as the API server's RequestInfo does.
 * @param path path with its query string
 * @returns undefined for paths without a resource: discovery, health, unknown paths, malformed escapes
 */
export function parseKubeRequest(method: string, path: string): KubeRequest | undefined {
  const [pathname = '', query = ''] = splitOnce(path, '?');
  const segments = decodeSegments(pathname);
  if (segments === undefined) return undefined;
  const [root, ...rest] = segments;
  let group = '';
  if (root === 'apis') group = rest.shift() ?? '';
  else if (root !== 'api') return undefined;
  const version = rest.shift();
  if (version === undefined || (root === 'apis' && group === '')) return undefined;

  // The old form of a watch, which any method has, so that only the server decides that it must be a GET.
  const isOldWatch = rest[0] === 'watch' && rest.length > 1;
  if (isOldWatch) rest.shift();
  let namespace: string | undefined;
  if (rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.includes(rest[2] ?? '')) {
    namespace = rest[1];
    rest.splice(0, 2);
  }
  const [resource, name, subresource, ...more] = rest;
  if (resource === undefined || more.length > 0) return undefined;
  const parameters = new URLSearchParams(query);
  const verb = isOldWatch ? 'watch' : verbOf(method, name, parameters);
  if (verb === undefined) return undefined;
  return {
    verb,
    group,
    version,
    resource,
    ...defined({ namespace, name, subresource }),
    options: query === '' ? {} : readOptions(parameters),
  };
}

function verbOf(method: string, name: string | undefined, parameters: URLSearchParams): KubeVerb | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (name !== undefined) return 'get';
      return isTrue(parameters.get('watch') ?? undefined) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

/** Whether a query parameter is true by Go's ParseBool (an empty one counts as true). */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && ['', '1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
}

function readOptions(parameters: URLSearchParams): KubeOptions {
  const options: { -readonly [Name in keyof KubeOptions]: string } = {};
  for (const name of OPTIONS) {
    const value = parameters.get(name);
    if (value !== null) options[name] = value;
  }
  return options;
}

function decodeSegments(pathname: string): string[] | undefined {
  try {
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment));
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
