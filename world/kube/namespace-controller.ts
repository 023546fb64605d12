import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Waiting } from './inquiries.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { ResourceTable } from './resource-table.ts';
import type { ApiObject, Location, Resource } from './resource.ts';
import { NAMESPACE_FINALIZER, finalizersOf } from './rules/namespace-finalizers.ts';
import type { Commit, Store } from './store.ts';

/** Time for other API servers to see that the namespace is terminating (`namespaceDeletionGracePeriod`). */
const START_AFTER_MS = 5_000;
/** How long an object with finalizers is expected to take (`finalizerEstimateSeconds`). */
const FINALIZER_SECONDS = 15;

/**
 * Empties namespaces that are being deleted and then finalizes them, as `pkg/controller/namespace` does: deletes everything in
 * them in the background, pods with their grace periods, and checks again until nothing is left. The conditions that the real
 * controller writes into the namespace's status meanwhile are left out.
 */
export class NamespaceController {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #table: ResourceTable;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(options: { store: Store; registry: Registry; table: ResourceTable; clock: Clock }) {
    this.#store = options.store;
    this.#registry = options.registry;
    this.#table = options.table;
    this.#clock = options.clock;
    this.#unsubscribe = options.store.onCommit((commit) => this.#follow(commit));
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the namespace controller was stopped'));
  }

  #follow({ type, resource, version, previous }: Commit): void {
    if (resource.id !== 'namespaces' || type === 'DELETED') return;
    const { deletionTimestamp, name = '', uid } = version.object.metadata;
    if (deletionTimestamp === undefined || previous?.object.metadata.deletionTimestamp !== undefined) return;
    // One that is final already waits for another deletion.
    if (finalizersOf(version.object).length === 0) return;
    void this.#terminate(name, uid);
  }

  async #terminate(namespace: string, uid: string | undefined): Promise<void> {
    let waitMs = START_AFTER_MS;
    for (;;) {
      try {
        await this.#clock.sleep(waitMs, this.#stopping.signal);
      } catch {
        return; // Stopped.
      }
      // Somebody else has finalized it, and there may be another of that name.
      if (this.#registry.findMetadata(this.#registry.locate('namespaces', namespace))?.uid !== uid) return;
      try {
        const seconds = this.#empty(namespace);
        if (seconds === undefined) break;
        waitMs = (Math.floor(seconds / 2) + 1) * 1000;
      } catch (error) {
        if (!(error instanceof Waiting)) throw error;
        await error.answered;
        waitMs = 0;
      }
    }
    this.#finalize(namespace);
  }

  /** Deletes the objects that are not being deleted yet. @returns seconds that the remaining ones may take; undefined if none is left */
  #empty(namespace: string): number | undefined {
    let seconds: number | undefined;
    const resources = new Map(this.#table.all().map((resource): [string, Resource] => [resource.id, resource]));
    for (const resource of [...resources.values()].filter((one) => one.namespaced)) {
      for (const { object } of this.#store.listStored(resource, namespace)) {
        const at = { resource, namespace, name: object.metadata.name ?? '' };
        const left = object.metadata.deletionTimestamp === undefined ? this.#delete(object, at) : object;
        if (left === undefined) continue;
        const { finalizers = [], deletionGracePeriodSeconds = 0 } = left.metadata;
        seconds = Math.max(seconds ?? 0, deletionGracePeriodSeconds, finalizers.length > 0 ? FINALIZER_SECONDS : 0);
      }
    }
    return seconds;
  }

  /** The object after its deletion, if something still keeps it. */
  #delete(object: ApiObject, at: Location): ApiObject | undefined {
    try {
      const { version, gone } = this.#registry.delete(at, {}, WRITER);
      return gone ? undefined : version.object;
    } catch (error) {
      // Gone, or kept by an admission policy.
      if (error instanceof StatusError) return error.code === 404 ? undefined : object;
      throw error;
    }
  }

  #finalize(namespace: string): void {
    const at = this.#registry.locate('namespaces', namespace);
    const object = this.#registry.find(at)?.object;
    if (object?.metadata.deletionTimestamp === undefined) return;
    const finalizers = finalizersOf(object).filter((one) => one !== NAMESPACE_FINALIZER);
    this.#registry.replace(at, { ...object, spec: { ...(object.spec as object), finalizers } }, WRITER);
  }
}

const WRITER: Writer = { principal: 'workloads', dryRun: false };
