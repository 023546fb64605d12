import type { Pod, PodAffinityTerm } from '../../model/kube.ts';
import type { PodClass } from './pod-class.ts';
import { PodTerm } from './pod-term.ts';
import type { PodIdentity } from './pod-term.ts';
import { domainOf, placeOf } from './rule.ts';
import type { Place, Rule, Share } from './rule.ts';
import type { Option, SchedulingInput } from './types.ts';

/**
 * Affinity to other pods over one topology key: a domain matches once a pod that all terms select is in it. While there is none
 * anywhere, a pod that its own terms select may be the first.
 * Source: Kubernetes, `plugins/interpodaffinity/filtering.go`, 1.34 (`satisfyPodAffinity`).
 */
class AffinityRule implements Rule {
  readonly key: string;
  /** A first pod of those it selects may open a domain. */
  readonly isRefusalFinal = false;
  readonly #terms: readonly PodTerm[];
  readonly #selectsSelf: boolean;
  readonly #selectsClass = new Map<PodClass, boolean>();
  readonly #counts = new Map<string, number>();
  /** Selected pods that are planned onto nodes whose domain isn't known yet, by the node's name. */
  readonly #unplaced = new Map<string, number>();

  /** @param terms a pod has to be selected by all of these @param key their common topology key */
  constructor(key: string, terms: readonly PodTerm[], selectsSelf: boolean, input: SchedulingInput) {
    this.key = key;
    this.#terms = terms;
    this.#selectsSelf = selectsSelf;
    for (const node of input.nodes) {
      const domain = domainOf(placeOf(node), key);
      if (domain !== undefined) this.#add(domain, node.pods.filter((pod) => isSelected(identityOf(pod), terms)).length);
    }
  }

  allows(domain: string | undefined, nodeName: string): boolean {
    if (domain === undefined) return false;
    if (this.#counts.has(domain) || this.#unplaced.has(nodeName)) return true;
    return this.#selectsSelf && this.#counts.size === 0 && this.#unplaced.size === 0;
  }

  rank(): number {
    return 0;
  }

  place(podClass: PodClass, place: Place): void {
    const count = (this.#unplaced.get(place.name) ?? 0) + (this.#selects(podClass) ? 1 : 0);
    if (count === 0) return;
    const domain = domainOf(place, this.key);
    if (domain === undefined) {
      this.#unplaced.set(place.name, count);
    } else {
      this.#unplaced.delete(place.name);
      this.#add(domain, count);
    }
  }

  explain(options: readonly Option[]): string | undefined {
    if (options.some((option) => this.allows(option.labels[this.key], ''))) return undefined;
    return `spec.affinity.podAffinity: no pod that it selects is in a domain of ${this.key} where a node can be launched`;
  }

  #selects(podClass: PodClass): boolean {
    const known = this.#selectsClass.get(podClass);
    if (known !== undefined) return known;
    const selects = isSelected(podClass, this.#terms);
    this.#selectsClass.set(podClass, selects);
    return selects;
  }

  #add(domain: string, count: number): void {
    if (count > 0) this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + count);
  }
}

/** Whether all terms select a pod. */
function isSelected(pod: PodIdentity, terms: readonly PodTerm[]): boolean {
  return terms.every((term) => term.selects(pod));
}

/** The rule for terms of a class over one topology key. It is shared with classes whose terms select the same pods. */
export function affinityRule(
  key: string,
  podTerms: readonly PodAffinityTerm[],
  podClass: PodClass,
  input: SchedulingInput,
  share: Share,
): Rule {
  const terms = podTerms.map((term) => new PodTerm(term, podClass, input.namespaces));
  const selectsSelf = isSelected(podClass, terms);
  const about = JSON.stringify(['affinity', key, terms.map((term) => term.key), selectsSelf]);
  return share(about, () => new AffinityRule(key, terms, selectsSelf, input));
}

/**
 * Anti-affinity over one topology key, in both directions: a domain is excluded if it may have a pod that the class keeps away
 * from, or one that keeps away from the class. A node without the label excludes nothing.
 */
