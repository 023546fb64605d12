import { defined } from '../model/defined.ts';
import type { KubeObject } from '../model/kube.ts';
import type { Clock } from '../runtime/clock.ts';
import { WireError } from '../wire/wire.ts';
import type { Wire } from '../wire/wire.ts';
import { AGGREGATED_TYPES, DISCOVERY_PATHS, readDiscovery } from './discovery.ts';
import { exchange } from './exchange.ts';
import type { WholeResponse } from './exchange.ts';
import { KubeError } from './kube-client.ts';
import type { Discovery, KubeClient, KubeRef, ResourceType } from './kube-client.ts';
import { readKubeError } from './kube-errors.ts';
import { RESOURCES, apiVersionOf, collectionPath, formatLabelSelector } from './resources.ts';

/** How long one request may take. The API server's own limit is 60 s; the rest is for the network. */
export const KUBE_REQUEST_TIMEOUT_MS = 70_000;

/** What a client for an API server needs. */
interface KubeClientOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  /** Time-out of one request; by default KUBE_REQUEST_TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

/** One request to the API server. */
interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/**
 * A client over a wire. Its requests are those of client-node, whose generated classes would read and write each object
 * several times; a test compares them.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient & Discovery {
  return new WireKubeClient(options);
}

class WireKubeClient implements KubeClient, Discovery {
  readonly #wire: Wire;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  constructor({ wire, clock, timeoutMs = KUBE_REQUEST_TIMEOUT_MS }: KubeClientOptions) {
    this.#wire = wire;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  async get<T extends KubeObject>(ref: KubeRef): Promise<T | undefined> {
    try {
      return await this.#call(`get ${formatRef(ref)}`, { method: 'GET', path: objectPath(ref) }, readObject<T>);
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(type: ResourceType, options: Parameters<KubeClient['list']>[1] = {}): Promise<T[]> {
    const { namespace, labels } = options;
    const query = labels === undefined ? '' : `?${new URLSearchParams({ labelSelector: formatLabelSelector(labels) }).toString()}`;
    const request = { method: 'GET', path: `${collectionPath(type, namespace)}${query}` } as const;
    const list = await this.#call(`list ${type.plural}`, request, readObject<{ items?: T[] }>);
    // The API server omits kind and version from a list's items.
    return (list.items ?? []).map((item) => ({ apiVersion: apiVersionOf(type), kind: type.kind, ...item }));
  }

  create<T extends KubeObject>(type: ResourceType, object: T & { metadata: T['metadata'] }): Promise<T> {
    const { name, generateName = '', namespace = 'default' } = object.metadata;
    const body = { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
    const request = { method: 'POST', path: collectionPath(type, namespace), headers: JSON_BODY, body } as const;
    return this.#call(`create ${type.plural}/${name ?? generateName}`, request, readObject<T>);
  }

  patch<T extends KubeObject>(ref: KubeRef, patch: object, subresource?: 'status'): Promise<T> {
    const part = subresource === undefined ? '' : `/${subresource}`;
    const request = { method: 'PATCH', path: `${objectPath(ref)}${part}`, headers: MERGE_PATCH_BODY, body: patch } as const;
    return this.#call(`patch ${formatRef(ref)}${part}`, request, readObject<T>);
  }

  async delete<T extends KubeObject>(ref: KubeRef, options: Parameters<KubeClient['delete']>[1] = {}): Promise<T | undefined> {
    const request = { method: 'DELETE', path: objectPath(ref), headers: JSON_BODY, body: deleteOptions(options) } as const;
    const answer = await this.#call(`delete ${formatRef(ref)}`, request, readObject<Partial<T>>);
    // If the object is gone, the server returns a Status, or for a pod its last state, without a deletionTimestamp.
    return answer.metadata?.deletionTimestamp === undefined ? undefined : (answer as T);
  }

  async evict(namespace: string, podName: string, options: Parameters<KubeClient['evict']>[2] = {}): Promise<void> {
    const body = {
      apiVersion: 'policy/v1',
      deleteOptions: deleteOptions(options),
      kind: 'Eviction',
      metadata: { name: podName, namespace },
    };
    const path = `${objectPath({ type: RESOURCES.pods, namespace, name: podName })}/eviction`;
    await this.#call(`evict pods/${namespace}/${podName}`, { method: 'POST', path, headers: JSON_BODY, body }, readObject);
  }

  async served(): Promise<ResourceType[]> {
    const served: ResourceType[] = [];
    for (const path of DISCOVERY_PATHS) {
      const headers = { accept: `${AGGREGATED_TYPES},${JSON_TYPE}` };
      served.push(...(await this.#call(`get ${path}`, { method: 'GET', path, headers }, ({ text }) => readDiscovery(text))));
    }
    return served;
  }

  /** @param read reads a success; a SyntaxError of it means that the answer can't be read */
  #call<T>(label: string, request: KubeRequest, read: (answer: WholeResponse) => T): Promise<T> {
    return this.#clock.call(`kube: ${label}`, async () => {
      try {
        const { method, path, headers } = request;
        const body = request.body && JSON.stringify(request.body);
        const sent = { method, path, headers: { accept: JSON_TYPE, ...headers }, ...defined({ body }) };
        const answer = await exchange(this.#wire, this.#clock, sent, this.#timeoutMs);
        if (answer.status < 200 || answer.status >= 300) throw readKubeError(answer, label);
        return read(answer);
      } catch (error) {
        throw toKubeError(error, label);
      }
    });
  }
}

const JSON_TYPE = 'application/json';
const JSON_BODY = { 'content-type': JSON_TYPE };
const MERGE_PATCH_BODY = { 'content-type': 'application/merge-patch+json' };

/** The object in a success. The caller decides its type. @throws SyntaxError */
function readObject<T>({ text, decoded }: WholeResponse): T {
  return (decoded ?? JSON.parse(text)) as T;
}

function objectPath({ type, namespace = 'default', name }: KubeRef): string {
  return `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
}

/** In the order in which client-node writes them. */
function deleteOptions({
  gracePeriodSeconds,
  resourceVersion,
  uid,
}: {
  gracePeriodSeconds?: number;
  uid?: string;
  resourceVersion?: string;
}) {
  const preconditions = resourceVersion === undefined && uid === undefined ? undefined : defined({ resourceVersion, uid });
  return { apiVersion: 'v1', ...defined({ gracePeriodSeconds }), kind: 'DeleteOptions', ...defined({ preconditions }) };
}

function formatRef(ref: KubeRef): string {
  return [ref.type.plural, ...(ref.namespace === undefined ? [] : [ref.namespace]), ref.name].join('/');
}

function toKubeError(error: unknown, label: string): unknown {
  if (error instanceof WireError) return new KubeError(0, error.code, error.message);
  // A success answer that can't be read: what the server did is unknown.
  if (error instanceof SyntaxError) return new KubeError(0, 'UnreadableAnswer', `${label}: ${error.message}`);
  return error;
}
