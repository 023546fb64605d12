import type { Pod } from '../../model/kube.ts';
import { AffinityRule, AntiAffinities, AntiAffinityRule } from './affinity.ts';
import type { PodClass } from './pod-class.ts';
import type { Place, Rule } from './rule.ts';
import { SpreadRule } from './spread.ts';
import type { SchedulingInput } from './types.ts';

/** The rules of all pod classes in a plan, updated with every placement. */
export class Topology {
  readonly #input: SchedulingInput;
  readonly #anti: AntiAffinities;
  readonly #rules = new Map<PodClass, readonly Rule[]>();
  readonly #all: Rule[] = [];
  readonly #placed: { readonly podClass: PodClass; readonly place: Place }[] = [];

  /** @param representatives one pod of each class */
  constructor(input: SchedulingInput, representatives: Iterable<Pod>) {
    this.#input = input;
    this.#anti = new AntiAffinities(representatives, input);
  }

  rulesFor(podClass: PodClass): readonly Rule[] {
    const known = this.#rules.get(podClass);
    if (known !== undefined) return known;
    const rules = this.#makeRules(podClass);
    // A later class has to know the earlier placements.
    for (const rule of rules) for (const { podClass: other, place } of this.#placed) rule.place(other, place);
    this.#rules.set(podClass, rules);
    this.#all.push(...rules);
    return rules;
  }

  place(podClass: PodClass, place: Place): void {
    this.#placed.push({ podClass, place });
    for (const rule of this.#all) rule.place(podClass, place);
  }

  #makeRules(podClass: PodClass): Rule[] {
    const keysOf = (terms: PodClass['affinity']): string[] => [...new Set(terms.map(({ topologyKey }) => topologyKey))];
    return [
      ...podClass.spreads.map((spread) => new SpreadRule(podClass, spread, this.#input)),
      ...keysOf(podClass.affinity).map((key) => new AffinityRule(key, podClass.affinity, podClass, this.#input)),
      ...podClass.preferredAffinity.map((term) => new AffinityRule(term.topologyKey, [term], podClass, this.#input)),
      ...[...this.#anti.keysFor(podClass)].map((key) => new AntiAffinityRule(key, podClass, this.#anti, this.#input)),
    ];
  }
}

/** The domain of a key that all its rules allow, with the lowest rank; undefined if there is none. */
export function chooseDomain(
  rules: readonly Rule[],
  domains: Iterable<string | undefined>,
  nodeName: string,
): { readonly domain: string | undefined } | undefined {
  let best: { domain: string | undefined; rank: number } | undefined;
  for (const domain of domains) {
    if (!rules.every((rule) => rule.allows(domain, nodeName))) continue;
    const rank = rules.reduce((sum, rule) => sum + rule.rank(domain), 0);
    if (best === undefined || rank < best.rank || (rank === best.rank && (domain ?? '') < (best.domain ?? ''))) best = { domain, rank };
  }
  return best;
}
