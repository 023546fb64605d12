import type { Pod } from '../../model/kube.ts';
import { nodeAlternatives } from '../../model/requirements.ts';
import { podRequests } from '../../model/resources.ts';
import { spreadProblem } from '../../model/topology.ts';
import type { PodValidator } from './types.ts';

/**
 * Refuses pods whose constraints mean nothing. A correct API server lets none of them in; one that came all the same is
 * put aside by itself, before anything is planned for its batch.
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

/** What comes off a wire may have any shape: what can't even be read is a problem of its field. */
function thrown(field: string, read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return `${field}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
