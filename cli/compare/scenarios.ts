import type { ComparedScenarios } from '../../gate/comparison/compared-run.ts';

/** The bundled scenarios that single figures of a comparison are measured in. */
export const COMPARED_SCENARIOS: ComparedScenarios = {
  scaleOut: ['provisioning/scale-out-and-back'],
  freeSize: ['provisioning/two-cycles'],
};
