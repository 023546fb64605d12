import type { OwnerReference } from '../../model/kube.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Location, Registry, Writer } from './registry.ts';
import type { ResourceTable } from './resource-table.ts';
import type { Commit, Store } from './store.ts';

/** From the disappearance of an owner, or the appearance of an orphan, to the deletion, drawn for each object. */
const DELAY_MS = { min: 20, max: 500 } as const;
/** Tries again after a lost race, so many times. */
const MAX_ATTEMPTS = 5;

/**
 * Background garbage collection, as the controller manager's: an object whose owners are all gone is deleted, one that
 * lost some of them loses the references. Owners are known by uid. Objects of a deleted namespace go too (the real
 * namespace controller empties it before it disappears, here after).
 */
export class GarbageCollector {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #table: ResourceTable;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;
  /** Uids of everything that exists. */
  readonly #alive = new Set<string>();
  /** Where the dependents of an owner lie, by the owner's uid. */
  readonly #dependents = new Map<string, Map<string, Location>>();

  constructor(options: { store: Store; registry: Registry; table: ResourceTable; clock: Clock; random: Random }) {
    this.#store = options.store;
    this.#registry = options.registry;
    this.#table = options.table;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#unsubscribe = options.store.onCommit((commit) => this.#follow(commit));
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the garbage collector was stopped'));
  }

  #follow({ type, resource, key, version, previous }: Commit): void {
    const { uid = '', name = '', namespace, ownerReferences = [] } = version.object.metadata;
    const id = `${resource.id}/${key}`;
    const before = previous?.object.metadata.ownerReferences ?? [];
    for (const owner of before) this.#forget(owner.uid, id);
    if (type === 'DELETED') {
      this.#alive.delete(uid);
      for (const dependent of this.#dependents.get(uid)?.values() ?? []) void this.#collect(dependent);
      this.#dependents.delete(uid);
      if (resource.id === 'namespaces') this.#empty(name);
      return;
    }
    this.#alive.add(uid);
    const at: Location = { resource, namespace, name };
    for (const owner of ownerReferences) this.#remember(owner.uid, id, at);
    if (ownerReferences !== before && ownerReferences.some((owner) => !this.#alive.has(owner.uid))) void this.#collect(at);
  }

  #remember(owner: string, id: string, at: Location): void {
    const known = this.#dependents.get(owner) ?? new Map<string, Location>();
    this.#dependents.set(owner, known.set(id, at));
  }

  #forget(owner: string, id: string): void {
    const known = this.#dependents.get(owner);
    known?.delete(id);
    if (known?.size === 0) this.#dependents.delete(owner);
  }

  #empty(namespace: string): void {
    for (const resource of this.#table.all().filter((one) => one.namespaced)) {
      for (const { object } of this.#store.list(resource, namespace)) {
        const at = { resource, namespace, name: object.metadata.name ?? '' };
        void this.#later(() => this.#delete(at, object.metadata.uid ?? ''));
      }
    }
  }

  #collect(at: Location): Promise<void> {
    return this.#later(() => {
      const object = this.#registry.find(at)?.object;
      const owners = object?.metadata.ownerReferences ?? [];
      if (object === undefined || owners.length === 0) return;
      const present = owners.filter((owner) => this.#alive.has(owner.uid));
      if (present.length === owners.length) return;
      if (present.length === 0) this.#delete(at, object.metadata.uid ?? '');
      else this.#keepOwners(at, present);
    });
  }

  #delete(at: Location, uid: string): void {
    this.#registry.delete(at, { preconditions: { uid } }, WRITER);
  }

  #keepOwners(at: Location, ownerReferences: OwnerReference[]): void {
    this.#registry.update(at, undefined, WRITER, ({ object }) => {
      return { ...object, metadata: { ...object.metadata, ownerReferences } };
    });
  }

  async #later(work: () => void): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        await this.#clock.sleep(this.#random.int(DELAY_MS.min, DELAY_MS.max), this.#stopping.signal);
      } catch {
        return; // Stopped.
      }
      try {
        work();
        return;
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        // Gone or changed meanwhile: look again.
      }
    }
  }
}

const WRITER: Writer = { principal: 'workloads', dryRun: false };
