import type { PodClass } from './pod-class.ts';

/** What may take pods: a growing list, of which each class of pods is only offered what has not rejected it yet. */
export class Candidates<T extends { rejects(podClass: PodClass): boolean }> {
  readonly #all: readonly T[];
  /** The ones left for a class, in the order of all, and how many of all are among them or were rejected. */
  readonly #left = new Map<PodClass, { candidates: T[]; seen: number }>();

  /** @param all may grow; one that rejects a class does so for good */
  constructor(all: readonly T[]) {
    this.#all = all;
  }

  /** The first one that takes a pod of the class. */
  find(podClass: PodClass, takes: (candidate: T) => boolean): T | undefined {
    const left = this.#left.get(podClass) ?? { candidates: [], seen: 0 };
    this.#left.set(podClass, left);
    const { candidates } = left;
    for (; left.seen < this.#all.length; left.seen += 1) {
      const next = this.#all[left.seen];
      if (next !== undefined && !next.rejects(podClass)) candidates.push(next);
    }
    const at = candidates.findIndex(takes);
    const found = candidates[at];
    const tried = at === -1 ? candidates.length : at;
    const kept = candidates.slice(0, tried).filter((one) => !one.rejects(podClass));
    if (kept.length < tried) left.candidates = [...kept, ...candidates.slice(tried)];
    return found;
  }
}