class AntiAffinityRule implements Rule {
  readonly key: string;
  readonly isRefusalFinal = true;
  readonly #own: readonly PodTerm[];
  readonly #podClass: PodClass;
  readonly #anti: AntiAffinities;
  readonly #keepsFromClass = new Map<PodClass, boolean>();
  readonly #blocked = new Set<string>();

  /** @param own the terms of the class over this key */
  constructor(key: string, own: readonly PodTerm[], podClass: PodClass, anti: AntiAffinities, input: SchedulingInput) {
    this.key = key;
    this.#podClass = podClass;
    this.#anti = anti;
    this.#own = own;
    for (const node of input.nodes) {
      const met = node.pods.filter((pod) => this.#keepsFrom(identityOf(pod), anti.termsOf(pod)));
      if (met.length > 0) this.#block(placeOf(node));
    }
  }

  allows(domain: string | undefined): boolean {
    return domain === undefined || !this.#blocked.has(domain);
  }

  rank(): number {
    return 0;
  }

  place(podClass: PodClass, place: Place): void {
    let keepsFrom = this.#keepsFromClass.get(podClass);
    if (keepsFrom === undefined) {
      keepsFrom = this.#keepsFrom(podClass, this.#anti.termsOf(podClass.pod));
      this.#keepsFromClass.set(podClass, keepsFrom);
    }
    if (keepsFrom) this.#block(place);
  }

  explain(options: readonly Option[]): string | undefined {
    if (options.some((option) => this.allows(option.labels[this.key]))) return undefined;
    return `spec.affinity.podAntiAffinity: in every domain of ${this.key} there is a pod that may not be beside it`;
  }

  #keepsFrom(pod: PodIdentity, theirs: readonly PodTerm[]): boolean {
    if (this.#own.some((term) => term.selects(pod))) return true;
    return theirs.some((term) => term.topologyKey === this.key && term.selects(this.#podClass));
  }

  /** Every domain that the place may turn out to be in. */
  #block(place: Place): void {
    for (const domain of place.domains(this.key)) if (domain !== undefined) this.#blocked.add(domain);
  }
}

/** The rule for the anti-affinity of a class over one topology key. It is shared with classes of the same terms and labels. */
export function antiAffinityRule(key: string, podClass: PodClass, anti: AntiAffinities, input: SchedulingInput, share: Share): Rule {
  const own = podClass.antiAffinity
    .filter(({ topologyKey }) => topologyKey === key)
    .map((term) => new PodTerm(term, podClass, input.namespaces));
  const about = JSON.stringify(['anti-affinity', key, own.map((term) => term.key), podClass.namespace, podClass.labels]);
  return share(about, () => new AntiAffinityRule(key, own, podClass, anti, input));
}

/** The required anti-affinity of all pods in a plan. */
export class AntiAffinities {
  readonly #namespaces: SchedulingInput['namespaces'];
  readonly #terms = new Map<Pod, readonly PodTerm[]>();
  /** One of each kind. */
  readonly #distinct = new Map<string, PodTerm>();

  constructor(pods: Iterable<Pod>, input: SchedulingInput) {
    this.#namespaces = input.namespaces;
    for (const pod of pods) this.#learn(pod);
    for (const node of input.nodes) for (const pod of node.pods) this.#learn(pod);
  }

  termsOf(pod: Pod): readonly PodTerm[] {
    return this.#terms.get(pod) ?? [];
  }

  /** The topology keys over which a class keeps away from others, or others from it. */
  keysFor(podClass: PodClass): ReadonlySet<string> {
    const keys = new Set(podClass.antiAffinity.map(({ topologyKey }) => topologyKey));
    for (const term of this.#distinct.values()) if (!keys.has(term.topologyKey) && term.selects(podClass)) keys.add(term.topologyKey);
    return keys;
  }

  #learn(pod: Pod): void {
    const terms = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    if (terms.length === 0 || this.#terms.has(pod)) return;
    const prepared = terms.map((term) => new PodTerm(term, identityOf(pod), this.#namespaces));
    this.#terms.set(pod, prepared);
    for (const term of prepared) if (!this.#distinct.has(term.key)) this.#distinct.set(term.key, term);
  }
}

function identityOf(pod: Pod): PodIdentity {
  return { namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels ?? {} };
}
