import { createCache } from '../../clients/cache.ts';
import { exchange } from '../../clients/exchange.ts';
import { createKubeClient } from '../../clients/kube.ts';
import { KubeError } from '../../clients/kube-client.ts';
import type { Cache, KubeRef, ResourceType } from '../../clients/kube-client.ts';
import { readKubeError } from '../../clients/kube-errors.ts';
import { collectionPath } from '../../clients/resources.ts';
import { defined } from '../../model/defined.ts';
import type { KubeObject, ObjectMeta, Pod } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Wire } from '../../wire/wire.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, ListFilter, ObjectChange, ObjectRef } from '../ports.ts';

/** Time-out of a binding. */
const BIND_TIMEOUT_MS = 70_000;

/** The dependencies of a port to a real cluster. `runtime.signal` ends its watches. */
interface ClientPortSite {
  readonly wire: Wire;
  readonly runtime: Runtime;
  /** A resource by its plural name. */
  readonly resource: (plural: string) => ResourceType | undefined;
}

/** A port to a real cluster for the world's own parts, over its API. Watches of the same resource share a connection. */
export function createClientPort({ wire, runtime, resource }: ClientPortSite): ClusterPort {
  const client = createKubeClient({ wire, clock: runtime.clock });
  const caches = new Map<string, Cache<KubeObject>>();

  const typeOf = (plural: string): ResourceType => {
    const type = resource(plural);
    if (type === undefined) throw new ClusterError(404, 'NotFound', `no resource ${plural} is served`);
    return type;
  };
  const locate = ({ resource: plural, namespace, name }: ObjectRef): KubeRef => {
    return { type: typeOf(plural), name, ...defined({ namespace }) };
  };
  const cacheOf = (plural: string): Cache<KubeObject> => {
    const known = caches.get(plural);
    if (known !== undefined) return known;
    const cache = createCache<KubeObject>({ ...runtime, wire }, typeOf(plural));
    caches.set(plural, cache);
    return cache;
  };

  return {
    get: <T extends KubeObject>(ref: ObjectRef) => attempt(() => client.get<T>(locate(ref))),
    list: <T extends KubeObject>(plural: string, { managedBy, onNode, ...filter }: ListFilter = {}) =>
      attempt(async () => {
        const objects = await client.list<T>(typeOf(plural), filter);
        return objects.filter((object) => {
          const isManaged = managedBy === undefined || (controllerOf(object)?.uid ?? managedBy) === managedBy;
          return isManaged && (onNode === undefined || (object as Partial<Pod>).spec?.nodeName === onNode);
        });
      }),
    create: <T extends KubeObject>(plural: string, object: T & { metadata: ObjectMeta }) =>
      attempt(() => client.create<T>(typeOf(plural), object)),
    patch: <T extends KubeObject>(ref: ObjectRef, patch: object, subresource?: 'status') =>
      attempt(() => client.patch<T>(locate(ref), patch, subresource)),
    delete: (ref, options) => attempt(() => client.delete(locate(ref), options).then(() => undefined)),
    bind: (pod, nodeName) =>
      attempt(async () => {
        const path = `${collectionPath(typeOf('pods'), pod.namespace ?? 'default')}/${encodeURIComponent(pod.name)}/binding`;
        const body = JSON.stringify({
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: pod.name },
          target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
        });
        const request = { method: 'POST', path, headers: { 'content-type': 'application/json' }, body };
        const answer = await runtime.clock.call(`kube: bind ${pod.name}`, () => exchange(wire, runtime.clock, request, BIND_TIMEOUT_MS));
        if (answer.status >= 400) throw readKubeError(answer, `bind ${pod.name}`);
      }),
    evict: (pod) => attempt(() => client.evict(pod.namespace ?? 'default', pod.name)),
    watch: <T extends KubeObject>(
      plural: string,
      signal: AbortSignal,
      onChange: (change: { type: ObjectChange['type']; object: T }) => void,
    ) => {
      if (signal.aborted) return;
      const cache = cacheOf(plural);
      for (const object of cache.list()) onChange({ type: 'ADDED', object: object as T });
      const stop = cache.onChange((type, object) => onChange({ type, object: object as T }));
      signal.addEventListener('abort', stop, { once: true });
    },
  };
}

/** Converts refusals to ClusterErrors. */
async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KubeError) throw new ClusterError(error.status, error.reason, error.message);
    throw error;
  }
}
