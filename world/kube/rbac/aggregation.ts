import { isDeepStrictEqual } from 'node:util';
import { matchesSelector } from '../../../model/selector.ts';
import { StatusError } from '../../../protocols/kube/status.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Registry } from '../registry.ts';
import type { ApiObject } from '../resource.ts';
import type { Commit, Store } from '../store.ts';
import type { PolicyRule, Role } from './rules.ts';

/** From a change until the controller has seen it. */
const SEEN_AFTER_MS = 5;
const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';
const WRITER = { principal: 'workloads', dryRun: false } as const;

/** The rules of a ClusterRole that others are aggregated to; undefined if it has its own. */
export function aggregatedRules(role: Role, all: readonly Role[]): readonly PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined) return undefined;
  const rules: PolicyRule[] = [];
  for (const selector of selectors) {
    for (const { metadata, rules: more } of all) {
      if (metadata.name === role.metadata.name || !matchesSelector(selector, metadata.labels)) continue;
      for (const rule of more ?? []) if (!rules.some((one) => isDeepStrictEqual(one, rule))) rules.push(rule);
    }
  }
  return rules;
}

/** Writes the rules of aggregated ClusterRoles, as `pkg/controller/clusterroleaggregation` does. */
export class AggregationController {
  readonly #registry: Registry;
  readonly #clock: Clock;
  #isBusy = false;
  #isChanged = false;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;

  constructor({ store, registry, clock }: { store: Store; registry: Registry; clock: Clock }) {
    this.#registry = registry;
    this.#clock = clock;
    this.#unsubscribe = store.onCommit((commit) => this.#follow(commit));
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the aggregation controller was stopped'));
  }

  #follow({ resource }: Commit): void {
    if (resource.id !== CLUSTER_ROLES || !this.#roles().some((role) => role.aggregationRule !== undefined)) return;
    this.#isChanged = true;
    if (!this.#isBusy) void this.#aggregate();
  }

  #roles(): (ApiObject & Role)[] {
    return this.#registry.list(CLUSTER_ROLES, undefined).map(({ object }) => object as ApiObject & Role);
  }

  /** Its own writes are changes too: roles that are aggregated may be aggregates themselves. */
  async #aggregate(): Promise<void> {
    this.#isBusy = true;
    while (this.#isChanged) {
      try {
        await this.#clock.sleep(SEEN_AFTER_MS, this.#stopping.signal);
      } catch {
        return; // Stopped.
      }
      this.#isChanged = false;
      const roles = this.#roles();
      for (const role of roles) {
        const rules = aggregatedRules(role, roles);
        if (rules === undefined || isDeepStrictEqual(rules, role.rules ?? [])) continue;
        this.#write(role.metadata.name ?? '', rules);
      }
    }
    this.#isBusy = false;
  }

  #write(name: string, rules: readonly PolicyRule[]): void {
    try {
      this.#registry.update(this.#registry.locate(CLUSTER_ROLES, name), undefined, WRITER, ({ object }) => ({ ...object, rules }));
    } catch (error) {
      // An admission policy denies it: it is tried again after the next change of a role.
      if (!(error instanceof StatusError)) throw error;
    }
  }
}
