import type { z } from 'zod';
import { formatObject } from '../../model/operation.ts';
import type { Effect, Operation, Principal } from '../../model/operation.ts';
import { forbidden } from '../../protocols/kube/field-error.ts';
import { applyJsonPatch } from '../../protocols/kube/json-patch.ts';
import { mergePatch } from '../../protocols/kube/merge-patch.ts';
import { describeKubeRequest } from '../../protocols/kube/operation.ts';
import { isTrue, parseKubeRequest } from '../../protocols/kube/request.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import {
  StatusError,
  badRequest,
  deleted,
  describeStatus,
  invalidObject,
  methodNotAllowed,
  notAcceptable,
  success,
  unsupportedMediaType,
} from '../../protocols/kube/status.ts';
import type { Status } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Mailbox } from '../../runtime/mailbox.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { asText } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import type { Deletion } from './deletion.ts';
import { discover } from './discovery.ts';
import { listPage, readCount, readRevision, writeList } from './lists.ts';
import { bindPod, evictPod } from './pod-subresources.ts';
import type { Location, Registry, Writer } from './registry.ts';
import type { ResourceTable } from './resource-table.ts';
import { groupResource } from './resource.ts';
import type { Resource } from './resource.ts';
import { selectionOf } from './selection.ts';
import type { Store, Version } from './store.ts';
import { bindingShape, deleteOptionsShape, evictionShape } from './validation/shapes.ts';
import { writeEvent } from './watches.ts';
import type { Watches } from './watches.ts';

/** Events that a watcher may leave unread before its connection is ended. */
const WATCH_BUFFER = 50_000;
/** A watch without a time-out of its own ends after one drawn from here, as with the real --min-request-timeout. */
const WATCH_TIMEOUT_SECONDS = { min: 1800, max: 3600 } as const;

const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json'];
const JSON_TYPE = 'application/json';

type Reply = WireResponse | { readonly status: number; readonly body: string };

/** Serves the Kubernetes wire from the store: one request, one answer; a watch answers with a stream. */
export class ApiBackend implements Backend {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #table: ResourceTable;
  readonly #watches: Watches;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(parts: { store: Store; registry: Registry; table: ResourceTable; watches: Watches; clock: Clock; random: Random }) {
    this.#store = parts.store;
    this.#registry = parts.registry;
    this.#table = parts.table;
    this.#watches = parts.watches;
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  describe(request: WireRequest): Operation {
    return describeKubeRequest(request);
  }

  async handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer> {
    const before = this.#store.revision;
    try {
      const reply = this.#serve(request, operation, caller.principal);
      const answer: WireResponse = { headers: { 'content-type': JSON_TYPE }, ...reply };
      return { ...answer, effect: this.#effectSince(before) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { ...refusalOf(error), effect: { kind: 'rejected', code: error.reason } };
    }
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    return refusalOf(new StatusError(status, code, message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }));
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    return status < 400 ? {} : describeStatus(asText(body));
  }

