/** One requirement of a label selector in its string form. */
interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** A selector string that can't be read. */
export class SelectorSyntaxError extends Error {
  constructor(message: string) {
    super(`unable to parse requirement: ${message}`);
    this.name = 'SelectorSyntaxError';
  }
}

const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const SET = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const COMPARISON = /^([^=!<>]+)(==|=|!=|>|<)([^=!<>]*)$/;

/** Characters of one selector. The real API server has no limit but that of the request's line. */
export const SELECTOR_LENGTH_MAX = 65_536;

/**
 * Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`, as `k8s.io/apimachinery/pkg/labels` does. Empty selects everything.
 * @throws SelectorSyntaxError also for one longer than SELECTOR_LENGTH_MAX
 */
export function parseLabelSelector(text: string): LabelRequirement[] {
  if (text.length > SELECTOR_LENGTH_MAX) {
    throw new SelectorSyntaxError(`the selector has ${text.length} characters, at most ${SELECTOR_LENGTH_MAX} are allowed`);
  }
  if (text.trim() === '') return [];
  return splitOutsideParentheses(text).map((part) => parseRequirement(part.trim()));
}

function parseRequirement(part: string): LabelRequirement {
  const set = SET.exec(part);
  if (set !== null) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    return checked({ key: set[1] ?? '', operator: set[2] === 'in' ? 'In' : 'NotIn', values });
  }
  const comparison = COMPARISON.exec(part);
  if (comparison !== null) {
    const [, key = '', sign = '', value = ''] = comparison;
    return checked({ key: key.trim(), operator: OPERATORS[sign] ?? 'In', values: [value.trim()] });
  }
  if (part.startsWith('!')) return checked({ key: part.slice(1).trim(), operator: 'DoesNotExist', values: [] });
  return checked({ key: part, operator: 'Exists', values: [] });
}

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};

function checked(requirement: LabelRequirement): LabelRequirement {
  if (!LABEL_KEY.test(requirement.key)) throw new SelectorSyntaxError(`found '${requirement.key}', expected: a label key`);
  for (const value of requirement.values) {
    if (!LABEL_VALUE.test(value)) throw new SelectorSyntaxError(`values: Invalid value: ${JSON.stringify(value)}`);
    if ((requirement.operator === 'Gt' || requirement.operator === 'Lt') && !/^-?\d+$/.test(value)) {
      throw new SelectorSyntaxError(
        `values: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  }
  return requirement;
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** Whether labels meet all requirements. Inequality holds for a missing label. */
export function matchesRequirements(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = labels?.[key];
    switch (operator) {
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Gt':
        return value !== undefined && Number(value) > Number(values[0]);
      case 'Lt':
        return value !== undefined && Number(value) < Number(values[0]);
    }
  });
}
