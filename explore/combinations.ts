import { partsOf } from './findings.ts';
import type { ScenarioData } from './scenario-data.ts';

/** Three ingredients make one number: there are some two hundred of them. */
const MAX_INGREDIENTS = 1 << 17;

/**
 * Which ingredients have been together in a scenario, three at a time: those of one pool and one workload, with all faults and steps. A bug
 * that needs three rare things is met sooner if scenarios are preferred that bring together what was not.
 */
export class Combinations {
  readonly #numbers = new Map<string, number>();
  readonly #seen = new Set<number>();

  /** How many of its combinations no earlier scenario had. */
  countNew(data: ScenarioData): number {
    const found = new Set<number>();
    this.#visit(data, (combination) => {
      if (!this.#seen.has(combination)) found.add(combination);
    });
    return found.size;
  }

  add(data: ScenarioData): void {
    this.#visit(data, (combination) => this.#seen.add(combination));
  }

  #visit(data: ScenarioData, visit: (combination: number) => void): void {
    const { common, pools, workloads } = partsOf(data);
    for (const pool of pools) {
      for (const workload of workloads) {
        const numbers = [...new Set([...common, ...pool, ...workload])].map((name) => this.#numberOf(name)).sort((a, b) => a - b);
        for (const [i, a] of numbers.entries()) {
          for (const [j, b] of numbers.slice(i + 1).entries()) {
            for (const c of numbers.slice(i + j + 2)) visit((a * MAX_INGREDIENTS + b) * MAX_INGREDIENTS + c);
          }
        }
      }
    }
  }

  #numberOf(ingredient: string): number {
    const number = this.#numbers.get(ingredient) ?? this.#numbers.size;
    this.#numbers.set(ingredient, number);
    return number;
  }
}

/** Those with the most news first; of equals, the first. */
export function newestFirst(all: readonly ScenarioData[], newnessOf: (data: ScenarioData) => number): ScenarioData[] {
  return all
    .map((data) => ({ data, newness: newnessOf(data) }))
    .sort((a, b) => b.newness - a.newness)
    .map(({ data }) => data);
}
