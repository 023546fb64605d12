import { LABEL } from '../../model/kube.ts';
import type { NodeSelectorTerm, PodSpec } from '../../model/kube.ts';
import { allows, intersect, matchesLabels, matchesNode, nodeAlternative, nodeAlternatives } from '../../model/requirements.ts';
import type { NodeAlternative, Requirements } from '../../model/requirements.ts';
import type { Labels } from '../../model/selector.ts';
import { isPossible } from './open-labels.ts';
import { heaviest } from './relaxation.ts';
import type { Option } from './types.ts';

const NONE_OPEN: Requirements = new Map();

/** Labels that a node still leaves open, and the alternatives of a pod that they were narrowed for. */
export interface Narrowing {
  readonly open: Requirements;
  readonly alternatives: readonly NodeAlternative[];
}

/**
 * A pod's requirements on a node's labels and name: its node selector, its required node affinity, where its volumes are, and its
 * preferred term with the highest weight. Shared by all pods with the same requirements.
 */
export class NodeFilter {
  /** The requirements without the volumes and the preferred term: nodes that match these count for topology spread. */
  readonly required: readonly NodeAlternative[];
  readonly alternatives: readonly NodeAlternative[];
  /** Equal for pods with equal requirements. */
  readonly key: string;
  /** Whether there are requirements on the zone or the capacity type, which offerings of a type differ by. */
  readonly asksForPlace: boolean;
  /** Whether there are no requirements. */
  readonly isFree: boolean;
  readonly #suits = new Map<Option, boolean>();

  constructor(spec: PodSpec, volumeTerms: readonly NodeSelectorTerm[] = []) {
    this.required = nodeAlternatives(spec);
    this.key = filterKey(spec, volumeTerms);
    const placed =
      volumeTerms.length === 0
        ? this.required
        : combined(
            this.required,
            volumeTerms.flatMap((term) => nodeAlternative(term) ?? []),
          );
    const preferred = heaviest(spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution)?.preference;
    const wish = preferred === undefined ? undefined : nodeAlternative(preferred);
    this.alternatives = wish === undefined ? placed : combined(placed, [wish]);
    this.asksForPlace = this.alternatives.some(({ labels }) => labels.has(LABEL.zone) || labels.has(LABEL.capacityType));
    this.isFree = this.alternatives.some(({ labels, fields }) => labels.size === 0 && fields.size === 0);
  }

  /** Whether it allows every label set that the node may turn out to have. */
  allowsNode(name: string, variants: readonly Labels[]): boolean {
    return variants.every((labels) => matchesNode(this.alternatives, name, labels));
  }

  /** Whether such a node counts for topology spread. */
  countsNode(name: string, variants: readonly Labels[]): boolean {
    return variants.every((labels) => matchesNode(this.required, name, labels));
  }

  countsOption(option: Option, open: Requirements): boolean {
    if (this.required === this.alternatives) return this.allowsOption(option, open);
    return this.required.some((one) => suits(one, option, open));
  }

  /**
   * Whether it allows an option of a new node; a new node can't be requested by its name.
   * @param alternatives those that the node's open labels are narrowed for
   */
  allowsOption(option: Option, open: Requirements = NONE_OPEN, alternatives = this.alternatives): boolean {
    if (this.isFree) return true;
    // With open labels the result can't be cached per option: they narrow from pod to pod.
    if (open.size > 0) return alternatives.some((one) => suits(one, option, open));
    const known = this.#suits.get(option);
    if (known !== undefined) return known;
    const allowed = this.alternatives.some((one) => suits(one, option, open));
    this.#suits.set(option, allowed);
    return allowed;
  }

  /**
   * How a pod may narrow a node's open labels, in the order of its alternatives. A label has one value in the end: an alternative that asks
   * for one only helps once the label is narrowed to it.
   */
  narrowings(open: Requirements): readonly Narrowing[] {
    const isAsked = ({ labels }: NodeAlternative): boolean => [...labels.keys()].some((key) => open.has(key));
    if (this.isFree || !this.alternatives.some(isAsked)) return [{ open, alternatives: this.alternatives }];
    return this.alternatives.flatMap((one) => {
      const narrowed = intersect(open, new Map([...one.labels].filter(([key]) => open.has(key))));
      return [...narrowed.values()].every(isPossible) ? [{ open: narrowed, alternatives: [one] }] : [];
    });
  }
}

/** The requirements as text. */
export function filterKey({ nodeSelector, affinity }: PodSpec, volumeTerms: readonly NodeSelectorTerm[] = []): string {
  return JSON.stringify([nodeSelector, affinity?.nodeAffinity, volumeTerms]);
}

/** All that both allow: one of the first and one of the others. */
function combined(some: readonly NodeAlternative[], others: readonly NodeAlternative[]): NodeAlternative[] {
  return some.flatMap((one) =>
    others.map((other) => ({ labels: intersect(one.labels, other.labels), fields: intersect(one.fields, other.fields) })),
  );
}

function suits({ labels, fields }: NodeAlternative, option: Option, open: Requirements): boolean {
  if (fields.size > 0 && !matchesLabels(fields, { 'metadata.name': '' })) return false;
  for (const [key, set] of labels) {
    const known = open.get(key);
    if (known === undefined) {
      if (!allows(set, option.labels[key])) return false;
      continue;
    }
    const both = intersect(new Map([[key, known]]), new Map([[key, set]])).get(key);
    if (both === undefined || !isPossible(both)) return false;
  }
  return true;
}
