import type { LabelSelector, LabelSelectorRequirement } from './kube.ts';

export type Labels = Readonly<Record<string, string>>;

/**
 * Whether a selector matches an object with these labels. Absent or null selects nothing, empty selects everything. An unknown
 * operator selects nothing.
 */
export function matchesSelector(selector: LabelSelector | null | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined || selector === null) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  for (const key in matchLabels) if (labels?.[key] !== matchLabels[key]) return false;
  return matchExpressions.every((requirement) => matchesExpression(requirement, labels?.[requirement.key]));
}

/** NotIn also holds for a missing label. */
function matchesExpression({ operator, values = [] }: LabelSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
