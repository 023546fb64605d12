import type { NodeSelectorRequirement } from '../../model/kube.ts';
import { parseRequirements } from '../../model/requirements.ts';
import type { Requirements } from '../../model/requirements.ts';

/** The value for a label that a pool requires without naming a value. */
const ANY_VALUE = 'any';

/** A pool's requirements on labels that no instance type, zone or the like determines, and whose value is open. */
export function openLabels(requirements: readonly NodeSelectorRequirement[], isDecided: (key: string) => boolean): Requirements {
  const all = parseRequirements(requirements.filter(({ key }) => !isDecided(key)));
  return new Map([...all].filter(([, set]) => set.excluding || set.values.length > 1));
}

/** One value for each required label. If pods required one, it is the only one left by then. */
export function settleLabels(open: Requirements): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [key, set] of open) {
    if (!set.excluding) {
      const [value] = set.values;
      if (value !== undefined) labels[key] = value;
    } else if (set.above !== undefined) labels[key] = String(set.above + 1n);
    else if (set.below !== undefined) labels[key] = String(set.below - 1n);
    else if (!set.missing) labels[key] = freeValue(set.values);
  }
  return labels;
}

function freeValue(excluded: readonly string[]): string {
  for (let tries = 0; ; tries += 1) {
    const value = tries === 0 ? ANY_VALUE : `${ANY_VALUE}-${tries}`;
    if (!excluded.includes(value)) return value;
  }
}
