import { defined } from '../../model/defined.ts';
import { formatObject } from '../../model/operation.ts';
import type { Effect, Operation } from '../../model/operation.ts';
import { negotiate, plainFormat } from '../../protocols/kube/accept.ts';
import type { Format } from '../../protocols/kube/accept.ts';
import { attributesOf, denied } from '../../protocols/kube/attributes.ts';
import { JSON_TYPE } from '../../protocols/kube/body.ts';
import { forbidden } from '../../protocols/kube/field-error.ts';
import { describeKubeRequest } from '../../protocols/kube/operation.ts';
import { parseKubeRequest } from '../../protocols/kube/request.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import { StatusError, badRequest, deleted, describeStatus, methodNotAllowed, noSuchResource } from '../../protocols/kube/status.ts';
import type { Status } from '../../protocols/kube/status.ts';
import { ProtobufEncoder } from '../../protocols/kube/protobuf-encoder.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Caller, ReadableRequest, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { textsOf, withDecoded } from '../../wire/wire.ts';
import type { Line, WireRequest, WireResponse } from '../../wire/wire.ts';
import { isAction, serveAction } from './actions.ts';
import { applyObject } from './apply.ts';
import type { ApplySite } from './apply.ts';
import { invalidOptions, readBody, readDeletion } from './bodies.ts';
import { unregisteredType } from './body-types.ts';
import { checkedBody, patchedBody, readPatchValidation } from './checked-bodies.ts';
import type { ComputedFields } from './computed-fields.ts';
import type { SchemaOf } from './custom-schema.ts';
import { decodeObject } from './decode.ts';
import { discover } from './discovery.ts';
import { inFormat } from './formats.ts';
import { problemWarnings, warningHeaders } from './field-validation.ts';
import type { CacheLag } from './cache-lag.ts';
import type { Access } from './rbac/access.ts';
import type { User } from './rbac/users.ts';
import { Inquiries, Waiting } from './inquiries.ts';
import { checkRevision, listPage } from './lists.ts';
import type { Page } from './lists.ts';
import { describeOpenApi } from './openapi.ts';
import type { Ownership } from './ownership.ts';
import { readPatch } from './patching.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { Location, Resource, WrittenPart } from './resource.ts';
import { isUnwritten, writingOf } from './representation.ts';
import type { Unwritten, Writing } from './representation.ts';
import type { ResourceTable } from './resource-table.ts';
import { groupResource } from './resource.ts';
import { readable } from './readable.ts';
import { refusalOf, refuse } from './refusals.ts';
import { applyScale } from './scale-apply.ts';
import { SCALE, patchScale, putScale, readScale } from './scale.ts';
import type { Scale } from './scale.ts';
import { Version } from './store.ts';
import type { Store } from './store.ts';
import { openWatch } from './watch-requests.ts';
import type { Watches } from './watches.ts';
import { readDryRun } from './write-options.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: WireResponse['body'] | Unwritten;
  /** Of a watch, whose body they also are. */
  readonly lines?: AsyncIterable<Line>;
}

/** One parsed request for a resource. */
interface RequestContext {
  readonly parsed: KubeRequest;
  readonly resource: Resource;
  readonly body: unknown;
  readonly span: number;
  readonly user: User;
  readonly writer: Writer;
  readonly request: WireRequest;
  readonly writing: Writing;
  /** Warnings for the client, added while the request is served. */
  readonly warnings: string[];
  readonly inquiries: Inquiries;
}

/** Serves the Kubernetes wire from the store: one request, one answer; a watch answers with a stream. */
export class ApiBackend implements Backend {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #table: ResourceTable;
  readonly #watches: Watches;
  readonly #computed: ComputedFields;
  readonly #clock: Clock;
  readonly #random: Random;
  /** For the identities of tokens. */
  readonly #tokens: Random;
  readonly #types: KubeTypes;
  readonly #schemaOf: SchemaOf;
  readonly #ownership: Ownership;
  readonly #cache: CacheLag;
  readonly #encoder: ProtobufEncoder;
  readonly #access: Access;

