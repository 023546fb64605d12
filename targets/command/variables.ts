import { CLUSTER_VARIABLES, DUMMY_ACCOUNT, ENDPOINT_VARIABLES } from '../../model/program-environment.ts';

/** Free ports of the machine, new ones for each start. */
export const PORT_VARIABLES = ['PORT', 'METRICS_PORT'] as const;
export type PortVariable = (typeof PORT_VARIABLES)[number];

/** The Node.js that runs Scaleproof, so that a program need not find another. */
export const NODE_VARIABLE = 'NODE';

/** The names allowed in `${NAME}` in command, environment and readiness probe. */
export const PROGRAM_VARIABLE_NAMES: readonly string[] = [
  ...ENDPOINT_VARIABLES,
  ...CLUSTER_VARIABLES,
  ...Object.keys(DUMMY_ACCOUNT),
  ...PORT_VARIABLES,
  NODE_VARIABLE,
];

const REFERENCE = /\$\{([^}]*)\}/g;

/** The first name in a text's `${NAME}` references that is not one of these. */
export function unknownVariable(text: string, names: readonly string[]): string | undefined {
  return [...text.matchAll(REFERENCE)].map(([, name = '']) => name).find((name) => !names.includes(name));
}

/** Replaces `${NAME}` by its value; names without a value stay as they are. */
export function substitute(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(REFERENCE, (whole, name: string) => values[name] ?? whole);
}

/** The same for every string in plain JSON. */
export function substituteAll<T>(value: T, values: Readonly<Record<string, string>>): T {
  const deep = (one: unknown): unknown => {
    if (typeof one === 'string') return substitute(one, values);
    if (Array.isArray(one)) return one.map(deep);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, child]) => [key, deep(child)]));
  };
  return deep(value) as T;
}
