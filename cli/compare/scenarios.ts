import type { ComparedScenarios } from '../../gate/comparison/compared-run.ts';

/** The size of the cluster whose monthly cost is reported. */
export const COSTED_NODES = 100;

/** The bundled scenarios that single figures of a comparison are measured in. */
export const COMPARED_SCENARIOS: ComparedScenarios = {
  scaleOut: { title: 'Scale-out of ten nodes, by phase', scenarios: ['provisioning/scale-out-and-back'] },
  cost: { title: `Monthly cost of a ${COSTED_NODES}-node cluster`, scenarios: ['provisioning/two-cycles'], nodes: COSTED_NODES },
};

const FAULT_FREE = 'manifests/fault-free';

/** The same over a user's manifests. */
const COMPARED_MANIFESTS: ComparedScenarios = {
  scaleOut: { title: 'Scale-out of your workloads, by phase', scenarios: [FAULT_FREE] },
  cost: { title: 'Monthly cost of your workloads', scenarios: [FAULT_FREE] },
};

/** @param ids the scenarios that are compared */
export function comparedScenarios(ids: Iterable<string>): ComparedScenarios {
  return [...ids].includes(FAULT_FREE) ? COMPARED_MANIFESTS : COMPARED_SCENARIOS;
}
