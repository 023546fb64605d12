import { defined } from '../../model/defined.ts';
import type { KubeObject, ObjectMeta } from '../../model/kube.ts';
import type { Principal } from '../../model/operation.ts';
import { matchesSelector } from '../../model/selector.ts';
import { mergePatch } from '../../protocols/kube/merge-patch.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import { MailboxFullError } from '../../runtime/mailbox.ts';
import { ClusterError } from '../ports.ts';
import type { Classify, CountingPort, LabelFilter, ListFilter, ManagedFilter, ObjectChange, ObjectRef } from '../ports.ts';
import { evictPod } from './eviction.ts';
import { bindPod } from './pod-subresources.ts';
import { Inquiries, Waiting } from './inquiries.ts';
import type { ConcernedObjects } from './concerned-objects.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { Location, Resource } from './resource.ts';
import type { ResourceTable } from './resource-table.ts';
import { inVersion } from './store.ts';
import type { Store, Version } from './store.ts';
import type { LabelCounts } from './label-counts.ts';
import type { Tallies } from './tallies.ts';
import { MAX_WAITING_EVENTS } from './watches.ts';
import type { Watches } from './watches.ts';

/** The parts of the API server that a port uses. */
interface PortParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly table: ResourceTable;
  readonly watches: Watches;
  readonly clock: Clock;
  readonly concerned: ConcernedObjects;
  readonly tallies: Tallies;
  readonly labelCounts: LabelCounts;
}

/**
 * A port for the world's own parts, directly on the store: the rules of the API without its codecs. What has to wait for webhooks waits
 * no longer than a request may take.
 */
export function openPort(parts: PortParts, principal: Principal): CountingPort {
  const { store, registry, table, watches, clock, concerned, tallies, labelCounts } = parts;
  const serve = <T>(work: (inquiries: Inquiries) => T): Promise<T> => {
    const inquiries = new Inquiries(clock);
    return attempt(() => {
      inquiries.timeLeftMs();
      return work(inquiries);
    });
  };
  // What scenarios write may come from users.
  const isForeign = principal === 'scenario';
  const own: Pick<Writer, 'isOwn'> = isForeign ? {} : { isOwn: true };
  const taken = <T extends object>(sent: T): T => (isForeign ? structuredClone(sent) : sent);
  const write = <T>(work: (writer: Writer) => T): Promise<T> => serve((inquiries) => work({ principal, dryRun: false, ...own, inquiries }));

  const resourceOf = (plural: string): Resource => {
    const resource = table.byPlural(plural);
    if (resource === undefined) throw new ClusterError(404, 'NotFound', `no resource ${plural} is served`);
    return resource;
  };
  const select = (resource: Resource, { namespace, managedBy, onNode }: ListFilter): Version[] => {
    if (managedBy !== undefined) return concerned.managedBy(resource, managedBy, namespace);
    return onNode === undefined ? store.list(resource, namespace) : concerned.onNode(resource, onNode, namespace);
  };
  const locate = (ref: ObjectRef): Location => {
    return { resource: resourceOf(ref.resource), namespace: ref.namespace, name: ref.name };
  };

  return {
    get: (ref) => serve(() => registry.find(locate(ref))?.object as unknown as never),
    list: <T extends KubeObject>(plural: string, filter: ListFilter = {}) =>
      serve(() => {
        const resource = resourceOf(plural);
        const { labels } = filter;
        const objects: T[] = [];
        for (const stored of select(resource, filter)) {
          const object = objectOf<T>(inVersion(stored, resource));
          if (labels === undefined || matchesSelector(labels, object.metadata.labels)) objects.push(object);
        }
        return objects;
      }),
    counts: <T extends KubeObject>(plural: string, filter: LabelFilter, classify: Classify<T>) =>
      serve(() => new Map(labelCounts.counts(resourceOf(plural), filter, classify))),
    tally: <T extends KubeObject>(plural: string, filter: ManagedFilter, classify: Classify<T>) =>
      serve(() => {
        const resource = resourceOf(plural);
        const { managedBy, namespace } = filter;
        const counts = tallies.counts(resource, { managedBy, namespace }, classify);
        const list = (): T[] => select(resource, filter).map((version) => objectOf<T>(inVersion(version, resource)));
        return { count: (name: string) => counts.get(name) ?? 0, list };
      }),
    create: <T extends KubeObject>(plural: string, object: T & { metadata: ObjectMeta }) =>
      write((writer) => {
        const resource = resourceOf(plural);
        const { kind, version, group } = resource;
        const body = { kind, apiVersion: group === '' ? version : `${group}/${version}`, ...taken(object) };
        return objectOf<T>(registry.create(resource, object.metadata.namespace, body, writer));
      }),
    patch: <T extends KubeObject>(ref: ObjectRef, patch: object, subresource?: 'status') =>
      write((writer) => {
        return objectOf<T>(registry.update(locate(ref), subresource, writer, ({ object }) => mergePatch(object, taken(patch))));
      }),
    delete: (ref, options = {}) =>
      write((writer) => {
        const { gracePeriodSeconds, uid } = options;
        registry.delete(
          locate(ref),
          { gracePeriodSeconds, ...defined({ preconditions: uid === undefined ? undefined : { uid } }) },
          writer,
        );
      }),
    bind: (pod, nodeName) => write((writer) => bindPod(registry, locate(pod), nodeName, writer, clock.nowMs())),
    evict: (pod) => write((writer) => evictPod(registry, locate(pod), {}, writer, clock.nowMs())),
    watch: <T extends KubeObject>(
      plural: string,
      signal: AbortSignal,
      onChange: (change: { type: ObjectChange['type']; object: T }) => void,
    ) => {
      // The world's own parts don't open their watches again.
      const end = (): never => {
        throw new MailboxFullError(MAX_WAITING_EVENTS);
      };
      const request = { resource: resourceOf(plural), namespace: undefined, selection: () => true, from: undefined, end };
      watches.open({ ...request, bookmarks: false, initialEventsEnd: false }, signal, (event) => {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') return;
        onChange({ type: event.type, object: event.version.object as unknown as T });
      });
    },
  };
}

/** Frozen, like everything that is read. */
function objectOf<T>({ object }: Version): T {
  return object as unknown as T;
}

/** Runs at once, and again after each wait for webhooks. A refusal becomes a rejection with a ClusterError. */
async function attempt<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (error instanceof StatusError) throw new ClusterError(error.code, error.reason, error.message);
      if (!(error instanceof Waiting)) throw error;
      await error.answered;
    }
  }
}
