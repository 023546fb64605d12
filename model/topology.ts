import type { LabelSelector, TopologySpreadConstraint } from './kube.ts';
import type { Labels } from './selector.ts';

/** What is wrong with a constraint: the field in it (`maxSkew`) and why, in the API's words. */
interface SpreadProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * The first problem of a spread constraint that the API would refuse, among those that make it unusable. Never throws: pods
 * read off a wire may contain anything.
 */
export function spreadProblem(constraint: TopologySpreadConstraint): SpreadProblem | undefined {
  const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector, matchLabelKeys } = constraint;
  if (!isPositive(maxSkew)) return { field: 'maxSkew', message: notPositive(maxSkew) };
  if (typeof topologyKey !== 'string' || topologyKey === '') return { field: 'topologyKey', message: 'Required value: can not be empty' };
  if (!ACTIONS.includes(whenUnsatisfiable)) return { field: 'whenUnsatisfiable', message: notOneOf(whenUnsatisfiable, ACTIONS) };
  if (isGiven(minDomains)) {
    if (!isPositive(minDomains)) return { field: 'minDomains', message: notPositive(minDomains) };
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      const message = `Invalid value: ${minDomains}: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      return { field: 'minDomains', message };
    }
  }
  for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[field];
    if (isGiven(policy) && !POLICIES.includes(policy)) return { field, message: notOneOf(policy, POLICIES) };
  }
  if (isGiven(matchLabelKeys) && matchLabelKeys.length > 0 && !isGiven(labelSelector)) {
    return { field: 'matchLabelKeys', message: 'Forbidden: must not be specified when labelSelector is not set' };
  }
  const unknown = labelSelector?.matchExpressions?.findIndex(({ operator }) => !OPERATORS.includes(operator)) ?? -1;
  if (unknown >= 0) {
    const operator = JSON.stringify(labelSelector?.matchExpressions?.[unknown]?.operator ?? null);
    const message = `Invalid value: ${operator}: not a valid selector operator`;
    return { field: `labelSelector.matchExpressions[${unknown}].operator`, message };
  }
  return undefined;
}

const ACTIONS: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES: readonly string[] = ['Honor', 'Ignore'];
const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** A wire does not guarantee the types: an absent field may also be null. */
function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function notPositive(value: unknown): string {
  return `Invalid value: ${JSON.stringify(value ?? 0)}: must be greater than zero`;
}

function notOneOf(value: unknown, supported: readonly string[]): string {
  return `Unsupported value: ${JSON.stringify(value ?? '')}: supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`;
}

/**
 * The selector with which a constraint counts pods: its own, plus equality with the pod's labels in `matchLabelKeys`. An
 * absent selector stays absent: it counts nothing, not even the pod itself.
 */
export function spreadSelector(constraint: TopologySpreadConstraint, podLabels: Labels | undefined): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [] } = constraint;
  const added = matchLabelKeys.flatMap((key) => {
    const value = podLabels?.[key];
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  if (added.length === 0 || !isGiven(labelSelector)) return labelSelector;
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

/** Counts of matching pods by domain, i.e. by value of the topology key. */
type DomainCounts = ReadonlyMap<string, number>;

/**
 * The count that domains are compared with: the lowest, or 0 while there are fewer domains than `minDomains` (1 if absent).
 */
export function globalMinimum(counts: DomainCounts, minDomains = 1): number {
  if (counts.size < minDomains) return 0;
  let minimum = Infinity;
  for (const count of counts.values()) minimum = Math.min(minimum, count);
  return minimum;
}

/**
 * The skew of a constraint in a domain after placing a pod there. The pod may be placed there if this is at most `maxSkew`. A
 * domain without an entry counts 0.
 * @param selfMatches whether the constraint's selector selects the pod itself
 */
export function skewAfterPlacing(counts: DomainCounts, domain: string, selfMatches: boolean, minDomains?: number): number {
  return (counts.get(domain) ?? 0) + (selfMatches ? 1 : 0) - globalMinimum(counts, minDomains);
}
