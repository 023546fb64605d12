import { defined } from '../../model/defined.ts';
import type { KubeOptions } from '../../protocols/kube/request.ts';
import { forbidden, notSupported } from '../../protocols/kube/field-error.ts';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import { jsonSyntaxError } from '../../protocols/kube/json-syntax.ts';
import { StatusError, badRequest, expired, invalidObject } from '../../protocols/kube/status.ts';
import { apiVersionOf, objectKey } from './resource.ts';
import type { Resource } from './resource.ts';
import { selectionOf } from './selection.ts';
import type { Store, Version } from './store.ts';

/** One page of a list. */
export interface Page {
  readonly versions: readonly Version[];
  /** The revision of the whole list. */
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted ' +
  'between the time the first chunk was returned and now may show up in the list.';

const EXACT_TOO_OLD = 'The resourceVersion for the provided list is too old.';

/** In a token: continue at the newest revision. */
const NEWEST = -1;

/**
 * Lists a resource: newest state, an exact older one (`resourceVersionMatch=Exact`, `continue`), in pages if a limit is
 * given. With selectors there is no remaining count, as in the real server.
 * @param cached the newest revision in the watch cache, which serves reads at any revision or at a minimum one
 * @throws StatusError 400, 410 Expired, 504 for a future revision
 */
export function listPage(
  store: Store,
  resource: Resource,
  namespace: string | undefined,
  options: KubeOptions,
  cached = store.revision,
): Page {
  const selected = selectionOf(resource, options);
  checkMatch(options);
  const token = options.continue === undefined || options.continue === '' ? undefined : readToken(options.continue);
  if (token !== undefined && !['', '0'].includes(options.resourceVersion ?? '')) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const revision =
    token === undefined ? revisionOf(options, store.revision, cached) : token.revision === NEWEST ? store.revision : token.revision;
  // The watch cache makes no pages of a list at any revision (`computeListLimit`). Events have none.
  const isCached = token === undefined && options.resourceVersion === '0' && resource.id !== 'events';
  const limit = isCached ? 0 : Math.max(0, readCount(options.limit) ?? 0);
  if (token === undefined && limit === 0) {
    const all = store.listAt(resource, namespace, revision);
    if (all === undefined) throw expired(EXACT_TOO_OLD);
    return { versions: all.filter(({ object }) => selected(object)), revision };
  }
  const range = store.rangeAt(resource, namespace, revision, token?.after ?? '');
  if (range === undefined) {
    if (token === undefined) throw expired(EXACT_TOO_OLD);
    throw expired(CONTINUE_EXPIRED, writeToken({ revision: NEWEST, after: token.after }));
  }
  const versions: Version[] = [];
  for (const version of range.versions) {
    if (!selected(version.object)) continue;
    const last = versions.at(-1);
    if (limit > 0 && versions.length === limit && last !== undefined) {
      const filtered = (options.labelSelector ?? '') !== '' || (options.fieldSelector ?? '') !== '';
      return {
        versions,
        revision,
        continue: writeToken({ revision, after: keyOf(last) }),
        ...(filtered ? {} : { remaining: range.count - limit }),
      };
    }
    versions.push(version);
  }
  return { versions, revision };
}

/** The revision that a list must show. */
function revisionOf(options: KubeOptions, newest: number, cached: number): number {
  const requested = checkRevision(options.resourceVersion, newest);
  if (requested === undefined) return newest;
  const isExact = options.resourceVersionMatch === 'Exact' || isLegacyExact(options);
  if (isExact) return requested;
  if (requested > cached) throw tooLarge(requested, cached);
  return cached;
}

/** A page at a certain revision shows exactly that one, unless the request says otherwise (`ShouldDelegateList`). */
function isLegacyExact({ limit, resourceVersion = '', resourceVersionMatch: match = '' }: KubeOptions): boolean {
  return (readCount(limit) ?? 0) > 0 && match === '' && resourceVersion !== '' && resourceVersion !== '0';
}

/** The checks of `ValidateListOptions`. @throws StatusError 422 */
function checkMatch({ resourceVersionMatch: match = '', resourceVersion = '', continue: token = '' }: KubeOptions): void {
  if (match === '') return;
  const errors: FieldError[] = [];
  const field = 'resourceVersionMatch';
  if (resourceVersion === '') errors.push(forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (token !== '') errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  if (!MATCHES.includes(match)) errors.push(notSupported(field, match, MATCHES));
  if (match === 'Exact' && resourceVersion === '0') {
    errors.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', resource: 'ListOptions' }, '', errors);
}

const MATCHES = ['Exact', 'NotOlderThan', ''];

/**
 * The revision that a read requests.
 * @throws StatusError 400, 504 for a future one (the real server waits up to 3 s for it)
 */
export function checkRevision(text: string | undefined, newest: number): number | undefined {
  const requested = readRevision(text, (why) => badRequest(`invalid resource version: ${why}`));
  if (requested !== undefined && requested > newest) throw tooLarge(requested, newest);
  return requested;
}

/** The refusal of a future revision. */
export function tooLarge(requested: number, newest: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${newest}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** @throws the error that `refuse` makes of the reason, for a malformed revision */
export function readRevision(text: string | undefined, refuse: (why: string) => StatusError): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const shown = JSON.stringify(text);
  throw refuse(`resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`);
}

/** @throws StatusError 400 */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

export function tooOld(revision: number, store: Store): string {
  return `too old resource version: ${revision} (${store.compactedRevision})`;
}

/** A list's own metadata. */
export function listMeta(page: Page): object {
  return {
    resourceVersion: String(page.revision),
    ...defined({ continue: page.continue, remainingItemCount: page.remaining }),
  };
}

/** The list object as JSON. Items of built-in types omit their type, as in Go's typed lists. */
export function writeList(resource: Resource, page: Page): string {
  const apiVersion = apiVersionOf(resource);
  // A list of custom objects has no Go type, whose `omitempty` would drop an empty token.
  const metadata = JSON.stringify(resource.custom ? { continue: '', ...listMeta(page) } : listMeta(page));
  // Every stored object is written with its type first: see `stamp` of the store.
  const typeLength = `"kind":"${resource.kind}","apiVersion":"${apiVersion}",`.length;
  const items = page.versions.map(({ text }) => (resource.custom ? text : `{${text.slice(1 + typeLength)}`));
  return `{"kind":"${resource.listKind}","apiVersion":"${apiVersion}","metadata":${metadata},"items":[${items.join(',')}]}`;
}

function keyOf({ object }: Version): string {
  return objectKey(object.metadata.namespace, object.metadata.name ?? '');
}

interface Token {
  readonly revision: number;
  readonly after: string;
}

function writeToken(token: Token): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: token.revision, start: token.after })).toString('base64url');
}

/** As `DecodeContinue` of `k8s.io/apiserver/pkg/storage`. @throws StatusError 400 */
function readToken(text: string): Token {
  const illegal = /[^-\w]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length : undefined);
  if (illegal !== undefined) throw invalidToken(`: illegal base64 data at input byte ${illegal}`);
  const bytes = Buffer.from(text, 'base64url');
  const problem = jsonSyntaxError(bytes);
  if (problem !== undefined) throw invalidToken(`: ${problem}`);
  const token = JSON.parse(bytes.toString()) as unknown;
  const { v, rv, start } = isJsonObject(token) ? token : {};
  if (v !== TOKEN_VERSION) throw invalidToken(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || rv === 0) throw invalidToken(`: incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  if (typeof start !== 'string' || start === '') throw invalidToken(`: encoded start key empty (version ${TOKEN_VERSION})`);
  return { revision: rv, after: start };
}

function invalidToken(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}

const TOKEN_VERSION = 'meta.k8s.io/v1';
