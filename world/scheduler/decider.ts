import type { Random } from '../../runtime/random.ts';
import type { SchedulerCache } from './cache.ts';
import { decide } from './decide.ts';
import type { Decision } from './decide.ts';
import type { PodInfo } from './pod-info.ts';

type Refusal = Extract<Decision, { kind: 'none' }>;

/**
 * Decides like `decide`, but only once for pods of one kind that find no node while nothing changes: after each change of a large
 * cluster, thousands of pods that wait for nodes are tried again.
 */
export class Decider {
  readonly #cache: SchedulerCache;
  readonly #kindOf: (pod: PodInfo) => number;
  /** By kind, as of a version of the cache. */
  readonly #refusals = new Map<number, Refusal>();
  #version = -1;

  /** @param kindOf numbers that are equal for pods which no decision can tell apart */
  constructor(cache: SchedulerCache, kindOf: (pod: PodInfo) => number) {
    this.#cache = cache;
    this.#kindOf = kindOf;
  }

  decide(pod: PodInfo, random: Random): Decision {
    if (this.#isSpecial(pod)) return decide(pod, this.#cache, random);
    if (this.#cache.version !== this.#version) this.#refusals.clear();
    this.#version = this.#cache.version;
    const kind = this.#kindOf(pod);
    const known = this.#refusals.get(kind);
    if (known !== undefined) {
      // Preemption draws the node at which it begins, even where it can't find anything.
      if (known.preemptible > 0) random.int(0, known.preemptible - 1);
      return known;
    }
    const decision = decide(pod, this.#cache, random, kind);
    if (decision.kind === 'none' && decision.preemption === undefined) this.#refusals.set(kind, decision);
    return decision;
  }

  /** Whether the decision also depends on the pod's name or identity. */
  #isSpecial({ pod, volumes }: PodInfo): boolean {
    return volumes.length > 0 || this.#cache.hasNominations || (pod.status?.nominatedNodeName ?? '') !== '';
  }
}