  /** Requests run one after the other, so all commits since the beginning of one are its own. */
  #effectSince(revision: number): Effect {
    if (this.#store.revision === revision) return { kind: 'none' };
    const ids = (this.#store.since(revision) ?? []).map(({ resource, version }) => {
      const { namespace, name } = version.object.metadata;
      return formatObject({
        resource: resource.plural,
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
      });
    });
    return { kind: 'applied', ids: [...new Set(ids)] };
  }

  #serve(request: WireRequest, operation: Operation, principal: Principal): Reply {
    const parsed = parseKubeRequest(request.method, request.path);
    const resource = parsed === undefined ? undefined : this.#table.find(parsed.group, parsed.version, parsed.resource);
    if (parsed === undefined || resource === undefined) return discover(request.method, request.path, this.#table) ?? NOT_SERVED;
    checkAccept(request.headers.accept);
    if (parsed.namespace !== undefined && !resource.namespaced) return NOT_SERVED;
    const body = decodedBody(request, operation, parsed);
    const writer: Writer = { principal, dryRun: isDryRun(parsed) };
    return parsed.name === undefined
      ? this.#serveCollection(parsed, resource, body, writer, request)
      : this.#serveObject(parsed, { resource, namespace: parsed.namespace, name: parsed.name }, body, writer, request);
  }

  #serveCollection(parsed: KubeRequest, resource: Resource, body: unknown, writer: Writer, request: WireRequest): Reply {
    const { verb, namespace, options } = parsed;
    const everywhere = resource.namespaced && namespace === undefined;
    switch (verb) {
      case 'list':
        if (options.sendInitialEvents !== undefined) {
          throw invalidOptions(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
        }
        return { status: 200, body: writeList(resource, listPage(this.#store, resource, namespace, options)) };
      case 'watch':
        return this.#watch(parsed, resource, writer.principal, request.signal);
      case 'create':
        if (everywhere) throw methodNotAllowed();
        return { status: 201, body: this.#registry.create(resource, namespace, body, writer).text };
      case 'deletecollection': {
        if (everywhere) throw methodNotAllowed();
        const page = listPage(this.#store, resource, namespace, options);
        const deletion = readDeletion(parsed, body);
        for (const { object } of page.versions) {
          this.#registry.delete({ resource, namespace, name: object.metadata.name ?? '' }, deletion.deletion, {
            ...writer,
            dryRun: writer.dryRun || deletion.dryRun,
          });
        }
        return { status: 200, body: writeList(resource, page) };
      }
      default:
        throw methodNotAllowed();
    }
  }

  #serveObject(parsed: KubeRequest, at: Location, body: unknown, writer: Writer, request: WireRequest): Reply {
    const { verb, subresource } = parsed;
    if (at.resource.namespaced && at.namespace === undefined) return NOT_SERVED;
    if (subresource !== undefined && !at.resource.subresources.some((one) => one === subresource)) return NOT_SERVED;
    if (subresource === 'binding' || subresource === 'eviction') {
      if (verb !== 'create') throw methodNotAllowed();
      return this.#servePodAction(subresource, at, body, writer);
    }
    const status = subresource === 'status' ? 'status' : undefined;
    switch (verb) {
      case 'get':
        return { status: 200, body: this.#registry.get(at).text };
      case 'update':
        return { status: 200, body: this.#registry.update(at, status, writer, () => body).text };
      case 'patch': {
        const patch = readPatch(request.headers['content-type'], body);
        return { status: 200, body: this.#registry.update(at, status, writer, patch).text };
      }
      case 'delete': {
        if (status !== undefined) throw methodNotAllowed();
        const { deletion, dryRun } = readDeletion(parsed, body);
        const { version, gone } = this.#registry.delete(at, deletion, { ...writer, dryRun: writer.dryRun || dryRun });
        return { status: 200, body: gone && at.resource.id !== 'pods' ? JSON.stringify(goneStatus(at, version)) : version.text };
      }
      default:
        throw methodNotAllowed();
    }
  }

  #servePodAction(action: 'binding' | 'eviction', at: Location, body: unknown, writer: Writer): Reply {
    const nowMs = this.#clock.nowMs();
    if (action === 'binding') {
      const node = read(bindingShape, body, 'Binding').target?.name ?? '';
      if (node === '') {
        throw invalidObject({ group: '', resource: 'Binding' }, at.name, [
          { reason: 'FieldValueRequired', field: 'target.name', message: 'Required value' },
        ]);
      }
      bindPod(this.#registry, at, node, writer, nowMs);
    } else {
      const eviction = read(evictionShape, body, 'Eviction');
      const options = eviction.deleteOptions ?? {};
      const dryRun = writer.dryRun || (options.dryRun?.length ?? 0) > 0;
      evictPod(this.#registry, at, eviction.metadata?.name ?? '', options, { ...writer, dryRun }, nowMs);
    }
    return { status: 201, body: JSON.stringify(success(201)) };
  }

  #watch(parsed: KubeRequest, resource: Resource, principal: Principal, asked: AbortSignal | undefined): WireResponse {
    const { options, namespace } = parsed;
    const selection = selectionOf(resource, options);
    const revision = readRevision(options.resourceVersion);
    const bookmarks = options.allowWatchBookmarks !== undefined && isTrue(options.allowWatchBookmarks);
    const initial = readInitialEvents(parsed, bookmarks);
    const timeout = readCount(options.timeoutSeconds, 'timeoutSeconds') ?? this.#drawTimeout(principal);

    const closing = new AbortController();
    const events = new Mailbox<string>(WATCH_BUFFER, () => closing.abort(new Error('the watch was closed')));
    const close = (): void => events.close();
    const ends = [this.#watches.stopping, ...(asked === undefined ? [] : [asked])];
    for (const end of ends) {
      end.addEventListener('abort', close, { once: true, signal: closing.signal });
      if (end.aborted) close();
    }
    // A rejection only says that the watch ended before its time.
    this.#clock.sleep(timeout * 1000, closing.signal).then(close, () => undefined);
    const fromStart = initial ?? (revision === undefined || revision === 0);
    this.#watches.open(
      {
        resource,
        namespace,
        selection,
        from: fromStart ? undefined : (revision ?? this.#store.revision),
        bookmarks,
        initialEventsEnd: initial === true,
      },
      closing.signal,
      (event) => {
        events.push(writeEvent(event));
        if (event.type === 'ERROR') events.close();
      },
    );
    return { status: 200, headers: { 'content-type': JSON_TYPE }, body: events };
  }

  #drawTimeout(principal: Principal): number {
    return this.#random.fork(`watch-timeout/${principal}`).int(WATCH_TIMEOUT_SECONDS.min, WATCH_TIMEOUT_SECONDS.max);
  }
}

const NOT_SERVED: WireResponse = { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };

function refusalOf(error: StatusError): WireResponse {
  const retryAfter = error.status.details?.retryAfterSeconds;
  return {
    status: error.code,
    headers: { 'content-type': JSON_TYPE, ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }) },
    body: JSON.stringify(error.status),
  };
}

function goneStatus(at: Location, version: Version): Status {
  return deleted(groupResource(at.resource), at.name, version.object.metadata.uid ?? '');
}

/** JSON is what we speak; whoever insists on something else is refused, whoever prefers it gets JSON. */
function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '') return;
  const types = accept.split(',').map((part) => part.split(';', 1).join('').trim());
  if (!types.some((type) => [JSON_TYPE, 'application/*', '*/*'].includes(type))) throw notAcceptable([JSON_TYPE]);
}

