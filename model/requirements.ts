import { defined } from './defined.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from './kube.ts';
import type { Labels } from './selector.ts';

/**
 * The values that one label may have: these values (`excluding: false`), or all but these (`excluding: true`) within bounds; and
 * whether the label may be missing. Bounds are exclusive, on whole numbers, and only used with `excluding`.
 */
export interface ValueSet {
  readonly excluding: boolean;
  /** In the order of the requirements. */
  readonly values: readonly string[];
  readonly above?: bigint;
  readonly below?: bigint;
  readonly missing: boolean;
}

/** The allowed label values, by key; a key without an entry may have any value or be missing. */
export type Requirements = ReadonlyMap<string, ValueSet>;

const INTEGER = /^[+-]?\d{1,19}$/;

/** Parses requirements that must all hold. An unknown operator, or a bound that is not a number, can't be satisfied. */
export function parseRequirements(list: readonly NodeSelectorRequirement[] | undefined): Requirements {
  const requirements = new Map<string, ValueSet>();
  for (const requirement of list ?? []) {
    const known = requirements.get(requirement.key);
    const set = valueSet(requirement);
    requirements.set(requirement.key, known === undefined ? set : intersectValues(known, set));
  }
  return requirements;
}

/** Requirements for exactly these label values, like a node selector. */
function requireLabels(labels: Labels | undefined): Requirements {
  return new Map(Object.entries(labels ?? {}).map(([key, value]) => [key, oneOf([value])]));
}

function oneOf(values: readonly string[]): ValueSet {
  return { excluding: false, values: [...new Set(values)], missing: false };
}

function valueSet({ operator, values = [] }: NodeSelectorRequirement): ValueSet {
  switch (operator) {
    case 'In':
      return oneOf(values);
    case 'NotIn':
      return { excluding: true, values: [...new Set(values)], missing: true };
    case 'Exists':
      return { excluding: true, values: [], missing: false };
    case 'DoesNotExist':
      return { excluding: false, values: [], missing: true };
    case 'Gt':
    case 'Lt': {
      const bound = toInteger(values[0]);
      if (bound === undefined) return oneOf([]);
      return { excluding: true, values: [], missing: false, ...(operator === 'Gt' ? { above: bound } : { below: bound }) };
    }
    default:
      return oneOf([]);
  }
}

function toInteger(text: string | undefined): bigint | undefined {
  return text !== undefined && INTEGER.test(text) ? BigInt(text) : undefined;
}

/** Whether a label may have this value. @param value undefined where the label is missing */
export function allows(set: ValueSet, value: string | undefined): boolean {
  if (value === undefined) return set.missing;
  return set.values.includes(value) !== set.excluding && within(set, value);
}

/** Whether requirements leave a label this value. */
export function permits(requirements: Requirements, key: string, value: string): boolean {
  const set = requirements.get(key);
  return set === undefined || allows(set, value);
}

function within({ above, below }: ValueSet, value: string): boolean {
  if (above === undefined && below === undefined) return true;
  const number = toInteger(value);
  if (number === undefined) return false;
  return (above === undefined || number > above) && (below === undefined || number < below);
}

/** The values that both sets allow. */
function intersectValues(a: ValueSet, b: ValueSet): ValueSet {
  const missing = a.missing && b.missing;
  if (!a.excluding || !b.excluding) {
    const [named, other] = a.excluding ? [b, a] : [a, b];
    return { excluding: false, values: named.values.filter((value) => allows(other, value)), missing };
  }
  const above = larger(a.above, b.above);
  const below = smaller(a.below, b.below);
  if (above !== undefined && below !== undefined && above + 1n >= below) return { excluding: false, values: [], missing };
  const bounds = defined({ above, below });
  const set = { excluding: true, missing, ...bounds };
  // Values outside the bounds need no exclusion, so that equal sets have one form.
  const values = [...new Set([...a.values, ...b.values])].filter((value) => within({ ...set, values: [] }, value));
  return { ...set, values };
}

function larger(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

function smaller(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

/** Requirements that satisfy both. Keys keep the order of `a`, then of `b`. */
export function intersect(a: Requirements, b: Requirements): Requirements {
  const result = new Map(a);
  for (const [key, set] of b) {
    const known = result.get(key);
    result.set(key, known === undefined ? set : intersectValues(known, set));
  }
  return result;
}

/** Whether labels satisfy all requirements. */
export function matchesLabels(requirements: Requirements, labels: Labels | undefined): boolean {
  for (const [key, set] of requirements) if (!allows(set, labels?.[key])) return false;
  return true;
}

/** One alternative for a pod's node: requirements on its labels, and on its fields (only `metadata.name`). */
export interface NodeAlternative {
  readonly labels: Requirements;
  readonly fields: Requirements;
}

/**
 * The nodes that a pod's nodeSelector and required node affinity allow: one of the alternatives must match. A term without
 * expressions matches nothing, and so does an affinity without terms.
 */
export function nodeAlternatives(spec: PodSpec): readonly NodeAlternative[] {
  const selector = requireLabels(spec.nodeSelector);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined || required === null) return [{ labels: selector, fields: new Map() }];
  return (required.nodeSelectorTerms ?? []).filter(isStated).map((term) => ({
    labels: intersect(selector, parseRequirements(term.matchExpressions)),
    fields: parseRequirements(term.matchFields),
  }));
}

/** A single term of node affinity. Undefined if it is empty: it then matches no node. */
export function nodeAlternative(term: NodeSelectorTerm): NodeAlternative | undefined {
  if (!isStated(term)) return undefined;
  return { labels: parseRequirements(term.matchExpressions), fields: parseRequirements(term.matchFields) };
}

function isStated({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return matchExpressions.length + matchFields.length > 0;
}

/** Whether a node matches one of a pod's alternatives. */
export function matchesNode(alternatives: readonly NodeAlternative[], name: string, labels: Labels | undefined): boolean {
  return alternatives.some((one) => matchesLabels(one.labels, labels) && matchesLabels(one.fields, { 'metadata.name': name }));
}