  constructor(parts: {
    store: Store;
    registry: Registry;
    table: ResourceTable;
    watches: Watches;
    computed: ComputedFields;
    clock: Clock;
    random: Random;
    types: KubeTypes;
    schemaOf: SchemaOf;
    ownership: Ownership;
    cache: CacheLag;
    access: Access;
  }) {
    this.#store = parts.store;
    this.#registry = parts.registry;
    this.#table = parts.table;
    this.#watches = parts.watches;
    this.#computed = parts.computed;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#tokens = parts.random.fork('tokens');
    this.#types = parts.types;
    this.#schemaOf = parts.schemaOf;
    this.#ownership = parts.ownership;
    this.#cache = parts.cache;
    this.#encoder = new ProtobufEncoder(parts.types);
    this.#access = parts.access;
  }

  describe(request: WireRequest): Operation {
    return describeKubeRequest(request, this.#types);
  }

  async handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer> {
    const inquiries = new Inquiries(this.#clock);
    const changed: string[] = [];
    for (;;) {
      const before = this.#store.revision;
      const warnings: string[] = [];
      try {
        inquiries.timeLeftMs();
        const reply = this.#serve(request, operation, caller, warnings, inquiries);
        const ids = [...new Set([...changed, ...this.#changedSince(before)])];
        return this.#answer(reply, ids.length === 0 ? { kind: 'none' } : { kind: 'applied', ids });
      } catch (error) {
        if (error instanceof Waiting) {
          changed.push(...this.#changedSince(before));
          await error.answered;
          continue;
        }
        if (!(error instanceof StatusError)) throw error;
        const plain = refusalOf(error);
        const warned = { ...plain, headers: { ...plain.headers, ...warningHeaders(warnings) } };
        const refusal = inFormat(warned, plainFormat(request.headers['accept']), this.#encoder);
        return { ...refusal, effect: { kind: 'rejected', code: error.reason } };
      }
    }
  }

  /** What a client in this process takes as it is, is written only if something else reads it. */
  #answer({ status, headers, body, lines, format }: Reply & { readonly format: Format }, effect: Effect): Answer {
    const answer = { status, headers: { 'content-type': JSON_TYPE, ...headers }, effect };
    if (!isUnwritten(body)) return inFormat({ ...answer, body, ...(format === 'json' ? defined({ lines }) : {}) }, format, this.#encoder);
    if (format === 'json') return withDecoded(answer, body.decoded, body.write);
    return inFormat({ ...answer, body: body.write() }, format, this.#encoder);
  }

  readable(request: WireRequest, operation: Operation, isRewritten: () => boolean): ReadableRequest | undefined {
    return readable(request, operation, isRewritten);
  }

  refuse(_operation: Operation, refusal: Refusal): WireResponse {
    return refuse(refusal);
  }

  /** Reads the body of a refusal only: others may not be written yet. */
  describeAnswer(_operation: Operation, answer: WholeAnswer): AnswerNote {
    return answer.status < 400 ? {} : describeStatus(answer.body, this.#types);
  }

  /** What was changed since a revision. One attempt of a request runs at once, so all commits since it began are its own. */
  #changedSince(revision: number): string[] {
    if (this.#store.revision === revision) return [];
    return (this.#store.since(revision) ?? []).map(({ resource, version }) => {
      const { namespace, name } = version.object.metadata;
      return formatObject({
        resource: resource.plural,
        ...defined({ namespace, name }),
      });
    });
  }

  #serve(
    request: WireRequest,
    operation: Operation,
    { principal, span }: Caller,
    warnings: string[],
    inquiries: Inquiries,
  ): Reply & { readonly format: Format } {
    const user = this.#access.admit(request, principal);
    const parsed = parseKubeRequest(request.method, request.path);
    const resource = parsed === undefined ? undefined : this.#table.find(parsed.group, parsed.version, parsed.resource);
    const accept = request.headers['accept'];
    if (parsed === undefined || resource === undefined) return this.#serveDocument(request);
    const { custom } = resource;
    const isWatch = parsed.verb === 'watch';
    if (isWatch) checkWatch(request, parsed, resource);
    const { format, representation } = negotiate(accept, { custom, collection: isWatch || parsed.verb === 'list', watch: isWatch });
    if (parsed.namespace !== undefined && !resource.namespaced) throw noSuchResource();
    const manager = parsed.options.fieldManager ?? managerOf(request.headers['user-agent']);
    const context: RequestContext = {
      parsed,
      resource,
      body: readBody(request, operation, parsed.verb, resource, this.#types),
      span,
      user,
      writer: {
        principal,
        user,
        dryRun: readDryRun(parsed, request.headers['content-type']),
        options: defined({ fieldManager: parsed.options.fieldManager, fieldValidation: parsed.options.fieldValidation }),
        author: { manager },
        warn: (text) => warnings.push(text),
        inquiries,
      },
      request,
      writing: writingOf(representation, resource, () => this.#clock.nowMs(), parsed.options.includeObject),
      warnings,
      inquiries,
    };
    const reply = parsed.name === undefined || isWatch ? this.#serveCollection(context) : this.#serveObject(context, parsed.name);
    return { ...reply, format, headers: { ...reply.headers, ...warningHeaders(context.warnings) } };
  }

  #serveDocument({ method, path, headers }: WireRequest): Reply & { readonly format: Format } {
    const { accept } = headers;
    const discovered = discover(method, path, accept, this.#table);
    if (discovered !== undefined) return { ...discovered, format: plainFormat(accept) };
    const isRead = method === 'GET' || method === 'HEAD';
    const described = isRead ? describeOpenApi(path, accept, this.#table, this.#types, this.#schemaOf) : undefined;
    return { ...(described ?? this.#notFound(path)), format: 'json' };
  }

  /** Within a served group, not found is a Status; elsewhere plain text. */
  #notFound(path: string): Reply {
    const [root = '', group = ''] = path.split('?', 1).join('').split('/').slice(1);
    const isServed = root === 'api' || (root === 'apis' && group !== '' && this.#table.all().some((resource) => resource.group === group));
    if (isServed) throw noSuchResource();
    return NOT_SERVED;
  }

  #serveCollection(context: RequestContext): Reply {
    const { parsed, resource, writer, writing, inquiries } = context;
    const { verb, namespace, options } = parsed;
    const everywhere = resource.namespaced && namespace === undefined;
    if (resource.review !== undefined) {
      if (verb !== 'create' || everywhere) throw methodNotAllowed();
      const object = resource.review(decodeObject(resource, checkedBody(context, resource, this.#types)), {
        resource,
        namespace,
        nowMs: this.#clock.nowMs(),
        user: context.user,
        access: this.#access,
        find: this.#registry.lookup.find,
      });
      return { status: 201, body: writing.one(new Version(object, this.#store.revision)) };
    }
    switch (verb) {
      case 'list':
        if (options.sendInitialEvents !== undefined) {
          throw invalidOptions('ListOptions', [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]);
        }
        return { status: 200, body: writing.list(this.#computed.page(resource, this.#list(context))) };
      case 'watch':
        return this.#watch(context);
      case 'create': {
        if (everywhere) throw methodNotAllowed();
        const body = checkedBody(context, resource, this.#types);
        return { status: 201, body: writing.one(this.#registry.create(resource, namespace, body, writer)) };
      }
      case 'deletecollection': {
        if (everywhere || !resource.deletesCollection) throw methodNotAllowed();
        const page = inquiries.once('page', () => listPage(this.#store, resource, namespace, options));
        const deletion = readDeletion(parsed, context.body);
        for (const { object } of page.versions) {
          const at = { resource, namespace, name: object.metadata.name ?? '' };
          const as = { ...writer, dryRun: writer.dryRun || deletion.dryRun };
          const remove = (): unknown => this.#registry.find(at) && this.#registry.delete(at, deletion.deletion, as, 'ofMany');
          inquiries.once(`deleted ${at.name}`, remove);
        }
        return { status: 200, body: writing.list(page) };
      }
      default:
        throw methodNotAllowed();
    }
  }

  /** The target's lists may come from a lagging watch cache. */
  #list({ parsed: { namespace, options }, resource, writer, span }: RequestContext): Page {
    const lag = writer.principal === 'target' ? this.#cache.of(resource) : undefined;
    if (lag === undefined) return listPage(this.#store, resource, namespace, options);
    const cached = this.#cache.revisionOf(lag);
    const page = listPage(this.#store, resource, namespace, options, cached);
    const missed = page.revision !== cached ? [] : (this.#store.since(cached) ?? []);
    if (missed.some((commit) => commit.resource.id === resource.id)) lag.fired(span);
    return page;
  }

  #serveObject(context: RequestContext, name: string): Reply {
    const { parsed, resource, body, writer, writing } = context;
    const { verb, subresource } = parsed;
    const at: Location = { resource, namespace: parsed.namespace, name };
    if (resource.namespaced && parsed.namespace === undefined) throw noSuchResource();
    if (subresource === 'scale') return this.#serveScale(context, at);
    if (subresource !== undefined && !resource.subresources.some((one) => one === subresource)) throw noSubresource(resource, subresource);
    if (subresource !== undefined && isAction(subresource)) {
      if (verb !== 'create') throw methodNotAllowed();
      const site = { registry: this.#registry, types: this.#types, random: this.#tokens };
      return { status: 201, body: serveAction(site, subresource, at, { ...context, nowMs: this.#clock.nowMs() }) };
    }
    const part = subresource as WrittenPart | undefined;
    // Its storage has only `Update`.
    if (part === 'finalize' && verb !== 'update') throw methodNotAllowed();
    switch (verb) {
      case 'get':
        checkRevision(parsed.options.resourceVersion, this.#store.revision);
        return { status: 200, body: writing.one(this.#computed.one(resource, this.#registry.get(at))) };
      case 'update': {
        const checked = checkedBody(context, resource, this.#types);
        if (resource.createsOnPut && part === undefined) this.#demandCreation(context, at);
        const { version, created } = this.#registry.put(at, part, writer, checked);
        return { status: created ? 201 : 200, body: writing.one(version) };
      }
      case 'patch':
        return this.#patch(context, at, part);
      case 'delete': {
        if (part !== undefined) throw methodNotAllowed();
        const { deletion, dryRun } = readDeletion(parsed, body);
        const { version, gone } = this.#registry.delete(at, deletion, { ...writer, dryRun: writer.dryRun || dryRun });
        return { status: 200, body: gone && !resource.returnsDeleted ? JSON.stringify(goneStatus(at, version)) : writing.one(version) };
      }
      default:
        throw methodNotAllowed();
    }
  }

  /** A PUT or an apply that creates its object needs the right to create it. @throws StatusError 403 */
  #demandCreation({ user, request }: RequestContext, at: Location): void {
    if (this.#registry.find(at) !== undefined) return;
    const creation = { ...attributesOf(request.method, request.path), verb: 'create' };
    const { allowed, reason } = this.#access.decide(user, creation);
    if (!allowed) throw denied(user.name, creation, reason);
  }

  #patch(context: RequestContext, at: Location, part: WrittenPart | undefined): Reply {
    const { parsed, resource, body, writer, writing, request } = context;
    const patch = readPatch(resource, request.headers['content-type'], body, this.#types);
    const validation = readPatchValidation(context, this.#types);
    if (patch === 'apply') {
      const site = this.#applySite(context);
      if (part === undefined) this.#demandCreation(context, at);
      const { directive, duplicates } = validation;
      const checkText = (): void => {
        if (directive === 'Strict' && duplicates.length > 0) throw badRequest(`error strict decoding YAML: ${duplicates.join(', ')}`);
        context.warnings.push(...problemWarnings(duplicates));
      };
      const { version, created } = applyObject(site, at, part, parsed, body, writer, checkText);
      return { status: created ? 201 : 200, body: writing.one(version) };
    }
    const version = this.#registry.update(at, part, writer, ({ object }) => {
      return patchedBody(context, resource, { patch, current: object }, validation, this.#types);
    });
    return { status: 200, body: writing.one(version) };
  }

  #applySite({ inquiries: { nowMs } }: RequestContext): ApplySite {
    return { registry: this.#registry, ownership: this.#ownership, types: this.#types, schemaOf: this.#schemaOf, nowMs };
  }

  #serveScale(context: RequestContext, at: Location): Reply {
    const { parsed, body, writer: as, request } = context;
    const { scale } = at.resource;
    if (scale === undefined) throw noSuchResource();
    // The real server doesn't track the owner of a custom resource's replicas.
    const author = at.resource.custom || typeof as.author !== 'object' ? 'nobody' : { ...as.author, subresource: 'scale' };
    const writer: Writer = { ...as, author };
    const site = { registry: this.#registry, paths: scale, writer };
    switch (parsed.verb) {
      case 'get':
        return { status: 200, body: JSON.stringify(readScale(this.#registry, at, scale)) };
      case 'update':
        return { status: 200, body: JSON.stringify(putScale(site, at, this.#sentScale(context, at.resource))) };
      case 'patch': {
        const patch = readPatch(SCALE, request.headers['content-type'], body, this.#types);
        if (patch === 'apply')
          return { status: 200, body: JSON.stringify(applyScale(this.#applySite(context), scale, at, parsed.options, body, as)) };
        const validation = readPatchValidation(context, this.#types);
        const change = (current: Scale): unknown => patchedBody(context, SCALE, { patch, current }, validation, this.#types);
        return { status: 200, body: JSON.stringify(patchScale(site, at, change)) };
      }
      default:
        throw methodNotAllowed();
    }
  }

  /** What is wrong with the scale of a custom resource, the real server can't say: its errors don't know the type. @throws StatusError 400 */
  #sentScale(context: RequestContext, { custom }: Resource): unknown {
    try {
      return checkedBody(context, SCALE, this.#types);
    } catch (error) {
      if (!custom || !(error instanceof StatusError) || error.code !== 400) throw error;
      throw badRequest(unregisteredType('v1.Scale'));
    }
  }

  #watch({ parsed, resource, writer: { principal }, span, writing, request }: RequestContext): Reply {
    // Converted before the watch is opened, since webhooks may have to be asked.
    if (resource.conversion?.remember !== undefined) this.#store.list(resource, parsed.namespace);
    const site = { store: this.#store, watches: this.#watches, clock: this.#clock, random: this.#random };
    const lines = openWatch(site, parsed, resource, { principal, span }, writing, request.signal);
    return { status: 200, body: textsOf(lines), lines };
  }
}

/** Subresources that need running containers, or a network. */
const UNEMULATED: Readonly<Record<string, readonly string[]>> = {
  pods: ['attach', 'exec', 'log', 'portforward', 'proxy'],
  services: ['proxy'],
  nodes: ['proxy'],
};

function noSubresource({ id, plural }: Resource, subresource: string): StatusError {
  if (UNEMULATED[id]?.includes(subresource) !== true) return noSuchResource();
  const why =
    'nothing runs in the pods of this emulated cluster, so there are no logs, exec, attach, port-forward and proxy (see docs/fidelity.md)';
  return new StatusError(404, 'NotFound', `${plural}/${subresource} is not emulated: ${why}`);
}

/** What only a watch in its old form can violate (`/api/v1/watch/...`). @throws StatusError 404, 405 */
function checkWatch({ method, path }: WireRequest, { name, namespace, subresource }: KubeRequest, resource: Resource): void {
  const { namespaced, custom, review } = resource;
  const isReview = review !== undefined && path.includes('/watch/');
  const isOutside = name !== undefined && namespaced && namespace === undefined && !custom;
  if (isReview || subresource !== undefined || isOutside) throw noSuchResource();
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
}

const NOT_SERVED: WireResponse = { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };

function goneStatus(at: Location, version: Version): Status {
  return deleted(groupResource(at.resource), at.name, version.object.metadata.uid ?? '');
}

/** Longest field manager name taken from a user agent. */
const MAX_MANAGER_LENGTH = 128;

/** The default field manager: the program's name in its user agent. */
function managerOf(userAgent = ''): string {
  return userAgent.split('/', 1).join('').slice(0, MAX_MANAGER_LENGTH) || 'unknown';
}
