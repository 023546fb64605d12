import type {
  Configuration,
  CoreV1Api,
  CustomObjectsApi,
  HttpMethod,
  RequestContext,
  ResponseContext,
  ServerConfiguration,
} from '@kubernetes/client-node';
import { defined } from '../model/defined.ts';
import type { KubeObject } from '../model/kube.ts';
import type { Clock } from '../runtime/clock.ts';
import { WireError } from '../wire/wire.ts';
import type { Wire } from '../wire/wire.ts';
import { clientNode } from './client-node.ts';
import { AGGREGATED_TYPES, DISCOVERY_PATHS, readDiscovery } from './discovery.ts';
import { exchange } from './exchange.ts';
import { KubeError } from './kube-client.ts';
import type { Discovery, KubeClient, KubeRef, ResourceType } from './kube-client.ts';
import { readKubeError } from './kube-errors.ts';
import { apiVersionOf, formatLabelSelector } from './resources.ts';

/** How long one request may take. The API server's own limit is 60 s; the rest is for the network. */
export const KUBE_REQUEST_TIMEOUT_MS = 70_000;

/** What a client for an API server needs. */
interface KubeClientOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  /** The base of client-node's URLs; only path and query are sent on the wire. */
  readonly baseServer?: string;
  /** Time-out of one request; by default KUBE_REQUEST_TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

/**
 * A client over a wire, on top of client-node's API classes. Everything except eviction uses CustomObjectsApi, whose bodies
 * are plain JSON: the typed classes turn times into Date objects and drop fields that they don't know.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient & Discovery {
  return new WireKubeClient(options);
}

class WireKubeClient implements KubeClient, Discovery {
  readonly #wire: Wire;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #objects: CustomObjectsApi;
  readonly #core: CoreV1Api;

  constructor({ wire, clock, baseServer = 'http://kubernetes.default.svc', timeoutMs = KUBE_REQUEST_TIMEOUT_MS }: KubeClientOptions) {
    this.#wire = wire;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    const { CoreV1Api, CustomObjectsApi, ServerConfiguration, createConfiguration, wrapHttpLibrary } = clientNode();
    const httpApi = wrapHttpLibrary({ send: (request) => send(wire, clock, request, timeoutMs) });
    const configuration = (server: ServerConfiguration<Record<string, string>>): Configuration =>
      createConfiguration({ baseServer: server, httpApi, authMethods: {} });
    this.#objects = new CustomObjectsApi(configuration(withCoreGroup(new ServerConfiguration(baseServer, {}))));
    this.#core = new CoreV1Api(configuration(new ServerConfiguration(baseServer, {})));
  }

  async get<T extends KubeObject>(ref: KubeRef): Promise<T | undefined> {
    const { namespaced, cluster } = objectParameters(ref);
    try {
      return await this.#call<T>(`get ${formatRef(ref)}`, () =>
        namespaced === undefined ? this.#objects.getClusterCustomObject(cluster) : this.#objects.getNamespacedCustomObject(namespaced),
      );
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(type: ResourceType, options: Parameters<KubeClient['list']>[1] = {}): Promise<T[]> {
    const { group, version, plural } = type;
    const { namespace, labels } = options;
    const labelSelector = labels === undefined ? undefined : formatLabelSelector(labels);
    const parameters = { group, version, plural, ...defined({ labelSelector }) };
    const list = await this.#call<{ items?: T[] }>(`list ${plural}`, () =>
      type.namespaced && namespace !== undefined
        ? this.#objects.listNamespacedCustomObject({ ...parameters, namespace })
        : this.#objects.listClusterCustomObject(parameters),
    );
    // The API server omits kind and version from a list's items.
    return (list.items ?? []).map((item) => ({ apiVersion: apiVersionOf(type), kind: type.kind, ...item }));
  }

  create<T extends KubeObject>(type: ResourceType, object: T & { metadata: T['metadata'] }): Promise<T> {
    const { group, version, plural, kind, namespaced } = type;
    const namespace = object.metadata.namespace ?? 'default';
    const body = { ...object, apiVersion: apiVersionOf(type), kind };
    return this.#call<T>(`create ${plural}/${object.metadata.name ?? object.metadata.generateName ?? ''}`, () =>
      namespaced
        ? this.#objects.createNamespacedCustomObject({ group, version, plural, namespace, body })
        : this.#objects.createClusterCustomObject({ group, version, plural, body }),
    );
  }

  patch<T extends KubeObject>(ref: KubeRef, patch: object, subresource?: 'status'): Promise<T> {
    const { namespaced, cluster } = objectParameters(ref);
    const { PatchStrategy, setHeaderOptions } = clientNode();
    const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    const label = subresource === undefined ? formatRef(ref) : `${formatRef(ref)}/${subresource}`;
    return this.#call<T>(`patch ${label}`, () => {
      if (namespaced === undefined) {
        const parameters = { ...cluster, body: patch };
        return subresource === undefined
          ? this.#objects.patchClusterCustomObject(parameters, asMergePatch)
          : this.#objects.patchClusterCustomObjectStatus(parameters, asMergePatch);
      }
      const parameters = { ...namespaced, body: patch };
      return subresource === undefined
        ? this.#objects.patchNamespacedCustomObject(parameters, asMergePatch)
        : this.#objects.patchNamespacedCustomObjectStatus(parameters, asMergePatch);
    });
  }

  async delete<T extends KubeObject>(ref: KubeRef, options: Parameters<KubeClient['delete']>[1] = {}): Promise<T | undefined> {
    const { namespaced, cluster } = objectParameters(ref);
    const body = deleteOptions(options);
    const answer = await this.#call<Partial<T>>(`delete ${formatRef(ref)}`, () =>
      namespaced === undefined
        ? this.#objects.deleteClusterCustomObject({ ...cluster, body })
        : this.#objects.deleteNamespacedCustomObject({ ...namespaced, body }),
    );
    // If the object is gone, the server returns a Status, or for a pod its last state, without a deletionTimestamp.
    return answer.metadata?.deletionTimestamp === undefined ? undefined : (answer as T);
  }

  async evict(namespace: string, podName: string, options: Parameters<KubeClient['evict']>[2] = {}): Promise<void> {
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: podName, namespace },
      deleteOptions: deleteOptions(options),
    };
    await this.#call(`evict pods/${namespace}/${podName}`, () =>
      this.#core.createNamespacedPodEviction({ namespace, name: podName, body }),
    );
  }

  async served(): Promise<ResourceType[]> {
    const served: ResourceType[] = [];
    for (const path of DISCOVERY_PATHS) {
      const request = { method: 'GET', path, headers: { accept: `${AGGREGATED_TYPES},application/json` } };
      served.push(
        ...(await this.#call<ResourceType[]>(`get ${path}`, async () => {
          const answer = await exchange(this.#wire, this.#clock, request, this.#timeoutMs);
          if (answer.status >= 400) throw readKubeError(answer, `get ${path}`);
          return readDiscovery(answer.text);
        })),
      );
    }
    return served;
  }

  async #call<T>(label: string, work: () => Promise<unknown>): Promise<T> {
    try {
      return (await this.#clock.call(`kube: ${label}`, work)) as T;
    } catch (error) {
      throw toKubeError(error, label);
    }
  }
}

/** CustomObjectsApi builds `/apis/GROUP/VERSION` paths, but the core group has no name and is under `/api`. */
function withCoreGroup<T extends ServerConfiguration<Record<string, string>>>(server: T): T {
  const makeRequestContext = server.makeRequestContext.bind(server);
  server.makeRequestContext = (endpoint: string, httpMethod: HttpMethod): RequestContext =>
    makeRequestContext(endpoint.replace(/^\/apis\/\//, '/api/'), httpMethod);
  return server;
}

async function send(wire: Wire, clock: Clock, request: RequestContext, timeoutMs: number): Promise<ResponseContext> {
  const url = request.getUrl();
  const headers = Object.fromEntries(Object.entries(request.getHeaders()).map(([name, value]) => [name.toLowerCase(), value]));
  const body = request.getBody();
  if (body !== undefined && typeof body !== 'string') throw new TypeError('only text bodies can be sent on this wire');
  const response = await exchange(
    wire,
    clock,
    {
      method: request.getHttpMethod(),
      path: url.slice(url.indexOf('/', url.indexOf('://') + 3)),
      headers,
      ...defined({ body }),
    },
    timeoutMs,
  );
  // client-node would return other content types as strings. Treat every answer as JSON, so that anything else is a parse error.
  const answerHeaders = { ...response.headers, 'content-type': 'application/json' };
  return new (clientNode().ResponseContext)(response.status, answerHeaders, {
    text: () => Promise.resolve(response.text),
    binary: () => Promise.resolve(Buffer.from(response.text)),
    stream: () => null,
  });
}

function objectParameters(ref: KubeRef) {
  const { group, version, plural } = ref.type;
  const cluster = { group, version, plural, name: ref.name };
  return { cluster, namespaced: ref.type.namespaced ? { ...cluster, namespace: ref.namespace ?? 'default' } : undefined };
}

function deleteOptions(options: { gracePeriodSeconds?: number; uid?: string; resourceVersion?: string }) {
  const { gracePeriodSeconds, ...preconditions } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...defined({ gracePeriodSeconds }),
    ...(Object.values(preconditions).some((value) => value !== undefined) ? { preconditions } : {}),
  };
}

function formatRef(ref: KubeRef): string {
  return [ref.type.plural, ...(ref.namespace === undefined ? [] : [ref.namespace]), ref.name].join('/');
}

function toKubeError(error: unknown, label: string): unknown {
  if (error instanceof WireError) return new KubeError(0, error.code, error.message);
  if (error instanceof clientNode().ApiException) {
    const body = typeof error.body === 'string' ? error.body : '';
    return readKubeError({ status: error.code, headers: error.headers, text: body }, label);
  }
  // client-node failed to parse a success answer: what the server did is unknown.
  if (error instanceof SyntaxError) return new KubeError(0, 'UnreadableAnswer', `${label}: ${error.message}`);
  return error;
}
