import type { Clock } from '../../runtime/clock.ts';
import { objectKey } from './resource.ts';
import type { Commit, Store } from './store.ts';

/** How long an event is kept after it was last written: the default of the API server's --event-ttl. */
const EVENT_TTL_MS = 3_600_000;

interface Lease {
  readonly key: string;
  readonly revision: number;
  readonly dueMs: number;
}

/** Deletes events an hour after they were last written, as etcd's leases do. Watchers see the deletions. */
export class EventExpiry {
  readonly #store: Store;
  readonly #clock: Clock;
  /** In the order in which they expire, since all leases are equally long. */
  #line: Lease[] = [];
  #running = false;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(options: { store: Store; clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#unsubscribe = options.store.onCommit((commit) => this.#follow(commit));
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('event expiry was stopped'));
  }

  #follow({ type, resource, version, revision }: Commit): void {
    if (resource.id !== 'events' || type === 'DELETED') return;
    const { namespace, name = '' } = version.object.metadata;
    this.#line.push({ key: objectKey(namespace, name), revision, dueMs: this.#clock.nowMs() + EVENT_TTL_MS });
    if (!this.#running) void this.#run(resource);
  }

  async #run(events: Commit['resource']): Promise<void> {
    this.#running = true;
    for (let [next] = this.#line; next !== undefined; [next] = this.#line) {
      try {
        await this.#clock.sleep(next.dueMs - this.#clock.nowMs(), this.#stopping.signal);
      } catch {
        return; // Stopped.
      }
      const nowMs = this.#clock.nowMs();
      const due = this.#line.filter((lease) => lease.dueMs <= nowMs);
      this.#line = this.#line.slice(due.length);
      for (const { key, revision } of due) {
        // An event that was written again has a later lease.
        if (this.#store.get(events, key)?.revision === revision) this.#store.remove(events, key, 'workloads');
      }
    }
    this.#running = false;
  }
}