/** The body as `describe` decoded it. @throws StatusError 400 or 415 for one that can't be decoded */
function decodedBody(request: WireRequest, operation: Operation, parsed: KubeRequest): unknown {
  if (request.body === undefined || request.body.length === 0) return undefined;
  const type = mediaType(request.headers['content-type']);
  if (parsed.verb !== 'patch' && type !== '' && type !== JSON_TYPE) throw unsupportedMediaType([JSON_TYPE]);
  if (operation.input === undefined) throw badRequest('the object provided is unrecognized: the body is not valid JSON');
  return operation.input;
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1).join('').trim();
}

function readPatch(contentType: string | undefined, body: unknown): (current: Version) => unknown {
  switch (mediaType(contentType)) {
    case 'application/merge-patch+json':
      return (current) => mergePatch(current.object, body);
    case 'application/json-patch+json':
      return (current) => applyJsonPatch(JSON.parse(current.text), body);
    default:
      throw unsupportedMediaType(PATCH_TYPES);
  }
}

function isDryRun({ options }: KubeRequest): boolean {
  if (options.dryRun === undefined) return false;
  if (options.dryRun !== 'All') {
    const message = `Unsupported value: ${JSON.stringify(options.dryRun)}: supported values: "All"`;
    throw invalidOptions({ reason: 'FieldValueNotSupported', field: 'dryRun', message });
  }
  return true;
}

function invalidOptions(error: Parameters<typeof invalidObject>[2][number]): StatusError {
  return invalidObject({ group: 'meta.k8s.io', resource: 'ListOptions' }, '', [error]);
}

/** Options of a deletion may be in its body or its query; the body wins. */
function readDeletion({ options }: KubeRequest, body: unknown): { deletion: Deletion; dryRun: boolean } {
  const sent = body === undefined ? {} : read(deleteOptionsShape, body, 'DeleteOptions');
  const gracePeriodSeconds = sent.gracePeriodSeconds ?? readCount(options.gracePeriodSeconds, 'gracePeriodSeconds');
  const propagationPolicy = sent.propagationPolicy ?? options.propagationPolicy;
  const deletion = { gracePeriodSeconds, propagationPolicy, preconditions: sent.preconditions };
  return { deletion, dryRun: (sent.dryRun?.length ?? 0) > 0 };
}

/** Whether a watch wants the present objects first; undefined leaves it to its resource version. @throws StatusError 422 */
function readInitialEvents({ options }: KubeRequest, bookmarks: boolean): boolean | undefined {
  if (options.sendInitialEvents === undefined) {
    if (options.resourceVersionMatch === undefined) return undefined;
    const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    throw invalidOptions(forbidden('resourceVersionMatch', detail));
  }
  if (options.resourceVersionMatch !== 'NotOlderThan') {
    const detail = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    throw invalidOptions(forbidden('resourceVersionMatch', detail));
  }
  return isTrue(options.sendInitialEvents) && bookmarks;
}

function read<T>(shape: z.ZodType<T>, body: unknown, kind: string): T {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badRequest(
    `the body cannot be handled as a ${kind}: json: cannot unmarshal into field ${issue?.path.join('.')}: ${issue?.message}`,
  );
}
