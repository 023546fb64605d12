import type { KubeObject, ObjectMeta } from '../../model/kube.ts';
import type { Classify, CountingPort, LabelFilter, ListFilter, ManagedFilter, ObjectChange, ObjectRef } from '../ports.ts';

type Listener = (change: { type: ObjectChange['type']; object: KubeObject }) => void;

/**
 * A port whose watchers of a resource share one watch, as the controllers of one controller manager share informers: a
 * change reaches all of them at the same moment, in the order in which they started to watch. A later watcher gets all
 * known objects at once. The watch ends with its last watcher.
 */
export function shareWatches(port: CountingPort): CountingPort {
  const shared = new Map<string, SharedWatch>();
  return {
    get: <T extends KubeObject>(ref: ObjectRef) => port.get<T>(ref),
    list: <T extends KubeObject>(resource: string, filter?: ListFilter) => port.list<T>(resource, filter),
    counts: <T extends KubeObject>(resource: string, filter: LabelFilter, classify: Classify<T>) => port.counts(resource, filter, classify),
    tally: <T extends KubeObject>(resource: string, filter: ManagedFilter, classify: Classify<T>) => port.tally(resource, filter, classify),
    create: <T extends KubeObject>(resource: string, object: T & { metadata: ObjectMeta }) => port.create<T>(resource, object),
    patch: <T extends KubeObject>(ref: ObjectRef, patch: object, subresource?: 'status') => port.patch<T>(ref, patch, subresource),
    delete: (ref, options) => port.delete(ref, options),
    bind: (pod, nodeName) => port.bind(pod, nodeName),
    evict: (pod) => port.evict(pod),
    watch: <T extends KubeObject>(
      resource: string,
      signal: AbortSignal,
      onChange: (change: { type: ObjectChange['type']; object: T }) => void,
    ) => {
      if (signal.aborted) return;
      let watch = shared.get(resource);
      if (watch === undefined || watch.ended) {
        watch = new SharedWatch(port, resource);
        shared.set(resource, watch);
      }
      watch.join(signal, onChange as Listener);
    },
  };
}

class SharedWatch {
  readonly #listeners = new Set<Listener>();
  readonly #objects = new Map<string, KubeObject>();
  readonly #closing = new AbortController();

  constructor(port: CountingPort, resource: string) {
    port.watch<KubeObject>(resource, this.#closing.signal, (change) => {
      const { namespace = '', name = '' } = change.object.metadata;
      const key = `${namespace}/${name}`;
      if (change.type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, change.object);
      for (const listener of [...this.#listeners]) listener(change);
    });
  }

  get ended(): boolean {
    return this.#closing.signal.aborted;
  }

  join(signal: AbortSignal, listener: Listener): void {
    for (const object of this.#objects.values()) listener({ type: 'ADDED', object });
    this.#listeners.add(listener);
    const leave = (): void => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#closing.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
  }
}
