import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import { objectKey } from './resource.ts';
import type { Resource } from './resource.ts';
import { CLEANUP_FINALIZER, resourcesOf } from './rules/crds.ts';
import type { Commit, Store } from './store.ts';

/** The delay from the deletion of a definition to that of its objects. */
const START_AFTER_MS = 50;
/** How often objects that wait for finalizers are checked again. */
const POLL_MS = 5_000;

/**
 * Deletes the objects of definitions that are being deleted, and removes a definition's finalizer when they are gone
 * (`apiextensions-apiserver/pkg/controller/finalizer`). Objects with finalizers of their own keep the definition.
 */
export class DefinitionController {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(options: { store: Store; registry: Registry; clock: Clock }) {
    this.#store = options.store;
    this.#registry = options.registry;
    this.#clock = options.clock;
    this.#unsubscribe = options.store.onCommit((commit) => this.#follow(commit));
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the definition controller was stopped'));
  }

  #follow({ type, resource, version, previous }: Commit): void {
    if (resource.id !== DEFINITIONS || type === 'DELETED') return;
    const { deletionTimestamp, name = '' } = version.object.metadata;
    if (deletionTimestamp === undefined || previous?.object.metadata.deletionTimestamp !== undefined) return;
    void this.#terminate(name, resourcesOf(version.object)[0]);
  }

  async #terminate(name: string, resource: Resource | undefined): Promise<void> {
    for (let waitMs = START_AFTER_MS; ; waitMs = POLL_MS) {
      try {
        await this.#clock.sleep(waitMs, this.#stopping.signal);
      } catch {
        return; // Stopped.
      }
      if (resource === undefined || this.#empty(resource)) break;
    }
    const at = this.#registry.locate(DEFINITIONS, name);
    const object = this.#registry.find(at)?.object;
    if (object?.metadata.deletionTimestamp === undefined) return;
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== CLEANUP_FINALIZER);
    this.#registry.replace(at, { ...object, metadata: { ...object.metadata, finalizers } }, WRITER);
  }

  /** Deletes the objects that are not being deleted yet. @returns whether none is left */
  #empty(resource: Resource): boolean {
    for (const { object } of this.#store.list(resource)) {
      const { namespace, name = '', deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) continue;
      try {
        this.#registry.delete({ resource, namespace, name }, {}, WRITER);
      } catch (error) {
        if (!(error instanceof StatusError)) throw new Error(`deleting ${objectKey(namespace, name)} failed`, { cause: error });
      }
    }
    return this.#store.list(resource).length === 0;
  }
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const WRITER: Writer = { principal: 'workloads', dryRun: false };
