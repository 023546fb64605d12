import type { Expected } from './cases/case.ts';

/** The decisions of a real scheduler about the pods of all cases, in the repository. */
export const CASES_RECORDING = 'fixtures/recordings/scheduler-cases.jsonl.gz';

/** Everything that a scheduler decided about the pod of a case, in many runs. */
export interface Decisions {
  readonly id: string;
  /** Where it was placed. */
  readonly nodes: readonly string[];
  /** Why it was not. */
  readonly messages: readonly string[];
  /** By the node that it was nominated to, sorted by name. */
  readonly victims: Readonly<Record<string, readonly string[]>>;
}

/** The same in the form of decisions. */
export function decisionsIn(id: string, expected: Expected): Decisions {
  if ('nodes' in expected) return { id, nodes: [...expected.nodes].sort(), messages: [], victims: {} };
  const victims = Object.entries('victims' in expected ? expected.victims : {}).map(([node, names]) => [node, [...names].sort()] as const);
  return { id, nodes: [], messages: [expected.refused], victims: Object.fromEntries(victims) };
}
