import type { Pod } from '../../model/kube.ts';
import { AntiAffinities, affinityRule, antiAffinityRule } from './affinity.ts';
import type { PodClass } from './pod-class.ts';
import type { Place, Rule, Share } from './rule.ts';
import { spreadRule } from './spread.ts';
import type { SchedulingInput } from './types.ts';

/** The rules of all pod classes in a plan, updated with every placement. */
export class Topology {
  readonly #input: SchedulingInput;
  readonly #anti: AntiAffinities;
  readonly #rules = new Map<PodClass, readonly Rule[]>();
  /** Those that classes share, by what they depend on. */
  readonly #shared = new Map<string, Rule>();
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
    this.#rules.set(podClass, rules);
    return rules;
  }

  place(podClass: PodClass, place: Place): void {
    this.#placed.push({ podClass, place });
    for (const rule of this.#shared.values()) rule.place(podClass, place);
  }

  #makeRules(podClass: PodClass): Rule[] {
    const keysOf = (terms: PodClass['affinity']): string[] => [...new Set(terms.map(({ topologyKey }) => topologyKey))];
    const input = this.#input;
    return [
      ...podClass.spreads.map((spread) => spreadRule(podClass, spread, input, this.#share)),
      ...keysOf(podClass.affinity).map((key) => affinityRule(key, podClass.affinity, podClass, input, this.#share)),
      ...podClass.preferredAffinity.map((term) => affinityRule(term.topologyKey, [term], podClass, input, this.#share)),
      ...[...this.#anti.keysFor(podClass)].map((key) => antiAffinityRule(key, podClass, this.#anti, input, this.#share)),
    ];
  }

  readonly #share: Share = (key, create) => {
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const rule = create();
    // A later rule has to know the earlier placements.
    for (const { podClass, place } of this.#placed) rule.place(podClass, place);
    this.#shared.set(key, rule);
    return rule;
  };
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
