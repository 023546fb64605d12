import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Registry } from './registry.ts';
import type { ResourceTable } from './resource-table.ts';
import { usedOf } from './rules/quotas.ts';
import type { Quota } from './rules/quotas.ts';
import type { Commit, Store } from './store.ts';

/** From a change until the controller has seen it. */
const SEEN_AFTER_MS = 5;
/** All quotas are counted again this often (`--resource-quota-sync-period`): pods that should have ended by then free their share. */
const RESYNC_MS = 5 * 60_000;

const QUOTAS = 'resourcequotas';
/** What a change of whose spec may free: a service that is no load balancer any more. */
const BY_SPEC = [QUOTAS, 'services', 'persistentvolumeclaims'];
const WRITER = { principal: 'workloads', dryRun: false } as const;

/**
 * Writes the status of ResourceQuotas, as `pkg/controller/resourcequota` does: limits take effect once they are in the status, and
 * what is gone is no longer counted. What is created counts at once (`Registry`).
 */
export class QuotaController {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #table: ResourceTable;
  readonly #clock: Clock;
  /** Namespaces with a change that has not been seen. */
  readonly #changed = new Set<string>();
  #isCounting = false;
  #isResyncing = false;
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
    this.#stopping.abort(new Error('the quota controller was stopped'));
  }

  #follow({ type, resource, version, previous }: Commit): void {
    const { namespace } = version.object.metadata;
    const isOther = type === 'DELETED' || phaseOf(version.object) !== phaseOf(previous?.object);
    const isSpec = BY_SPEC.includes(resource.id) && !isDeepStrictEqual(version.object.spec, previous?.object.spec);
    // Most commits end here, without a look at the quotas.
    if (namespace === undefined || (!isOther && !isSpec) || this.#quotasIn(namespace).length === 0) return;
    this.#changed.add(namespace);
    if (!this.#isCounting) void this.#count();
    if (!this.#isResyncing) void this.#resync();
  }

  #quotasIn(namespace: string): Quota[] {
    return this.#store.list(this.#table.byId(QUOTAS), namespace).map(({ object }) => object as unknown as Quota);
  }

  async #count(): Promise<void> {
    this.#isCounting = true;
    while (this.#changed.size > 0) {
      if (!(await this.#wait(SEEN_AFTER_MS))) return;
      const namespaces = [...this.#changed];
      this.#changed.clear();
      namespaces.forEach((namespace) => this.#write(namespace));
    }
    this.#isCounting = false;
  }

  /** Until there is no quota any more. */
  async #resync(): Promise<void> {
    this.#isResyncing = true;
    for (;;) {
      if (!(await this.#wait(RESYNC_MS))) return;
      const namespaces = new Set(this.#store.list(this.#table.byId(QUOTAS)).map(({ object }) => object.metadata.namespace ?? ''));
      if (namespaces.size === 0) break;
      namespaces.forEach((namespace) => this.#write(namespace));
    }
    this.#isResyncing = false;
  }

  /** @returns whether the time has passed */
  async #wait(ms: number): Promise<boolean> {
    return this.#clock.sleep(ms, this.#stopping.signal).then(
      () => true,
      () => false,
    );
  }

  #write(namespace: string): void {
    const resource = this.#table.byId(QUOTAS);
    const quotas = this.#quotasIn(namespace);
    if (quotas.length === 0) return;
    const counted = this.#table.all().filter((one) => one.namespaced && one.version === one.storageVersion);
    const objects = counted.map((one) => [one, this.#store.listStored(one, namespace).map(({ object }) => object)] as const);
    for (const quota of quotas) {
      const at = { resource, namespace, name: quota.metadata.name ?? '' };
      const hard = quota.spec?.hard ?? {};
      const status = { hard, used: usedOf(quota, objects, this.#clock.nowMs()) };
      try {
        this.#registry.update(at, 'status', WRITER, ({ object }) =>
          isDeepStrictEqual(object.status, status) ? object : { ...object, status },
        );
      } catch (error) {
        // An admission policy denies it: it is tried again at the next count.
        if (!(error instanceof StatusError)) throw error;
      }
    }
  }
}

function phaseOf(object: { readonly status?: unknown } | undefined): unknown {
  return (object?.status as { phase?: unknown } | undefined)?.phase;
}
