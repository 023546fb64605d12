import type { KubeObject } from '../../../model/kube.ts';
import type { Operation, Principal } from '../../../model/operation.ts';
import { APPLY_TYPE } from '../../../protocols/kube/body.ts';
import { parseKubeRequest } from '../../../protocols/kube/request.ts';
import type { KubeRequest } from '../../../protocols/kube/request.ts';
import type { Answer, Backend, Caller, ReadableRequest } from '../../../wire/backend.ts';
import { readText } from '../../../wire/wire.ts';
import type { Wire, WireRequest } from '../../../wire/wire.ts';
import { agentOf } from '../agent.ts';
import { labelBody } from './label-body.ts';
import type { Tenant } from './tenant.ts';

/** An autoscaler's own objects: each tenant sees only its own. */
const SELECTED: readonly string[] = ['nodepools', 'nodeclaims', 'ec2nodeclasses'];
/** Reviews: requests as objects that are not stored; their metadata must be empty. Source: `pkg/apis/authorization/validation`. */
const ASKED: readonly string[] = ['authentication.k8s.io', 'authorization.k8s.io'];
/** How pods were bound before they had a binding subresource: the body names the pod. */
const BINDINGS = 'bindings';
const CHANGES: readonly string[] = ['update', 'patch', 'delete'];

/** A request is forwarded, as is or labelled; answered with the existing object; or refused: another's object, or a failed check. */
type Verdict = 'allowed' | 'labelled' | 'as-it-is' | 'forbidden' | 'unseen';

type Described = KubeObject & { readonly spec?: { readonly nodeName?: string } };

/**
 * Confines the callers on a tenant's wires, the operator and the target, to the tenant's objects. Objects that they create get
 * its label, of pools, claims and node classes they see only its own, and they may change only its own: a broken autoscaler must
 * not harm others. That includes Leases and ConfigMaps, whose names are the same everywhere: one created by someone else is not
 * taken over. They see others' pods and nodes, as in every cluster. Each change costs a read of the object first.
 */
export class TenantFront implements Backend {
  readonly #front: Backend;
  readonly #server: Wire;
  readonly #tenant: Tenant;
  readonly #keeps: (principal: Principal) => boolean;

  /** @param parts.keeps the callers to confine */
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
    const name = parsed.name ?? operation.object?.name ?? '';
    const verdict = await this.#judge(parsed, request, name);
    if (verdict === 'as-it-is') return { ...(await this.#server(asGet(request.path))), effect: { kind: 'none' } };
    if (verdict === 'allowed') return this.#front.handle(this.#selected(parsed, request), operation, caller);
    if (verdict === 'labelled') return this.#front.handle(this.#labelled(request), operation, caller);
    const what = `${parsed.resource} "${name}"`;
    const refusal =
      verdict === 'forbidden'
        ? { status: 403, code: 'Forbidden', message: `${what} is forbidden: it ${this.#notMade()}` }
        : { status: 503, code: 'ServiceUnavailable', message: `can't determine whether ${what} ${this.#notMade()}` };
    return { ...this.#front.refuse(operation, refusal), effect: { kind: 'rejected', code: refusal.code } };
  }

  readable(request: WireRequest, operation: Operation, isRewritten: () => boolean): ReadableRequest | undefined {
    return this.#front.readable?.(request, operation, isRewritten);
  }

  refuse(...[operation, refusal]: Parameters<Backend['refuse']>): ReturnType<Backend['refuse']> {
    return this.#front.refuse(operation, refusal);
  }

  describeAnswer(...[operation, answer]: Parameters<Backend['describeAnswer']>): ReturnType<Backend['describeAnswer']> {
    return this.#front.describeAnswer(operation, answer);
  }

  #notMade(): string {
    return `was not made by run ${this.#tenant.run} of Scaleproof, which leaves it alone`;
  }

  async #judge({ verb, group, resource, subresource, ...parsed }: KubeRequest, request: WireRequest, name: string): Promise<Verdict> {
    const isBinding = group === '' && resource === BINDINGS;
    if (verb === 'create' && subresource === undefined && !isBinding) return ASKED.includes(group) ? 'allowed' : 'labelled';
    if ((!CHANGES.includes(verb) && verb !== 'create') || (parsed.name === undefined && !isBinding)) return 'allowed';
    const path = isBinding ? podPath(request.path, name) : objectPath(request.path, subresource);
    const object = await this.#fetch(path);
    if (object === 'unseen') return 'unseen';
    // An update or apply creates a missing object, and an update of an existing one may omit its label.
    const isWhole = verb === 'update' || request.headers['content-type']?.startsWith(APPLY_TYPE) === true;
    if (object === undefined || this.#tenant.owns(object)) return isWhole && subresource === undefined ? 'labelled' : 'allowed';
    if ((resource === 'pods' || isBinding) && (await this.#isOnTenantsNode(object))) return 'allowed';
    // Definitions are shared: it does not matter who applied them.
    return resource === 'customresourcedefinitions' && (verb === 'update' || verb === 'patch') ? 'as-it-is' : 'forbidden';
  }

  /** Whatever runs on the tenant's nodes may be drained, even others' pods. */
  async #isOnTenantsNode({ spec }: Described): Promise<boolean> {
    const name = spec?.nodeName ?? '';
    const node = name === '' ? undefined : await this.#fetch(`/api/v1/nodes/${encodeURIComponent(name)}`);
    return node !== undefined && node !== 'unseen' && this.#tenant.owns(node);
  }

  /** Undefined if it does not exist. */
  async #fetch(path: string): Promise<Described | 'unseen' | undefined> {
    const answer = await this.#server(asGet(path));
    const body = await readText(answer.body);
    if (answer.status === 404) return undefined;
    return answer.status === 200 ? (JSON.parse(body) as Described) : 'unseen';
  }

  #selected({ verb, resource }: KubeRequest, request: WireRequest): WireRequest {
    const isOfMany = verb === 'list' || verb === 'watch' || verb === 'deletecollection';
    if (!isOfMany || (verb !== 'deletecollection' && !SELECTED.includes(resource))) return request;
    const url = new URL(request.path, 'http://server');
    const asked = url.searchParams.get('labelSelector') ?? '';
    url.searchParams.set('labelSelector', asked === '' ? this.#tenant.selector : `${asked},${this.#tenant.selector}`);
    return { ...request, path: `${url.pathname}${url.search}` };
  }

  #labelled(request: WireRequest): WireRequest {
    const { 'content-length': _length, ...headers } = request.headers;
    const body = request.body === undefined ? undefined : labelBody(request.body, headers['content-type'], this.#tenant.labels);
    return body === undefined ? request : { ...request, headers, body };
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

/** The path of a pod in the namespace of `/api/v1/namespaces/NAMESPACE/bindings`. */
function podPath(path: string, pod: string): string {
  const [pathname = ''] = path.split('?', 1);
  return `${pathname.slice(0, -BINDINGS.length)}pods/${encodeURIComponent(pod)}`;
}
