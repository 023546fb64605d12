import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { parseRequirements } from '../../model/requirements.ts';
import type { Requirements, ValueSet } from '../../model/requirements.ts';

/** The value for a label that a pool requires without naming a value. */
const ANY_VALUE = 'any';

/** A pool's requirements on labels that no instance type, zone or the like determines, and whose value is open. */
export function openLabels(requirements: readonly NodeSelectorRequirement[], isDecided: (key: string) => boolean): Requirements {
  const all = parseRequirements(requirements.filter(({ key }) => !isDecided(key)));
  return new Map([...all].filter(([, set]) => valueIn(set) !== undefined));
}

/** One value for each required label. If pods required one, it is the only one left by then. */
export function settleLabels(open: Requirements): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [key, set] of open) {
    const value = set.missing ? undefined : valueIn(set);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

/** Whether a label can have any value, or be missing, at all. */
export function isPossible(set: ValueSet): boolean {
  return set.missing || valueIn(set) !== undefined;
}

/** One of the allowed values. */
function valueIn(set: ValueSet): string | undefined {
  if (!set.excluding) return set.values[0];
  if (set.above === undefined && set.below === undefined) return freeValue(set.values);
  return freeNumber(set);
}

function freeValue(excluded: readonly string[]): string {
  for (let tries = 0; ; tries += 1) {
    const value = tries === 0 ? ANY_VALUE : `${ANY_VALUE}-${tries}`;
    if (!excluded.includes(value)) return value;
  }
}

/** The nearest whole number to a bound that is not excluded. The value of a label can't be negative. */
function freeNumber({ above, below, values }: ValueSet): string | undefined {
  const least = above === undefined || above < 0n ? 0n : above + 1n;
  const isUp = above !== undefined || below === undefined;
  for (let number = isUp ? least : below - 1n; number >= least && (below === undefined || number < below); number += isUp ? 1n : -1n)
    if (!values.includes(String(number))) return String(number);
  return undefined;
}
