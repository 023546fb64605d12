import type { Pod } from '../../model/kube.ts';
import { nodeAlternatives } from '../../model/requirements.ts';
import { podRequests } from '../../model/resources.ts';
import { spreadProblem } from '../../model/topology.ts';
import type { PodValidator } from './types.ts';

/**
 * Refuses pods with meaningless constraints. A correct API server accepts none of them; one that appears anyway is set aside alone,
 * before its batch is planned.
 */
export function createPodValidator(): PodValidator {
  return {
    problem: (pod) =>
      spreadProblems(pod) ??
      thrown('spec.containers.resources', () => podRequests(pod.spec)) ??
      thrown('spec.affinity.nodeAffinity', () => nodeAlternatives(pod.spec)),
  };
}

function spreadProblems(pod: Pod): string | undefined {
  const field = 'spec.topologySpreadConstraints';
  let problem: string | undefined;
  const broken = thrown(field, () => {
    for (const [index, constraint] of (pod.spec.topologySpreadConstraints ?? []).entries()) {
      const found = spreadProblem(constraint);
      if (found !== undefined) problem ??= `${field}[${index}].${found.field}: ${found.message}`;
    }
  });
  return problem ?? broken;
}

/** Data from a wire may have any shape: a field that can't even be read is a problem of that field. */
function thrown(field: string, read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return `${field}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
