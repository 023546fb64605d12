import type { KubeObject } from '../../../model/kube.ts';
import type { Operation, Principal } from '../../../model/operation.ts';
import { isJsonObject } from '../../../protocols/kube/json.ts';
import { parseKubeRequest } from '../../../protocols/kube/request.ts';
import type { KubeRequest } from '../../../protocols/kube/request.ts';
import type { Answer, Backend, Caller } from '../../../wire/backend.ts';
import { asText, readText } from '../../../wire/wire.ts';
import type { Wire, WireRequest } from '../../../wire/wire.ts';
import { agentOf } from '../agent.ts';
import type { Tenant } from './tenant.ts';

/** An autoscaler's own objects: of these each tenant has its own, and knows no others. */
const SELECTED: readonly string[] = ['nodepools', 'nodeclaims', 'ec2nodeclasses'];
/** What autoscalers keep for themselves, by names that are the same in every run. */
const UNGUARDED: readonly string[] = ['events', 'leases', 'configmaps'];
const CHANGES: readonly string[] = ['update', 'patch', 'delete'];

type Described = KubeObject & { readonly spec?: { readonly nodeName?: string } };

/**
 * Keeps who speaks on a tenant's wires, the operator and the target, to what is the tenant's. What they make bears its
 * label, of pools, claims and classes of nodes they see its own, and what they ask to change must be its own: an autoscaler
 * that is wrong must not hurt anybody. Pods and nodes of others they see, as in every cluster. Each change costs a look at
 * the object before.
 */
export class TenantFront implements Backend {
  readonly #front: Backend;
  readonly #server: Wire;
  readonly #tenant: Tenant;
  readonly #keeps: (principal: Principal) => boolean;

  /** @param parts.keeps who is kept to what is the tenant's */
  constructor(parts: {
    readonly front: Backend;
    readonly server: Wire;
    readonly tenant: Tenant;
    readonly keeps: (principal: Principal) => boolean;
  }) {
    this.#front = parts.front;
    this.#server = parts.server;
    this.#tenant = parts.tenant;
    this.#keeps = parts.keeps;
  }

  describe(request: WireRequest): Operation {
    return this.#front.describe(request);
  }

  async handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer> {
    const parsed = parseKubeRequest(request.method, request.path);
    if (parsed === undefined || !this.#keeps(caller.principal)) return this.#front.handle(request, operation, caller);
    const verdict = await this.#judge(parsed, request);
    if (verdict === 'as-it-is') return { ...(await this.#server(asGet(request.path))), effect: { kind: 'none' } };
    if (verdict === 'allowed') return this.#front.handle(this.#adapt(parsed, request), operation, caller);
    const { resource, name = '' } = parsed;
    const message = `${resource} "${name}" is forbidden: it was not made by run ${this.#tenant.run} of Scaleproof, which leaves it alone`;
    const effect = { kind: 'rejected', code: 'Forbidden' } as const;
    return { ...this.#front.refuse(operation, { status: 403, code: 'Forbidden', message }), effect };
  }

  refuse(...[operation, refusal]: Parameters<Backend['refuse']>): ReturnType<Backend['refuse']> {
    return this.#front.refuse(operation, refusal);
  }

  describeAnswer(...[operation, answer]: Parameters<Backend['describeAnswer']>): ReturnType<Backend['describeAnswer']> {
    return this.#front.describeAnswer(operation, answer);
  }

  async #judge(parsed: KubeRequest, request: WireRequest): Promise<'allowed' | 'forbidden' | 'as-it-is'> {
    const { verb, resource, name, subresource } = parsed;
    const isChange = CHANGES.includes(verb) || (verb === 'create' && subresource !== undefined);
    if (!isChange || name === undefined || UNGUARDED.includes(resource)) return 'allowed';
    const object = await this.#look(objectPath(request.path, subresource));
    if (object === undefined || (await this.#isTenants(resource, object))) return 'allowed';
    // Definitions are everybody's: that another has applied them is as good.
    return resource === 'customresourcedefinitions' && (verb === 'update' || verb === 'patch') ? 'as-it-is' : 'forbidden';
  }

  /** What runs on the tenant's nodes may be drained, whosever it is. */
  async #isTenants(resource: string, object: Described): Promise<boolean> {
    if (this.#tenant.owns(object)) return true;
    const node = resource === 'pods' ? (object.spec?.nodeName ?? '') : '';
    const found = node === '' ? undefined : await this.#look(`/api/v1/nodes/${encodeURIComponent(node)}`);
    return found !== undefined && this.#tenant.owns(found);
  }

  async #look(path: string): Promise<Described | undefined> {
    const answer = await this.#server(asGet(path));
    const body = await readText(answer.body);
    return answer.status === 200 ? (JSON.parse(body) as Described) : undefined;
  }

  #adapt({ verb, resource, subresource }: KubeRequest, request: WireRequest): WireRequest {
    if (verb === 'create' && subresource === undefined) return this.#labelled(resource, request);
    const isOfMany = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
    if (!isOfMany || (verb !== 'deletecollection' && !SELECTED.includes(resource))) return request;
    const url = new URL(request.path, 'http://server');
    const asked = url.searchParams.get('labelSelector') ?? '';
    url.searchParams.set('labelSelector', asked === '' ? this.#tenant.selector : `${asked},${this.#tenant.selector}`);
    return { ...request, path: `${url.pathname}${url.search}` };
  }

  /** Bodies in protobuf are of built-in kinds, which are told by their names. */
  #labelled(resource: string, request: WireRequest): WireRequest {
    if (UNGUARDED.includes(resource) || request.body === undefined || request.headers['content-type']?.includes('json') === false)
      return request;
    const object = parseObject(asText(request.body));
    if (object === undefined) return request;
    const labels = { ...object.metadata.labels, ...this.#tenant.labels };
    const body = JSON.stringify({ ...object, metadata: { ...object.metadata, labels } });
    const { 'content-length': _length, ...headers } = request.headers;
    return { ...request, headers, body };
  }
}

function asGet(path: string): WireRequest {
  return { method: 'GET', path: path.split('?', 1).join(''), headers: { accept: 'application/json', ...agentOf('observer') } };
}

/** The path of the object itself. */
function objectPath(path: string, subresource: string | undefined): string {
  const [pathname = ''] = path.split('?', 1);
  return subresource === undefined ? pathname : pathname.slice(0, -subresource.length - 1);
}

function parseObject(text: string): KubeObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isJsonObject(value.metadata) ? (value as unknown as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}
